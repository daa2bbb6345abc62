//! Waiting for what happens some time.
//!
//! The limit ends a test that waits in vain; no machine is that slow.

use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(240);

/// Calls `find` until it finds something.
///
/// # Panics
/// When nothing was found in four minutes.
#[track_caller]
pub fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
