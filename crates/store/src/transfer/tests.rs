//! A row of every table goes to PostgreSQL and back, whatever interrupts the copy.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params_from_iter};

use super::copy::copy_in_parts;
use super::schema::Kind;
use super::*;
use crate::testing::TestPostgres;
use crate::unfinished_move::is_unfinished;
use crate::{Value, check, open};

/// Tables that only PostgreSQL has, and how they are right after a copy.
const MADE_ANEW: [(&str, &str); 8] = [
    ("schema_migrations", "it is that of the target"),
    ("event_outbox", "its events are put into the log before"),
    ("queue_positions", "event queues end"),
    ("queue_service", "the running time begins anew"),
    ("key_values", "values that may be lost"),
    ("shared_secrets", "the host copies them"),
    ("message_search", "words are cut anew"),
    ("changes_run_again", "it has no rows"),
];

/// Values that constraints ask for; all others follow from the type.
const VALUES: [(&str, &str); 37] = [
    ("alternative_url_templates", "[]"),
    ("audience", "{}"),
    ("apps.manifest", "{}"),
    ("apps.rights", "{}"),
    ("apps.state", "paused"),
    ("avatar_source", "U"),
    ("body", "{}"),
    ("buttons", "[]"),
    ("channel_ids", "[]"),
    ("conversations.kind", "direct"),
    ("data", "{}"),
    ("drafts.type", "stream"),
    ("edit_history", "[]"),
    ("ended_by", "use"),
    ("export_type", "public"),
    ("field_data", "{}"),
    ("form", "device"),
    ("group_ids", "[]"),
    ("owner_type", "realm"),
    ("propagate_mode", "change_all"),
    ("push_accounts.status", "active"),
    ("push_calls.kind", "message"),
    ("push_tokens.kind", "apns"),
    ("reaction_type", "unicode_emoji"),
    ("reason", "mention"),
    ("recipients", "[]"),
    ("registration", "{}"),
    ("services", "[]"),
    ("settings", "{}"),
    ("token_kind", "apns"),
    ("topics_policy", "inherit"),
    ("user_settings_defaults", "{}"),
    ("api_keys.scope", "read"),
    ("event_log.type", "message"),
    ("mails.detail", "{}"),
    ("mails.outcome", "sent"),
    ("messages.content", "Grüße an 東京, don't \\ panic\t\r\n"),
];

/// Columns that are empty where others are not.
const EXCLUDED: [&str; 3] = [
    "mails.address",
    "mails.address_folded",
    "scheduled_messages.recipients",
];

fn value(table: &Table, name: &str, kind: Kind, number: i64) -> Value {
    let of_table = format!("{}.{name}", table.name());
    let known = VALUES.iter().find(|(of, _)| *of == name || *of == of_table);
    match kind {
        // One of two that exclude one another.
        _ if EXCLUDED.contains(&of_table.as_str()) => Value::Null,
        Kind::Text => match known {
            Some((_, text)) => Value::Text((*text).to_owned()),
            None => Value::Text(format!("{name} \u{e9}\u{1f375} {number}")),
        },
        Kind::Blob => {
            let length = match of_table.as_str() {
                "totp.secret" => 20,
                "passkeys.user_handle" => 16,
                _ if name == "nonce" => 16,
                _ => 32,
            };
            Value::Blob(vec![u8::try_from(number).unwrap(); length])
        }
        Kind::Integer => Value::Integer(match name {
            "role" | "invited_as" => 100,
            // Of pairs that must differ.
            "subgroup_id" | "muted_user_id" => 3 - number,
            "id" | "seq" | "position" => number,
            name if name.ends_with("_id") => number,
            _ => 1,
        }),
    }
}

/// A file with two rows in every table.
fn filled(folder: &Path) -> PathBuf {
    let path = folder.join("source.db");
    let mut connection = open(&path).unwrap();
    crate::migrate(&mut connection).unwrap();
    connection
        .pragma_update(None, "foreign_keys", false)
        .unwrap();
    for table in Tables::of_newest_schema().unwrap().iter() {
        for number in 1..=2 {
            let columns = table.columns();
            let row = columns.map(|column| value(table, &column.name, column.kind, number));
            let marks = vec!["?"; table.columns().count()].join(", ");
            let (name, columns) = (table.name(), table.column_list());
            let text = format!("INSERT INTO \"{name}\" ({columns}) VALUES ({marks})");
            let inserted = connection.execute(&text, params_from_iter(row));
            inserted.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    // A group that was deleted had id 50.
    let sequence = "UPDATE sqlite_sequence SET seq = 50 WHERE name = 'user_groups'";
    connection.execute(sequence, []).unwrap();
    path
}

fn rows(side: &dyn Side) -> Vec<(String, Vec<Vec<Value>>)> {
    let tables = Tables::of_newest_schema().unwrap();
    let all = tables.iter().map(|table| {
        let mut rows = Vec::new();
        side.each(table, Part::default(), &mut |row| {
            rows.push(row.to_vec());
            Ok(())
        })
        .unwrap();
        assert_eq!(side.count(table), Ok(rows.len() as u64));
        (table.name().to_owned(), rows)
    });
    all.collect()
}

/// Copies everything, in parts of one row.
fn fill(source: &dyn Side, target: &dyn Target) -> Result<(), DbError> {
    let tables = Tables::of_newest_schema()?;
    for table in tables.iter() {
        copy_in_parts(source, target, table, 1, &mut |_| {})?;
    }
    let mut searchable = 0;
    target.make_searchable(source, &tables, &mut |count| searchable += count)?;
    assert_eq!(searchable, 2);
    target.make_postponed(&mut || {})?;
    target.continue_after(&source.sequences()?)
}

/// A source whose connection is lost after some rows.
struct Failing<'s> {
    source: &'s dyn Side,
    left: Cell<u64>,
}

impl Side for Failing<'_> {
    fn db(&self) -> &dyn crate::Connection {
        self.source.db()
    }

    fn count(&self, table: &Table) -> Result<u64, DbError> {
        self.source.count(table)
    }

    fn each(&self, table: &Table, part: Part<'_>, visit: Visit<'_>) -> Result<(), DbError> {
        self.source.each(table, part, &mut |row| {
            let left = self.left.get().checked_sub(1);
            self.left
                .set(left.ok_or(DbError::TryAgain("lost".to_owned()))?);
            visit(row)
        })
    }

    fn sequences(&self) -> Result<Sequences, DbError> {
        self.source.sequences()
    }
}

/// Begins a copy again and again, each time with a source that is lost after a few rows more.
fn interrupted<T: Target>(source: &dyn Side, begin: impl Fn() -> (T, Begun)) -> T {
    let mut interruptions = 0;
    loop {
        let (target, begun) = begin();
        let expected = if interruptions == 0 {
            Begun::New
        } else {
            Begun::GoesOn
        };
        assert_eq!(begun, expected);
        let failing = Failing {
            source,
            left: Cell::new(interruptions),
        };
        match fill(&failing, &target) {
            Ok(()) => {
                assert!(interruptions > 3, "{interruptions}");
                return target;
            }
            Err(error) => assert!(error.is_temporary(), "{error}"),
        }
        assert!(is_unfinished(target.db()).unwrap());
        interruptions += 20;
    }
}

/// Everything that is no table of a database.
fn definitions(database: &TestPostgres) -> String {
    database.psql(
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN \
             (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) ORDER BY 1; \
         SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint \
             WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2; \
         SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2",
    )
}

fn schema(connection: &Connection) -> Vec<String> {
    let mut select = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql")
        .unwrap();
    let texts = select.query_map([], |row| row.get(0)).unwrap();
    texts.collect::<Result<_, _>>().unwrap()
}

#[test]
fn every_table_goes_there_and_back() {
    let (Some(database), Some(new)) = (TestPostgres::empty(), TestPostgres::new()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let before = {
        let source = SqliteSource::begin(&filled(folder.path())).unwrap();
        let fingerprint = Fingerprint::of(&source).unwrap();
        let begin = || PostgresTarget::begin(database.open(), &fingerprint).unwrap();
        let target = interrupted(&source, begin);
        // No server starts before the end.
        let refused = database.open().migrate().unwrap_err();
        assert!(refused.reason().contains("not finished"), "{refused}");
        target.seal().unwrap();
        database.open().migrate().unwrap();
        let before = rows(&source);
        assert_eq!(rows(&target), before);
        before
    };
    assert_eq!(definitions(&database), definitions(&new));
    let group = "INSERT INTO user_groups (realm_id, name) VALUES (1, 'next') RETURNING id";
    assert_eq!(database.psql(group), "51");
    database.psql("DELETE FROM user_groups WHERE id = 51");
    let events = "INSERT INTO event_outbox (realm_id, time, type, body, audience) VALUES (1, 1, 'x', '{}', '{}')";
    database.psql(events);
    let source = PostgresSource::begin(database.open()).unwrap();
    let fingerprint = Fingerprint::of(&source).unwrap();
    let tables = Tables::of_newest_schema().unwrap();
    let path = folder.path().join("target.db");
    let target = interrupted(&source, || {
        SqliteTarget::begin(&path, &tables, &fingerprint).unwrap()
    });
    target.seal().unwrap();
    // The event that was waiting is in the log.
    let mut after = rows(&target);
    let log = after
        .iter_mut()
        .find(|(name, _)| name == "event_log")
        .unwrap();
    assert_eq!(log.1.pop().unwrap()[0], Value::Integer(3));
    assert_eq!(after, before);
    target.close().unwrap();
    let connection = open(&path).unwrap();
    assert_eq!(
        schema(&connection),
        schema(&super::schema::empty().unwrap())
    );
    let number: i64 = connection.query_row(group, [], |row| row.get(0)).unwrap();
    assert_eq!(number, 52);
    let keys = check::check_filled(&connection).unwrap();
    assert!(
        keys.iter()
            .all(|found| found.check != "foreign keys" && found.check != "searches"),
        "{keys:?}"
    );
}

#[test]
fn every_table_is_known() {
    let Some(database) = TestPostgres::new() else {
        return;
    };
    let found = database.psql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename COLLATE \"C\"");
    let tables = Tables::of_newest_schema().unwrap();
    let mut known: Vec<&str> = tables.iter().map(Table::name).collect();
    known.extend(NOT_COPIED.iter().chain(&MADE_ANEW).map(|(name, _)| *name));
    known.sort_unstable();
    assert_eq!(found.lines().collect::<Vec<_>>(), known);
}

#[test]
fn a_copy_of_another_state_begins_again() {
    let (Some(database), Some(new)) = (TestPostgres::empty(), TestPostgres::new()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = filled(folder.path());
    let copied = folder.path().join("target.db");
    let tables = Tables::of_newest_schema().unwrap();
    for (number, expected) in [(70, Begun::New), (71, Begun::Again)] {
        let sequence =
            format!("UPDATE sqlite_sequence SET seq = {number} WHERE name = 'event_log'");
        open(&path).unwrap().execute(&sequence, []).unwrap();
        let source = SqliteSource::begin(&path).unwrap();
        let fingerprint = Fingerprint::of(&source).unwrap();
        let (target, begun) = PostgresTarget::begin(database.open(), &fingerprint).unwrap();
        assert_eq!(begun, expected);
        for table in tables.iter() {
            copy(&source, &target, table, &mut |_| {}).unwrap();
        }
        let (file, begun) = SqliteTarget::begin(&copied, &tables, &fingerprint).unwrap();
        assert_eq!(begun, expected);
        fill(&source, &file).unwrap();
        assert_eq!(rows(&file), rows(&source));
        if expected == Begun::Again {
            fill(&source, &target).unwrap();
            target.seal().unwrap();
            assert_eq!(rows(&target), rows(&source));
        }
    }
    assert_eq!(definitions(&database), definitions(&new));
}

#[test]
fn a_database_that_is_in_use_is_refused() {
    let Some(full) = TestPostgres::with_realm() else {
        return;
    };
    let [other, older, foreign] = [(); 3].map(|()| TestPostgres::empty().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let source = SqliteSource::begin(&filled(folder.path())).unwrap();
    let fingerprint = Fingerprint::of(&source).unwrap();
    let refusal = |database: &TestPostgres| {
        let refused = PostgresTarget::begin(database.open(), &fingerprint).err();
        refused.unwrap().reason()
    };
    assert!(refusal(&full).contains("not empty"));
    let another = Fingerprint {
        realm: "another".to_owned(),
        state: String::new(),
    };
    PostgresTarget::begin(other.open(), &another).unwrap();
    assert!(refusal(&other).contains("another organization"));
    older.open().migrate().unwrap();
    older.psql("DELETE FROM schema_migrations WHERE number > 27");
    assert!(refusal(&older).contains("another schema"));
    foreign.psql("CREATE TABLE parts (id bigint)");
    assert!(refusal(&foreign).contains("tables of another program"));
    // A node is one that runs statements; one that has ended is none.
    let node = full.open();
    while !others(&node).unwrap().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    node.run_script("BEGIN").unwrap();
    assert_eq!(others(&full.open()).unwrap().len(), 1);
    node.run_script("ROLLBACK").unwrap();
    // It cannot change anything while a copy is made, and a copy does not begin before its changes have ended.
    let source = PostgresSource::begin(full.open()).unwrap();
    let change = "INSERT INTO event_outbox (realm_id, time, type, body, audience) VALUES (1, 1, 'x', '{}', '{}')";
    let held = node.run_script(&format!("SET lock_timeout = 50; {change}"));
    assert!(matches!(held, Err(DbError::Overloaded(_))), "{held:?}");
    drop(source);
    node.run_script(change).unwrap();
}
