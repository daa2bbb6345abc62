//! Whether a database is sound: SQLite's own checks, its schema, and invariants that constraints cannot hold.
//!
//! Owns the statements behind `spindle admin check`. Everything here reads; nothing repairs, because
//! damage has a cause that a person must see.

mod invariants;
mod objects;
mod schema;
mod schema_postgres;
#[cfg(test)]
mod tests;

use crate::migrations::MIGRATIONS;
use crate::{Connection, Db, DbError, Query, either, params, sql, statement};
use invariants::{CHECKS, SEARCH_TERMS, SEARCHES};
pub use schema::{additions, differences};
pub use schema_postgres::can_compare_schema;

/// A violation that a check has found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Which check found it.
    pub check: &'static str,
    /// A description of the problem, for a person.
    pub detail: String,
}

/// At most this many findings of one check; a broken database may have millions.
const SHOWN: usize = 20;

/// Everything that is wrong with the database, empty when it is sound.
///
/// # Errors
/// [`DbError`] when a check itself cannot run, which for a damaged file is a finding too.
pub fn check(connection: &dyn Connection) -> Result<Vec<Finding>, DbError> {
    let mut findings = integrity(connection)?;
    findings.extend(foreign_keys(connection, FOREIGN_KEYS)?);
    with_invariants(connection, findings, |_| true)
}

/// As [`check`], for a database that this program has just filled and that no other program has
/// opened: its indexes were made from its rows and are not compared with them again.
///
/// # Errors
/// As [`check`].
pub fn check_filled(connection: &dyn Connection) -> Result<Vec<Finding>, DbError> {
    filled(connection, |_| true)
}

/// As [`check_filled`], where messages are not searchable yet.
///
/// # Errors
/// As [`check`].
pub fn check_filled_but_searches(connection: &dyn Connection) -> Result<Vec<Finding>, DbError> {
    filled(connection, |name| name != SEARCHES)
}

fn filled(
    connection: &dyn Connection,
    is_run: impl Fn(&str) -> bool,
) -> Result<Vec<Finding>, DbError> {
    let mut findings = findings_of(
        "integrity",
        texts(
            connection,
            sql!(either!("PRAGMA quick_check", "SELECT 'ok' AS quick_check")),
        )?,
    );
    findings.extend(foreign_keys(connection, FOREIGN_KEYS_BUT_RECEIPTS)?);
    findings.extend(foreign_keys(connection, FOREIGN_KEYS_OF_RECEIPTS)?);
    with_invariants(connection, findings, is_run)
}

fn with_invariants(
    connection: &dyn Connection,
    mut findings: Vec<Finding>,
    is_run: impl Fn(&str) -> bool,
) -> Result<Vec<Finding>, DbError> {
    findings.extend(version(connection)?);
    // Before messages are searchable, the trigger is missing as well.
    if findings.is_empty() && is_run(SEARCHES) {
        findings.extend(differences(connection)?);
    }
    if !findings.is_empty() {
        // The invariants below speak about tables that may not be readable.
        return Ok(findings);
    }
    connection.execute(SEARCH_TERMS, &[])?;
    for (name, query) in CHECKS.iter().filter(|(name, _)| is_run(name)) {
        for detail in texts(connection, *query)? {
            findings.push(Finding {
                check: name,
                detail,
            });
        }
    }
    Ok(findings)
}

/// Writes a compact copy of the database, as of one moment, into a file that is new or empty. Writers continue during
/// the copy. Deleted rows are not in it.
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

/// In the order of messages: in the order of people, every page of messages would be read once for each person.
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
