//! Floods of requests: keys that are made up, and one key written in many ways.

use spindle_tests::Options;
use spindle_tests::client::basic;

use crate::attack::{Attack, Work};
use crate::attacker::{Attacker, at_once, refused_at_once};

/// The limits that a server has by default; the bystander alone needs more than that of accounts.
fn limited_by_address() -> Options {
    Options {
        rate_limit_address: 100,
        ..Options::default()
    }
}

pub const MADE_UP: Attack = Attack::new("keys that are made up", |server| {
    let stranger = [Attacker::anonymous(server).without_limit()];
    let work: Work = Box::new(move |is_over| {
        refused_at_once(&stranger, 16, is_over, |attacker, number| {
            let key = format!("{number:032}");
            attacker.authorize(&basic(&format!("nobody{number}@example.com"), &key));
            let answer = attacker.call(is_over, "GET", "/users/me", &[]);
            assert!(answer.is_none_or(|answer| matches!(answer.status, 401 | 429 | 503)));
        });
    });
    work
})
.on(limited_by_address);

/// However the header is written, it is one account.
pub const SPELLINGS: Attack = Attack::new("spellings of one key", |server| {
    let user = server.user("guest");
    let attackers = [Attacker::of(server, &user)];
    Box::new(move |is_over| {
        at_once(&attackers, 16, is_over, |attacker, number| {
            let spell = |(place, letter): (usize, char)| {
                if number >> (place % 16) & 1 == 0 {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                }
            };
            let email: String = user.email.chars().enumerate().map(spell).collect();
            let header = basic(&email, &user.api_key);
            let scheme: String = "basic".chars().enumerate().map(spell).collect();
            attacker.authorize(&header.replacen("Basic", &scheme, 1));
            attacker.call(is_over, "GET", "/users/me", &[]);
        });
    })
});

#[test]
fn keys_that_are_made_up() {
    MADE_UP.is_withstood();
}

#[test]
fn spellings_of_one_key() {
    SPELLINGS.is_withstood();
}
