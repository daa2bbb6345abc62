//! `spindle events` alone: its files are private, and it waits for Spin without repeated log lines.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use spindle_tests::free_port;
use spindle_tests::server::{binary, repository};

/// Ends the process with the test.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(database: &Path, log: &Path) -> Service {
    let file = std::fs::File::create(log).expect("log");
    let mut command = Command::new(binary());
    command.current_dir(repository()).arg("events");
    command.arg("--database").arg(database);
    command.args(["--listen", &format!("127.0.0.1:{}", free_port())]);
    command.args(["--app-url", &format!("http://127.0.0.1:{}", free_port())]);
    command.env("SPINDLE_TOKEN", "secret");
    command.stdin(Stdio::null());
    command.stdout(file.try_clone().expect("log")).stderr(file);
    Service(command.spawn().expect("spindle events"))
}

fn wait_for(log: &Path, text: &str) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let said = std::fs::read_to_string(log).expect("log");
        if said.contains(text) {
            return said;
        }
        assert!(Instant::now() < deadline, "{text:?} is not in {said}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn mode(path: &Path) -> u32 {
    let metadata = path.metadata().expect("metadata");
    metadata.permissions().mode() & 0o777
}

#[test]
fn its_files_are_private() {
    let directory = tempfile::tempdir().expect("directory");
    let log = directory.path().join("log");
    let folder = directory.path().join("new/data");
    let _service = start(&folder.join("spindle.db"), &log);
    wait_for(&log, "holds event queues");
    assert_eq!(mode(&folder), 0o700);
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
        seen.push(path.file_name().unwrap().to_string_lossy().into_owned());
    }
    for name in ["spindle.db", "spindle.db-wal", "queues.db", "blobs"] {
        assert!(seen.iter().any(|path| path == name), "{name} in {seen:?}");
    }
}

/// Timers run every second from the start; no process listens at the application's address.
#[test]
fn a_missing_application_is_logged_once() {
    let directory = tempfile::tempdir().expect("directory");
    let log = directory.path().join("log");
    let _service = start(&directory.path().join("spindle.db"), &log);
    wait_for(&log, "timers wait for the application");
    std::thread::sleep(Duration::from_secs(4));
    let said = std::fs::read_to_string(&log).expect("log");
    let count = |text: &str| said.lines().filter(|line| line.contains(text)).count();
    assert_eq!(count("timers wait for the application"), 1, "{said}");
    assert_eq!(count("work has failed"), 0, "{said}");
}
