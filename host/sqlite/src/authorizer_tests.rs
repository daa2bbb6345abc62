//! The statements that a component's rights allow and deny, on guests' connections to a database
//! with accounts, notes and a full-text index of the notes.

use super::{Database, DatabaseError, DatabaseOptions, Session};
use spindle_manifest::{CommonSql, SqlGrants, SqlRights};
use std::sync::Arc;

const TABLES: &str = "
    CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT, secret TEXT);
    CREATE TABLE keys (hash TEXT PRIMARY KEY, account_id INTEGER REFERENCES accounts (id),
        label TEXT) STRICT, WITHOUT ROWID;
    CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER REFERENCES accounts (id), text TEXT);
    CREATE TABLE counts (account_id INTEGER PRIMARY KEY, notes INTEGER);
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', columnsize = 0);
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
    CREATE TRIGGER notes_inserted AFTER INSERT ON notes BEGIN
        INSERT INTO words (rowid, text) VALUES (new.id, new.text);
        INSERT INTO counts VALUES (new.account_id, 1)
            ON CONFLICT DO UPDATE SET notes = notes + 1;
    END;
    CREATE TRIGGER notes_deleted BEFORE DELETE ON notes BEGIN
        INSERT INTO words (words, rowid, text) VALUES ('delete', old.id, old.text);
    END;
    INSERT INTO accounts VALUES (1, 'ann', 'hidden');
    INSERT INTO keys VALUES ('h', 1, 'first');";

struct World {
    database: Database,
    _directory: tempfile::TempDir,
}

fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

/// Reads everything that is not protected, and writes notes.
fn writer_of_notes() -> Arc<SqlRights> {
    let common = CommonSql {
        protected: list(&["accounts(secret)", "keys"]),
        select: list(&["keys(hash, account_id)", "accounts"]),
        ..CommonSql::default()
    };
    let own = SqlGrants {
        select: list(&["notes", "words", "counts"]),
        insert: list(&["notes"]),
        update: list(&["notes", "accounts(name)"]),
        delete: list(&["notes"]),
    };
    Arc::new(SqlRights::new("notes", &common, &own).unwrap())
}

fn keeper_of_secrets() -> Arc<SqlRights> {
    let own = SqlGrants {
        select: list(&["accounts", "keys"]),
        ..SqlGrants::default()
    };
    Arc::new(SqlRights::new("keeper", &CommonSql::default(), &own).unwrap())
}

impl World {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let options = DatabaseOptions::new(directory.path().join("test.db"));
        let database = Database::open(&options).unwrap();
        let made = database.write(|connection| {
            connection.execute_batch(TABLES)?;
            Ok::<(), DatabaseError>(())
        });
        made.await.unwrap();
        Self {
            database,
            _directory: directory,
        }
    }

    /// The number of rows, or SQLite's error.
    async fn run(&self, rights: &Arc<SqlRights>, sql: &str) -> Result<usize, String> {
        let mut session = Session::new(
            self.database.clone(),
            Some(Arc::clone(rights)),
            Box::new(|| None),
        );
        let outcome = session.execute(sql, &[]).await;
        outcome
            .map(|result| result.rows.len())
            .map_err(|error| error.to_string())
    }

    async fn refuses(&self, rights: &Arc<SqlRights>, statements: &[&str]) {
        for sql in statements {
            let refused = self.run(rights, sql).await;
            let is_denied =
                |error: &String| error.contains("not authorized") || error.contains("prohibited");
            assert!(refused.as_ref().is_err_and(is_denied), "{sql}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn what_is_granted_works() {
    let (world, rights) = (World::new().await, writer_of_notes());
    for (sql, rows) in [
        (
            "INSERT INTO notes (account_id, text) VALUES (1, 'red apple')",
            0,
        ),
        (
            "INSERT INTO notes (account_id, text) VALUES (1, 'green apple') RETURNING id",
            1,
        ),
        ("SELECT rowid FROM words WHERE words MATCH 'apple'", 2),
        ("SELECT notes FROM counts WHERE notes = 2", 1),
        (
            "SELECT name FROM accounts JOIN keys ON account_id = id WHERE hash = 'h'",
            1,
        ),
        ("SELECT count(*) FROM accounts", 1),
        ("UPDATE accounts SET name = 'Ann'", 0),
        ("UPDATE notes SET account_id = 1 WHERE id = 1", 0),
        (
            "WITH some AS (SELECT id FROM notes) SELECT 1 WHERE EXISTS (SELECT 1 FROM some)",
            1,
        ),
        (
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT count(*) FROM n",
            1,
        ),
        ("SELECT value FROM json_each('[1,2]')", 2),
        ("SELECT count(*) FROM json_tree('[1]')", 1),
        ("DELETE FROM notes WHERE id = 1", 0),
        ("SELECT rowid FROM words WHERE words MATCH 'apple'", 1),
    ] {
        assert_eq!(world.run(&rights, sql).await, Ok(rows), "{sql}");
    }
}

#[tokio::test]
async fn protected_columns_are_read_by_those_they_are_granted_to() {
    let (world, rights) = (World::new().await, writer_of_notes());
    let statements = [
        "SELECT secret FROM accounts",
        "SELECT * FROM accounts",
        "SELECT 1 FROM accounts WHERE secret LIKE 'h%'",
        "SELECT id FROM accounts ORDER BY secret",
        "SELECT label FROM keys",
        "UPDATE accounts SET secret = 'mine'",
        "UPDATE accounts SET name = secret",
        "UPDATE notes SET text = (SELECT secret FROM accounts)",
        "INSERT INTO notes (text) SELECT secret FROM accounts",
        "DELETE FROM notes WHERE text = (SELECT secret FROM accounts)",
        "UPDATE accounts SET name = '' RETURNING secret",
    ];
    world.refuses(&rights, &statements).await;
    let keeper = keeper_of_secrets();
    assert_eq!(world.run(&keeper, statements[0]).await, Ok(1));
    assert_eq!(world.run(&keeper, "SELECT label FROM keys").await, Ok(1));
}

#[tokio::test]
async fn other_tables_are_out_of_reach() {
    let (world, rights) = (World::new().await, writer_of_notes());
    let statements = [
        "INSERT INTO keys VALUES ('mine', 1, '')",
        "INSERT INTO keys SELECT 'mine', 1, ''",
        "REPLACE INTO keys VALUES ('h', 1, '')",
        "UPDATE keys SET hash = 'mine'",
        "DELETE FROM keys",
        "INSERT INTO accounts (name) VALUES ('bob')",
        "INSERT INTO counts VALUES (7, 7)",
        "INSERT INTO words (rowid, text) VALUES (7, 'x')",
        "SELECT count(*) FROM sqlite_master",
        "SELECT sql FROM sqlite_schema",
        "SELECT count(*) FROM sqlite_sequence",
        "SELECT name FROM pragma_table_info('accounts')",
        "SELECT count(*) FROM pragma_table_list",
        "SELECT count(*) FROM dbstat",
        "SELECT block FROM words_data",
        "SELECT count(*) FROM words_idx",
        "PRAGMA table_info(accounts)",
        "PRAGMA data_version",
        "PRAGMA foreign_keys",
        "ATTACH ':memory:' AS other",
        "CREATE TABLE mine (a)",
        "CREATE TEMP TABLE mine (a)",
        "CREATE VIEW mine AS SELECT secret FROM accounts",
        "CREATE TRIGGER mine AFTER INSERT ON notes BEGIN UPDATE accounts SET secret = ''; END",
        "CREATE TEMP TRIGGER mine AFTER INSERT ON notes BEGIN UPDATE accounts SET secret = ''; END",
        "CREATE VIRTUAL TABLE mine USING fts5vocab(words, row)",
        "CREATE INDEX mine ON accounts (secret)",
        "ALTER TABLE notes RENAME COLUMN text TO secret",
        "DROP TABLE notes",
        "DROP TRIGGER notes_inserted",
        "REINDEX keys",
        "ANALYZE",
        "SELECT load_extension('x')",
        "EXPLAIN SELECT secret FROM accounts",
    ];
    world.refuses(&rights, &statements).await;
    // Refused before the authorizer is called: no guest's connection may write shadow tables.
    let refused = world.run(&rights, "DELETE FROM words_data").await;
    assert!(refused.is_err(), "{refused:?}");
}

/// SQLite reports names from WITH clauses in the same way as those of triggers and views.
#[tokio::test]
async fn names_of_a_statements_own_open_nothing() {
    let (world, rights) = (World::new().await, writer_of_notes());
    let statements = [
        "WITH notes AS (SELECT secret FROM accounts) SELECT * FROM notes",
        "WITH notes_inserted AS (SELECT secret FROM accounts) SELECT * FROM notes_inserted",
        "WITH words_config AS (SELECT secret FROM accounts) SELECT * FROM words_config",
        "WITH json_each AS (SELECT secret FROM accounts) SELECT * FROM json_each",
        "WITH notes_inserted AS (SELECT 1) DELETE FROM keys WHERE 1 IN (SELECT * FROM notes_inserted)",
        "SELECT * FROM (SELECT secret AS name FROM accounts) AS notes",
    ];
    world.refuses(&rights, &statements).await;
}

/// Prepared statements are cached per component.
#[tokio::test]
async fn a_statement_that_was_prepared_for_another_is_not_taken() {
    let (world, rights, keeper) = (World::new().await, writer_of_notes(), keeper_of_secrets());
    let sql = "SELECT secret FROM accounts";
    for _ in 0..3 {
        assert_eq!(world.run(&keeper, sql).await, Ok(1));
        let native = world.database.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            Ok::<String, DatabaseError>(statement.query_row([], |row| row.get(0))?)
        });
        assert_eq!(native.await.unwrap(), "hidden");
        world
            .refuses(&rights, &[sql, "/*keeper*/SELECT secret FROM accounts"])
            .await;
    }
}

/// The rights apply when SQLite prepares a cached statement again.
#[tokio::test]
async fn a_change_of_the_schema_opens_nothing() {
    let (world, rights) = (World::new().await, writer_of_notes());
    let sql = "SELECT id, text FROM notes";
    assert_eq!(world.run(&rights, sql).await, Ok(0));
    let change = world.database.write(|connection| {
        let more = "ALTER TABLE notes ADD COLUMN more; CREATE INDEX by_text ON notes (text);
            INSERT INTO notes (account_id, text) VALUES (1, 'x');";
        connection.execute_batch(more)?;
        Ok::<(), DatabaseError>(())
    });
    change.await.unwrap();
    assert_eq!(world.run(&rights, sql).await, Ok(1));
    world
        .refuses(&rights, &["SELECT secret FROM accounts"])
        .await;
}

/// A guest's transaction with savepoints writes to the full-text index through a trigger.
#[tokio::test]
async fn transactions_go_on_after_a_refusal() {
    let (world, rights) = (World::new().await, writer_of_notes());
    let mut session = Session::new(
        world.database.clone(),
        Some(Arc::clone(&rights)),
        Box::new(|| None),
    );
    for (sql, is_right) in [
        ("BEGIN IMMEDIATE", true),
        (
            "INSERT INTO notes (account_id, text) VALUES (1, 'kept')",
            true,
        ),
        ("SAVEPOINT inner", true),
        (
            "INSERT INTO notes (account_id, text) VALUES (1, 'gone')",
            true,
        ),
        ("DELETE FROM keys", false),
        ("ROLLBACK TO inner", true),
        ("RELEASE inner", true),
        ("COMMIT", true),
        ("BEGIN", true),
        ("SELECT secret FROM accounts", false),
        ("COMMIT", true),
    ] {
        let outcome = session.execute(sql, &[]).await;
        assert_eq!(outcome.is_ok(), is_right, "{sql}: {:?}", outcome.err());
    }
    let found = "SELECT rowid FROM words WHERE words MATCH 'kept OR gone'";
    assert_eq!(world.run(&rights, found).await, Ok(1));
    let others = "SELECT 1 FROM keys WHERE hash = 'h'";
    assert_eq!(world.run(&rights, others).await, Ok(1));
}
