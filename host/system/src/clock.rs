//! The host's clock, which tests can move.
//!
//! Two readings: UNIX time for stored or displayed times, and running time for durations, which is
//! monotonic and does not jump when the machine's clock is set. Timers that wait through this clock
//! wake up when it is moved. The socket that advances or sets it exists only when a hidden flag asks
//! for it; it is for tests.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// A duration for the log: milliseconds with three decimals.
#[must_use]
pub fn millis(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

/// A duration in whole microseconds, for atomic integers.
#[must_use]
pub fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// System time plus an offset that only grows. Clones share the offset.
#[derive(Debug, Clone)]
pub struct Clock {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    started: Instant,
    offset_secs: AtomicU64,
    /// The offset by which UNIX time has been set; it does not affect running time.
    set_by_secs: AtomicI64,
    moved: watch::Sender<u64>,
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock {
    /// A clock that shows system time.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                started: Instant::now(),
                offset_secs: AtomicU64::new(0),
                set_by_secs: AtomicI64::new(0),
                moved: watch::Sender::new(0),
            }),
        }
    }

    fn offset(&self) -> Duration {
        Duration::from_secs(self.shared.offset_secs.load(Ordering::Acquire))
    }

    /// Time since the UNIX epoch.
    #[must_use]
    pub fn unix_time(&self) -> Duration {
        let system = SystemTime::now().duration_since(UNIX_EPOCH);
        let moved = system.unwrap_or_default().saturating_add(self.offset());
        let set_by = self.shared.set_by_secs.load(Ordering::Acquire);
        let distance = Duration::from_secs(set_by.unsigned_abs());
        if set_by < 0 {
            moved.saturating_sub(distance)
        } else {
            moved.saturating_add(distance)
        }
    }

    /// Whole seconds since the UNIX epoch.
    #[must_use]
    pub fn unix_seconds(&self) -> i64 {
        i64::try_from(self.unix_time().as_secs()).unwrap_or(i64::MAX)
    }

    /// Monotonic time since the start of the process.
    #[must_use]
    pub fn running_time(&self) -> Duration {
        self.shared.started.elapsed().saturating_add(self.offset())
    }

    /// Advances the clock and wakes up all timers.
    pub fn advance(&self, seconds: u64) {
        let offset = &self.shared.offset_secs;
        let _ = offset.fetch_update(Ordering::AcqRel, Ordering::Acquire, |current| {
            Some(current.saturating_add(seconds))
        });
        self.shared.moved.send_modify(|times| *times += 1);
    }

    /// Sets UNIX time forward or back by `seconds`, as if the machine's clock was set.
    pub fn jump(&self, seconds: i64) {
        self.shared.set_by_secs.fetch_add(seconds, Ordering::AcqRel);
        self.shared.moved.send_modify(|times| *times += 1);
    }

    /// Notified whenever the clock is moved.
    #[must_use]
    pub fn moved(&self) -> watch::Receiver<u64> {
        self.shared.moved.subscribe()
    }

    /// Waits until [`Clock::running_time`] has reached `moment`.
    pub async fn wait_until(&self, moment: Duration) {
        let mut moved = self.moved();
        loop {
            let left = moment.saturating_sub(self.running_time());
            if left.is_zero() {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(left) => {}
                // The sender lives as long as `self`, so this never fails.
                _ = moved.changed() => {}
            }
        }
    }
}

/// Serves a line protocol on a socket at `path` until the future is dropped: `advance <seconds>`
/// lets time pass, `jump <seconds>` sets the clock, forward or back. The answer is `ok <unix seconds>`,
/// or `error` to any other line.
pub async fn serve_test_socket(clock: Clock, path: &Path) -> std::io::Result<()> {
    let listener = UnixListener::bind(path)?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(answer_lines(clock.clone(), stream));
    }
}

async fn answer_lines(clock: Clock, stream: UnixStream) -> std::io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let mut lines = BufReader::new(reading).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = match obey(&clock, &line) {
            Some(()) => format!("ok {}\n", clock.unix_seconds()),
            None => "error\n".to_owned(),
        };
        writing.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

/// Executes a command line; `None` when it is invalid.
fn obey(clock: &Clock, line: &str) -> Option<()> {
    let (verb, seconds) = line.split_once(' ')?;
    match verb {
        "advance" => clock.advance(seconds.trim().parse().ok()?),
        "jump" => clock.jump(seconds.trim().parse().ok()?),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_when_the_clock_is_moved() {
        let clock = Clock::new();
        let moment = clock.running_time() + Duration::from_secs(1000);
        let before = clock.unix_seconds();
        let waiting = tokio::spawn({
            let clock = clock.clone();
            async move { clock.wait_until(moment).await }
        });
        tokio::task::yield_now().await;
        clock.advance(1001);
        waiting.await.unwrap();
        assert!(clock.unix_seconds() >= before + 1001);
    }

    #[test]
    fn a_clock_that_is_set_runs_on() {
        let clock = Clock::new();
        let (unix, running) = (clock.unix_seconds(), clock.running_time());
        obey(&clock, "jump -3600").unwrap();
        assert!((unix - 3600..unix - 3590).contains(&clock.unix_seconds()));
        clock.jump(7200);
        assert!((unix + 3600..unix + 3610).contains(&clock.unix_seconds()));
        assert!(clock.running_time() - running < Duration::from_secs(10));
        assert_eq!(obey(&clock, "jump"), None);
    }

    #[tokio::test]
    async fn the_socket_moves_the_clock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clock");
        let clock = Clock::new();
        let serving = tokio::spawn({
            let (clock, path) = (clock.clone(), path.clone());
            async move { serve_test_socket(clock, &path).await }
        });
        let stream = loop {
            if let Ok(stream) = UnixStream::connect(&path).await {
                break stream;
            }
            tokio::task::yield_now().await;
        };
        let (reading, mut writing) = stream.into_split();
        let mut lines = BufReader::new(reading).lines();
        writing
            .write_all(b"advance 90\nadvance -1\n")
            .await
            .unwrap();
        let line = lines.next_line().await.unwrap().unwrap();
        assert!(line.starts_with("ok "), "{line}");
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "error");
        assert!(clock.running_time() >= Duration::from_secs(90));
        serving.abort();
    }
}
