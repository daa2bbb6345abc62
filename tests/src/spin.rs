//! `spindle events` and a real `spin up` next to it, as an operator starts them: the host of the suite when `SPIN_BIN`
//! names a Spin.
//!
//! Owns both processes and their folder. Spin serves from a child process of its own, which would
//! outlive a parent that is killed, so both are in one process group and end together.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use spindle_test_postgres::Database;

use crate::server::{DATABASE_URL, Options, binary, repository, url_in};
use crate::watchdog::Watchdog;
use crate::{free_port, unique, until, until_within};

/// Spin compiles the components before it listens, which takes minutes the first time.
const LONGEST_START: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(50);

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
    database_url: Option<String>,
    token: String,
    /// The database that was made for this server; dropped when both processes have ended.
    _remote: Option<Database<'static>>,
}

/// The arguments of Spin, for a restart after a kill.
struct SpinCommand {
    program: PathBuf,
    variables: Vec<String>,
}

impl BesideSpin {
    /// Starts both on an empty folder and waits until they answer. A manifest in `options` is for `spindle serve`
    /// alone, and so are its variables but for the URL of a database.
    #[must_use]
    pub fn start(
        program: PathBuf,
        options: &Options,
        remote: Option<Database<'static>>,
    ) -> BesideSpin {
        let directory = tempfile::Builder::new()
            .prefix("spindle-spin-")
            .tempdir()
            .expect("temporary directory")
            .keep();
        if let Some(other) = &options.shares_files_of {
            let link = std::os::unix::fs::symlink(other.join("blobs"), directory.join("blobs"));
            link.expect("a link");
        }
        let (port, service) = (free_port(), free_port());
        let token = unique("token");
        let database_url = url_in(options).map(str::to_owned);
        let file = directory.join("spindle.db");
        let text = match &database_url {
            // Spin has a database of SQLite for what asks for one: nothing does.
            Some(_) => String::new(),
            None => format!("[sqlite_database.default]\ntype = \"spin\"\npath = {file:?}\n"),
        };
        std::fs::write(directory.join("runtime-config.toml"), text).expect("configuration");
        let mut events = Command::new(binary());
        events.current_dir(repository()).arg("events");
        match &database_url {
            Some(url) => {
                events.env(DATABASE_URL, url);
                events.arg("--data-dir").arg(&directory)
            }
            None => events.arg("--database").arg(&file),
        };
        events.args(["--listen", &format!("127.0.0.1:{service}")]);
        events.args(["--app-url", &format!("http://127.0.0.1:{port}")]);
        events.args(["--rate-limit-user", &options.rate_limit_user.to_string()]);
        events.args([
            "--rate-limit-address",
            &options.rate_limit_address.to_string(),
        ]);
        let (app_keys, extra) = split_app_keys(&options.extra);
        events.args(extra).env("SPINDLE_TOKEN", &token);
        let events = logged(&mut events, &directory.join("events.log"));
        // It migrates the database before it listens.
        wait_for(service);
        let limited = options.rate_limit_user > 0 || options.rate_limit_address > 0;
        let mut variables = vec![
            format!("internal_token={token}"),
            format!("events_url=http://127.0.0.1:{service}"),
            format!("rate_limit_via_events={limited}"),
        ];
        variables.extend(app_keys.map(|keys| format!("app_keys={keys}")));
        if let Some(url) = &database_url {
            let (_, host) = url.rsplit_once('@').expect("an account");
            let (host, _) = host.split_once('/').expect("a database");
            variables.extend([
                format!("database_url={url}"),
                format!("database_hosts=postgres://{host}"),
                // The same for all that share a database.
                "link_secret=of-all-replicas".to_owned(),
            ]);
        }
        let command = SpinCommand { program, variables };
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
            database_url,
            token,
            _remote: remote,
        }
    }

    /// Root of the application, without `/api/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Has a command of `spindle admin` administer this organization.
    pub fn name_in<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        match &self.database_url {
            Some(url) => {
                command.arg("--data-dir").arg(&self.directory);
                command.env(DATABASE_URL, url)
            }
            None => {
                command.arg("--database").arg(self.database());
                // The secret that the components have as `internal_token`.
                command.env("SPINDLE_TOKEN", &self.token)
            }
        }
    }

    /// The URL of the database that both open, where it is on a server of PostgreSQL.
    #[must_use]
    pub fn database_url(&self) -> Option<&str> {
        self.database_url.as_deref()
    }

    /// The folder of both.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of the database that both open, where it is one.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.directory.join("spindle.db")
    }

    /// kill -9 of Spin; the event-queue service continues.
    pub fn kill_spin(&mut self) {
        kill_group(self.spin.id());
        self.spin.wait().expect("wait");
        // Its child, which serves, may end a moment later.
        until("Spin listens no more", || {
            (!listens(self.port)).then_some(())
        });
    }

    /// kill -9 of the event-queue service; Spin continues.
    pub fn kill_events(&mut self) {
        kill_group(self.events.id());
        self.events.wait().expect("wait");
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
        // Not `.spin` next to the manifest: the servers of many tests run at the same time.
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

fn wait_for(port: u16) {
    let what = format!("a server listens on port {port}");
    until_within(LONGEST_START, PAUSE, &what, || listens(port).then_some(()));
}

fn listens(port: u16) -> bool {
    std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
}

/// The keys of apps, which are a variable under Spin, and the options for the service.
fn split_app_keys(extra: &[String]) -> (Option<&String>, Vec<&String>) {
    match extra.iter().position(|word| word == "--app-keys") {
        Some(place) => {
            let (before, after) = extra.split_at(place);
            let others = before.iter().chain(after.iter().skip(2));
            (after.get(1), others.collect())
        }
        None => (None, extra.iter().collect()),
    }
}
