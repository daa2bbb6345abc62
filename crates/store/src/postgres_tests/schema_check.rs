//! A PostgreSQL schema is compared with the one that the migrations make.

use postgres::NoTls;

use crate::testing::TestPostgres;
use crate::{NativePg, check};

#[test]
fn every_difference_of_a_schema_is_named() {
    let Some(database) = TestPostgres::with_realm() else {
        return;
    };
    let db = database.open();
    let found = || -> Vec<String> {
        let found = check::differences(&db).unwrap();
        found.into_iter().map(|finding| finding.detail).collect()
    };
    assert_eq!(found(), Vec::<String>::new());
    for (change, undo, expected) in [
        (
            "DROP INDEX users_by_name",
            "CREATE INDEX users_by_name ON users (realm_id, full_name_folded)",
            "the index users_by_name is missing",
        ),
        (
            "ALTER TABLE users DROP CONSTRAINT users_role_check",
            "ALTER TABLE users ADD CONSTRAINT users_role_check CHECK (role IN (100, 200, 300, 400, 600))",
            "the constraint users.users_role_check is missing",
        ),
        (
            "ALTER TABLE users ALTER COLUMN timezone SET DEFAULT 'x'",
            "ALTER TABLE users ALTER COLUMN timezone SET DEFAULT ''",
            "the column users.timezone differs from that of this program",
        ),
        (
            "ALTER TABLE users DISABLE TRIGGER subscribers_counted_account",
            "ALTER TABLE users ENABLE TRIGGER subscribers_counted_account",
            "the trigger users.subscribers_counted_account differs from that of this program",
        ),
        (
            "ALTER TABLE drafts ADD COLUMN more text",
            "ALTER TABLE drafts DROP COLUMN more",
            "the column drafts.more is not of this program",
        ),
        (
            "CREATE TABLE other (id bigint PRIMARY KEY)",
            "DROP TABLE other",
            "the table other is not of this program",
        ),
        (
            "CREATE UNIQUE INDEX once ON users (full_name)",
            "DROP INDEX once",
            "the index once is not of this program",
        ),
        (
            "CREATE FUNCTION own() RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
            "DROP FUNCTION own()",
            "the function own() is not of this program",
        ),
        (
            "CREATE VIEW v AS SELECT 1 AS one",
            "DROP VIEW v",
            "the view v is not of this program",
        ),
    ] {
        database.psql(change);
        assert_eq!(found(), [expected], "{change}");
        database.psql(undo);
        assert_eq!(found(), Vec::<String>::new(), "{undo}");
    }
    // An index for speed is left alone, and nothing is left of the comparison.
    assert_eq!(check::additions(&db), Ok(Vec::new()));
    database.psql("CREATE INDEX more ON messages (date_sent); CREATE SEQUENCE numbers; CREATE TYPE mood AS ENUM ('a')");
    assert_eq!(found(), Vec::<String>::new());
    let added = ["index more", "sequence numbers", "type mood"];
    let added = added.map(|name| format!("the {name} is not of this program"));
    assert_eq!(check::additions(&db).unwrap(), added);
    let left =
        database.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'spindle_schema_check'");
    assert_eq!(left.trim(), "0");
}

#[test]
fn a_role_that_cannot_create_schemas_finds_missing_columns() {
    let Some(database) = TestPostgres::with_realm() else {
        return;
    };
    database.psql("CREATE ROLE plain LOGIN PASSWORD 'plain'; DROP INDEX users_by_name");
    let url = database
        .url()
        .replace("spindle:throw-away@", "plain:plain@");
    let db = NativePg::open(&url, NoTls).unwrap();
    assert_eq!(check::can_compare_schema(&db), Ok(false));
    assert_eq!(check::differences(&db), Ok(Vec::new()));
    database.psql("ALTER TABLE drafts DROP COLUMN content CASCADE");
    let found = check::differences(&db).unwrap();
    assert!(
        found
            .iter()
            .any(|one| one.detail == "the column drafts.content is missing"),
        "{found:?}"
    );
    drop(db);
    database.psql("DROP ROLE plain");
}
