//! The backend of components on PostgreSQL: the synchronous calls of Spin's interface.
//!
//! Owns the translation of values and errors. As for SQLite, only the generated bindings have
//! synchronous calls, so this module uses them.

use spin_sdk::pg::wit::postgres::{
    Connection as SpinConnection, DbDataType, DbValue, Error, ParameterValue, QueryError,
};

use crate::pg::{Progress, by_state, by_text, not_connected};
use crate::{Connection, Db, DbError, Query, Rows, Statement, Value};

/// [`Connection`] over a connection of Spin's, for one request: Spin lends few.
pub struct PgDb {
    connection: SpinConnection,
    progress: Progress,
}

impl PgDb {
    /// Takes a connection to `address`, a URL.
    ///
    /// # Errors
    /// [`DbError::Unreachable`] when there is none; [`DbError::Overloaded`] when all stay in use.
    pub fn open(address: &str) -> Result<Self, DbError> {
        let connection = SpinConnection::open(address).map_err(into_db_error)?;
        // Spin lends it as its last user has left it, even within a transaction.
        let left = connection.execute("ROLLBACK", &[]);
        left.map_err(into_db_error)?;
        let progress = Progress::new();
        Ok(Self {
            connection,
            progress,
        })
    }
}

impl Db for PgDb {
    fn dialect(&self) -> crate::Dialect {
        crate::Dialect::Postgres
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.execute(query.into(), params)
    }
}

impl Connection for PgDb {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        let params: Vec<ParameterValue> = params.iter().map(to_spin).collect();
        self.progress.through(statement, |text| {
            let found = self.connection.query(text, &params);
            let found = found.map_err(into_db_error)?;
            let columns = &found.columns;
            let rows = found.rows.into_iter().map(|row| {
                let values = row.into_iter().enumerate();
                let values = values.map(|(place, value)| {
                    from_spin(value, columns.get(place).map(|column| &column.data_type))
                });
                values.collect()
            });
            let rows = rows.collect::<Result<_, _>>()?;
            let columns = found.columns.iter().map(|column| column.name.clone());
            let columns = columns.collect();
            Ok(Rows { columns, rows })
        })
    }
}

fn into_db_error(error: Error) -> DbError {
    match error {
        Error::ConnectionFailed(reason) if is_busy(&reason) => DbError::Overloaded(reason),
        Error::ConnectionFailed(reason) => not_connected(&reason),
        Error::QueryFailed(QueryError::DbError(error)) => by_state(&error.code, &error.message),
        Error::QueryFailed(QueryError::Text(text)) | Error::Other(text) => by_text(text),
        Error::BadParameter(text) | Error::ValueConversionFailed(text) => DbError::Failed(text),
    }
}

/// Whether the pool, and not the server, had no connection: as the native host and as Spin word it.
fn is_busy(reason: &str) -> bool {
    ["no connection became free", "waiting for a slot"]
        .iter()
        .any(|text| reason.contains(text))
}

fn to_spin(value: &Value) -> ParameterValue {
    match value {
        Value::Null => ParameterValue::DbNull,
        Value::Integer(value) => ParameterValue::Int64(*value),
        Value::Real(value) => ParameterValue::Floating64(*value),
        Value::Text(value) => ParameterValue::Str(value.clone()),
        Value::Blob(value) => ParameterValue::Binary(value.clone()),
    }
}

fn from_spin(value: DbValue, kind: Option<&DbDataType>) -> Result<Value, DbError> {
    Ok(match value {
        DbValue::DbNull => Value::Null,
        DbValue::Boolean(value) => Value::Integer(value.into()),
        DbValue::Int16(value) => Value::Integer(value.into()),
        DbValue::Int32(value) => Value::Integer(value.into()),
        DbValue::Int64(value) => Value::Integer(value),
        DbValue::Floating32(value) => Value::Real(value.into()),
        DbValue::Floating64(value) => Value::Real(value),
        DbValue::Str(value) => Value::Text(value),
        DbValue::Binary(value) => Value::Blob(value),
        // Sums of integers are decimals without a fraction.
        DbValue::Decimal(value) => match value.parse() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Real(value.parse().map_err(|_| unknown("a number"))?),
        },
        DbValue::Jsonb(value) => text(value)?,
        DbValue::Unsupported(value) if matches!(kind, Some(DbDataType::Other(name)) if name == "json") => {
            text(value)?
        }
        _ => return Err(unknown("a type")),
    })
}

fn text(value: Vec<u8>) -> Result<Value, DbError> {
    let text = String::from_utf8(value).map_err(|_| unknown("a text"))?;
    Ok(Value::Text(text))
}

fn unknown(what: &str) -> DbError {
    DbError::Failed(format!(
        "the database has returned {what} that is not known"
    ))
}
