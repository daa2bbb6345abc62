//! Several nodes on one database: changes that meet, a database that is out of reach, a balancer, a pooler, and servers
//! of PostgreSQL that fail over.
//!
//! `SPINDLE_CLUSTER_ROUNDS` is how often two changes meet in each way (2), `SPINDLE_FAILOVERS` how often the primary server
//! is lost (1).

mod balancer;
mod commit;
mod failover;
mod hot_channel;
mod machines;
mod partition;
mod patroni;
mod pooler;
mod programs;
mod proxy;
mod skew;

use std::time::Duration;

use spindle_test_postgres::Database;
use spindle_tests::server::DATABASE_URL;
use spindle_tests::{Options, PATIENCE, Server, until_within};

/// Nodes on a database, as many as are asked for.
fn nodes_on(url: String, nodes: usize) -> Server {
    Server::spawn(Options {
        environment: vec![(DATABASE_URL.to_owned(), url)],
        nodes,
        ..Options::default()
    })
}

/// One more node on the database of `first`, with the same files, that reaches it at `url`.
fn beside(first: &Server, url: String, extra: Vec<String>) -> Server {
    let files = first.directory().expect("a directory").join("blobs");
    let folder = tempfile::tempdir().expect("a directory").keep();
    std::os::unix::fs::symlink(files, folder.join("blobs")).expect("a link");
    let options = Options {
        environment: vec![(DATABASE_URL.to_owned(), url)],
        extra,
        ..Options::default()
    };
    Server::spawn_on(folder, options)
}

/// An empty database on the server of this program; none, with a report, where PostgreSQL is missing.
fn database() -> Option<Database<'static>> {
    spindle_test_postgres::shared().map(|postgres| postgres.database())
}

/// A primary server that is lost keeps its lease for `ttl` of Patroni, whose calls are repeated for `retry_timeout`
/// (`machines.rs`). Then it is started again and catches up with the new one.
const FAILOVER: Duration = Duration::from_secs(20 + 8 + 32);

/// Waits until something is there, which may take a failover.
#[track_caller]
fn wait_for<T>(what: &str, found: impl FnMut() -> Option<T>) -> T {
    until_within(FAILOVER + PATIENCE, Duration::from_millis(20), what, found)
}

/// Waits until `is_so`, which may take a failover.
#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
