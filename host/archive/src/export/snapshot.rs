//! The snapshot of the database from which an archive is made.

use spindle_store::Connection;
use spindle_store::archive::Scope;

/// A connection with an open read transaction.
pub(super) struct Snapshot<'c> {
    pub(super) db: &'c dyn Connection,
    pub(super) realm_id: i64,
    pub(super) scope: Scope,
}
