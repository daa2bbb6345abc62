//! The backend of components: the synchronous calls of Spin's SQLite interface.
//!
//! Owns the translation of values and errors. The SDK's public calls are asynchronous and
//! would let another request of the same instance run inside a transaction, so this module
//! uses the generated bindings (the SDK is pinned to an exact version for that reason).

use spin_sdk::sqlite::wit::sqlite::{self, Error, Value as SpinValue};

use crate::{
    BEGIN_FREEING, BEGIN_FREEING_PART, BEGIN_PART, BEGIN_WRITE, Connection, Db, DbError, Query,
    Rows, Statement, Value,
};

/// How often the start of a change waits for the write lock. Spin's connections give up after five
/// seconds, and SQLite gives the lock to the connection that asks at the right moment, not to the one
/// that has waited longest: among many writers, one may wait for longer.
const WAITS: u32 = 6;

fn into_db_error(error: Error) -> DbError {
    match error {
        Error::Io(message) => DbError::from_message(message),
        Error::DatabaseFull => DbError::Full("the host refuses writes".to_owned()),
        other => DbError::Failed(format!("{other:?}")),
    }
}

fn to_spin(value: &Value) -> SpinValue {
    match value {
        Value::Null => SpinValue::Null,
        Value::Integer(value) => SpinValue::Integer(*value),
        Value::Real(value) => SpinValue::Real(*value),
        Value::Text(value) => SpinValue::Text(value.clone()),
        Value::Blob(value) => SpinValue::Blob(value.clone()),
    }
}

fn from_spin(value: SpinValue) -> Value {
    match value {
        SpinValue::Null => Value::Null,
        SpinValue::Integer(value) => Value::Integer(value),
        SpinValue::Real(value) => Value::Real(value),
        SpinValue::Text(value) => Value::Text(value),
        SpinValue::Blob(value) => Value::Blob(value),
    }
}

/// [`Connection`] over a connection of Spin's. Opening costs about 150 microseconds, so callers keep
/// one for the life of the instance, for one request at a time.
pub struct SpinDb {
    connection: sqlite::Connection,
}

impl SpinDb {
    /// Opens the database that the manifest calls `name`.
    ///
    /// # Errors
    /// [`DbError::Failed`] when the component has no access to it.
    pub fn open(name: &str) -> Result<Self, DbError> {
        let connection = sqlite::Connection::open(name).map_err(into_db_error)?;
        Ok(Self { connection })
    }
}

impl Db for SpinDb {
    fn dialect(&self) -> crate::Dialect {
        crate::Dialect::Sqlite
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.execute(query.into(), params)
    }
}

impl Connection for SpinDb {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        let sql = statement.text();
        let params: Vec<SpinValue> = params.iter().map(to_spin).collect();
        let mut waits = match sql {
            BEGIN_WRITE | BEGIN_PART | BEGIN_FREEING | BEGIN_FREEING_PART => WAITS,
            _ => 1,
        };
        let result = loop {
            waits -= 1;
            // Nothing has begun, so asking again repeats nothing. The native host, whose queue is
            // fair, answers a wait that was too long by another error.
            match self.connection.execute(sql, &params).map_err(into_db_error) {
                Err(DbError::Busy(_)) if waits > 0 => {}
                result => break result?,
            }
        };
        let rows = result
            .rows
            .into_iter()
            .map(|row| row.values.into_iter().map(from_spin).collect())
            .collect();
        Ok(Rows {
            columns: result.columns,
            rows,
        })
    }
}
