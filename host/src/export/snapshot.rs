//! The snapshot of the database from which an archive is made.

use rusqlite::Connection;
use spindle_store::RusqliteDb;
use spindle_store::archive::Scope;

/// A connection with an open read transaction.
pub(super) struct Snapshot<'c> {
    pub(super) connection: &'c Connection,
    pub(super) realm_id: i64,
    pub(super) scope: Scope,
}

impl<'c> Snapshot<'c> {
    pub(super) const fn db(&self) -> RusqliteDb<'c> {
        RusqliteDb::new(self.connection)
    }
}
