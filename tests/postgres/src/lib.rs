//! A PostgreSQL server of Debian's for tests: one for each test program, a database for each test.
//!
//! Owns finding the programs, a cluster in a temporary folder (UTF-8, locale C, a password), its
//! account (`initdb` refuses root), its start and end, and databases made from templates. Knows
//! nothing about Spindle. Where PostgreSQL is missing, a test reports that it was skipped.

mod databases;
mod ports;
mod programs;
mod server;
mod shell;

pub use databases::Database;
pub use ports::free_port;
pub use server::Server;

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use programs::Programs;
use tempfile::TempDir;

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

/// The folder of PostgreSQL's programs; nothing where it is not installed.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    Some(Programs::find()?.path(""))
}

/// User and group as whom servers run; nothing where that is the account of the test.
#[must_use]
pub fn account() -> Option<(u32, u32)> {
    let account = Programs::find()?.account()?;
    Some((account.user, account.group))
}

/// Any program, run as the account of servers.
///
/// # Panics
/// When PostgreSQL is not installed.
#[must_use]
pub fn as_account(program: &Path) -> Command {
    let programs = Programs::find().expect("PostgreSQL");
    programs.run(program)
}

/// A folder that the account of servers owns.
///
/// # Panics
/// When it cannot be made.
#[must_use]
pub fn folder_of_account() -> TempDir {
    let made = tempfile::Builder::new().prefix("pg-").tempdir_in("/tmp");
    let folder = made.expect("a temporary folder");
    if let Some((user, group)) = account() {
        chown(folder.path(), Some(user), Some(group)).expect("chown");
    }
    folder
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
