//! One organization on PostgreSQL compared with the same one in a file: requests per second in turns, memory; then
//! events between three nodes (`events.rs`).
//!
//! PostgreSQL flushes each commit to the disk, as SQLite does. Clients, nodes and PostgreSQL share the machine.

mod events;

use anyhow::{Context as _, Result};
use spindle_test_postgres::{Database, Server};
use tempfile::TempDir;

use super::{before, reading};
use crate::Plan;
use crate::http::Prepared;
use crate::load::in_turns;
use crate::servers::{self, Account, Process, Spindle};
use crate::setup;
use crate::table::Table;

/// Connections that read or write concurrently.
const CONNECTIONS: usize = 32;
const NODES: usize = 3;

/// An operation, and the least part of the requests per second that it has with a file.
const OPERATIONS: [(&str, Option<f64>); 5] = [
    ("GET /users/me", Some(0.3)),
    ("GET /messages, 100", Some(0.3)),
    ("POST /users/me/status", None),
    ("POST /messages", Some(0.25)),
    ("POST /register", None),
];

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let Some(server) = Server::start(&["shared_buffers=256MB", "max_connections=400"]) else {
        println!("cluster: PostgreSQL is missing (scripts/install-postgres)");
        return Ok(());
    };
    let database = server.database();
    let organization = Organization::make(plan, &database).await?;
    let first = Node::start(&database)?;
    compare(plan, table, &organization, &first).await?;
    drop(organization.file);

    let mut nodes = vec![first];
    while nodes.len() < NODES {
        nodes.push(Node::start(&database)?);
    }
    events::run(plan, table, nodes, &organization.accounts).await
}

/// An organization of eight people with a history, in a file and in a database of PostgreSQL.
struct Organization {
    file: Spindle,
    /// The owner, and members whose queues are polled.
    accounts: Vec<Account>,
    _folder: TempDir,
}

impl Organization {
    async fn make(plan: &Plan, database: &Database<'_>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let manifest = servers::root().join("spin.toml");
        let start = || servers::spindle(folder.path(), &manifest, &[]);
        let spindle = start()?;
        setup::eight_people(folder.path())?;
        reading::subscribe(&spindle).await?;
        reading::fill(folder.path(), plan.history)?;
        let mut accounts = vec![spindle.owner.clone()];
        accounts.extend(servers::accounts_for_queues(folder.path(), plan.waiters)?);
        drop(spindle);
        servers::move_to(folder.path(), &database.url())?;
        Ok(Self {
            file: start()?,
            accounts,
            _folder: folder,
        })
    }
}

/// A node and its data directory.
struct Node {
    process: Process,
    _folder: TempDir,
}

impl Node {
    fn start(database: &Database<'_>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        Ok(Self {
            process: servers::node(folder.path(), &database.url())?,
            _folder: folder,
        })
    }

    fn address(&self) -> &str {
        &self.process.address
    }
}

/// One node, and the server with a file.
async fn compare(
    plan: &Plan,
    table: &mut Table,
    organization: &Organization,
    node: &Node,
) -> Result<()> {
    table.section(&format!(
        "PostgreSQL / SQLite, one server each, {CONNECTIONS} connections"
    ));
    let owner = organization.accounts.first().context("the owner")?;
    let file = &organization.file.process;
    for (name, goal) in OPERATIONS {
        let request: Prepared = before::request(name, owner.credentials());
        let of_both = |_| request.clone();
        let (on_postgres, in_file) = ((node.address(), of_both), (&*file.address, of_both));
        let ratio = in_turns(plan, CONNECTIONS, on_postgres, in_file).await?;
        match goal {
            Some(goal) => table.goal(name, ratio, "", true, goal),
            None => table.value(name, ratio, "", ""),
        }
    }
    let mebibytes = |process: &Process| anyhow::Ok(process.anonymous_kib()? as f64 / 1024.0);
    let (here, there) = (mebibytes(&node.process)?, mebibytes(file)?);
    table.value("anonymous memory with a file", there, "MiB", "");
    table.goal("  more on PostgreSQL", here - there, "MiB", false, 32.0);
    Ok(())
}
