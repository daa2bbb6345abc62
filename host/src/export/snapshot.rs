//! One state of the database, of which a whole archive is made.

use rusqlite::Connection;
use spindle_store::RusqliteDb;
use spindle_store::archive::Scope;

/// What everything of an archive is read from.
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
