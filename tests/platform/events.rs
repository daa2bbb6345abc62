//! `spindle events` alone: its files are private, and its jobs run without Spin.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use spindle_tests::server::{binary, repository};
use spindle_tests::{Client, PATIENCE, free_port, until, until_within};

/// Ends the process with the test.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(database: &Path, log: &Path, more: &[&str]) -> Service {
    let file = std::fs::File::create(log).expect("log");
    let mut command = Command::new(binary());
    command.current_dir(repository()).arg("events");
    command.arg("--database").arg(database);
    command.args(["--listen", &format!("127.0.0.1:{}", free_port())]);
    command.args(["--app-url", &format!("http://127.0.0.1:{}", free_port())]);
    command.args(more).env("SPINDLE_TOKEN", "secret");
    command.stdin(Stdio::null());
    command.stdout(file.try_clone().expect("log")).stderr(file);
    Service(command.spawn().expect("spindle events"))
}

fn wait_for(log: &Path, text: &str) -> String {
    until(&format!("{text:?} is in the log"), || {
        let said = std::fs::read_to_string(log).expect("log");
        said.contains(text).then_some(said)
    })
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
    let _service = start(&folder.join("spindle.db"), &log, &[]);
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

/// No process listens at the application's address.
#[test]
fn jobs_run_while_the_application_is_away() {
    let directory = tempfile::tempdir().expect("directory");
    let log = directory.path().join("log");
    let ops = format!("127.0.0.1:{}", free_port());
    let more = ["--ops-listen", &ops];
    let _service = start(&directory.path().join("spindle.db"), &log, &more);
    wait_for(&log, "holds event queues");
    let client = Client::new(&format!("http://{ops}"), None);
    let runs = |job: &str, outcome: &str| -> u32 {
        let metrics = client.fetch("/metrics", &[]).bytes;
        let metrics = String::from_utf8_lossy(&metrics);
        let name = format!("spindle_timer_runs_total{{timer=\"{job}\",outcome=\"{outcome}\"}} ");
        let found = metrics.lines().find_map(|line| line.strip_prefix(&name));
        let number = found.unwrap_or_else(|| panic!("{name} is not in {metrics}"));
        number.parse().expect("a number")
    };
    let jobs = ["deliver-scheduled-messages", "finish-moves", "call-bots"];
    // The longest interval of them is five seconds.
    let (patience, pause) = (
        PATIENCE + Duration::from_secs(10),
        Duration::from_millis(100),
    );
    until_within(patience, pause, "jobs run twice", || {
        let has_run = |job: &&str| runs(job, "done") >= 2;
        jobs.iter().all(has_run).then_some(())
    });
    for job in jobs {
        assert_eq!(runs(job, "failed"), 0, "{job}");
    }
    let said = std::fs::read_to_string(&log).expect("log");
    assert!(!said.contains("a job has failed"), "{said}");
}
