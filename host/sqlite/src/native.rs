//! The database for actions that the host itself calls: [`Db`] over a [`Session`].
//!
//! Such an action waits in the same line, shares the same group commits and keeps to the same limits
//! as one that a component calls. It has no grants of a component: it may do what native code may.

use super::{Database, DatabaseError, Session};
use spindle_bindings::spin::sqlite::sqlite::Value as Sent;
use spindle_store::{Connection, Db, DbError, Query, Rows, Statement, Value};
use std::cell::RefCell;
use tokio::runtime::Handle;

/// A connection for one thread that may block; never for a thread that drives tasks.
pub struct NativeConnection {
    session: RefCell<Session>,
    runtime: Handle,
}

impl NativeConnection {
    /// A connection to `database`, outside any transaction. Its waits are driven by `runtime`, the one
    /// in which `database` was opened.
    #[must_use]
    pub fn new(database: Database, runtime: Handle) -> Self {
        let session = Session::new(database, None, Box::new(|| None));
        Self {
            session: RefCell::new(session),
            runtime,
        }
    }
}

impl Db for NativeConnection {
    fn dialect(&self) -> spindle_store::Dialect {
        spindle_store::Dialect::Sqlite
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.execute(query.into(), params)
    }
}

impl Connection for NativeConnection {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        let Ok(mut session) = self.session.try_borrow_mut() else {
            return Err(DbError::Failed("a statement is running already".to_owned()));
        };
        let params: Vec<Sent> = params.iter().map(sent).collect();
        let result = self
            .runtime
            .block_on(session.execute(statement.text(), &params))?;
        let rows = result.rows.into_iter();
        Ok(Rows {
            columns: result.columns,
            rows: rows
                .map(|row| row.values.into_iter().map(received).collect())
                .collect(),
        })
    }
}

impl From<DatabaseError> for DbError {
    fn from(error: DatabaseError) -> Self {
        if error.is_full() {
            return Self::Full(error.to_string());
        }
        Self::from_message(error.to_string())
    }
}

fn sent(value: &Value) -> Sent {
    match value {
        Value::Null => Sent::Null,
        Value::Integer(number) => Sent::Integer(*number),
        Value::Real(number) => Sent::Real(*number),
        Value::Text(text) => Sent::Text(text.clone()),
        Value::Blob(bytes) => Sent::Blob(bytes.clone()),
    }
}

fn received(value: Sent) -> Value {
    match value {
        Sent::Null => Value::Null,
        Sent::Integer(number) => Value::Integer(number),
        Sent::Real(number) => Value::Real(number),
        Sent::Text(text) => Value::Text(text),
        Sent::Blob(bytes) => Value::Blob(bytes),
    }
}
