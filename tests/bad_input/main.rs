//! Bad input of every kind: the answer has the right status and code, nothing changes, no secret
//! is logged, and no component fails.
//!
//! One server for all tests; a lock lets one test at a time use it, because each compares the
//! whole database before and after.

mod framing;
mod parameters;
mod secrets;

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use sha2::{Digest, Sha256};
use spindle_tests::client::basic;
use spindle_tests::raw::{RawReply, exchange};
use spindle_tests::{Options, Server, User};

/// A server, one of its users, and that user's password.
struct World {
    server: Server,
    user: User,
    password: String,
}

/// The server, for one test. When the test ends, no component may have failed.
struct Turn(MutexGuard<'static, World>);

fn world() -> Turn {
    static WORLD: OnceLock<Mutex<World>> = OnceLock::new();
    turn(&WORLD, || Server::start(Options::default()))
}

/// For what the host decides before a component is called: Spin decides otherwise.
fn world_of_native_host() -> Turn {
    static WORLD: OnceLock<Mutex<World>> = OnceLock::new();
    turn(&WORLD, || Server::spawn(Options::default()))
}

fn turn(world: &'static OnceLock<Mutex<World>>, start: fn() -> Server) -> Turn {
    let world = world.get_or_init(|| {
        let server = start();
        let password = "Secret-Password-81723".to_owned();
        let user = server.user_with("member", &["--password", &password]);
        // The first request may have effects of its own.
        user.get("/users/me", &[]).ok();
        Mutex::new(World {
            server,
            user,
            password,
        })
    });
    Turn(world.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Deref for Turn {
    type Target = World;

    fn deref(&self) -> &World {
        &self.0
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let log = self.server.log();
        let failures: Vec<&str> = log
            .lines()
            .filter(|line| line.contains("panicked") || line.contains("wasm trap"))
            .collect();
        assert!(failures.is_empty(), "a component failed: {failures:?}");
    }
}

impl World {
    /// Runs a case and asserts that the database is as before.
    #[track_caller]
    fn unchanged<T>(&self, name: &str, case: impl FnOnce() -> T) -> T {
        let before = self.state();
        let outcome = case();
        assert_eq!(self.state(), before, "{name} changed the database");
        outcome
    }

    /// Sends a head and a form body to the status operation with the given extra header lines.
    fn raw_status(&self, headers: &str, body: &str) -> RawReply {
        let request = format!(
            "POST /api/v1/users/me/status HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n{headers}\r\n{body}",
            basic(&self.user.email, &self.user.api_key)
        );
        exchange(self.server.address(), request.as_bytes())
    }

    /// A digest of all rows that the server stores, by table.
    fn state(&self) -> Vec<(String, String)> {
        let database = self.server.database().sqlite();
        let mut tables = database
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
            .expect("tables");
        let names: Vec<String> = tables
            .query_map([], |row| row.get(0))
            .expect("rows")
            .map(|row| row.expect("row"))
            .collect();
        // The table of jobs is left out, because timers may run at any moment. Those of the search
        // index are left out too: it is virtual, and its parts are tables of their own.
        let left_out = ["jobs", "message_search", "message_search_words"];
        let names = names
            .into_iter()
            .filter(|name| !left_out.contains(&name.as_str()));
        names
            .map(|name| {
                let mut hash = Sha256::new();
                let mut statement = database
                    .prepare(&format!("SELECT * FROM \"{name}\""))
                    .expect("table");
                let columns = statement.column_count();
                let mut rows = statement.query([]).expect("rows");
                while let Some(row) = rows.next().expect("row") {
                    for column in 0..columns {
                        hash.update(format!("{:?}|", row.get_ref(column).expect("value")));
                    }
                    hash.update("\n");
                }
                let digest = hash
                    .finalize()
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                (name, digest)
            })
            .collect()
    }
}
