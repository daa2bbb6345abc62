//! Harness of the black-box suite: starts a server (or uses a running one), speaks HTTP with it,
//! and checks every answer against the OpenAPI document.
//!
//! Independent of the server's implementation: it uses only the binary, its command line, its HTTP
//! interface and the published schema of its database. With `SPIN_BIN` the same suite runs under
//! that Spin, with `spindle events`; with `SPINDLE_BASE_URL` and `SPINDLE_DATABASE` against any
//! other host. `SPINDLE_BIN` names the binary when it is not `target/release/spindle`.

pub mod apps;
pub mod certificates;
pub mod client;
pub mod code_cache;
pub mod database;
pub mod events;
pub mod fixture;
mod hosts;
pub mod images;
pub mod load;
pub mod misbehave;
pub mod nodes;
pub mod openapi;
mod phone;
pub mod raw;
mod security_key;
pub mod server;
pub mod spin;
pub mod strict;
mod waiting;
mod watchdog;

pub use client::{Call, Client, FilePart, Reply};
pub use database::Database;
pub use events::Queue;
pub use nodes::has_other_nodes;
pub use phone::Phone;
pub use security_key::SecurityKey;
pub use server::{Options, Server, User};
pub use spindle_test_postgres::free_port;
pub use waiting::{PATIENCE, until, until_the_next_second, until_within};

use std::sync::atomic::{AtomicU64, Ordering};

/// A word that no other call of this process, and no other process, returns. Tests share one
/// server, so everything they create has a unique name.
#[must_use]
pub fn unique(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{prefix}{}x{number}", std::process::id())
}

/// Seconds since 1970 by this machine's clock (the server's, unless its test clock was moved).
#[must_use]
pub fn unix_now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs() as i64)
}

/// Reads a number from the environment; a value that is no number is an error, not a default.
#[must_use]
pub fn env_number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Err(_) => default,
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} must be a number, not {text:?}")),
    }
}

/// Reports that a test cannot run here. `cargo xtask test` lists such lines, and CI refuses them.
pub fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    if let Some(path) = std::env::var_os("SPINDLE_SKIPS") {
        use std::io::Write;
        let file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path);
        if let Ok(mut file) = file {
            let _ = writeln!(file, "{reason}");
        }
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "skipped in CI: {reason}"
    );
}

/// Reports that a sandbox forbids what a test needs, which no script can install. This is not a
/// failure.
pub fn forbidden(reason: &str) {
    eprintln!("forbidden here: {reason}");
}
