//! PostgreSQL accepts every statement of this crate, with the parameters and columns that SQLite sees in
//! it, and both end with the same tables.

use std::collections::{BTreeMap, BTreeSet};

use postgres::types::Type;
use postgres::{Client, NoTls};

use crate::dialect::{Texts, texts};
use crate::migrations::POSTGRES_MIGRATIONS;
use crate::query::Listed;
use crate::testing::TestDatabase;
use crate::users::iso_date;

/// Statements for which PostgreSQL has no use, by a part of their text, with the reason.
const FOR_SQLITE_ALONE: [(&str, &str); 2] = [
    (
        "VACUUM INTO",
        "copies are made by the tools of the database",
    ),
    (
        "FROM message_search_words",
        "the index finds beginnings of words itself",
    ),
];

/// What a parameter may be: those that connections bind.
const PARAMETERS: [Type; 4] = [Type::INT8, Type::TEXT, Type::BYTEA, Type::FLOAT8];
/// What a column may be: those that connections read.
const COLUMNS: [Type; 7] = [
    Type::INT8,
    Type::INT4,
    Type::BOOL,
    Type::TEXT,
    Type::BYTEA,
    Type::FLOAT8,
    Type::JSON,
];

/// Runs `test` on a new database with the newest schema, where PostgreSQL is installed.
pub(crate) fn with_postgres(test: impl FnOnce(&mut Client)) {
    let Some(server) = spindle_postgres::shared() else {
        return;
    };
    let database = server.database();
    let mut client = Client::connect(&database.url(), NoTls).unwrap();
    for (name, text) in POSTGRES_MIGRATIONS {
        client
            .batch_execute(text)
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
    test(&mut client);
}

/// Statements outside of tests, in the order of their files.
fn statements() -> Vec<&'static Listed> {
    let mut all: Vec<&Listed> = inventory::iter::<Listed>
        .into_iter()
        .filter(|listed| !listed.module.contains("tests"))
        .collect();
    all.sort_by_key(|listed| (listed.file, listed.line, listed.texts.sqlite));
    all
}

/// Whether a statement makes a table that others need.
fn makes_table(sqlite: &str) -> bool {
    sqlite.starts_with("CREATE ")
}

/// What SQLite says of a statement: the number of its parameters, and its columns.
fn of_sqlite(connection: &rusqlite::Connection, text: &str) -> (usize, Vec<String>) {
    let statement = connection.prepare(text).unwrap();
    let names = statement.column_names();
    (
        statement.parameter_count(),
        names.into_iter().map(str::to_owned).collect(),
    )
}

/// The same of PostgreSQL, for a statement that SQLite does not have.
fn of_postgres(client: &mut Client, text: &str) -> (usize, Vec<String>) {
    let statement = client.prepare(text).unwrap();
    let columns = statement.columns().iter();
    let columns = columns.map(|column| column.name().to_owned()).collect();
    (statement.params().len(), columns)
}

/// Whether a column has a name. SQLite calls others by their expressions.
fn is_name(column: &str) -> bool {
    let mut bytes = column.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What follows each place of a parameter, and what is before it.
fn places(text: &str, number: usize) -> impl Iterator<Item = (&str, &str)> {
    let places = text
        .match_indices('$')
        .map(move |(place, _)| text.split_at(place));
    places.filter_map(move |(before, after)| {
        let after = after.strip_prefix(&format!("${number}"))?;
        let is_longer = after.starts_with(|next: char| next.is_ascii_digit());
        (!is_longer).then_some((before.trim_end(), after))
    })
}

/// Whether a statement that writes has the parameter as the value of a column, and nowhere else: that column has a type.
fn is_assigned(text: &str, number: usize) -> bool {
    let writes = ["INSERT ", "UPDATE "]
        .iter()
        .any(|word| text.contains(word));
    writes
        && places(text, number).all(|(before, after)| {
            let ends = ["", ",", ")", " WHERE", " FROM", " ON", " RETURNING"];
            before.ends_with(['(', ',', '='])
                && ends.iter().any(|end| match *end {
                    "" => after.is_empty(),
                    end => after.starts_with(end),
                })
        })
}

/// Parameters of which the statement does not say what type they have. PostgreSQL takes them for texts, and an integer that a
/// caller binds is refused when the statement runs. Each is found by preparing the statement with an integer in its place, which
/// most expressions of texts refuse.
fn guessed(client: &mut Client, text: &str, types: &[Type]) -> Vec<usize> {
    let is_guessed = |(index, parameter): (usize, &Type)| {
        let number = index + 1;
        let is_said = places(text, number).any(|(_, after)| after.starts_with("::"));
        if *parameter != Type::TEXT || is_said || is_assigned(text, number) {
            return None;
        }
        let mut types = types.to_vec();
        types[index] = Type::INT8;
        client.prepare_typed(text, &types).is_ok().then_some(number)
    };
    types.iter().enumerate().filter_map(is_guessed).collect()
}

/// What PostgreSQL finds wrong with a statement, or what is different in it.
fn differences(client: &mut Client, listed: &Listed, sqlite: (usize, Vec<String>)) -> Vec<String> {
    let (parameters, columns) = sqlite;
    let statement = match client.prepare(listed.texts.postgres) {
        Ok(statement) => statement,
        Err(error) => {
            let message = error.as_db_error().map(ToString::to_string);
            return vec![message.unwrap_or_else(|| error.to_string())];
        }
    };
    let mut found = Vec::new();
    if statement.params().len() != parameters {
        found.push(format!(
            "{parameters} parameters, {} in PostgreSQL",
            statement.params().len()
        ));
    }
    for (index, parameter) in statement.params().iter().enumerate() {
        if !PARAMETERS.contains(parameter) {
            found.push(format!("parameter {} is {parameter}", index + 1));
        }
    }
    for number in guessed(client, listed.texts.postgres, statement.params()) {
        found.push(format!("the type of parameter {number} is guessed: say it"));
    }
    if statement.columns().len() != columns.len() {
        found.push(format!(
            "{} columns, {} in PostgreSQL",
            columns.len(),
            statement.columns().len()
        ));
    }
    for (name, column) in columns.iter().zip(statement.columns()) {
        if is_name(name) && name != column.name() {
            found.push(format!("column {name}, {} in PostgreSQL", column.name()));
        }
        if !COLUMNS.contains(column.type_()) {
            found.push(format!("column {name} is {}", column.type_()));
        }
    }
    found
}

/// The mistake that [`guessed`] is for, and statements that are right.
#[test]
fn a_type_that_nothing_says_is_found() {
    with_postgres(|client| {
        let mut found = |text: &str| {
            let statement = client.prepare(text).unwrap();
            guessed(client, text, statement.params())
        };
        assert_eq!(found("SELECT id FROM users WHERE $1 = $1"), [1]);
        assert_eq!(found("SELECT id FROM users WHERE id = $1 AND $2 = $2"), [2]);
        assert_eq!(
            found("INSERT INTO jobs (name, due) SELECT $1 || 'x', 1"),
            [1]
        );
        for right in [
            "SELECT id FROM users WHERE $1::bigint = $1",
            "SELECT id FROM users WHERE email = $1 AND coalesce($2, 'x') = timezone",
            "INSERT INTO jobs (name, due) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET name = $1 WHERE jobs.due < $2",
        ] {
            assert!(found(right).is_empty(), "{right}");
        }
    });
}

#[test]
fn postgres_accepts_every_statement() {
    with_postgres(|client| {
        let database = TestDatabase::with_realm();
        let sqlite = database.open_another();
        let all = statements();
        assert!(all.len() > 600, "{} statements were found", all.len());
        for listed in all.iter().filter(|one| makes_table(one.texts.sqlite)) {
            sqlite.execute_batch(listed.texts.sqlite).unwrap();
            client.batch_execute(listed.texts.postgres).unwrap();
        }
        let mut wrong = Vec::new();
        let mut alone = BTreeSet::new();
        for listed in &all {
            let texts = listed.texts;
            if texts.postgres.trim().is_empty() {
                let known = FOR_SQLITE_ALONE
                    .iter()
                    .find(|(part, _)| texts.sqlite.contains(part));
                alone.insert(known.unwrap_or_else(|| panic!("{}", texts.sqlite)));
                continue;
            }
            if makes_table(texts.sqlite) {
                continue;
            }
            let of_sqlite = match texts.sqlite {
                // Words for the index, which SQLite cuts by itself, a lock, limits of a connection, and the order of the
                // log, which SQLite's only writer gives it.
                "" => {
                    let known = [
                        "message_words.rs",
                        "transaction.rs",
                        "archive/scope.rs",
                        "log_order.rs",
                    ];
                    let is_known = known.iter().any(|file| listed.file.ends_with(file));
                    assert!(is_known, "{listed:?}");
                    of_postgres(client, texts.postgres)
                }
                text => of_sqlite(&sqlite, text),
            };
            for difference in differences(client, listed, of_sqlite) {
                wrong.push(format!(
                    "{}:{}: {difference}\n  {}",
                    listed.file, listed.line, texts.postgres
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(
            alone.len(),
            FOR_SQLITE_ALONE.len(),
            "an exception is not needed any more"
        );
    });
}

/// Expressions of every function that PostgreSQL has from its first migration or under another name.
const EXPRESSIONS: &[Texts] = &[
    texts!("SELECT iif(1 = 1, 'a', 'b') || iif(0, 'a', 'b') || iif(2, 'a', 'b')"),
    texts!("SELECT iif(1 = 2, 1, NULL)"),
    texts!("SELECT max(2, 3)"),
    texts!("SELECT max(2, NULL)"),
    texts!("SELECT min(2, 3)"),
    texts!("SELECT min(NULL, 3)"),
    texts!("SELECT json_group_array(value ORDER BY key) FROM json_ids('[3,1,9007199254740993]')"),
    texts!("SELECT json_group_array(key) FROM json_ids('[7,8]')"),
    texts!("SELECT json_group_array(value) FROM json_ids('[3]') WHERE value > 3"),
    texts!("SELECT json_group_array(json_array(value, NULL, 'x')) FROM json_ids('[3]')"),
    texts!(
        "SELECT json_group_array(value ORDER BY value) FROM json_texts('[\"b\",\"\u{e9}\",\"a\"]')"
    ),
    texts!("SELECT value FROM json_texts('[[1,\"x\"]]')"),
    texts!("SELECT json_group_object(key, value) FROM json_members('{\"b\":\"2\",\"a\":\"1\"}')"),
    texts!("SELECT group_concat(value, '-' ORDER BY value DESC) FROM json_texts('[\"a\",\"b\"]')"),
    texts!("SELECT '[1,\"x\"]' ->> 1"),
    texts!("SELECT '[1,\"x\"]' ->> 2"),
    texts!("SELECT '{\"a\":\"x\"}' ->> 'a'"),
    texts!("SELECT '{\"a\":true}' -> 'a' = 'true'"),
    texts!("SELECT '{\"a\":true}' -> 'b'"),
    texts!("SELECT json_set('{\"a\":1}', '$.' || json_quote('b c'), json('[2]'))"),
    texts!("SELECT json_set('{\"a\":1}', '$.\"a\"', json('null'))"),
    texts!("SELECT json_quote('a\"b\u{e9}\\\\')"),
    texts!("SELECT json_patch('{}', json_object('a', NULL, 'b', 1))"),
    texts!("SELECT json_patch(json_object('a', NULL, 'b', 1), json_object('b', 2))"),
    texts!("SELECT json_array_length('[1,2]')"),
    texts!("SELECT rtrim(json_object('a', 1, 'b', json('{}'), 'c', ''), '}') || ',\"d\":2}'"),
    texts!(concat!("SELECT ", iso_date!("1700000000"))),
    texts!("SELECT length(random_name())"),
    texts!("SELECT char(233) || 'x'"),
    texts!("SELECT substr('h\u{e9}llo', 2, 2) || length('\u{e9}') || octet_length('\u{e9}')"),
    texts!("SELECT 6 & 3 = 2 AND ~1 & 3 = 2 AND 4 | 1 = 5"),
];

/// A value as both print it; blanks in JSON do not count.
fn comparable(text: Option<&str>) -> String {
    let Some(text) = text else {
        return "NULL".to_owned();
    };
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) if json.is_object() || json.is_array() => json.to_string(),
        _ => text.to_owned(),
    }
}

/// Calls of the functions of the schema that are written in SQL, with columns, which the planner cannot compute.
const CALLS: [&str; 20] = [
    "public.iif(r.id, r.id, r.id)",
    "public.iif(r.id = 1, r.id, r.id)",
    "public.iso_date(r.id)",
    "public.json(r.settings)",
    "public.json_array_length(r.settings)",
    "public.json_element(r.settings, 1)",
    "public.json_member(r.settings, r.name)",
    "public.json_member_as_json(r.settings, r.name)",
    "public.json_patch(CAST(r.settings AS JSON), CAST(r.settings AS JSON))",
    "public.json_quote(r.name)",
    "public.json_set(r.settings, r.name, CAST(r.settings AS JSON))",
    "public.json_type(r.settings)",
    "public.json_valid(r.settings)",
    "public.max(r.id, r.id)",
    "public.min(r.id, r.id)",
    "public.random_name()",
    "public.rtrim(CAST(r.settings AS JSON), r.name)",
    "(SELECT sum(key) FROM public.json_ids(r.settings))",
    "(SELECT max(key) FROM public.json_members(r.settings))",
    "(SELECT sum(key) FROM public.json_texts(r.settings))",
];

/// A function that is not inlined is parsed and planned anew in each execution of a statement.
#[test]
fn the_planner_inlines_functions() {
    with_postgres(|client| {
        let written = "SELECT DISTINCT p.proname::text FROM pg_proc p \
             JOIN pg_language l ON l.oid = p.prolang \
             WHERE l.lanname = 'sql' AND p.pronamespace = 'public'::regnamespace";
        let functions = client.query(written, &[]).unwrap();
        // So that plans name the functions of the schema with it, and those of PostgreSQL without.
        client
            .batch_execute("SET search_path = pg_catalog")
            .unwrap();
        for function in functions {
            let call = format!("public.{}(", function.get::<_, String>(0));
            let calls: Vec<_> = CALLS.iter().filter(|one| one.contains(&call)).collect();
            assert!(!calls.is_empty(), "no call of {call}");
            for one in calls {
                let explain =
                    format!("EXPLAIN (VERBOSE, COSTS OFF) SELECT {one} FROM public.realms r");
                let plan = client.query(&explain, &[]).unwrap();
                let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
                let plan = plan.join("\n");
                assert!(!plan.contains(&call), "{one}: {plan}");
            }
        }
    });
}

#[test]
fn functions_return_the_same() {
    with_postgres(|client| {
        let sqlite = TestDatabase::with_realm().open_another();
        for texts in EXPRESSIONS {
            let sql = format!("SELECT CAST(({}) AS TEXT)", texts.sqlite);
            let expected: Option<String> = sqlite.query_row(&sql, [], |row| row.get(0)).unwrap();
            let sql = format!(
                "SELECT CASE CAST(v AS TEXT) WHEN 'true' THEN '1' WHEN 'false' THEN '0' \
                 ELSE CAST(v AS TEXT) END FROM ({}) AS q (v)",
                texts.postgres
            );
            let row = client
                .query_one(&sql, &[])
                .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
            let found: Option<String> = row.get(0);
            assert_eq!(
                comparable(found.as_deref()),
                comparable(expected.as_deref()),
                "{}",
                texts.sqlite
            );
        }
    });
}

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
            .prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1) ORDER BY cid")
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
