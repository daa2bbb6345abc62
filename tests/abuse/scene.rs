//! Large data sets, written by SQL through the published schema: an attacker would need days for
//! them.

use rusqlite::params;
use spindle_tests::fixture::Channel;
use spindle_tests::{Server, User};

/// Runs statements that may use a table `n` of the numbers from 1 to `count`; `?1` is an id.
pub fn fill(server: &Server, count: usize, id: i64, sql: &str) {
    let numbers = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
    );
    let sql = format!("{numbers} {}", sql.replace("?1", &id.to_string()));
    let database = server.database();
    database
        .execute_batch(&sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Messages of a user in one topic of a channel; `content` is an SQL expression of the number `i`.
/// The user has received all of them. Returns the first and the last id.
pub fn messages(
    server: &Server,
    channel: &Channel,
    user: &User,
    count: usize,
    content: &str,
) -> (i64, i64) {
    let database = server.database();
    let tx = database.transaction();
    let first: i64 = tx
        .query_row("SELECT coalesce(max(id), 0) + 1 FROM messages", [], |row| {
            row.get(0)
        })
        .expect("an id");
    tx.execute(
        &format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
             INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic,
                 topic_folded, content, rendered_content, date_sent, client)
             SELECT 1, ?1, ?2, ?3, 'large', 'large', {content}, '<p>' || {content} || '</p>', 1,
                 'test' FROM n"
        ),
        params![
            user.user_id,
            channel.recipient_id,
            channel.stream_id,
            count as i64
        ],
    )
    .expect("messages");
    tx.execute(
        "INSERT INTO user_messages (user_id, message_id, flags)
         SELECT ?1, id, 0 FROM messages WHERE id >= ?2 AND sender_id = ?1",
        params![user.user_id, first],
    )
    .expect("received");
    tx.commit().expect("commit");
    (first, first + count as i64 - 1)
}

/// Accounts that have never been used; returns their ids.
pub fn people(server: &Server, count: usize) -> Vec<i64> {
    let name = spindle_tests::unique("crowd");
    let sql = format!(
        "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded,
             full_name, full_name_folded, role, date_joined)
         SELECT 1, '{name}-' || i || '@x', '{name}-' || i || '@x', '{name}-' || i || '@x',
             '{name}-' || i || '@x', '{name} ' || i, '{name} ' || i, 400, 1 FROM n"
    );
    fill(server, count, 0, &sql);
    let database = server.database();
    let ids = "SELECT id FROM users WHERE email LIKE ?1 || '-%'";
    let ids = database.rows(ids, [name], |row| row.get(0));
    ids.expect("ids")
}
