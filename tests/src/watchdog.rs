//! A watchdog that ends servers and removes their folder when the test process dies, for whatever
//! reason: a server in a static is never dropped.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A shell that waits for its input to close. It is in a process group of its own, so that a signal
/// to the test's group does not end it too.
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Watches over processes, or over process groups, whose ids are negative.
    pub(crate) fn over(targets: &str, directory: &Path) -> Watchdog {
        let watchdog = Command::new("sh")
            .args([
                "-c",
                "read line; [ \"$line\" = done ] || { kill -9 $0; rm -rf -- \"$1\"; }",
            ])
            .arg(targets)
            .arg(directory)
            .process_group(0)
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("watchdog");
        Watchdog(watchdog)
    }

    /// Ends the watchdog and nothing else.
    pub(crate) fn dismiss(&mut self) {
        if let Some(mut stdin) = self.0.stdin.take() {
            let _ = writeln!(stdin, "done");
        }
        let _ = self.0.wait();
    }

    /// Makes it end the servers now.
    pub(crate) fn strike(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
