//! One statement: classification by its first words, binding, running, reading rows.
//!
//! Works on a given connection; write transactions and groups are the concern of its callers.

use super::authorizer;
use super::connection::Opened;
use super::error::DatabaseError;
use super::result_memory::ResultMemory;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Batch, Connection, Statement, ToSql};
use spindle_bindings::spin::sqlite::sqlite::{QueryResult, RowResult, Value};
use spindle_manifest::SqlRights;
use std::sync::Arc;

/// The effect of a statement on the state of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementKind {
    /// Blanks and comments.
    Nothing,
    /// `BEGIN`, `BEGIN DEFERRED`: a snapshot for reading.
    BeginRead,
    /// `BEGIN IMMEDIATE`, `BEGIN EXCLUSIVE`: a write transaction.
    BeginWrite,
    /// `COMMIT`, `END`.
    Commit,
    /// `ROLLBACK` of the whole transaction.
    Rollback,
    /// `SAVEPOINT`, `RELEASE`, `ROLLBACK TO`.
    Savepoint,
    /// Writes by its first word.
    Write,
    /// Anything else; SQLite decides whether it writes.
    Other,
}

/// Classifies `sql` by its first words.
pub(super) fn classify(sql: &str) -> StatementKind {
    let mut words = Words(sql);
    let first = words.next_upper();
    match first.as_str() {
        "BEGIN" => match words.next_upper().as_str() {
            "IMMEDIATE" | "EXCLUSIVE" => StatementKind::BeginWrite,
            _ => StatementKind::BeginRead,
        },
        "COMMIT" | "END" => StatementKind::Commit,
        "ROLLBACK" => rollback_kind(&mut words),
        "SAVEPOINT" | "RELEASE" => StatementKind::Savepoint,
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "CREATE" | "DROP" | "ALTER" | "REINDEX"
        | "ANALYZE" | "VACUUM" => StatementKind::Write,
        "" if words.0.is_empty() => StatementKind::Nothing,
        _ => StatementKind::Other,
    }
}

/// `ROLLBACK [TRANSACTION] TO x` only rolls back to a savepoint.
fn rollback_kind(words: &mut Words<'_>) -> StatementKind {
    match words.next_upper().as_str() {
        "TO" => StatementKind::Savepoint,
        "TRANSACTION" if words.next_upper() == "TO" => StatementKind::Savepoint,
        _ => StatementKind::Rollback,
    }
}

/// The words at the start of a statement, blanks and comments skipped.
struct Words<'a>(&'a str);

impl Words<'_> {
    fn skip_blanks(&mut self) {
        loop {
            self.0 = self.0.trim_start();
            if let Some(rest) = self.0.strip_prefix("--") {
                self.0 = rest.split_once('\n').map_or("", |(_, after)| after);
            } else if let Some(rest) = self.0.strip_prefix("/*") {
                self.0 = rest.split_once("*/").map_or("", |(_, after)| after);
            } else {
                return;
            }
        }
    }

    fn next_upper(&mut self) -> String {
        self.skip_blanks();
        let end = self
            .0
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word.to_ascii_uppercase()
    }
}

/// The outcome of a statement.
pub(super) struct Executed {
    pub(super) result: QueryResult,
    /// False when the statement cannot have changed the database.
    pub(super) wrote: bool,
}

/// Runs `sql` on a connection for reading.
///
/// Returns `None`, without running it, when the statement would write.
pub(super) fn query(
    opened: &Opened,
    rights: Option<&Arc<SqlRights>>,
    sql: &str,
    parameters: &[Value],
    room: &mut ResultMemory<'_>,
) -> Result<Option<QueryResult>, DatabaseError> {
    with_statement(opened, rights, sql, |statement| {
        if !statement.readonly() {
            return Ok(None);
        }
        read_rows(statement, parameters, room).map(Some)
    })
    .map(|outcome| outcome.unwrap_or_else(|| Some(no_rows())))
}

/// Runs `sql` on the connection for writing.
pub(super) fn execute(
    opened: &Opened,
    rights: Option<&Arc<SqlRights>>,
    sql: &str,
    parameters: &[Value],
    room: &mut ResultMemory<'_>,
) -> Result<Executed, DatabaseError> {
    let outcome = with_statement(opened, rights, sql, |statement| {
        let wrote = !statement.readonly();
        let result = read_rows(statement, parameters, room)?;
        Ok(Executed { result, wrote })
    })?;
    Ok(outcome.unwrap_or_else(|| Executed {
        result: no_rows(),
        wrote: false,
    }))
}

fn no_rows() -> QueryResult {
    QueryResult {
        columns: Vec::new(),
        rows: Vec::new(),
    }
}

/// Prepares the first statement of `sql` under `rights` and calls `f` with it; `None` when `sql`
/// contains only blanks and comments.
fn with_statement<T>(
    opened: &Opened,
    rights: Option<&Arc<SqlRights>>,
    sql: &str,
    f: impl FnOnce(&mut Statement<'_>) -> Result<T, DatabaseError>,
) -> Result<Option<T>, DatabaseError> {
    let Some(rights) = rights else {
        return with_prepared(&opened.connection, sql, f);
    };
    opened.load_schema()?;
    authorizer::with_rights(rights, sql, |text| {
        with_prepared(&opened.connection, text, |statement| {
            authorizer::mark_running();
            f(statement)
        })
    })
}

fn with_prepared<T>(
    connection: &Connection,
    sql: &str,
    f: impl FnOnce(&mut Statement<'_>) -> Result<T, DatabaseError>,
) -> Result<Option<T>, DatabaseError> {
    match connection.prepare_cached(sql) {
        Ok(mut statement) => return f(&mut statement).map(Some),
        // Text after the first statement is ignored, as Spin does; rusqlite refuses it, hence
        // `Batch` below.
        Err(error) if !sql.trim_end().trim_end_matches(';').contains(';') => {
            return Err(error.into());
        }
        Err(_) => {}
    }
    match Batch::new(connection, sql).next()? {
        Some(mut statement) => f(&mut statement).map(Some),
        None => Ok(None),
    }
}

fn read_rows(
    statement: &mut Statement<'_>,
    parameters: &[Value],
    room: &mut ResultMemory<'_>,
) -> Result<QueryResult, DatabaseError> {
    let columns: Vec<String> = statement
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let width = columns.len();
    let mut results = Vec::new();
    let mut rows = statement.query(rusqlite::params_from_iter(parameters.iter().map(Parameter)))?;
    while let Some(row) = rows.next()? {
        let mut values = Vec::with_capacity(width);
        let mut bytes = size_of::<RowResult>();
        for index in 0..width {
            let value = read_value(row.get_ref(index)?, index)?;
            bytes += size_of::<Value>() + variable_size(&value);
            values.push(value);
        }
        room.take(bytes)?;
        results.push(RowResult { values });
    }
    Ok(QueryResult {
        columns,
        rows: results,
    })
}

fn read_value(value: ValueRef<'_>, index: usize) -> Result<Value, DatabaseError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => return Err(DatabaseError::InvalidText(index)),
        },
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

/// The texts and blobs of these parameters, in bytes.
pub(super) fn bytes(parameters: &[Value]) -> u64 {
    parameters
        .iter()
        .map(|value| variable_size(value) as u64)
        .sum()
}

fn variable_size(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 0,
    }
}

struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_recognized_in_every_spelling() {
        let cases = [
            ("BEGIN", StatementKind::BeginRead),
            ("begin deferred transaction;", StatementKind::BeginRead),
            (
                " -- note\n/* more */ Begin /**/ immediate",
                StatementKind::BeginWrite,
            ),
            ("BEGIN EXCLUSIVE", StatementKind::BeginWrite),
            ("commit", StatementKind::Commit),
            ("END TRANSACTION", StatementKind::Commit),
            ("ROLLBACK", StatementKind::Rollback),
            ("rollback transaction", StatementKind::Rollback),
            ("ROLLBACK TO x", StatementKind::Savepoint),
            (
                "ROLLBACK TRANSACTION TO SAVEPOINT x",
                StatementKind::Savepoint,
            ),
            ("RELEASE x", StatementKind::Savepoint),
            ("insert into t values (1)", StatementKind::Write),
            ("SELECT 'BEGIN'", StatementKind::Other),
            ("WITH a AS (SELECT 1) DELETE FROM t", StatementKind::Other),
            ("", StatementKind::Nothing),
            (" -- nothing", StatementKind::Nothing),
            (";", StatementKind::Other),
        ];
        for (sql, kind) in cases {
            assert_eq!(classify(sql), kind, "{sql}");
        }
    }
}
