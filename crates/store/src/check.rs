//! Whether a database is sound: SQLite's own checks, and invariants that constraints cannot hold.
//!
//! Owns the statements behind `spindle admin check`. Everything here reads; nothing repairs,
//! because what is broken has a cause that a person must see.

use crate::migrations::MIGRATIONS;
use crate::{Connection, Db, DbError, Query, Statement, either, params, sql, statement};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Which check found it.
    pub check: &'static str,
    /// What is wrong, for a person.
    pub detail: String,
}

/// Checks that return one text a row for what is wrong, and no row when all is well.
const CHECKS: &[(&str, Query)] = &[
    (
        "closure",
        sql!(
            "WITH RECURSIVE reach (supergroup_id, subgroup_id) AS ( \
             SELECT id, id FROM user_groups \
             UNION \
             SELECT reach.supergroup_id, nested.subgroup_id FROM reach \
             JOIN user_group_subgroups AS nested ON nested.supergroup_id = reach.subgroup_id) \
         SELECT 'group ' || supergroup_id || ' should contain group ' || subgroup_id FROM ( \
             SELECT * FROM reach EXCEPT SELECT supergroup_id, subgroup_id FROM user_group_closure) AS missing \
         UNION ALL \
         SELECT 'group ' || supergroup_id || ' should not contain group ' || subgroup_id FROM ( \
             SELECT supergroup_id, subgroup_id FROM user_group_closure EXCEPT SELECT * FROM reach) AS superfluous",
        ),
    ),
    (
        "key hashes",
        sql!(
            "SELECT 'a key of user ' || user_id || ' is not stored as a SHA-256 hash' \
         FROM api_keys WHERE length(hash) <> 32",
        ),
    ),
    (
        "password hashes",
        sql!(
            "SELECT 'the password of user ' || id || ' is not stored as an argon2id hash' \
         FROM users WHERE password_hash NOT LIKE '$argon2id$%'",
        ),
    ),
    (
        "owners",
        sql!(
            "SELECT 'organization ' || id || ' has no active owner' FROM realms WHERE id <> 0 AND NOT EXISTS ( \
             SELECT 1 FROM users WHERE realm_id = realms.id AND role = 100 AND is_active = 1 AND is_bot = 0)",
        ),
    ),
    (
        "subscriber counts",
        sql!(
            "SELECT 'channel ' || id || ' counts ' || subscriber_count || ' subscribers' FROM channels \
         WHERE subscriber_count <> (SELECT count(*) FROM subscriptions s \
             JOIN users u ON u.id = s.user_id \
             WHERE s.channel_id = channels.id AND s.active = 1 AND u.is_active = 1)",
        ),
    ),
    (
        "channel folders",
        sql!(
            "SELECT 'channel ' || id || ' is in a folder that does not exist' FROM channels \
         WHERE folder_id IS NOT NULL AND NOT EXISTS ( \
             SELECT 1 FROM channel_folders f WHERE f.id = channels.folder_id)",
        ),
    ),
    (
        "event queues",
        sql!(
            "SELECT 'queue ' || id || ' begins after the end of the event log' FROM event_queues \
         WHERE base_seq > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event_log'), 0)",
        ),
    ),
    (
        "searches",
        sql!(either!(
            "WITH indexed AS (SELECT term, doc FROM temp.message_search_terms \
             WHERE col = 'scope' AND term >= 'c' AND term < 'd' \
             UNION ALL SELECT term, doc FROM temp.message_search_terms \
             WHERE col = 'scope' AND term >= 's' AND term < 't' \
             UNION ALL SELECT term, doc FROM temp.message_search_terms \
             WHERE col = 'scope' AND term = 'dm'), \
         expected (term, doc) AS (SELECT 'c' || conversation_id, id FROM messages \
             UNION ALL SELECT 's' || sender_id, id FROM messages \
             UNION ALL SELECT 'dm', id FROM messages WHERE channel_id IS NULL) \
         SELECT DISTINCT 'message ' || doc || ' is not where searches look for it' FROM ( \
             SELECT * FROM expected EXCEPT SELECT * FROM indexed) \
         UNION ALL \
         SELECT DISTINCT 'searches find message ' || doc || ' where it is not' FROM ( \
             SELECT * FROM indexed EXCEPT SELECT * FROM expected)",
            // Rows of the index go with their messages.
            "SELECT 'message ' || m.id || ' is not where searches look for it' FROM messages m \
                 WHERE NOT EXISTS (SELECT 1 FROM message_search s WHERE s.rowid = m.id AND s.words @@ CAST( \
                     ''':c' || m.conversation_id || ''' & '':s' || m.sender_id \
                     || iif(m.channel_id IS NULL, ''' & '':dm''', '''') AS TSQUERY))"
        )),
    ),
];

/// What words the index of messages holds for which of them, for the length of the connection.
const SEARCH_TERMS: Statement = statement!(either!(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.message_search_terms \
     USING fts5vocab('main', 'message_search', 'instance')",
    "SELECT 1"
));

/// At most this many findings of one check; a broken database may have millions.
const SHOWN: usize = 20;

/// Everything that is wrong with the database, empty when it is sound.
///
/// # Errors
/// [`DbError`] when a check itself cannot run, which for a damaged file is a finding too.
pub fn check(connection: &dyn Connection) -> Result<Vec<Finding>, DbError> {
    let mut findings = integrity(connection)?;
    findings.extend(foreign_keys(connection, FOREIGN_KEYS)?);
    with_invariants(connection, findings)
}

/// As [`check`], for a database that this program has just filled and that no other program has
/// opened: its indexes were made from its rows and are not compared with them again.
///
/// # Errors
/// As [`check`].
pub fn check_filled(connection: &dyn Connection) -> Result<Vec<Finding>, DbError> {
    let mut findings = findings_of(
        "integrity",
        texts(
            connection,
            sql!(either!("PRAGMA quick_check", "SELECT 'ok' AS quick_check")),
        )?,
    );
    findings.extend(foreign_keys(connection, FOREIGN_KEYS_BUT_RECEIPTS)?);
    findings.extend(foreign_keys(connection, FOREIGN_KEYS_OF_RECEIPTS)?);
    with_invariants(connection, findings)
}

fn with_invariants(
    connection: &dyn Connection,
    mut findings: Vec<Finding>,
) -> Result<Vec<Finding>, DbError> {
    findings.extend(version(connection)?);
    if !findings.is_empty() {
        // The invariants below speak about tables that may not be readable.
        return Ok(findings);
    }
    connection.execute(SEARCH_TERMS, &[])?;
    for (name, query) in CHECKS {
        for detail in texts(connection, *query)? {
            findings.push(Finding {
                check: name,
                detail,
            });
        }
    }
    Ok(findings)
}

/// Writes a compact copy of the database, of one moment, into a file that is new or empty. Writers go on
/// meanwhile. What was deleted is not in the copy.
///
/// # Errors
/// [`DbError`] when there is something in the file already or it cannot be written.
pub fn copy_to(connection: &dyn Connection, path: &str) -> Result<(), DbError> {
    let statement = statement!(either!("VACUUM INTO ?1", ""));
    connection.execute(statement, &params![path]).map(|_| ())
}

/// The number of migrations that the database has seen.
///
/// # Errors
/// [`DbError`] when the file is no database.
pub fn schema_version(db: &dyn Db) -> Result<i64, DbError> {
    db.query(
        sql!(either!(
            "PRAGMA user_version",
            "SELECT coalesce(max(number), 0) AS user_version FROM schema_migrations"
        )),
        &[],
    )?
    .one_value()
}

/// What SQLite itself finds wrong with a file, whatever tables it has.
///
/// # Errors
/// As [`check`].
pub fn integrity(db: &dyn Db) -> Result<Vec<Finding>, DbError> {
    Ok(findings_of(
        "integrity",
        texts(
            db,
            sql!(either!(
                "PRAGMA integrity_check",
                "SELECT 'ok' AS integrity_check"
            )),
        )?,
    ))
}

/// What SQLite finds wrong with a file in a quick look, which leaves indexes aside; whatever tables it has.
///
/// # Errors
/// As [`check`].
pub fn quick(db: &dyn Db) -> Result<Vec<String>, DbError> {
    let lines = texts(
        db,
        sql!(either!("PRAGMA quick_check", "SELECT 'ok' AS quick_check")),
    )?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Lines of SQLite's own checks.
fn findings_of(check: &'static str, lines: Vec<String>) -> Vec<Finding> {
    let lines = lines.into_iter().filter(|line| line != "ok");
    lines.map(|detail| Finding { check, detail }).collect()
}

const FOREIGN_KEYS: Query = sql!(
    // PostgreSQL refuses a row that names a missing one.
    either!(
        "SELECT 'a row of ' || \"table\" || ' names a missing row of ' || parent \
         FROM pragma_foreign_key_check()",
        "SELECT '' WHERE false"
    )
);

const FOREIGN_KEYS_BUT_RECEIPTS: Query = sql!(either!(
    "SELECT 'a row of ' || f.\"table\" || \
         ' names a missing row of ' || f.parent \
         FROM pragma_table_list t, pragma_foreign_key_check(t.name) f \
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name <> 'user_messages'",
    "SELECT '' WHERE false"
));

/// In the order of messages: in that of people, every page of messages would be read for each.
const FOREIGN_KEYS_OF_RECEIPTS: Query = sql!(
    "SELECT 'a row of user_messages names the missing message ' \
        || message_id FROM \
        (SELECT DISTINCT message_id FROM user_messages INDEXED BY user_messages_by_message) r \
        WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.message_id) \
    UNION ALL SELECT 'a row of user_messages names the missing account ' || user_id FROM \
        (SELECT DISTINCT user_id FROM user_messages) r \
        WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = r.user_id)",
);

fn foreign_keys(db: &dyn Db, query: Query) -> Result<Vec<Finding>, DbError> {
    Ok(findings_of("foreign keys", texts(db, query)?))
}

fn version(db: &dyn Db) -> Result<Option<Finding>, DbError> {
    let (found, known) = (schema_version(db)?, MIGRATIONS.len());
    Ok((i64::try_from(known) != Ok(found)).then(|| Finding {
        check: "migrations",
        detail: format!("the database has seen {found} migrations, this program knows {known}"),
    }))
}

fn texts(db: &dyn Db, query: Query) -> Result<Vec<String>, DbError> {
    let mut rows = db.query(query, &[])?;
    rows.rows.truncate(SHOWN);
    rows.values()
}

#[cfg(test)]
mod tests {
    use super::{check, copy_to, schema_version};
    use crate::migrations;
    use crate::testing::TestDatabase;

    /// A sound organization: one owner, two groups of which one contains the other.
    fn sound() -> TestDatabase {
        let database = TestDatabase::with_realm();
        for sql in [
            "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, \
             full_name, full_name_folded, role, date_joined) \
             VALUES (1, 'a@b', 'a@b', 'a@b', 'a@b', 'A', 'a', 100, 0)",
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (1, 1, 1, 'c', 'c', 0)",
            "INSERT INTO subscriptions (user_id, channel_id, color) SELECT id, 1, '#000000' FROM users",
            "INSERT INTO user_groups (id, realm_id, name) VALUES (101, 1, 'x'), (102, 1, 'y')",
            "INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) VALUES (101, 102)",
            "INSERT INTO user_group_closure (supergroup_id, subgroup_id) \
             VALUES (101, 101), (102, 102), (101, 102)",
            "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content, \
             rendered_content, date_sent, client) \
             SELECT 1, id, 1, 1, 'words', '', 0, '' FROM users",
        ] {
            database.run(sql);
        }
        database
    }

    fn findings(database: &TestDatabase) -> Vec<&'static str> {
        check(&database.db())
            .unwrap()
            .into_iter()
            .map(|finding| finding.check)
            .collect()
    }

    #[test]
    fn a_sound_database_has_no_findings() {
        assert_eq!(findings(&sound()), Vec::<&str>::new());
        assert_eq!(super::quick(&sound().db()), Ok(Vec::new()));
    }

    #[test]
    fn every_damage_is_found_by_its_check() {
        for (damage, expected) in [
            (
                "DELETE FROM user_group_closure WHERE supergroup_id <> subgroup_id",
                "closure",
            ),
            (
                "INSERT INTO user_group_closure (supergroup_id, subgroup_id) VALUES (102, 101)",
                "closure",
            ),
            (
                "INSERT INTO api_keys (hash, user_id, created) SELECT x'00', id, 0 FROM users",
                "key hashes",
            ),
            (
                "UPDATE users SET password_hash = 'secret'",
                "password hashes",
            ),
            ("UPDATE users SET is_active = 0", "owners"),
            (
                "UPDATE channels SET subscriber_count = 2",
                "subscriber counts",
            ),
            ("UPDATE channels SET folder_id = 7", "channel folders"),
            (
                "INSERT INTO event_queues (id, number, realm_id, user_id, base_seq, created, \
                 idle_timeout_secs, registration) SELECT 'q', 1, 1, id, 99, 0, 600, '{}' FROM users",
                "event queues",
            ),
            (
                "INSERT INTO message_search (message_search, rowid, topic, content, scope) \
                 SELECT 'delete', id, topic, content, scope FROM message_search_texts",
                "searches",
            ),
            (
                "INSERT INTO message_search (rowid, topic, content, scope) \
                 VALUES (99, '', 'words', 'c1 s1')",
                "searches",
            ),
            ("PRAGMA user_version = 9999", "migrations"),
        ] {
            let database = sound();
            database.run(damage);
            assert_eq!(findings(&database), [expected], "{damage}");
        }
    }

    #[test]
    fn resolved_and_renamed_messages_are_indexed_by_their_words() {
        let database = sound();
        for topic in [
            "plan",
            "\u{2714} plan",
            "plan",
            "\u{2714} other",
            "\u{2714} \u{2714} x",
            "\u{2714} ",
        ] {
            database.run(&format!("UPDATE messages SET topic = '{topic}'"));
            assert_eq!(findings(&database), [""; 0], "{topic}");
        }
    }

    #[test]
    fn a_missing_parent_is_found() {
        let database = sound();
        database.run("PRAGMA foreign_keys = OFF; DELETE FROM user_groups WHERE id = 102");
        assert!(findings(&database).contains(&"foreign keys"));
    }

    #[test]
    fn a_copy_is_whole_and_never_overwrites() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.db");
        let database = sound();
        copy_to(&database.db(), path.to_str().unwrap()).unwrap();
        let connection = crate::open(&path).unwrap();
        let copy = crate::RusqliteDb::new(&connection);
        assert_eq!(
            schema_version(&copy).unwrap(),
            migrations::MIGRATIONS.len() as i64
        );
        assert!(check(&copy).unwrap().is_empty());
        assert!(copy_to(&database.db(), path.to_str().unwrap()).is_err());
    }
}
