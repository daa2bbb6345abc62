//! Fills a database that no other connection uses: indexes are built once at the end instead of
//! row by row, and nothing is written for recovery after a crash.
//!
//! Owns the settings of such a connection, and which indexes and triggers wait. The file is worth
//! nothing before it is whole: it has to be made in a place where no server looks, checked with
//! [`crate::check::check_filled`], written out (fsync) and only then put into its place.

use rusqlite::Connection;

use crate::DbError;

/// Bytes of the page cache, and of each of the two buffers in which SQLite sorts what goes into an
/// index: bounds of the memory that an import takes, whatever its size.
pub(crate) const CACHE_BYTES: i64 = 64 << 20;
/// Bytes of words that are kept until they become a segment of the full-text index.
const SEARCH_BYTES: i64 = 32 << 20;
/// What SQLite has in its place.
const SEARCH_BYTES_USUAL: i64 = 1 << 20;
/// Messages that go into the full-text index with one statement.
const MESSAGES_AT_ONCE: i64 = 20_000;

/// Indexes of the tables that most rows of an import belong to, and the trigger that keeps the
/// full-text index true.
const POSTPONED: &str = "SELECT type, name, sql FROM sqlite_schema \
    WHERE (type = 'index' AND sql IS NOT NULL AND tbl_name IN ('messages', 'user_messages')) \
       OR (type = 'trigger' AND name = 'message_search_insert') \
    ORDER BY tbl_name DESC, rowid";

/// Settings of a connection to a database that is being created. The check at the end finds rows that refer to missing
/// ones. A transaction can still be undone: what SQLite keeps for that is in memory, and small, because nearly all
/// pages are new.
///
/// # Errors
/// [`DbError`] when one of them is refused.
pub fn prepare(connection: &Connection) -> Result<(), DbError> {
    connection.pragma_update(None, "journal_mode", "memory")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "cache_size", -(CACHE_BYTES / 1024))?;
    // One more thread for sorting what goes into an index.
    connection.pragma_update(None, "threads", 1)?;
    Ok(())
}

/// Indexes and a trigger that are not there while the database is filled.
#[derive(Debug)]
pub struct Postponed {
    indexes: Vec<String>,
    triggers: Vec<String>,
}

/// Removes what would be kept up row by row.
pub fn postpone(connection: &Connection) -> Result<Postponed, DbError> {
    let mut statement = connection.prepare(POSTPONED)?;
    let found = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<Vec<(String, String, String)>, _>>()?;
    drop(statement);
    let (mut indexes, mut triggers) = (Vec::new(), Vec::new());
    for (kind, name, sql) in found {
        connection.execute_batch(&format!("DROP {kind} \"{name}\""))?;
        if kind == "index" {
            indexes.push(sql);
        } else {
            triggers.push(sql);
        }
    }
    Ok(Postponed { indexes, triggers })
}

impl Postponed {
    /// How many indexes are to be built.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.indexes.len() as u64
    }

    /// Makes the indexes; `done` is called after each.
    pub fn make_indexes(
        &self,
        connection: &Connection,
        mut done: impl FnMut(),
    ) -> Result<(), DbError> {
        for sql in &self.indexes {
            connection.execute_batch(sql)?;
            done();
        }
        Ok(())
    }

    /// Makes the stored messages searchable, and all later ones; `done` is called with the number made searchable so
    /// far.
    pub fn make_searchable(
        &self,
        connection: &Connection,
        done: impl FnMut(u64),
    ) -> Result<(), DbError> {
        fill_index(connection, done)?;
        for sql in &self.triggers {
            connection.execute_batch(sql)?;
        }
        Ok(())
    }
}

/// Puts all messages into the full-text index, which is empty; `done` as in [`Postponed::make_searchable`].
pub(crate) fn fill_index(
    connection: &Connection,
    mut done: impl FnMut(u64),
) -> Result<(), DbError> {
    keep_words(connection, SEARCH_BYTES)?;
    let mut after = 0;
    loop {
        let last: Option<i64> = connection.query_row(
            "SELECT max(id) FROM (SELECT id FROM messages WHERE id > ?1 ORDER BY id LIMIT ?2)",
            [after, MESSAGES_AT_ONCE],
            |row| row.get(0),
        )?;
        let Some(last) = last else { break };
        let count = connection.execute(
            "INSERT INTO message_search (rowid, topic, content, scope) \
             SELECT id, topic, content, scope FROM message_search_texts \
             WHERE id > ?1 AND id <= ?2 ORDER BY id",
            [after, last],
        )?;
        after = last;
        done(count as u64);
    }
    keep_words(connection, SEARCH_BYTES_USUAL)
}

/// Sets how much is kept before it becomes a segment of the full-text index.
fn keep_words(connection: &Connection, bytes: i64) -> Result<(), DbError> {
    connection.execute(
        "INSERT INTO message_search (message_search, rank) VALUES ('hashsize', ?1)",
        [bytes],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::testing::TestDatabase;

    fn schema(connection: &Connection) -> Vec<String> {
        connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    }

    #[test]
    fn what_was_postponed_is_made_up_for() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let connection = database.open_another();
        for sql in [
            "INSERT INTO users (id, realm_id, email, email_folded, delivery_email, \
             delivery_email_folded, full_name, full_name_folded, role, date_joined) \
             VALUES (1, 1, 'a@b', 'a@b', 'a@b', 'a@b', 'A', 'a', 100, 0)",
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (1, 1, 1, 'c', 'c', 0)",
        ] {
            database.run(sql);
        }
        let before = schema(&connection);
        let postponed = postpone(&connection).unwrap();
        assert!(postponed.steps() > 10, "{postponed:?}");
        assert_eq!(postponed.triggers.len(), 1);
        let left = schema(&connection);
        assert_eq!(
            left.len() as u64 + postponed.steps() + 1,
            before.len() as u64
        );
        let messages = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) \
            INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content, \
            rendered_content, date_sent, client) \
            SELECT 1, 1, 1, 1, 'word' || i, '', i, '' FROM n";
        database.run(messages);
        let receipts = "INSERT INTO user_messages (user_id, message_id) SELECT 1, id FROM messages";
        database.run(receipts);
        let found = check::check_filled(&db);
        // Receipts are looked through by an index that is not there yet.
        assert!(found.is_err(), "{found:?}");
        let (mut steps, mut searchable) = (0, 0);
        postponed.make_indexes(&connection, || steps += 1).unwrap();
        let searches = |count| searchable += count;
        postponed.make_searchable(&connection, searches).unwrap();
        assert_eq!((steps, searchable), (postponed.steps(), 25_000));
        assert_eq!(schema(&connection), before);
        for found in [check::check(&db), check::check_filled(&db)] {
            assert_eq!(found, Ok(Vec::new()));
        }
        let size: i64 = connection
            .query_row(
                "SELECT v FROM message_search_config WHERE k = 'hashsize'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(size, SEARCH_BYTES_USUAL);
    }

    #[test]
    fn a_missing_parent_is_found_though_nothing_refused_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = crate::open(&folder.path().join("x.db")).unwrap();
        crate::migrate(&mut connection).unwrap();
        prepare(&connection).unwrap();
        connection
            .execute("INSERT INTO user_messages VALUES (7, 9, 0)", [])
            .unwrap();
        let db = crate::RusqliteDb::new(&connection);
        let found = check::check_filled(&db).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|finding| finding.check == "foreign keys"));
    }
}
