//! Messages to channels of 10, 1,000 and 10,000 subscribers: time and bytes of database. The cost
//! must grow no faster than the number of subscribers, and be small for each of them.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::median_of;
use crate::servers::{self, Account};
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
    let file = data_dir.join("spindle.db");
    let mut connection = rusqlite::Connection::open(file)?;
    let tx = connection.transaction()?;
    let most = SIZES.iter().max().context("sizes")?;
    tx.execute(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
         INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded,
             full_name, full_name_folded, role, date_joined)
         SELECT 1, 'reader' || n || '@example.com', 'reader' || n || '@example.com',
             'reader' || n || '@example.com', 'reader' || n || '@example.com',
             'Reader ' || n, 'reader ' || n, 400, unixepoch() FROM numbers",
        [most],
    )?;
    for size in SIZES {
        tx.execute(
            "INSERT INTO conversations (realm_id, kind) VALUES (1, 'channel')",
            [],
        )?;
        tx.execute(
            "INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created)
             VALUES (1, last_insert_rowid(), 'people ' || ?1, 'people ' || ?1, unixepoch())",
            [size],
        )?;
        let channel = tx.last_insert_rowid();
        tx.execute(
            "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
             SELECT realm_id, owner_type, ?1, name, group_id FROM group_settings
             WHERE owner_type = 'channel' AND owner_id = (SELECT min(id) FROM channels)",
            [channel],
        )?;
        tx.execute(
            "INSERT INTO subscriptions (user_id, channel_id, color)
             SELECT id, ?1, '#76ce90' FROM users WHERE email LIKE 'reader%' ORDER BY id LIMIT ?2",
            [channel, size],
        )?;
    }
    tx.commit()?;
    Ok(())
}

/// Bytes that the database holds.
fn bytes(data_dir: &Path) -> Result<f64> {
    let connection = rusqlite::Connection::open(data_dir.join("spindle.db"))?;
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
