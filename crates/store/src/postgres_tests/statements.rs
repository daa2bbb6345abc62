//! PostgreSQL accepts every statement of this crate, with the parameters and columns that SQLite sees in it.

use std::collections::BTreeSet;

use postgres::Client;
use postgres::types::Type;

use crate::query::Listed;
use crate::testing::{TestDatabase, with_postgres};

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

/// The types of parameters: the ones that connections bind.
const PARAMETERS: [Type; 4] = [Type::INT8, Type::TEXT, Type::BYTEA, Type::FLOAT8];
/// The types of columns: the ones that connections read.
const COLUMNS: [Type; 7] = [
    Type::INT8,
    Type::INT4,
    Type::BOOL,
    Type::TEXT,
    Type::BYTEA,
    Type::FLOAT8,
    Type::JSON,
];

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

/// The text after each parameter's position, and the text before it.
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

/// Errors that PostgreSQL finds in a statement, or differences.
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
                // Words for the index, which SQLite splits itself, a lock, limits of a connection, the order of the
                // log, which SQLite's only writer gives it, and a schema for comparison.
                "" => {
                    let known = [
                        "message_words.rs",
                        "transaction.rs",
                        "archive/scope.rs",
                        "log_order.rs",
                        "check/schema_postgres.rs",
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
