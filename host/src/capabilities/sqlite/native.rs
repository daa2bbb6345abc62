//! The database for actions that the host itself calls: [`Db`] over a [`Session`].
//!
//! Such an action waits in the same line, shares the same group commits and keeps to the same limits
//! as one that a component calls. It has no grants of a component: it may do what native code may.

use super::{Database, DatabaseError, Session};
use crate::runtime::bindings::spin::sqlite::sqlite::Value as Sent;
use spindle_store::{Db, DbError, Rows, Value};
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
    fn execute(&self, sql: &'static str, params: &[Value]) -> Result<Rows, DbError> {
        let Ok(mut session) = self.session.try_borrow_mut() else {
            return Err(DbError::Failed("a statement is running already".to_owned()));
        };
        let params: Vec<Sent> = params.iter().map(sent).collect();
        let result = self.runtime.block_on(session.execute(sql, &params))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capabilities::sqlite::DatabaseOptions;
    use spindle_store::{BEGIN_WRITE, COMMIT, ROLLBACK, params};

    /// Runs `work` with a connection to an empty table `rows`, and returns the group commits that this
    /// took beside its result.
    async fn with_table<T: Send + 'static>(
        work: impl FnOnce(&dyn Db) -> T + Send + 'static,
    ) -> (T, u64) {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(&DatabaseOptions::new(folder.path().join("x.db"))).unwrap();
        let commits = database.commits();
        let runtime = Handle::current();
        let working = tokio::task::spawn_blocking(move || {
            let db = NativeConnection::new(database, runtime);
            db.execute("CREATE TABLE rows (a UNIQUE, b, c, d)", &[])
                .unwrap();
            work(&db)
        });
        let result = working.await.unwrap();
        (result, *commits.borrow())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn values_go_in_and_come_back() {
        let (found, commits) = with_table(|db| {
            db.execute(BEGIN_WRITE, &[]).unwrap();
            let values = params![7_i64, 2.5, "t\u{e9}xt", vec![0_u8, 255]];
            db.execute("INSERT INTO rows VALUES (?1, ?2, ?3, ?4)", &values)
                .unwrap();
            db.execute(COMMIT, &[]).unwrap();
            let rows = db.execute("SELECT *, NULL FROM rows", &[]).unwrap();
            let mut expected = values.to_vec();
            expected.push(Value::Null);
            assert_eq!(rows.rows, [expected]);
            rows.columns
        })
        .await;
        assert_eq!(found, ["a", "b", "c", "d", "NULL"]);
        assert_eq!(commits, 2, "the table and the row are a group each");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_undone_is_not_there_and_errors_are_sorted() {
        let (outcome, _) = with_table(|db| {
            db.execute("INSERT INTO rows (a) VALUES (1)", &[]).unwrap();
            db.execute(BEGIN_WRITE, &[]).unwrap();
            db.execute("DELETE FROM rows", &[]).unwrap();
            db.execute(ROLLBACK, &[]).unwrap();
            db.execute("INSERT INTO rows (a) VALUES (1)", &[])
        })
        .await;
        assert!(matches!(outcome, Err(DbError::NotUnique(_))), "{outcome:?}");
    }
}
