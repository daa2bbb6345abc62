//! Messages to channels of 10, 1,000 and 10,000 subscribers: time and bytes of database. The cost
//! must grow no faster than the number of subscribers, and be small for each of them.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::median_of;
use crate::servers::{self, Account};
use crate::setup;
use crate::table::Table;

const SIZES: [i64; 3] = [10, 1_000, 10_000];
/// Messages that each subscriber has before anything is measured, so that lists of messages
/// are as deep as in an organization that is in use.
const HISTORY: usize = 100;
/// Messages of one round.
const MESSAGES: usize = 20;

const CONTENT: &str = "a message of **some** length with `code` and :tada:";

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    fill(data_dir.path())?;
    let mut connection = Connection::open(&spindle.process.address).await?;
    table.section("POST /messages by the number of subscribers");
    let mut times = Vec::new();
    for size in SIZES {
        let mut sender = Sender {
            connection: &mut connection,
            account: &spindle.owner,
            to: format!("people {size}"),
        };
        for _ in 0..HISTORY {
            sender.send().await?;
        }
        let before = bytes(data_dir.path())?;
        let mut rounds = Vec::new();
        for _ in 0..plan.rounds {
            let started = Instant::now();
            for _ in 0..MESSAGES {
                sender.send().await?;
            }
            rounds.push(started.elapsed().as_secs_f64() * 1000.0 / MESSAGES as f64);
        }
        let sent = (MESSAGES * plan.rounds) as f64;
        let grown = (bytes(data_dir.path())? - before) / sent;
        let milliseconds = median_of(rounds);
        table.value(&format!("{size} subscribers"), milliseconds, "ms", "");
        let note = format!("{:.1} for each subscriber", grown / size as f64);
        table.value(
            &format!("database, {size} subscribers"),
            grown,
            "bytes",
            &note,
        );
        times.push(milliseconds);
    }
    if let [few, thousand, many] = times.as_slice() {
        let each = (many - few) * 1000.0 / 10_000.0;
        table.value("each further subscriber", each, "us", "");
        let name = "ten times the subscribers / ten times the time";
        table.goal(name, many / (10.0 * thousand), "", false, 1.5);
    }
    Ok(())
}

/// Writes as many people as the largest channel needs, and the channels with them in it.
fn fill(data_dir: &Path) -> Result<()> {
    let mut connection = setup::database(data_dir)?;
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    setup::readers(&tx, SIZES.into_iter().max().unwrap_or_default())?;
    for size in SIZES {
        setup::channel_of_readers(&tx, &format!("people {size}"), size)?;
    }
    tx.commit()?;
    Ok(())
}

/// Bytes that the database holds.
fn bytes(data_dir: &Path) -> Result<f64> {
    let connection = setup::database(data_dir)?;
    let sql = "SELECT (p.page_count - f.freelist_count) * s.page_size
        FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s";
    let bytes: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(bytes as f64)
}

/// Sends one message after the other.
struct Sender<'a> {
    connection: &'a mut Connection,
    account: &'a Account,
    to: String,
}

impl Sender<'_> {
    async fn send(&mut self) -> Result<()> {
        let form = [
            ("type", "channel"),
            ("to", self.to.as_str()),
            ("topic", "measuring"),
            ("content", CONTENT),
        ];
        let request = Prepared::new(
            "POST",
            "/api/v1/messages",
            self.account.credentials(),
            &form,
        );
        let answer = self.connection.send(&request).await?.json()?;
        ensure!(answer["result"] == "success", "{answer}");
        Ok(())
    }
}
