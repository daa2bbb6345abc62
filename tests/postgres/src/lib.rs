//! A PostgreSQL server of Debian's for tests: one for each test program, a database for each test.
//!
//! Owns finding the programs, a cluster in a temporary folder (UTF-8, locale C, a password), its
//! account (`initdb` refuses root), its start and end, and databases made from templates. Knows
//! nothing about Spindle. Where PostgreSQL is missing, a test reports that it was skipped.

mod databases;
mod programs;
mod server;

pub use databases::Database;
pub use server::Server;

use std::sync::OnceLock;

/// The account of the server; its password is [`PASSWORD`].
pub const USER: &str = "spindle";
/// The password of [`USER`], which connections over TCP need.
pub const PASSWORD: &str = "throw-away";

/// The server of this test program, without flushes to the disk; it ends with the program. Nothing, with
/// a report that the test was skipped, where PostgreSQL is not installed.
///
/// # Panics
/// When the server does not start.
pub fn shared() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| Server::start(&["fsync=off"]));
    if server.is_none() {
        skip("PostgreSQL is missing (scripts/install-postgres)");
    }
    server.as_ref()
}

/// Reports that a test cannot run here. `cargo xtask test` lists such lines, and CI refuses them.
fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    if let Some(path) = std::env::var_os("SPINDLE_SKIPS") {
        use std::io::Write as _;
        let mut options = std::fs::OpenOptions::new();
        if let Ok(mut file) = options.append(true).create(true).open(path) {
            let _ = writeln!(file, "{reason}");
        }
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "skipped in CI: {reason}"
    );
}

#[cfg(test)]
mod tests;
