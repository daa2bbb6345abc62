//! A running server: started from the release binary in a directory of its own, under a real
//! Spin (`SPIN_BIN`), or one that is already running (`SPINDLE_BASE_URL`, `SPINDLE_DATABASE`).
//!
//! Owns processes, data directories, accounts (made by `spindle admin`) and the test clock.
//! A watchdog ends the server when the test process dies for whatever reason, because a shared
//! server lives in a static that is never dropped.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Client;
use crate::code_cache::{code_cache, compile_ahead};
use crate::database::Database;
use crate::hosts;
use crate::nodes::{self, OtherNodes};
use crate::spin::{self, BesideSpin};
use crate::unique;
use crate::watchdog::Watchdog;
use database_file::find_database;

mod database_file;
mod waiting;

/// Names a database on a server of PostgreSQL.
pub const DATABASE_URL: &str = "SPINDLE_DATABASE_URL";

/// `postgres`: each server that a test starts gets a database on PostgreSQL.
const TEST_DATABASE: &str = "SPINDLE_TEST_DATABASE";

/// Options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Requests per minute of a user; 0 is off.
    pub rate_limit_user: u32,
    /// Requests per minute of an address; 0 is off.
    pub rate_limit_address: u32,
    /// Another manifest than the repository's `spin.toml`.
    pub manifest: Option<PathBuf>,
    /// Further arguments of `spindle serve`, or of `spindle events` beside Spin.
    pub extra: Vec<String>,
    /// Further variables of its environment.
    pub environment: Vec<(String, String)>,
    /// Nodes on its database of PostgreSQL; 0: as many as the environment asks for.
    pub nodes: usize,
    /// Beside Spin: the directory of another server, whose uploaded files this one shares.
    pub shares_files_of: Option<PathBuf>,
}

/// One account and its client.
#[derive(Clone)]
pub struct User {
    pub user_id: i64,
    pub email: String,
    pub full_name: String,
    pub api_key: String,
    pub client: Client,
}

impl std::ops::Deref for User {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.client
    }
}

impl User {
    /// The id as used in paths and lists.
    #[must_use]
    pub fn id(&self) -> String {
        self.user_id.to_string()
    }
}

/// A server under test.
pub struct Server {
    base_url: String,
    database: PathBuf,
    /// Present when this process started `spindle serve`.
    own: Option<Own>,
    /// Present when it started Spin instead.
    beside_spin: Option<BesideSpin>,
}

struct Own {
    /// The database that was made for this server, on PostgreSQL.
    remote: Option<spindle_postgres::Database<'static>>,
    others: OtherNodes,
    options: Options,
    directory: PathBuf,
    child: Child,
    watchdog: Watchdog,
    log: Arc<Mutex<String>>,
}

impl Server {
    /// The server that the tests of a binary share. Each test creates its own accounts and channels
    /// on it.
    pub fn shared() -> &'static Server {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| Server::start(Options::default()))
    }

    /// Starts a server, under Spin when the environment names one, or uses the server that it
    /// names. Spectators without an account are admitted, which is not the default.
    pub fn start(options: Options) -> Server {
        let server = Server::start_as_new(options);
        server
            .database()
            .execute(
                "UPDATE realms SET settings =
                     json_set(settings, '$.enable_spectator_access', json('true'))",
                [],
            )
            .expect("setting");
        server
    }

    fn start_as_new(options: Options) -> Server {
        if let Ok(base_url) = std::env::var("SPINDLE_BASE_URL") {
            let database = std::env::var("SPINDLE_DATABASE")
                .expect("SPINDLE_DATABASE must stand beside SPINDLE_BASE_URL");
            return Server {
                base_url: base_url.trim_end_matches('/').to_owned(),
                database: database.into(),
                own: None,
                beside_spin: None,
            };
        }
        Server::own(options)
    }

    /// Starts a new server even when the environment names a running one: under Spin when it names
    /// a Spin. For tests that need an organization, options or kills of their own.
    pub fn own(options: Options) -> Server {
        let Some(program) = spin::program() else {
            return Server::spawn(options);
        };
        let remote = remote(&options);
        let mut options = options;
        if let Some(remote) = &remote {
            let variable = (DATABASE_URL.to_owned(), remote.url());
            options.environment.push(variable);
        }
        let beside_spin = BesideSpin::start(program, &options, remote);
        Server {
            base_url: beside_spin.base_url(),
            database: beside_spin.database(),
            own: None,
            beside_spin: Some(beside_spin),
        }
    }

    /// Starts `spindle serve` whatever the environment names. For features of the native host only:
    /// its data directory, the test clock, other manifests.
    pub fn spawn(options: Options) -> Server {
        let directory = tempfile::Builder::new()
            .prefix("spindle-test-")
            .tempdir()
            .expect("temporary directory")
            .keep();
        let remote = remote(&options);
        Server::spawn_with(directory, remote, options)
    }

    /// As [`Server::spawn_on`]; the organization is in a database on PostgreSQL, if one is given, which is removed afterwards.
    pub fn spawn_with(
        directory: PathBuf,
        remote: Option<spindle_postgres::Database<'static>>,
        options: Options,
    ) -> Server {
        let mut options = options;
        if let Some(remote) = &remote {
            let variable = (DATABASE_URL.to_owned(), remote.url());
            options.environment.push(variable);
        }
        let nodes = match (options.nodes, &remote) {
            (0, Some(_)) => nodes::asked_for(),
            (count, _) => count,
        };
        let mut server = Server::spawn_in(directory, options);
        if let Some(own) = &mut server.own {
            let others = nodes.saturating_sub(1);
            own.others = OtherNodes::start(others, &server.base_url, &own.directory, &own.options);
            own.remote = remote;
        }
        server
    }

    /// As [`Server::spawn`], on an existing data directory, which is removed afterwards.
    pub fn spawn_on(directory: PathBuf, options: Options) -> Server {
        Server::spawn_in(directory, options)
    }

    fn spawn_in(directory: PathBuf, options: Options) -> Server {
        let (child, watchdog, log, base_url) = launch(&directory, &options);
        let is_remote = options
            .environment
            .iter()
            .any(|(name, _)| name == DATABASE_URL);
        let database = match is_remote {
            true => directory.join("no-file.db"),
            false => find_database(&directory),
        };
        Server {
            base_url,
            database,
            own: Some(Own {
                remote: None,
                others: OtherNodes::default(),
                options,
                directory,
                child,
                watchdog,
                log,
            }),
            beside_spin: None,
        }
    }

    /// Root of the server, without `/api/v1`.
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.note_host();
        &self.base_url
    }

    /// For the count of tests that ran on Spin; a server that was not started here counts as
    /// neither kind.
    fn note_host(&self) {
        if self.own.is_some() || self.beside_spin.is_some() {
            hosts::note(self.beside_spin.is_some());
        }
    }

    /// `host:port` for raw sockets.
    #[must_use]
    pub fn address(&self) -> &str {
        host_and_port(self.base_url())
    }

    /// The data directory, when this process started the server.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.own.as_ref().map(|own| own.directory.as_path())
    }

    /// The folder of `spindle events` and of the Spin beside it.
    #[must_use]
    pub fn folder_beside_spin(&self) -> Option<&Path> {
        self.beside_spin.as_ref().map(BesideSpin::directory)
    }

    /// A client without credentials.
    #[must_use]
    pub fn anonymous(&self) -> Client {
        Client::new(self.base_url(), None)
    }

    /// Everything the server has written to its output so far.
    #[must_use]
    pub fn log(&self) -> String {
        if let Some(beside_spin) = &self.beside_spin {
            return beside_spin.log();
        }
        self.own
            .as_ref()
            .map(|own| own.log.lock().expect("lock").clone())
            .unwrap_or_default()
    }

    /// Process id, for reading `/proc`.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.own.as_ref().map(|own| own.child.id())
    }

    /// A connection to the server's database, for fixtures that no operation can make and for
    /// reading state from outside.
    #[must_use]
    pub fn database(&self) -> Database {
        match self.database_url() {
            Some(url) => Database::server(url),
            None => Database::file(&self.database),
        }
    }

    /// The URL of the database, when it is on a server of PostgreSQL.
    fn database_url(&self) -> Option<&str> {
        if let Some(beside_spin) = &self.beside_spin {
            return beside_spin.database_url();
        }
        url_in(&self.own.as_ref()?.options)
    }

    /// Path of the database.
    #[must_use]
    pub fn database_path(&self) -> &Path {
        &self.database
    }

    /// Runs `spindle admin <words>` on the server's database and returns its JSON.
    #[track_caller]
    pub fn admin(&self, words: &[&str]) -> Value {
        let output = self.admin_output(words);
        assert!(
            output.status.success(),
            "spindle admin {words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
    }

    /// As [`Server::admin`], with the unchecked output.
    pub fn admin_output(&self, words: &[&str]) -> std::process::Output {
        self.note_host();
        let mut command = Command::new(binary());
        command.arg("admin").args(words);
        match (self.directory(), &self.beside_spin) {
            (Some(directory), _) => command.arg("--data-dir").arg(directory),
            (None, Some(spin)) => spin.name_in(&mut command),
            _ => command.arg("--database").arg(&self.database),
        };
        if let Some(own) = &self.own {
            command.envs(own.options.environment.iter().cloned());
        }
        command
            .args(["--output", "json"])
            .stdin(Stdio::null())
            .output()
            .expect("spindle admin runs")
    }

    /// A new account of a role (`owner`, `administrator`, `moderator`, `member`, `guest`).
    #[track_caller]
    pub fn user(&self, role: &str) -> User {
        self.user_with(role, &[])
    }

    /// A new generic bot with the rights of a member.
    #[track_caller]
    pub fn bot(&self) -> User {
        self.user_with("member", &["--bot"])
    }

    /// A new account; `flags` are further arguments of `admin user create`.
    #[track_caller]
    pub fn user_with(&self, role: &str, flags: &[&str]) -> User {
        let email = format!("{}@example.com", unique(role));
        let full_name = unique(&format!("Test {role} "));
        let mut words = vec![
            "user",
            "create",
            "--email",
            &email,
            "--full-name",
            &full_name,
        ];
        words.extend(["--role", role]);
        words.extend(flags);
        let made = self.admin(&words);
        let api_key = made["api_key"].as_str().unwrap_or_default().to_owned();
        let user_id = made["user_id"].as_i64().expect("user_id");
        // The API email may differ from the address given.
        let email = made["email"].as_str().expect("email").to_owned();
        User {
            user_id,
            client: Client::new(&self.base_url, Some((&email, &api_key))),
            email,
            full_name,
            api_key,
        }
    }

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

    /// How many nodes it has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        1 + self.own.as_ref().map_or(0, |own| own.others.len())
    }

    /// kill -9, of all nodes; the event-queue service beside a Spin goes on.
    pub fn kill(&mut self) {
        if let Some(beside_spin) = &mut self.beside_spin {
            return beside_spin.kill_spin();
        }
        for number in 0..self.nodes() {
            self.kill_node(number);
        }
    }

    /// kill -9, of one node.
    pub fn kill_node(&mut self, number: usize) {
        let own = self.own.as_mut().expect("own server");
        match number.checked_sub(1) {
            Some(other) => own.others.kill(other),
            None => {
                own.child.kill().expect("kill");
                own.child.wait().expect("wait");
            }
        }
    }

    /// Asks the server to stop (SIGTERM) and waits for its end.
    pub fn terminate(&mut self) -> std::process::ExitStatus {
        let own = self.own.as_mut().expect("own server");
        for other in 0..own.others.len() {
            own.others.kill(other);
        }
        let process_id = own.child.id().to_string();
        Command::new("kill")
            .args(["-TERM", &process_id])
            .status()
            .expect("kill");
        self.wait_for_end()
    }

    /// Waits for the end of a server that was asked to stop.
    pub fn wait_for_end(&mut self) -> std::process::ExitStatus {
        let own = self.own.as_mut().expect("own server");
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = own.child.try_wait().expect("wait") {
                return status;
            }
            assert!(Instant::now() < deadline, "the server did not stop in 30 s");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts again after [`Server::kill`] or [`Server::terminate`], on the same data and address.
    pub fn restart(&mut self) {
        if let Some(beside_spin) = &mut self.beside_spin {
            return beside_spin.restart_spin();
        }
        for number in 0..self.nodes() {
            self.restart_node(number);
        }
    }

    /// Starts one node again after [`Server::kill_node`], at the same address.
    pub fn restart_node(&mut self, number: usize) {
        let address = self.address().to_owned();
        let own = self.own.as_mut().expect("own server");
        if let Some(other) = number.checked_sub(1) {
            return own.others.restart(other, &own.options);
        }
        own.watchdog.dismiss();
        let mut options = own.options.clone();
        options.extra.extend(["--listen".to_owned(), address]);
        let (child, watchdog, log, base_url) = launch(&own.directory, &options);
        let before = own.log.lock().expect("lock").clone();
        log.lock().expect("lock").insert_str(0, &before);
        own.child = child;
        own.watchdog = watchdog;
        own.log = log;
        self.base_url = base_url;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(own) = self.own.as_mut() {
            let _ = own.child.kill();
            let _ = own.child.wait();
            own.watchdog.dismiss();
            if std::thread::panicking() {
                let mut log = own.log.lock().map(|log| log.clone()).unwrap_or_default();
                log.push_str(&own.others.logs());
                let tail: Vec<&str> = log.lines().rev().take(30).collect();
                eprintln!(
                    "end of the server's log (newest first):\n{}",
                    tail.join("\n")
                );
            }
            let _ = std::fs::remove_dir_all(&own.directory);
        }
    }
}

/// Whether servers that tests start have their database on PostgreSQL. For tests of what that has not, with the reason.
#[must_use]
pub fn is_on_postgres(reason: &str) -> bool {
    let is_asked = std::env::var(TEST_DATABASE).is_ok_and(|kind| kind == "postgres");
    if is_asked {
        eprintln!("skipped on PostgreSQL: {reason}");
    }
    is_asked
}

/// An empty database on PostgreSQL, when the environment asks for that.
#[must_use]
pub fn new_database() -> Option<spindle_postgres::Database<'static>> {
    remote(&Options::default())
}

/// A database on PostgreSQL for a new server, when the environment asks for that and the test names none.
fn remote(options: &Options) -> Option<spindle_postgres::Database<'static>> {
    let is_asked = std::env::var(TEST_DATABASE).is_ok_and(|kind| kind == "postgres");
    let mut names = options.environment.iter().map(|(name, _)| name);
    if !is_asked || names.any(|name| name == DATABASE_URL) {
        return None;
    }
    let server = spindle_postgres::shared().expect("PostgreSQL (scripts/install-postgres)");
    Some(server.database())
}

/// The database on PostgreSQL that options name.
pub(crate) fn url_in(options: &Options) -> Option<&str> {
    let mut variables = options.environment.iter();
    let url = variables.find(|(name, _)| name == DATABASE_URL);
    url.map(|(_, url)| url.as_str())
}

/// The binary under test.
#[must_use]
pub fn binary() -> PathBuf {
    let path = std::env::var_os("SPINDLE_BIN").map_or_else(
        || repository().join("target/release/spindle"),
        PathBuf::from,
    );
    assert!(
        path.exists(),
        "{} is missing: build it first (cargo xtask test does), or name it in SPINDLE_BIN",
        path.display()
    );
    path
}

/// Root of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests have a parent directory")
        .to_owned()
}

fn clock_path(directory: &Path) -> PathBuf {
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

type Launched = (Child, Watchdog, Arc<Mutex<String>>, String);

pub(crate) fn launch(directory: &Path, options: &Options) -> Launched {
    let mut command = Command::new(binary());
    command.current_dir(repository()).arg("serve");
    command.arg("--data-dir").arg(directory);
    if !options.extra.iter().any(|word| word == "--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command.args(["--rate-limit-user", &options.rate_limit_user.to_string()]);
    command.args([
        "--rate-limit-address",
        &options.rate_limit_address.to_string(),
    ]);
    command.arg("--test-clock").arg(clock_path(directory));
    if !options.extra.iter().any(|word| word == "--code-cache") {
        compile_ahead(options.manifest.as_deref());
        command.arg("--code-cache").arg(code_cache());
    }
    // No fixed ports.
    if !options.extra.iter().any(|word| word == "--ops-listen") {
        command.args(["--ops-listen", "none"]);
    }
    if let Some(manifest) = &options.manifest {
        command.arg("--manifest").arg(manifest);
    }
    command.args(&options.extra);
    command.envs(options.environment.iter().cloned());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spindle serve starts");
    let watchdog = Watchdog::over(&child.id().to_string(), directory);
    let log = Arc::new(Mutex::new(String::new()));
    collect(child.stdout.take().expect("stdout"), Arc::clone(&log));
    collect(child.stderr.take().expect("stderr"), Arc::clone(&log));
    let base_url = wait_for_address(&mut child, &log);
    (child, watchdog, log, base_url)
}

fn collect(stream: impl Read + Send + 'static, log: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            let mut log = log.lock().expect("lock");
            log.push_str(&line);
            log.push('\n');
        }
    });
}

/// Waits until the server prints its address and answers there.
fn wait_for_address(child: &mut Child, log: &Mutex<String>) -> String {
    let deadline = Instant::now() + Duration::from_secs(400);
    loop {
        let text = log.lock().expect("lock").clone();
        if let Some(base_url) = address_in(&text)
            && std::net::TcpStream::connect(host_and_port(&base_url)).is_ok()
        {
            return base_url;
        }
        if let Some(status) = child.try_wait().expect("wait") {
            panic!("spindle serve ended with {status}:\n{text}");
        }
        assert!(
            Instant::now() < deadline,
            "the server does not listen:\n{text}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn host_and_port(base_url: &str) -> &str {
    base_url
        .trim_start_matches("http://")
        .trim_start_matches("https://")
}

/// First `http://host:port`, or `https://`, in a complete line of the output.
fn address_in(text: &str) -> Option<String> {
    let complete = &text[..text.rfind('\n')?];
    let starts = ["http://127.0.0.1:", "https://127.0.0.1:"];
    let (start, length) = starts
        .iter()
        .find_map(|start| Some((complete.find(start)?, start.len())))?;
    let rest = &complete[start..];
    let digits = rest[length..]
        .chars()
        .take_while(char::is_ascii_digit)
        .count();
    let address = &rest[..length + digits];
    (digits > 0 && !address.ends_with(":0")).then(|| address.to_owned())
}
