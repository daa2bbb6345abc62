//! The one transaction of an import.
//!
//! It fills a database that no other program has opened, so it meets no conflict and is never run
//! again; it takes rows for as long as the archive has some. That is why it is a value and no
//! closure, see [`crate::change()`].

use std::ops::Deref;

use crate::{Connection, Db, DbError, Query, Rows, Value, WriteTx};

/// The transaction of an import. Dropped before [`ImportTransaction::finish`], it is undone.
pub struct ImportTransaction<'d>(WriteTx<'d>);

impl<'d> ImportTransaction<'d> {
    /// Opens the transaction.
    ///
    /// # Errors
    /// [`DbError`] when the connection refuses.
    pub fn begin(connection: &'d dyn Connection) -> Result<Self, DbError> {
        WriteTx::begin(connection).map(Self)
    }

    /// Commits; there are no queues yet that could receive an event.
    ///
    /// # Errors
    /// [`DbError`]; everything is then undone.
    pub fn finish(self) -> Result<(), DbError> {
        self.0.commit()
    }
}

impl<'d> Deref for ImportTransaction<'d> {
    type Target = WriteTx<'d>;

    fn deref(&self) -> &WriteTx<'d> {
        &self.0
    }
}

impl Db for ImportTransaction<'_> {
    fn dialect(&self) -> crate::Dialect {
        self.0.dialect()
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.0.query(query, params)
    }
}
