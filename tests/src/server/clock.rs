//! The test clock of a server that was started here.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Server;

impl Server {
    /// Whether the clock can be moved: a server that was not started here, and Spin, use the
    /// machine's clock.
    #[must_use]
    pub fn has_test_clock(&self) -> bool {
        self.own.is_some()
    }

    /// Moves the server's clock forward and returns its new time.
    #[track_caller]
    pub fn advance(&self, seconds: u64) -> i64 {
        self.tell_clock(&format!("advance {seconds}"))
    }

    /// Moves the clock forward where it can be moved; elsewhere the test waits for the same time.
    #[track_caller]
    pub fn hasten(&self, seconds: u64) {
        if self.has_test_clock() {
            self.advance(seconds);
        }
    }

    /// Sets the clock of the server's machine forward or back by this much, while no monotonic time
    /// passes; returns its new value.
    #[track_caller]
    pub fn set_clock(&self, seconds: i64) -> i64 {
        self.tell_clock(&format!("jump {seconds}"))
    }

    #[track_caller]
    fn tell_clock(&self, line: &str) -> i64 {
        let own = self
            .own
            .as_ref()
            .expect("only an own server has a test clock");
        for directory in own.others.directories() {
            tell_clock_in(directory, line);
        }
        tell_clock_in(&own.directory, line)
    }
}

/// Where a server in this directory listens for its time.
pub(super) fn clock_path(directory: &Path) -> PathBuf {
    directory.join("test-clock.sock")
}

#[track_caller]
fn tell_clock_in(directory: &Path, line: &str) -> i64 {
    let mut socket = UnixStream::connect(clock_path(directory)).expect("test clock");
    socket
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("timeout");
    writeln!(socket, "{line}").expect("write to the test clock");
    let mut line = String::new();
    BufReader::new(socket)
        .read_line(&mut line)
        .expect("answer of the test clock");
    let now = line.trim().strip_prefix("ok ").expect("ok <unix seconds>");
    now.trim().parse().expect("unix seconds")
}
