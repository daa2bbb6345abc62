//! On PostgreSQL, whose planner takes no hints, a window reads about as many rows as it returns.

use postgres::{Client, SimpleQueryMessage};
use spindle_domain::UserId;

use super::statements::statement;
use super::*;
use crate::Value;
use crate::messages::{flag, property};
use crate::testing::with_postgres;

const MESSAGES: i64 = 20_000;
const LIMIT: i64 = 50;
/// Rows of a table that a window of [`LIMIT`] messages may read: fewer than any person, channel or sender has.
const MOST_READ: i64 = 500;

/// Ten people who receive all of 20,000 messages. The older half is from all of them, in four channels of three topics and in one
/// conversation; each hundredth has flags and properties. The newer half is from one of them, in one topic.
fn fill(client: &mut Client) {
    let text = format!(
        "SET session_replication_role = replica;
         INSERT INTO conversations (id, realm_id, kind, members_key)
             SELECT n, 1, 'channel', NULL FROM generate_series(1, 5) n;
         INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created)
             SELECT n, 1, n, 'c' || n, 'c' || n, 0 FROM generate_series(1, 4) n;
         INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic,
             topic_folded, content, rendered_content, date_sent, client, properties)
             SELECT n, 1, 1 + o % 10, 1 + o % 5, nullif(1 + o % 5, 5), 't' || o / 5 % 3, 't' || o / 5 % 3,
                 'text', '<p>text</p>', n, '', CASE WHEN o % 100 = 4 THEN 6 ELSE 0 END
             FROM (SELECT n, CASE WHEN n <= {MESSAGES} / 2 THEN n ELSE 0 END AS o
                 FROM generate_series(1, {MESSAGES}) n) q;
         INSERT INTO user_messages (user_id, message_id, flags)
             SELECT u, n, CASE WHEN n % 100 = 4 AND n <= {MESSAGES} / 2 THEN 2 + 8 + 512 + 2048 ELSE 1 END
             FROM generate_series(1, 10) u, generate_series(1, {MESSAGES}) n;"
    );
    client.batch_execute(&text).unwrap();
    client
        .batch_execute("VACUUM ANALYZE messages, user_messages")
        .unwrap();
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Real(_) | Value::Blob(_) => panic!("no window has {value:?}"),
    }
}

/// The plan of a window that was read before, with the rows of each step; of the statement without conditions, where there
/// is one and it `is_bare`.
fn plan(client: &mut Client, filter: &Filter, side: Side, is_bare: bool) -> String {
    let bound = match side {
        Side::Before => MessageId(MESSAGES),
        Side::After => MessageId::MIN,
    };
    let source = filter.source();
    let (query, params) = match bare(filter, source, side, bound, LIMIT) {
        Some(bare) if is_bare => bare,
        _ => (
            statement(source, side),
            filter.params(false, bound, LIMIT).to_vec(),
        ),
    };
    let params: Vec<String> = params.iter().map(literal).collect();
    let explain = format!(
        "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE w ({});",
        params.join(", ")
    );
    // The server looks for a plan that it can keep at the sixth execution.
    let text = format!(
        "PREPARE w AS {}; {}",
        query.postgres_text(),
        explain.repeat(5)
    );
    client.simple_query(&text).unwrap();
    let answer = client.simple_query(&explain).unwrap();
    client.simple_query("DEALLOCATE w").unwrap();
    let lines = answer.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The number behind `name` in a line.
fn number(line: &str, name: &str) -> Option<i64> {
    let (_, rest) = line.split_once(name)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The largest number of rows that a step has read, returned or dropped.
fn most_read(plan: &str) -> i64 {
    let mut loops = 1;
    let of_line = plan.lines().map(|line| {
        if let Some(found) = number(line, "loops=") {
            loops = found;
        }
        let rows =
            number(line, "actual rows=").or_else(|| number(line, "Rows Removed by Filter: "));
        rows.unwrap_or(0) * loops
    });
    of_line.max().unwrap_or(0)
}

/// Adds the conditions of a narrow to those of the reader.
type Narrow = fn(&mut Filter);

/// What a reader may ask for, by name.
const NARROWS: [(&str, Narrow); 11] = [
    ("received", |_| {}),
    ("all", |filter| filter.is_received = false),
    ("channel", |filter| filter.channel_id = Some(2.into())),
    ("topic", |filter| {
        filter.channel_id = Some(2.into());
        filter.topic = Some("t1".to_owned());
    }),
    ("conversation", |filter| {
        filter.conversations = Some(vec![5.into()])
    }),
    ("sender", |filter| filter.senders = Some(vec![UserId(4)])),
    ("direct", |filter| filter.direct = Some(true)),
    ("starred", |filter| filter.flags_all = flag::STARRED),
    ("mentioned", |filter| filter.flags_any = flag::ANY_MENTION),
    ("unread", |filter| filter.flags_none = flag::READ),
    ("image", |filter| {
        filter.properties_all = property::HAS_IMAGE
    }),
];

#[test]
fn a_window_reads_about_as_many_rows_as_it_returns() {
    with_postgres(|client| {
        fill(client);
        for (name, narrow) in NARROWS {
            let mut filter = Filter {
                user_id: UserId(3),
                is_received: true,
                ..Filter::default()
            };
            narrow(&mut filter);
            let sides = [Side::Before, Side::After];
            for (side, is_bare) in sides.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                let plan = plan(client, &filter, side, is_bare);
                let read = most_read(&plan);
                assert!(read <= MOST_READ, "{name} {side:?}: {read} rows\n{plan}");
                assert!(plan.contains("actual rows=50 "), "{name} {side:?}\n{plan}");
            }
        }
    });
}
