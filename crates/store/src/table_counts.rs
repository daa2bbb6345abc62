//! The number of rows of the large tables, for metrics and `spindle doctor`.
//!
//! Cheap enough to be read once a minute: tables that grow without bound are counted by the last id that they assigned,
//! the others are bounded by quotas or counted in an index.

use spindle_domain::RealmId;

use crate::{Db, DbError, either, event_log, params, row_struct, sql};

row_struct! {
    /// The sizes of an organization.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct TableCounts {
        /// Active accounts of people.
        pub people: i64,
        /// Active bots.
        pub bots: i64,
        /// Messages ever sent, including deleted ones.
        pub messages: i64,
        /// Uploaded files.
        pub files: i64,
        /// Bytes of them.
        pub file_bytes: i64,
        /// Most MiB of all of them together; `None` means no limit.
        pub quota_mib: Option<i64>,
        /// Calls that the push service is still to get.
        pub push_calls: i64,
        /// Calls that services of bots are still to get.
        pub bot_calls: i64,
    }
}

/// Counts everything.
pub fn take(db: &dyn Db, realm_id: RealmId) -> Result<TableCounts, DbError> {
    db.query(
        sql!(
            "SELECT (SELECT count(*) FROM users WHERE realm_id = ?1 AND is_active = 1 \
                 AND is_bot = 0 AND is_imported_stub = 0) AS people, \
             (SELECT count(*) FROM users WHERE realm_id = ?1 AND is_active = 1 AND is_bot = 1) AS bots, \
             coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0) AS messages, \
             (SELECT count(*) FROM attachments WHERE realm_id = ?1) AS files, \
             (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM attachments WHERE realm_id = ?1) AS file_bytes, \
             (SELECT upload_quota_mib FROM realms WHERE id = ?1) AS quota_mib, \
             (SELECT count(*) FROM push_calls) AS push_calls, \
             (SELECT count(*) FROM bot_calls) AS bot_calls"
        ),
        &params![realm_id],
    )?
    .one()
}

row_struct! {
    /// The database as a whole.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DatabaseState {
        /// The newest position of the event log.
        pub position: i64,
        /// Committed events that the log has no position for yet. Always 0 on SQLite.
        pub unordered: i64,
        /// Bytes of the database.
        pub bytes: i64,
    }
}

/// Looks at the event log and at the size of the database.
pub fn state(db: &dyn Db) -> Result<DatabaseState, DbError> {
    let position = event_log::position(db)?;
    db.query(
        sql!(either!(
            "SELECT ?1 AS position, 0 AS unordered, page_count * page_size AS bytes \
             FROM pragma_page_count, pragma_page_size",
            "SELECT ?1:bigint AS position, (SELECT count(*) FROM event_outbox) AS unordered, \
             pg_database_size(current_database()) AS bytes"
        )),
        &params![position],
    )?
    .one()
}

/// When the newest message was sent, in UNIX seconds; `None` before the first.
pub fn newest_message(db: &dyn Db) -> Result<Option<i64>, DbError> {
    db.query(
        sql!("SELECT date_sent FROM messages ORDER BY id DESC LIMIT 1"),
        &[],
    )?
    .value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestDatabase, add_user};

    #[test]
    fn the_state_of_the_database_is_read() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let state = state(&tx).unwrap();
        assert_eq!((state.position, state.unordered), (0, 0));
        assert!(state.bytes > 100_000, "{state:?}");
    }

    #[test]
    fn everything_is_counted() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(take(&tx, RealmId::ONLY), Ok(TableCounts::default()));
        assert_eq!(newest_message(&tx), Ok(None));
        for name in ["a@b", "b@b", "c@b"] {
            add_user(&tx, name);
        }
        for sql in [
            "UPDATE users SET is_active = 0 WHERE email = 'b@b'",
            "UPDATE users SET is_bot = 1, bot_type = 1 WHERE email = 'c@b'",
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
            "INSERT INTO messages (realm_id, sender_id, conversation_id, content, \
             rendered_content, date_sent, client) \
             SELECT 1, id, 1, 'words', '', 17 + id, '' FROM users WHERE realm_id = 1",
            "INSERT INTO bot_calls (bot_id, message_id, reason, created, due) \
             SELECT sender_id, id, 'mention', 0, 0 FROM messages",
            "DELETE FROM messages WHERE id = 2",
            "INSERT INTO attachments (realm_id, owner_id, path_id, blob_key, name, content_type, size, \
             create_time) SELECT 1, id, 'p' || id, 'k' || id, 'n', 't', 100, 0 FROM users WHERE realm_id = 1",
            "INSERT INTO push_calls (kind, form, user_id, detail, created, due) \
             SELECT 'test', 'device', id, '', 0, 0 FROM users WHERE is_bot = 0",
            "UPDATE realms SET upload_quota_mib = 5",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        let expected = TableCounts {
            people: 1,
            bots: 1,
            messages: 3,
            files: 3,
            file_bytes: 300,
            quota_mib: Some(5),
            push_calls: 2,
            bot_calls: 2,
        };
        assert_eq!(take(&tx, RealmId::ONLY), Ok(expected));
        let last = "SELECT max(date_sent) FROM messages";
        let last = tx.execute(last, &[]).unwrap().one_value();
        assert_eq!(newest_message(&tx), last.map(Some));
    }
}
