//! State that no operation can make yet: channels of every kind, subscriptions, settings.
//! Written through the published schema (`migrations/`), in one transaction each.

use rusqlite::params;

use crate::database::Database;
use crate::server::{Server, User};
use crate::{unique, unix_now};

/// A channel made for one test.
#[derive(Clone, Debug)]
pub struct Channel {
    pub stream_id: i64,
    pub recipient_id: i64,
    pub name: String,
}

impl Channel {
    /// The id as a parameter.
    #[must_use]
    pub fn id(&self) -> String {
        self.stream_id.to_string()
    }
}

/// Kinds of channels that differ in who can read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// All users except guests can read and subscribe.
    Public,
    /// Everyone, also without an account.
    WebPublic,
    /// Subscribers see the whole history.
    PrivateShared,
    /// Subscribers see what was sent while they were subscribed.
    PrivateProtected,
}

/// Makes a channel with subscribers.
pub fn channel(server: &Server, kind: ChannelKind, subscribers: &[&User]) -> Channel {
    let database = server.database();
    let tx = database.transaction();
    let name = unique("channel ");
    tx.execute(
        "INSERT INTO conversations (realm_id, kind) VALUES (1, 'channel')",
        [],
    )
    .expect("conversation");
    let recipient_id = tx.last_insert_rowid();
    tx.execute(
        "INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created,
             invite_only, history_public_to_subscribers, is_web_public)
         VALUES (1, ?1, ?2, ?2, ?3, ?4, ?5, ?6)",
        params![
            recipient_id,
            name,
            unix_now(),
            matches!(
                kind,
                ChannelKind::PrivateShared | ChannelKind::PrivateProtected
            ),
            kind != ChannelKind::PrivateProtected,
            kind == ChannelKind::WebPublic
        ],
    )
    .expect("channel");
    let stream_id = tx.last_insert_rowid();
    copy_settings(&tx, stream_id);
    for user in subscribers {
        insert_subscription(&tx, user.user_id, stream_id);
    }
    tx.commit().expect("commit");
    Channel {
        stream_id,
        recipient_id,
        name,
    }
}

/// A new account without subscriptions, so that counts of its messages depend on this test only.
/// While tests run at the same time, a channel may be a default one for a moment, and accounts
/// created just then are subscribed to it.
#[track_caller]
pub fn hermit(server: &Server, role: &str) -> User {
    let user = server.user(role);
    server
        .database()
        .execute(
            "UPDATE subscriptions SET active = 0 WHERE user_id = ?1",
            [user.user_id],
        )
        .expect("unsubscribe");
    user
}

/// Subscribes a user, without the events that an operation would send.
pub fn subscribe(server: &Server, user: &User, channel: &Channel) {
    insert_subscription(&server.database(), user.user_id, channel.stream_id);
}

/// Ends a subscription, without the events that an operation would send.
pub fn unsubscribe(server: &Server, user: &User, channel: &Channel) {
    server
        .database()
        .execute(
            "UPDATE subscriptions SET active = 0 WHERE user_id = ?1 AND channel_id = ?2",
            params![user.user_id, channel.stream_id],
        )
        .expect("unsubscribe");
}

/// Assigns one permission of a channel to a system group, such as `role:administrators`.
pub fn channel_permission(server: &Server, channel: &Channel, name: &str, group: &str) {
    server
        .database()
        .execute(
            "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
             SELECT 1, 'channel', ?1, ?2, id FROM user_groups WHERE name = ?3
             ON CONFLICT (owner_type, owner_id, name) DO UPDATE SET group_id = excluded.group_id",
            params![channel.stream_id, name, group],
        )
        .expect("permission");
}

/// Sets one column of a channel; `column` is a literal of a test.
pub fn channel_column(
    server: &Server,
    channel: &Channel,
    column: &str,
    value: &dyn rusqlite::ToSql,
) {
    let sql = format!("UPDATE channels SET {column} = ?1 WHERE id = ?2");
    server
        .database()
        .execute(&sql, params![value, channel.stream_id])
        .expect("channel column");
}

/// Fills a topic with messages of the first of these users, delivered to all of them and read;
/// returns their ids. For topics where sending each message would take too long.
pub fn messages(
    server: &Server,
    channel: &Channel,
    topic: &str,
    readers: &[&User],
    number: usize,
) -> Vec<i64> {
    let database = server.database();
    let tx = database.transaction();
    let before: i64 = tx
        .query_row("SELECT coalesce(max(id), 0) FROM messages", [], |row| {
            row.get(0)
        })
        .expect("id");
    tx.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?5)
         INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic,
             topic_folded, content, rendered_content, date_sent, client)
         SELECT 1, ?1, ?2, ?3, ?4, lower(?4), 'word ' || i, '<p>word ' || i || '</p>', ?6, 'test'
         FROM n",
        params![
            readers[0].user_id,
            channel.recipient_id,
            channel.stream_id,
            topic,
            i64::try_from(number).expect("a number"),
            unix_now(),
        ],
    )
    .expect("messages");
    for reader in readers {
        tx.execute(
            "INSERT INTO user_messages (user_id, message_id, flags)
             SELECT ?1, id, 1 FROM messages WHERE id > ?2 AND channel_id = ?3",
            [reader.user_id, before, channel.stream_id],
        )
        .expect("deliveries");
    }
    tx.execute(
        "UPDATE channels SET first_message_id = coalesce(first_message_id, ?2) WHERE id = ?1",
        [channel.stream_id, before + 1],
    )
    .expect("the first message");
    tx.add_words_of_messages();
    let ids = ids_after(&tx, before, channel);
    tx.commit().expect("commit");
    assert_eq!(ids.len(), number);
    ids
}

/// Other tests may send to other channels at the same time.
fn ids_after(database: &Database, before: i64, channel: &Channel) -> Vec<i64> {
    let ids = "SELECT id FROM messages WHERE id > ?1 AND channel_id = ?2 ORDER BY id";
    let ids = database.rows(ids, [before, channel.stream_id], |row| row.get(0));
    ids.expect("ids")
}

/// Sets one of a user's settings (a JSON value).
pub fn user_setting(server: &Server, user: &User, name: &str, value: &str) {
    server
        .database()
        .execute(
            "UPDATE users SET settings = json_set(settings, '$.' || ?1, json(?2)) WHERE id = ?3",
            params![name, value, user.user_id],
        )
        .expect("user setting");
}

/// A new channel has the permissions of an existing one, which are the server's own defaults.
fn copy_settings(database: &Database, stream_id: i64) {
    database
        .execute(
            "INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
             SELECT realm_id, owner_type, ?1, name, group_id FROM group_settings
             WHERE owner_type = 'channel'
               AND owner_id = (SELECT min(id) FROM channels)",
            [stream_id],
        )
        .expect("settings");
}

fn insert_subscription(database: &Database, user_id: i64, stream_id: i64) {
    database
        .execute(
            "INSERT INTO subscriptions (user_id, channel_id, color) VALUES (?1, ?2, '#76ce90')
             ON CONFLICT (user_id, channel_id) DO UPDATE SET active = 1",
            params![user_id, stream_id],
        )
        .expect("subscription");
}
