//! Changes of many rows on PostgreSQL while its statistics are older than the rows: as soon done as with new ones.

use spindle_domain::{ChannelId, MessageId, UserId};

use crate::WriteTx;
use crate::message_flags::{Unread, read_some};
use crate::query::Listed;
use crate::subscriptions::SubscriptionKey;
use crate::testing::TestPostgres;
use crate::unread_left::{self, LeftRow};

/// A few messages of another channel when the statistics are made, then 4,500 of channel 2, unread for user 2.
const ROWS: &str = "\
    INSERT INTO users (id, realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
        full_name_folded, role, date_joined) \
    SELECT i, 1, i, i, i, i, i, i, 400, 0 FROM generate_series(1, 2) i; \
    INSERT INTO conversations (id, realm_id, kind) SELECT i, 1, 'channel' FROM generate_series(1, 2) i; \
    INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
    SELECT i, 1, i, i, i, 0 FROM generate_series(1, 2) i; \
    INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, topic_folded, content, \
        rendered_content, date_sent, client) \
    SELECT i, 1, 1, 1, 1, 't', 't', '', '', 0, '' FROM generate_series(1, 300) i; \
    INSERT INTO user_messages (user_id, message_id) SELECT 1, i FROM generate_series(1, 300) i; \
    ALTER TABLE messages SET (autovacuum_enabled = false); \
    ALTER TABLE user_messages SET (autovacuum_enabled = false); \
    ANALYZE messages; ANALYZE user_messages; \
    INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, topic_folded, content, \
        rendered_content, date_sent, client) \
    SELECT i, 1, 1, 2, 2, 't', 't', '', '', 0, '' FROM generate_series(1001, 5500) i; \
    INSERT INTO user_messages (user_id, message_id) SELECT 2, i FROM generate_series(1001, 5500) i;";

#[test]
fn marking_many_messages_does_not_depend_on_statistics() {
    let Some(database) = TestPostgres::with_realm() else {
        return;
    };
    let db = database.open();
    database.psql(ROWS);
    // With a join that evaluates the subquery for each row it takes minutes.
    db.run_script("SET statement_timeout = '20s'").unwrap();
    let (user_id, channel_id) = (UserId(2), ChannelId(2));
    let rest = LeftRow {
        user_id,
        channel_id,
        last_id: MessageId(5500),
    };
    let left = SubscriptionKey {
        user_id,
        channel_id,
    };
    let in_tx = |read: &dyn Fn(&WriteTx<'_>) -> usize| {
        let tx = WriteTx::begin(&db).unwrap();
        assert_eq!(read(&tx), 2000);
    };
    in_tx(&|tx| unread_left::read_more(tx, rest).unwrap().len());
    in_tx(&|tx| {
        let read = unread_left::read(tx, &[left]).unwrap();
        read.iter().map(|read| read.message_ids.len()).sum()
    });
    for unread in [
        Unread::Everything,
        Unread::Channel(channel_id),
        Unread::Topic(channel_id, "t"),
    ] {
        in_tx(&|tx| read_some(tx, user_id, unread, 2000).unwrap().len());
    }
}

/// What stands in the parentheses at whose beginning `text` opens, without those.
fn in_parentheses(text: &str) -> &str {
    let mut depth = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return &text[1..place],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Whether a statement has a subquery after `IN` that returns a limited number of rows: PostgreSQL may then evaluate it
/// for each row of a table.
fn limits_after_in(postgres: &str) -> bool {
    let mut lists = postgres
        .match_indices(" IN (")
        .map(|(place, before)| in_parentheses(&postgres[place + before.len() - 1..]));
    lists.any(|list| list.contains(" LIMIT "))
}

#[test]
fn a_limited_subquery_is_found_wherever_it_is() {
    for text in [
        "DELETE FROM x WHERE a IN (SELECT a FROM x LIMIT $1)",
        "DELETE FROM x WHERE a IN (SELECT a FROM (SELECT a FROM y) AS z ORDER BY a LIMIT $1) RETURNING a",
        "SELECT 1 WHERE a IN (1, 2) AND b NOT IN (SELECT b FROM (SELECT b FROM y LIMIT $1) AS z)",
    ] {
        assert!(limits_after_in(text), "{text}");
    }
    for text in [
        "DELETE FROM x WHERE a = ANY (ARRAY(SELECT a FROM x LIMIT $1))",
        "SELECT a FROM x WHERE a IN (SELECT (a) FROM y) ORDER BY a LIMIT $1",
    ] {
        assert!(!limits_after_in(text), "{text}");
    }
}

#[test]
fn no_limited_subquery_is_planned_as_a_join() {
    let wrong: Vec<String> = inventory::iter::<Listed>
        .into_iter()
        .filter(|listed| limits_after_in(listed.texts.postgres))
        .map(|listed| format!("{}:{}", listed.file, listed.line))
        .collect();
    assert!(wrong.is_empty(), "among! is for these: {wrong:#?}");
}
