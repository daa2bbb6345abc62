//! A running server: started from the release binary in a directory of its own, under a real
//! Spin (`SPIN_BIN`), or one that is already running (`SPINDLE_BASE_URL`, `SPINDLE_DATABASE`).
//!
//! Owns processes, data directories, accounts (made by `spindle admin`) and the test clock.
//! A watchdog ends the server when the test process dies for whatever reason, because a shared
//! server lives in a static that is never dropped.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, OnceLock};

use crate::client::Client;
use crate::database::Database;
use crate::hosts;
use crate::nodes::{self, OtherNodes};
use crate::spin::{self, BesideSpin};
use crate::watchdog::Watchdog;
pub use accounts::User;
use database_file::find_database;
use launch::host_and_port;
pub(crate) use launch::launch;
use postgres::remote;
pub(crate) use postgres::url_in;
pub use postgres::{DATABASE_URL, is_on_postgres, new_database};
pub use waiting::runs_of;

mod accounts;
mod clock;
mod database_file;
mod launch;
mod lifetime;
mod postgres;
mod waiting;

/// Options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Requests per minute of a user; 0 is off.
    pub rate_limit_user: u32,
    /// Requests per minute of an address; 0 is off.
    pub rate_limit_address: u32,
    /// Another manifest than the repository's `spin.toml`.
    pub manifest: Option<PathBuf>,
    /// Further arguments of `spindle serve`, or of `spindle events` next to Spin.
    pub extra: Vec<String>,
    /// Further variables of its environment.
    pub environment: Vec<(String, String)>,
    /// Nodes on its database of PostgreSQL; 0: as many as the environment asks for.
    pub nodes: usize,
    /// Under Spin: the directory of another server, whose uploaded files this one shares.
    pub shares_files_of: Option<PathBuf>,
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
    remote: Option<spindle_test_postgres::Database<'static>>,
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
        remote: Option<spindle_test_postgres::Database<'static>>,
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

    /// The folder of `spindle events` and of the Spin next to it.
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

    /// How many nodes it has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        1 + self.own.as_ref().map_or(0, |own| own.others.len())
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

/// Root of the repository in which the tests run. Their program does not know it, because a cache may give the
/// program to another checkout.
///
/// # Panics
/// Outside of cargo and `cargo xtask`, which name the folder of the tests.
#[must_use]
pub fn repository() -> PathBuf {
    let tests = std::env::var_os("CARGO_MANIFEST_DIR").expect("CARGO_MANIFEST_DIR");
    Path::new(&tests)
        .parent()
        .expect("the tests have a parent directory")
        .to_owned()
}
