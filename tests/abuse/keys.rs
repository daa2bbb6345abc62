//! Floods of requests: with invented keys, and with one key written in many ways.

use spindle_tests::Options;
use spindle_tests::client::basic;

use crate::attack::{Attack, Work};
use crate::attacker::{Attacker, at_once, refused_at_once};

/// The default rate limits of a server; the bystander needs a higher one for accounts.
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

/// All spellings of the header count as one account.
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
fn requests_with_invented_keys_are_withstood() {
    MADE_UP.is_withstood();
}

#[test]
fn spellings_of_one_key_share_its_rate_limit() {
    SPELLINGS.is_withstood();
}
