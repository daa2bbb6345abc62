//! Waiting for conditions. No test waits for a fixed time, except where time itself is what it needs.

use std::time::{Duration, Instant};

use crate::unix_now;

/// Ends a wait in vain. A wait that includes one of the server's own times adds that time to it, in
/// [`until_within`].
pub const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// Calls `find` until it finds something.
///
/// # Panics
/// When nothing was found within [`PATIENCE`].
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

/// Waits until the machine's clock shows the next second. Times of the protocol are whole seconds, so
/// changes within one second have the same time.
///
/// # Panics
/// When the clock stands still.
#[track_caller]
pub fn until_the_next_second() {
    let now = unix_now();
    until("the next second", || (unix_now() > now).then_some(()));
}
