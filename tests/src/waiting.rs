//! Waiting for what happens some time.
//!
//! The limit ends a test that waits in vain; no machine is that slow.

use std::time::{Duration, Instant};

pub(crate) const PATIENCE: Duration = Duration::from_secs(240);
const PAUSE: Duration = Duration::from_millis(20);

/// Calls `find` until it finds something.
///
/// # Panics
/// When nothing was found in four minutes.
#[track_caller]
pub fn until<T>(what: &str, find: impl FnMut() -> Option<T>) -> T {
    until_within(PATIENCE, PAUSE, what, find)
}

/// As [`until`], with a limit and a pause between two calls that a test has reasons for.
///
/// # Panics
/// When nothing was found within `patience`.
#[track_caller]
pub fn until_within<T>(
    patience: Duration,
    pause: Duration,
    what: &str,
    mut find: impl FnMut() -> Option<T>,
) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(pause);
    }
}
