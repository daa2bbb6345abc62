//! Common parts of scenarios: organizations of a chosen size, written directly into the database (through
//! the API, every user would cost a password hash, which is not measured here), and timing of sequential
//! requests.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::median_of;

/// Opens the database of a running server, with a busy timeout.
pub fn database(data_dir: &Path) -> Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(data_dir.join("spindle.db"))?;
    connection.busy_timeout(Duration::from_secs(20))?;
    Ok(connection)
}

/// Median time of a request in milliseconds, and the size of its answer.
pub async fn timed(
    plan: &Plan,
    connection: &mut Connection,
    request: &Prepared,
) -> Result<(f64, usize)> {
    let mut times = Vec::new();
    let mut bytes = 0;
    for _ in 0..plan.rounds {
        let started = Instant::now();
        let answer = connection.send(request).await?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
        anyhow::ensure!(answer.status == 200, "status {}", answer.status);
        bytes = answer.body.len();
    }
    Ok((median_of(times), bytes))
}

/// People called `reader1@example.com` and so on.
pub fn readers(tx: &rusqlite::Connection, most: i64) -> Result<()> {
    tx.execute(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
         INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded,
             full_name, full_name_folded, role, date_joined)
         SELECT 1, 'reader' || n || '@example.com', 'reader' || n || '@example.com',
             'reader' || n || '@example.com', 'reader' || n || '@example.com',
             'Reader ' || n, 'reader ' || n, 400, unixepoch() FROM numbers",
        [most],
    )?;
    Ok(())
}

/// A channel with the first `size` readers in it, and the settings of the first channel.
pub fn channel_of_readers(tx: &rusqlite::Connection, name: &str, size: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO conversations (realm_id, kind) VALUES (1, 'channel')",
        [],
    )?;
    tx.execute(
        "INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created)
         VALUES (1, last_insert_rowid(), ?1, ?1, unixepoch())",
        [name],
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
    Ok(())
}

/// Adds seven people to the organization of the owner, and to its first channel.
pub fn eight_people(data_dir: &Path) -> Result<()> {
    let database = database(data_dir)?;
    readers(&database, 7)?;
    database.execute(
        "INSERT INTO subscriptions (user_id, channel_id, color)
         SELECT u.id, c.id, '#76ce90' FROM users u, channels c
         WHERE u.email LIKE 'reader%' AND c.name = 'general'",
        [],
    )?;
    database.execute(
        "INSERT OR IGNORE INTO user_group_members (user_id, group_id)
         SELECT u.id, g.id FROM users u, user_groups g
         WHERE u.role = 400 AND g.name IN ('role:members', 'role:fullmembers')",
        [],
    )?;
    Ok(())
}
