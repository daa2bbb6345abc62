//! The rusqlite backend: for the commands of the host and for tests.
//!
//! Owns how a file is opened (write-ahead log, foreign keys, durability) and the translation
//! of values. It must behave as Spin's interface does: positional parameters, one statement
//! a call, foreign keys on, a wait of at most 5 seconds for a lock.

use std::fs::OpenOptions;
use std::ops::ControlFlow;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};

use crate::{Db, DbError, Query, Rows, Statement, Value};

/// How long a statement waits for another writer.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Prepared statements that a connection keeps; more than there are statements in this crate.
const STATEMENTS_KEPT: usize = 256;

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        Self::from_message(error.to_string())
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

pub(crate) fn owned(value: ValueRef<'_>) -> Result<Value, DbError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Real(value) => Value::Real(value),
        ValueRef::Text(bytes) => Value::Text(
            String::from_utf8(bytes.to_vec())
                .map_err(|error| DbError::Failed(error.to_string()))?,
        ),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

/// Opens the database file with the settings that the program relies on; creates one that only its
/// owner may read.
///
/// # Errors
/// [`DbError`] when the file cannot be opened or is no database.
pub fn open(path: &Path) -> Result<Connection, DbError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    require_no_link(path)?;
    require_regular(path)?;
    create_private(path);
    let connection = Connection::open_with_flags(in_real_folder(path), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Otherwise SQLite prepares some statements again for each value of a parameter.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(connection)
}

/// Opening a pipe or device would block. A missing file is left to SQLite.
fn require_regular(path: &Path) -> Result<(), DbError> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(DbError::Failed(format!(
            "{} is not a regular file",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Through a link, an account that may write to the folder could make a server that runs as root open another file.
/// SQLite itself follows no links to the -wal and -shm files.
fn require_no_link(path: &Path) -> Result<(), DbError> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => Err(DbError::Failed(format!(
            "{} is a symbolic link; put the database itself there",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The path without links in the names of folders, which are the operator's: SQLite would refuse those too.
pub fn in_real_folder(path: &Path) -> PathBuf {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// SQLite would let other users read a file that it creates, and gives the files next to it the same mode. If this
/// fails, SQLite reports why it cannot open the file.
fn create_private(path: &Path) {
    let mut options = OpenOptions::new();
    let _ = options.write(true).create_new(true).mode(0o600).open(path);
}

/// Opens a database that is there, to look at it: nothing is created, written or changed, whatever
/// runs on it.
///
/// # Errors
/// [`DbError`] when there is none, or it cannot be opened.
pub fn open_to_read(path: &Path) -> Result<Connection, DbError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    require_regular(path)?;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// [`crate::Connection`] over a borrowed rusqlite connection.
#[derive(Debug, Clone, Copy)]
pub struct RusqliteDb<'c> {
    connection: &'c Connection,
}

impl<'c> RusqliteDb<'c> {
    /// Wraps `connection`.
    #[must_use]
    pub const fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }
}

impl Db for RusqliteDb<'_> {
    fn dialect(&self) -> crate::Dialect {
        self.connection.dialect()
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.connection.query(query, params)
    }
}

impl crate::Connection for RusqliteDb<'_> {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        crate::Connection::execute(self.connection, statement, params)
    }

    fn stream(
        &self,
        query: Query,
        params: &[Value],
        each: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), DbError> {
        crate::Connection::stream(self.connection, query, params, each)
    }
}

impl Db for Connection {
    fn dialect(&self) -> crate::Dialect {
        crate::Dialect::Sqlite
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        crate::Connection::execute(self, query.into(), params)
    }
}

impl crate::Connection for Connection {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        let mut statement = self.prepare_cached(statement.text())?;
        let columns: Vec<String> = statement
            .column_names()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let width = columns.len();
        let mut cursor = statement.query(params_from_iter(params))?;
        let mut rows = Vec::new();
        while let Some(row) = cursor.next()? {
            let mut values = Vec::with_capacity(width);
            for index in 0..width {
                values.push(owned(row.get_ref(index)?)?);
            }
            rows.push(values);
        }
        Ok(Rows { columns, rows })
    }

    fn stream(
        &self,
        query: Query,
        params: &[Value],
        each: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), DbError> {
        let mut statement = self.prepare_cached(query.text())?;
        let width = statement.column_count();
        let mut cursor = statement.query(params_from_iter(params))?;
        let mut values = Vec::with_capacity(width);
        while let Some(row) = cursor.next()? {
            values.clear();
            for index in 0..width {
                values.push(owned(row.get_ref(index)?)?);
            }
            if each(&values).is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{params, sql};

    #[test]
    fn a_database_behind_a_link_is_refused_and_one_in_a_linked_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (real, linked) = (folder.path().join("real"), folder.path().join("linked"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &linked).unwrap();
        open(&linked.join("a.db")).unwrap();
        std::os::unix::fs::symlink(real.join("other"), real.join("b.db")).unwrap();
        let refusal = open(&real.join("b.db")).unwrap_err().to_string();
        assert!(refusal.contains("symbolic link"), "{refusal}");
        assert!(!real.join("other").exists());
    }

    #[test]
    fn every_kind_of_value_comes_back() {
        let connection = Connection::open_in_memory().unwrap();
        let values = params![1_i64, 2.5, "t\u{e9}xt", vec![0_u8, 255], None::<i64>, true];
        let rows = RusqliteDb::new(&connection)
            .query(sql!("SELECT ?1 AS a, ?2, ?3, ?4, ?5, ?6"), &values)
            .unwrap();
        assert_eq!(rows.columns.first().map(String::as_str), Some("a"));
        let mut expected = values.to_vec();
        expected[5] = Value::Integer(1);
        assert_eq!(rows.rows, [expected]);
    }

    #[test]
    fn what_is_opened_to_read_is_not_created_or_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        assert!(open_to_read(&path).is_err());
        assert!(!path.exists());
        let made = open(&path).unwrap();
        made.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (7)")
            .unwrap();
        let reader = open_to_read(&path).unwrap();
        let found = RusqliteDb::new(&reader).query(sql!("SELECT x FROM t"), &[]);
        assert_eq!(found.unwrap().rows, [[Value::Integer(7)]]);
        assert!(reader.execute_batch("DELETE FROM t").is_err());
    }

    #[test]
    fn a_file_is_opened_with_log_and_foreign_keys() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open(&folder.path().join("x.db")).unwrap();
        let text = |name: &str| {
            connection
                .pragma_query_value(None, name, |row| row.get_ref(0).map(|v| format!("{v:?}")))
                .unwrap()
        };
        assert!(
            text("journal_mode").contains("119, 97, 108") || text("journal_mode").contains("wal")
        );
        assert_eq!(text("foreign_keys"), "Integer(1)");
        assert_eq!(text("synchronous"), "Integer(2)");
    }
}
