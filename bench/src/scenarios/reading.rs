//! Reading messages in a history of 10,000, 100,000 and 1,000,000: one message, a page, pages
//! of narrows and searches, and which of a page a narrow is about.
//!
//! The cost of a point and of a page must not grow with the history. The messages are written
//! into the database directly; a word in each, one in ten, and one in a thousand is looked for.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::in_rounds;
use crate::servers::{self, Spindle};
use crate::setup;
use crate::table::Table;

const SIZES: [i64; 3] = [10_000, 100_000, 1_000_000];

const CHANNEL: &str = "reading";

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    subscribe(&spindle).await?;
    let sizes = SIZES.into_iter().filter(|size| *size <= plan.messages);
    let mut first: Option<(f64, f64)> = None;
    for size in sizes {
        let newest = fill(data_dir.path(), size)?;
        table.section(&format!("Reading among {size} messages"));
        let (point, page) = measure(plan, &spindle, table, newest).await?;
        if let Some((first_point, first_page)) = first {
            table.value("one message / of 10,000", point / first_point, "", "");
            table.value("a page / of 10,000", page / first_page, "", "");
        }
        first = first.or(Some((point, page)));
    }
    Ok(())
}

pub(super) async fn subscribe(spindle: &Spindle) -> Result<()> {
    let wishes = serde_json::json!([{"name": CHANNEL}]).to_string();
    let form = [("subscriptions", wishes.as_str())];
    let path = "/api/v1/users/me/subscriptions";
    let request = Prepared::new("POST", path, spindle.owner.credentials(), &form);
    let mut connection = Connection::open(&spindle.process.address).await?;
    let answer = connection.send(&request).await?.json()?;
    ensure!(answer["result"] == "success", "{answer}");
    Ok(())
}

/// Fills the channel up to `size` messages, delivered to the owner; returns the newest id.
pub(super) fn fill(data_dir: &Path, size: i64) -> Result<i64> {
    let database = setup::database(data_dir)?;
    database.execute_batch("BEGIN IMMEDIATE")?;
    database.execute(
        "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic,
             topic_folded, content, rendered_content, date_sent, client, properties)
         WITH RECURSIVE numbers (n) AS (
             SELECT (SELECT count(*) FROM messages) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1)
         SELECT 1, (SELECT user_id FROM subscriptions WHERE channel_id = ch.id LIMIT 1),
             ch.conversation_id, ch.id, 'topic ' || (n % 100), 'topic ' || (n % 100), text, '<p>' || text || '</p>',
             1700000000 + n, 'bench', 0
         FROM (SELECT n, 'everywhere message number ' || n || iif(n % 10 = 0, ' often', '')
             || iif(n % 1000 = 0, ' seldom', '') || ' with some words to read' AS text FROM numbers)
         JOIN channels ch ON ch.name = ?2",
        rusqlite::params![size, CHANNEL],
    )?;
    database.execute(
        "INSERT INTO user_messages (user_id, message_id, flags)
         SELECT m.sender_id, m.id, 1 FROM messages m WHERE m.client = 'bench'
         ON CONFLICT DO NOTHING",
        [],
    )?;
    database.execute_batch("COMMIT; PRAGMA optimize")?;
    let newest = database.query_row("SELECT max(id) FROM messages", [], |row| row.get(0))?;
    Ok(newest)
}

/// Median times of one message and of a page, in microseconds.
async fn measure(
    plan: &Plan,
    spindle: &Spindle,
    table: &mut Table,
    newest: i64,
) -> Result<(f64, f64)> {
    let point = format!("/api/v1/messages/{}", newest - 500);
    let point = timed(plan, spindle, table, "GET /messages/{id}", &point).await?;
    let middle = newest / 2;
    let page = page(&newest.to_string(), "[]");
    let page = timed(plan, spindle, table, "GET /messages, 100", &page).await?;
    for (name, narrow) in [
        ("in a channel", r#"[["channel","reading"]]"#),
        (
            "in a topic",
            r#"[["channel","reading"],["topic","topic 7"]]"#,
        ),
        (
            "from a sender",
            &format!(r#"[["sender","{}"]]"#, spindle.owner.email),
        ),
        ("search, a word in each", r#"[["search","everywhere"]]"#),
        ("search, one in ten", r#"[["search","often"]]"#),
        ("search, one in a thousand", r#"[["search","seldom"]]"#),
        ("search, two words", r#"[["search","seldom everywhere"]]"#),
        (
            "search, a phrase in a topic",
            r#"[["topic","topic 0"],["search","\"words to read\""]]"#,
        ),
    ] {
        let path = self::page(&middle.to_string(), narrow);
        let name = format!("GET /messages, 100 {name}");
        timed(plan, spindle, table, &name, &path).await?;
    }
    let ids: Vec<i64> = (newest - 99..=newest).collect();
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("msg_ids", &serde_json::to_string(&ids)?)
        .append_pair("narrow", r#"[["channel","reading"],["search","often"]]"#)
        .finish();
    let path = format!("/api/v1/messages/matches_narrow?{query}");
    timed(
        plan,
        spindle,
        table,
        "GET /messages/matches_narrow, 100",
        &path,
    )
    .await?;
    Ok((point, page))
}

fn page(anchor: &str, narrow: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("anchor", anchor)
        .append_pair("num_before", "99")
        .append_pair("num_after", "0")
        .append_pair("narrow", narrow)
        .finish();
    format!("/api/v1/messages?{query}")
}

async fn timed(
    plan: &Plan,
    spindle: &Spindle,
    table: &mut Table,
    name: &str,
    path: &str,
) -> Result<f64> {
    let request = Prepared::new("GET", path, spindle.owner.credentials(), &[]);
    let mut connection = Connection::open(&spindle.process.address).await?;
    let answer = connection.send(&request).await?;
    let size = answer.body.len() / 1024;
    let body = answer.json()?;
    ensure!(body["result"] == "success", "{body}");
    let found = match &body["messages"] {
        serde_json::Value::Array(list) => list.len(),
        serde_json::Value::Object(found) => found.len(),
        _ => usize::from(body.get("message").is_some()),
    };
    ensure!(found > 0, "{name}: nothing was found");
    let load = in_rounds(plan, &spindle.process.address, 1, |_| request.clone());
    let figures = load.await.context(name.to_owned())?;
    table.throughput(name, &figures, &format!("{found} messages, {size} KiB"));
    Ok(figures.p50_us as f64)
}
