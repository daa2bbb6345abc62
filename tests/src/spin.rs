//! `spindle events` and a real `spin up` beside it, as an operator starts them: the host of the
//! suite when `SPIN_BIN` names a Spin.
//!
//! Owns both processes and their folder. Spin serves from a child process of its own, which would
//! outlive a parent that is killed, so both are in one process group and end together.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::server::{Options, binary, repository};
use crate::watchdog::Watchdog;
use crate::{free_port, unique};

/// The Spin that the environment names.
#[must_use]
pub fn program() -> Option<PathBuf> {
    std::env::var_os("SPIN_BIN").map(PathBuf::from)
}

/// A running application with its event-queue service; both end with this value, or with the test
/// process.
pub struct BesideSpin {
    directory: PathBuf,
    port: u16,
    events: Child,
    spin: Child,
    watchdog: Watchdog,
    command: SpinCommand,
}

/// The arguments of Spin, for a restart after a kill.
struct SpinCommand {
    program: PathBuf,
    variables: Vec<String>,
}

impl BesideSpin {
    /// Starts both on an empty folder and waits until they answer. A manifest or environment in
    /// `options` is for `spindle serve` alone.
    #[must_use]
    pub fn start(program: PathBuf, options: &Options) -> BesideSpin {
        let directory = tempfile::Builder::new()
            .prefix("spindle-spin-")
            .tempdir()
            .expect("temporary directory")
            .keep();
        let (port, service) = (free_port(), free_port());
        let token = unique("token");
        let text = format!(
            "[sqlite_database.default]\ntype = \"spin\"\npath = {:?}\n",
            directory.join("spindle.db")
        );
        std::fs::write(directory.join("runtime-config.toml"), text).expect("configuration");
        let mut events = Command::new(binary());
        events.current_dir(repository()).arg("events");
        events.arg("--database").arg(directory.join("spindle.db"));
        events.args(["--listen", &format!("127.0.0.1:{service}")]);
        events.args(["--app-url", &format!("http://127.0.0.1:{port}")]);
        events.args(["--rate-limit-user", &options.rate_limit_user.to_string()]);
        events.args([
            "--rate-limit-address",
            &options.rate_limit_address.to_string(),
        ]);
        events.args(&options.extra).env("SPINDLE_TOKEN", &token);
        let events = logged(&mut events, &directory.join("events.log"));
        // It migrates the database before it listens.
        wait_for(service);
        let limited = options.rate_limit_user > 0 || options.rate_limit_address > 0;
        let command = SpinCommand {
            program,
            variables: vec![
                format!("internal_token={token}"),
                format!("events_url=http://127.0.0.1:{service}"),
                format!("rate_limit_via_events={limited}"),
            ],
        };
        let spin = command.start(&directory, port);
        let watchdog = watch(&[&events, &spin], &directory);
        wait_for(port);
        BesideSpin {
            directory,
            port,
            events,
            spin,
            watchdog,
            command,
        }
    }

    /// Root of the application, without `/api/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The database that both open.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.directory.join("spindle.db")
    }

    /// kill -9 of Spin; the event-queue service goes on.
    pub fn kill_spin(&mut self) {
        kill_group(self.spin.id());
        self.spin.wait().expect("wait");
    }

    /// Starts Spin again on the same address.
    pub fn restart_spin(&mut self) {
        self.watchdog.dismiss();
        self.spin = self.command.start(&self.directory, self.port);
        self.watchdog = watch(&[&self.events, &self.spin], &self.directory);
        wait_for(self.port);
    }

    /// The output of both, and the logs of the components.
    #[must_use]
    pub fn log(&self) -> String {
        let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
        let mut text =
            read(self.directory.join("events.log")) + &read(self.directory.join("spin.log"));
        let components = std::fs::read_dir(self.directory.join("state/logs"));
        for entry in components.into_iter().flatten().flatten() {
            text += &read(entry.path());
        }
        text
    }
}

impl Drop for BesideSpin {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.log();
            let tail: Vec<&str> = log.lines().rev().take(40).collect();
            eprintln!("end of the logs (newest first):\n{}", tail.join("\n"));
        }
        self.watchdog.strike();
        let _ = self.spin.wait();
        let _ = self.events.wait();
    }
}

impl SpinCommand {
    fn start(&self, directory: &Path, port: u16) -> Child {
        let mut command = Command::new(&self.program);
        command.current_dir(repository());
        let manifest = std::env::var_os("SPINDLE_MANIFEST").unwrap_or("spin.toml".into());
        command.arg("up").arg("--from").arg(manifest).arg("--quiet");
        command.args(["--listen", &format!("127.0.0.1:{port}")]);
        command.arg("--runtime-config-file");
        command.arg(directory.join("runtime-config.toml"));
        // Not `.spin` beside the manifest: the servers of many tests run at once.
        command.arg("--state-dir").arg(directory.join("state"));
        for variable in &self.variables {
            command.args(["--variable", variable]);
        }
        logged(&mut command, &directory.join("spin.log"))
    }
}

/// Starts a process in a group of its own that writes to a file.
fn logged(command: &mut Command, path: &Path) -> Child {
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .expect("log");
    command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(file.try_clone().expect("log"))
        .stderr(file)
        .spawn()
        .unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program()))
}

fn watch(leaders: &[&Child], directory: &Path) -> Watchdog {
    let groups: Vec<String> = leaders
        .iter()
        .map(|child| format!("-{}", child.id()))
        .collect();
    Watchdog::over(&groups.join(" "), directory)
}

fn kill_group(leader: u32) {
    Command::new("kill")
        .args(["-9", "--", &format!("-{leader}")])
        .status()
        .expect("kill");
}

/// Spin compiles the components before it listens, which takes minutes the first time.
fn wait_for(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(600);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "nothing listens on {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
