//! What ends a call: its bounds, panics, and functions that apps may not use.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn an_endless_app_is_stopped() {
    let app = Fixture::new(MISBEHAVING);
    app.say("hi").unwrap();
    let start = Instant::now();
    let reason = app.say("loop").unwrap_err();
    assert_eq!(reason, "The app computed longer than 1000 milliseconds");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(app.say("hi").is_ok());
}

#[test]
fn a_greedy_app_is_stopped() {
    let app = Fixture::new(MISBEHAVING);
    let reason = app.say("allocate").unwrap_err();
    assert_eq!(reason, "The app needs more than 64 MiB of memory");
    let reason = app.say("recurse").unwrap_err();
    assert!(
        reason == "The app ran out of stack" || reason.starts_with("The app ended with an error"),
        "{reason}"
    );
}

#[test]
fn a_panic_is_reported_with_its_message() {
    let app = Fixture::new(MISBEHAVING);
    let reason = app.say("trap").unwrap_err();
    assert!(reason.contains("as Ann asked"), "{reason}");
}

#[test]
fn an_app_reaches_nothing_outside() {
    let app = Fixture::new(MISBEHAVING);
    assert_eq!(app.say("read"), Ok(vec![reply("read: false")]));
    let start = Instant::now();
    let reason = app.say("sleep").unwrap_err();
    assert!(reason.contains("which apps may not"), "{reason}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn too_many_or_too_large_effects_are_refused() {
    let app = Fixture::new(MISBEHAVING);
    assert_eq!(app.say("many 50").unwrap().len(), 50);
    let reason = app.say("many 51").unwrap_err();
    assert_eq!(reason, "The app returned 51 effects, the limit is 50");
    let reason = app.say("large 10001").unwrap_err();
    assert!(reason.contains("longer than 10000 characters"), "{reason}");
    let reason = app.say("large 20000000").unwrap_err();
    assert_eq!(reason, "The app returned more than the server accepts");
    let reason = app.say("many 200000").unwrap_err();
    assert!(reason.starts_with("The app returned"), "{reason}");
}
