//! The migrations of both databases end with the same tables.

use std::collections::{BTreeMap, BTreeSet};

use postgres::Client;

use crate::migrations::POSTGRES_MIGRATIONS;
use crate::testing::{TestDatabase, with_postgres};

/// Tables and columns that only one database has, with the reason.
const POSTGRES_ALONE: [&str; 24] = [
    // Events are put into the log after they were committed.
    "event_log.origin",
    "event_outbox.audience",
    "event_outbox.body",
    "event_outbox.id",
    "event_outbox.realm_id",
    "event_outbox.time",
    "event_outbox.type",
    // Its rows are removed by the clock of the database.
    "event_log.placed",
    // On SQLite one process serves all queues and keeps their positions in a file of its own.
    "queue_positions.acked_id",
    "queue_positions.active_ms",
    "queue_positions.ended",
    "queue_positions.next_seq",
    "queue_positions.queue_id",
    "queue_positions.skip",
    "queue_service.name",
    "queue_service.value",
    // On SQLite they are in the data directory.
    "key_values.key",
    "key_values.store",
    "key_values.value",
    "shared_secrets.name",
    "shared_secrets.value",
    // SQLite keeps it in the head of the file.
    "schema_migrations.number",
    // Words are a virtual table of SQLite.
    "message_search.rowid",
    "message_search.words",
];

/// Columns by table and name, with their type and whether they may be null.
type Columns = BTreeMap<String, (&'static str, bool)>;
/// Columns of each unique key, sorted, with the condition of a partial one left out.
type Keys = BTreeSet<(String, Vec<String>)>;

fn schema_of_sqlite() -> (Columns, Keys) {
    let connection = TestDatabase::with_realm().open_another();
    let mut columns = Columns::new();
    let mut keys = Keys::new();
    let mut tables = connection
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
             AND name NOT LIKE 'sqlite_%'",
        )
        .unwrap();
    let tables: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for table in tables {
        let mut statement = connection
            .prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) ORDER BY cid")
            .unwrap();
        let mut rows = statement.query([&table]).unwrap();
        let mut primary = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let (name, kind): (String, String) = (row.get(0).unwrap(), row.get(1).unwrap());
            let (not_null, place): (bool, i64) = (row.get(2).unwrap(), row.get(3).unwrap());
            let kind = match kind.as_str() {
                "INTEGER" => "bigint",
                "TEXT" => "text",
                "BLOB" => "bytea",
                other => panic!("{table}.{name} is {other}"),
            };
            columns.insert(format!("{table}.{name}"), (kind, !not_null && place == 0));
            if place > 0 {
                primary.push(name);
            }
        }
        primary.sort();
        keys.insert((table.clone(), primary));
        let mut statement = connection
            .prepare(
                "SELECT (SELECT group_concat(name, ' ' ORDER BY name) FROM pragma_index_info(l.name)) \
                 FROM pragma_index_list(?1) l WHERE l.\"unique\" = 1",
            )
            .unwrap();
        let mut rows = statement.query([&table]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let names: String = row.get(0).unwrap();
            let names = names.split(' ').map(str::to_owned).collect();
            keys.insert((table.clone(), names));
        }
    }
    (columns, keys)
}

fn schema_of_postgres(client: &mut Client) -> (Columns, Keys) {
    let rows = client
        .query(
            "SELECT c.table_name::text || '.' || c.column_name, c.data_type::text, c.is_nullable = 'YES' \
             FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name) \
             WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'",
            &[],
        )
        .unwrap();
    let mut columns = Columns::new();
    for row in rows {
        let kind = match row.get::<_, &str>(1) {
            "bigint" => "bigint",
            "text" => "text",
            "bytea" => "bytea",
            _ => "other",
        };
        columns.insert(row.get(0), (kind, row.get(2)));
    }
    let rows = client
        .query(
            "SELECT i.indrelid::regclass::text, array_agg(a.attname::text ORDER BY a.attname::text COLLATE \"C\") \
             FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) \
             JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::regnamespace \
             WHERE i.indisunique GROUP BY i.indexrelid, i.indrelid",
            &[],
        )
        .unwrap();
    let keys = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    (columns, keys)
}

#[test]
fn both_databases_have_the_same_tables() {
    with_postgres(|client| {
        let (sqlite, sqlite_keys) = schema_of_sqlite();
        let (mut postgres, mut postgres_keys) = schema_of_postgres(client);
        for name in POSTGRES_ALONE {
            assert!(postgres.remove(name).is_some(), "{name} is missing");
        }
        let alone = |table: &str| {
            !sqlite
                .keys()
                .any(|name| name.starts_with(&format!("{table}.")))
        };
        postgres_keys.retain(|(table, _)| !alone(table));
        assert_eq!(postgres, sqlite);
        assert_eq!(postgres_keys, sqlite_keys);
    });
}

#[test]
fn later_migrations_have_the_same_numbers() {
    let mut numbers = POSTGRES_MIGRATIONS.iter().map(|(name, _)| &name[..4]);
    assert_eq!(numbers.next(), Some("0027"));
    let later = crate::migrations::MIGRATIONS
        .iter()
        .map(|(name, _)| &name[..4])
        .filter(|number| *number > "0027");
    assert!(numbers.eq(later));
}
