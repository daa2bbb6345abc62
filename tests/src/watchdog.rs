//! What ends servers and removes their folder when the test process dies, for whatever reason: a
//! server in a static is never dropped.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A shell that waits for its input to close. It stands in a process group of its own, so that
/// what ends the test does not end it as well.
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Watches over processes, or over groups of them, whose numbers have a minus before them.
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

    /// Ends it and leaves everything else alone.
    pub(crate) fn dismiss(&mut self) {
        if let Some(mut stdin) = self.0.stdin.take() {
            let _ = writeln!(stdin, "done");
        }
        let _ = self.0.wait();
    }

    /// Has it do now what it is for.
    pub(crate) fn strike(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
