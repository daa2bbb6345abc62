//! Waiting until polls have reached the server: only then can a test move the clock past them.

use std::time::{Duration, Instant};

use super::Server;
use crate::Client;

/// Longest wait for polls that were sent.
const PATIENCE: Duration = Duration::from_secs(60);

impl Server {
    /// Waits until this many polls, or more, wait in the server; beside Spin, for as long as that
    /// takes on most machines.
    #[track_caller]
    pub fn until_polls_wait(&self, count: u64) {
        if self.own.is_none() {
            std::thread::sleep(Duration::from_secs(1));
            return;
        }
        let owner = self.owner();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let figures = owner.get("/server_figures", &[]).ok();
            let waiting = figures["queues"]["waiting_polls"].as_u64();
            if waiting.expect("a number") >= count {
                return;
            }
            assert!(Instant::now() < deadline, "{count} polls: {figures}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The owner of a new organization, from the file that its server has written.
    #[must_use]
    pub fn owner(&self) -> Client {
        let own = self.own.as_ref().expect("an own server");
        let file = std::fs::read_to_string(own.directory.join("owner.zuliprc")).expect("zuliprc");
        let value = |name: &str| {
            let mut lines = file.lines();
            let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            found.expect(name)
        };
        Client::new(self.base_url(), Some((value("email"), value("key"))))
    }
}
