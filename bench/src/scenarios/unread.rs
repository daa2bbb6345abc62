//! A user who returns after a long absence: the snapshot with 1,000 channels and 50,000 unread messages, and
//! marking all of them as read.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::servers;
use crate::setup::{self, timed};
use crate::table::Table;

/// Unread messages when a figure is taken.
const SIZES: [i64; 3] = [500, 5_000, 50_000];
const CHANNELS: i64 = 1_000;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let credentials = spindle.owner.credentials();
    let register = Prepared::new("POST", "/api/v1/register", credentials, &[]);
    let types = "[\"message\",\"update_message_flags\"]";
    let pairs = [("fetch_event_types", types), ("event_types", "[]")];
    let unread = Prepared::new("POST", "/api/v1/register", credentials, &pairs);
    table.section("Unread messages: the snapshot with 1,000 channels");
    make_channels(data_dir.path())?;
    let mut connection = Connection::open(&spindle.process.address).await?;
    let mut times = Vec::new();
    for size in SIZES {
        fill(data_dir.path(), size)?;
        for (name, request) in [("complete", &register), ("unread_msgs alone", &unread)] {
            let (milliseconds, bytes) = timed(plan, &mut connection, request).await?;
            let name = format!("POST /register, {size} unread, {name}");
            table.value(&name, milliseconds, "ms", &format!("{} kB", bytes / 1000));
            times.push(milliseconds);
        }
    }
    if let [.., five_thousand, _, fifty_thousand] = times.as_slice() {
        let name = "unread_msgs, ten times the messages / ten times the time";
        table.goal(
            name,
            fifty_thousand / (10.0 * five_thousand),
            "",
            false,
            1.5,
        );
    }
    let read = Prepared::new("POST", "/api/v1/mark_all_as_read", credentials, &[]);
    let started = Instant::now();
    let answer = connection.send(&read).await?;
    anyhow::ensure!(answer.status == 200, "status {}", answer.status);
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    table.value(
        "POST /mark_all_as_read of 50000",
        milliseconds,
        "ms",
        "once",
    );
    Ok(())
}

/// Channels with the owner in them, made as fast as the database writes.
pub(super) fn make_channels(data_dir: &Path) -> Result<()> {
    let connection = setup::database(data_dir)?;
    let numbers = "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number \
         WHERE n < ?1)";
    for sql in [
        "INSERT INTO conversations (id, realm_id, kind) SELECT 100000 + n, 1, 'channel' FROM number",
        "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
         SELECT 100000 + n, 1, 100000 + n, 'channel ' || n, 'channel ' || n, 1700000000 FROM number",
        "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         SELECT s.realm_id, 'channel', 100000 + n, s.name, s.group_id FROM number, group_settings s \
         WHERE s.owner_type = 'channel' AND s.owner_id = (SELECT min(id) FROM channels)",
        "INSERT INTO subscriptions (user_id, channel_id, color) SELECT (SELECT id FROM users \
         WHERE role = 100 LIMIT 1), 100000 + n, '#76ce90' FROM number",
    ] {
        connection.execute(&format!("{numbers} {sql}"), [CHANNELS])?;
    }
    Ok(())
}

/// Sends messages to ten topics of every channel until `size` of them are unread.
pub(super) fn fill(data_dir: &Path, size: i64) -> Result<()> {
    let connection = setup::database(data_dir)?;
    let messages = "WITH RECURSIVE number (n) AS (SELECT (SELECT count(*) FROM user_messages \
             WHERE flags & 1 = 0) + 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1) \
         INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client) \
         SELECT 1000000 + n, 1, (SELECT id FROM users WHERE role = 100 LIMIT 1), \
             100001 + n % ?2, 100001 + n % ?2, 'topic ' || (n % 10), 'topic ' || (n % 10), \
             'a message of middling length, as people write them', \
             '<p>a message of middling length, as people write them</p>', 1700000000, 'bench' \
         FROM number WHERE n <= ?1";
    connection.execute(messages, [size, CHANNELS])?;
    let deliveries = "INSERT OR IGNORE INTO user_messages (user_id, message_id, flags) \
         SELECT (SELECT id FROM users WHERE role = 100 LIMIT 1), id, iif(id % 100 = 0, 8, 0) \
         FROM messages WHERE id > 1000000";
    connection.execute(deliveries, [])?;
    Ok(())
}
