//! Whether a database has the tables, indexes, triggers and views that its migrations make, and no others that act on
//! them.
//!
//! A missing table fails requests, and a foreign trigger changes rows. Plain indexes of other programs are allowed, on
//! SQLite tables as well, because replication tools add them, and on PostgreSQL sequences and types. `additions` lists
//! these objects.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use rusqlite::Connection as Sqlite;

use super::Finding;
use super::objects::{Object, ObjectRow, Objects};
use super::schema_postgres::{self, can_compare_schema};
use crate::migrations::{MIGRATIONS, migrate_to};
use crate::{Connection, Db, DbError, Dialect, either, sql};

/// Name of the check.
const CHECK: &str = "schema";

/// How the schema of the database differs from the newest one.
///
/// # Errors
/// [`DbError`] when it cannot be read.
pub fn differences(connection: &dyn Connection) -> Result<Vec<Finding>, DbError> {
    let compared = compared(connection)?;
    Ok(compared
        .differences
        .into_iter()
        .map(|detail| Finding {
            check: CHECK,
            detail,
        })
        .collect())
}

/// The objects that this program did not make and that are allowed, for a person to look at.
///
/// # Errors
/// [`DbError`] when the schema cannot be read.
pub fn additions(connection: &dyn Connection) -> Result<Vec<String>, DbError> {
    Ok(compared(connection)?.additions)
}

#[derive(Default)]
struct Compared {
    differences: Vec<String>,
    additions: Vec<String>,
}

fn compared(connection: &dyn Connection) -> Result<Compared, DbError> {
    Ok(match connection.dialect() {
        Dialect::Sqlite => {
            let (newest, shadows) = newest()?;
            compare(newest, shadows, &objects(connection)?, is_harmless)
        }
        Dialect::Postgres if can_compare_schema(connection)? => {
            let (newest, found) = schema_postgres::both(connection)?;
            compare(&newest, &BTreeSet::new(), &found, is_harmless_on_postgres)
        }
        Dialect::Postgres => Compared {
            differences: missing_columns(connection)?,
            ..Compared::default()
        },
    })
}

/// The objects of the newest schema, which is made once.
fn newest() -> Result<&'static (Objects, BTreeSet<String>), DbError> {
    static NEWEST: OnceLock<(Objects, BTreeSet<String>)> = OnceLock::new();
    if let Some(newest) = NEWEST.get() {
        return Ok(newest);
    }
    let mut connection = Sqlite::open_in_memory()?;
    migrate_to(&mut connection, MIGRATIONS.len())?;
    let found = objects(&connection)?;
    let mut shadows = connection
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")?;
    let shadows = shadows
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(NEWEST.get_or_init(|| (found, shadows)))
}

/// The objects of a file without SQLite's own: sequences, statistics, indexes of keys.
fn objects(db: &dyn Db) -> Result<Objects, DbError> {
    let rows = db
        .query(
            sql!(either!(
                "SELECT type AS kind, name, coalesce(sql, '') AS sql FROM sqlite_schema \
                 WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
                "SELECT '' AS kind, '' AS name, '' AS sql WHERE false"
            )),
            &[],
        )?
        .all::<ObjectRow>()?;
    let object = |row: ObjectRow| {
        let sql = normal(&row.sql);
        ((row.kind, row.name), Object { sql })
    };
    Ok(rows.into_iter().map(object).collect())
}

fn compare(
    newest: &Objects,
    shadows: &BTreeSet<String>,
    found: &Objects,
    is_harmless: fn(&str, &Object) -> bool,
) -> Compared {
    // Report a missing or foreign table once, not each of its columns.
    let is_in_both = |name: &str| {
        name.split_once('.').is_none_or(|(table, _)| {
            let table = ("table".to_owned(), table.to_owned());
            newest.contains_key(&table) == found.contains_key(&table)
        })
    };
    let (mut differences, mut additions) = (Vec::new(), Vec::new());
    for ((kind, name), object) in newest {
        match found.get(&(kind.clone(), name.clone())) {
            None if is_in_both(name) => differences.push(format!("the {kind} {name} is missing")),
            None => {}
            // Defined by SQLite, whose versions spell them differently.
            Some(_) if shadows.contains(name) => {}
            Some(other) if other != object => {
                differences.push(format!(
                    "the {kind} {name} differs from that of this program"
                ));
            }
            Some(_) => {}
        }
    }
    for ((kind, name), object) in found {
        let is_known = newest.contains_key(&(kind.clone(), name.clone()));
        if is_known || !is_in_both(name) {
            continue;
        }
        let text = format!("the {kind} {name} is not of this program");
        match is_harmless(kind, object) {
            true => additions.push(text),
            false => differences.push(text),
        }
    }
    Compared {
        differences,
        additions,
    }
}

/// Returns true if a foreign object does not affect the tables of this program.
fn is_harmless(kind: &str, object: &Object) -> bool {
    kind == "table" && !has_word(object, "references") || is_plain_index(kind, object)
}

/// As [`is_harmless`]; a table can have rules and is not.
fn is_harmless_on_postgres(kind: &str, object: &Object) -> bool {
    matches!(kind, "sequence" | "type") || is_plain_index(kind, object)
}

/// Whether it is an index that an administrator may have added for speed.
fn is_plain_index(kind: &str, object: &Object) -> bool {
    kind == "index" && !has_word(object, "unique")
}

fn has_word(object: &Object, word: &str) -> bool {
    let mut words = object.sql.split(' ');
    words.any(|found| found.eq_ignore_ascii_case(word))
}

/// Normalizes a definition: single spaces, no comments, no quotes around names.
fn normal(sql: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '\'' || first == '"' {
            let length = quoted_length(rest, first);
            let text = rest.get(..length).unwrap_or(rest);
            words.push(match first {
                '"' => text.trim_matches('"').to_owned(),
                _ => text.to_owned(),
            });
            length
        } else {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let length = rest
                .find(|letter| !is_word(letter))
                .filter(|length| *length > 0)
                .unwrap_or(if is_word(first) {
                    rest.len()
                } else {
                    first.len_utf8()
                });
            words.push(rest.get(..length).unwrap_or(rest).to_owned());
            length
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    words.join(" ")
}

/// Length of a quoted text in bytes; a doubled quote is part of it.
fn quoted_length(text: &str, mark: char) -> usize {
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((place, letter)) = letters.next() {
        if letter != mark {
            continue;
        }
        if letters.peek().is_none_or(|(_, next)| *next != mark) {
            return place + mark.len_utf8();
        }
        letters.next();
    }
    text.len()
}

/// Columns of the newest schema that a database of PostgreSQL does not have, where the role cannot create a schema for
/// comparison.
fn missing_columns(db: &dyn Db) -> Result<Vec<String>, DbError> {
    let found: BTreeSet<String> = db
        .query(
            sql!(either!(
                "SELECT '' AS name WHERE 0",
                "SELECT c.relname::text || '.' || a.attname::text AS name FROM pg_attribute a \
                 JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
                 WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped"
            )),
            &[],
        )?
        .values::<String>()?
        .into_iter()
        .collect();
    let mut connection = Sqlite::open_in_memory()?;
    migrate_to(&mut connection, MIGRATIONS.len())?;
    let mut expected = connection.prepare(
        "SELECT t.name || '.' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c \
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
    )?;
    let expected = expected
        .query_map([], |row| row.get(0))?
        .collect::<Result<Vec<String>, _>>()?;
    let missing = expected.into_iter().filter(|name| !found.contains(name));
    Ok(missing
        .map(|name| format!("the column {name} is missing"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    fn found_after(change: &str) -> Vec<String> {
        let database = TestDatabase::with_realm();
        database.run(change);
        let found = differences(&database.db()).unwrap();
        found.into_iter().map(|finding| finding.detail).collect()
    }

    #[test]
    fn a_definition_is_compared_by_its_words() {
        let one = "CREATE TABLE \"a\" (b TEXT, -- words\n c TEXT DEFAULT 'x--''y')";
        let two = "CREATE  TABLE a(b TEXT,c/* more */ TEXT DEFAULT 'x--''y'  )";
        assert_eq!(normal(one), normal(two));
        assert_ne!(
            normal(one),
            normal("CREATE TABLE a (b TEXT, c TEXT DEFAULT 'x-- ''y')")
        );
        assert_ne!(
            normal("CREATE TABLE a (bc)"),
            normal("CREATE TABLE a (b c)")
        );
    }

    #[test]
    fn what_is_missing_or_different_is_named() {
        assert_eq!(found_after(""), Vec::<String>::new());
        let found = found_after("DROP TABLE saved_snippets");
        assert!(
            found.contains(&"the table saved_snippets is missing".to_owned()),
            "{found:?}"
        );
        let found = found_after("ALTER TABLE drafts ADD COLUMN more TEXT");
        assert_eq!(
            found,
            ["the table drafts differs from that of this program"]
        );
        let found = found_after("DROP INDEX users_by_email");
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn what_acts_on_the_tables_is_named() {
        let trigger =
            "CREATE TRIGGER t AFTER INSERT ON messages BEGIN UPDATE users SET role = 100; END";
        assert_eq!(
            found_after(trigger),
            ["the trigger t is not of this program"]
        );
        let view = "CREATE VIEW v AS SELECT 1";
        assert_eq!(found_after(view), ["the view v is not of this program"]);
        let unique = "CREATE UNIQUE INDEX i ON messages (content)";
        assert_eq!(found_after(unique), ["the index i is not of this program"]);
        let key = "CREATE TABLE k (id INTEGER REFERENCES users (id))";
        assert_eq!(found_after(key), ["the table k is not of this program"]);
        let harmless = "CREATE TABLE other (a); CREATE INDEX i ON messages (date_sent)";
        assert_eq!(found_after(harmless), Vec::<String>::new());
        let database = TestDatabase::with_realm();
        assert_eq!(additions(&database.db()), Ok(Vec::new()));
        database.run(harmless);
        assert_eq!(
            additions(&database.db()).unwrap(),
            [
                "the index i is not of this program",
                "the table other is not of this program"
            ]
        );
    }
}
