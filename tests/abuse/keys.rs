//! Floods of requests: with invented keys, and with one key written in many ways.

use spindle_tests::Options;
use spindle_tests::client::basic;

use crate::attack::{Attack, Work};
use crate::attacker::{Attacker, refused_at_once};

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

#[test]
fn requests_with_invented_keys_are_withstood() {
    MADE_UP.is_withstood();
}
