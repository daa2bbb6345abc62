//! The chain of the audit log: positions and digests of entries (docs/adr/0069-a-chain-of-the-audit-log.md).
//!
//! Entries get their positions after they were committed, by one job at a time. What a digest covers is the caller's
//! concern.

use spindle_domain::{AuditEntryId, RealmId};

use crate::audit::{AuditRow, columns};
use crate::{Db, DbError, WriteTx, among, params, row_struct, sql, statement};

row_struct! {
    /// The newest entry of the chain.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct ChainEnd {
        /// 0: there is none.
        pub position: i64,
        pub digest: String,
    }
}

/// Entries that are not in the chain yet, by id.
pub fn unchained(db: &dyn Db, limit: i64) -> Result<Vec<AuditRow>, DbError> {
    db.query(
        sql!(columns!(), "WHERE position IS NULL ORDER BY id LIMIT ?1"),
        &params![limit],
    )?
    .all()
}

/// The newest entry of the chain; a position of 0 and an empty digest without one.
pub fn end(db: &dyn Db) -> Result<ChainEnd, DbError> {
    let found = db.query(
        sql!(
            "SELECT position, digest FROM audit_log WHERE position IS NOT NULL \
             ORDER BY position DESC LIMIT 1"
        ),
        &[],
    )?;
    Ok(found.first()?.unwrap_or_default())
}

/// Puts an entry into the chain.
pub fn set(tx: &WriteTx<'_>, id: AuditEntryId, position: i64, digest: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE audit_log SET position = ?2, digest = ?3 WHERE id = ?1 AND position IS NULL"
        ),
        &params![id, position, digest],
    )?;
    Ok(())
}

/// Entries of the chain after a position, in its order.
pub fn after(db: &dyn Db, position: i64, limit: i64) -> Result<Vec<AuditRow>, DbError> {
    db.query(
        sql!(columns!(), "WHERE position > ?1 ORDER BY position LIMIT ?2"),
        &params![position, limit],
    )?
    .all()
}

/// The data of the entries about removed entries, newest first.
pub fn prunings(db: &dyn Db, realm_id: RealmId) -> Result<Vec<String>, DbError> {
    db.query(
        sql!(
            "SELECT data FROM audit_log WHERE realm_id = ?1 AND event_type = 'audit_pruned' \
             ORDER BY id DESC"
        ),
        &params![realm_id],
    )?
    .values()
}

/// The last entry of the chain before its first one that is not older than `time` (UNIX seconds). None where there is
/// no older one.
pub fn last_before(db: &dyn Db, time: i64) -> Result<Option<ChainEnd>, DbError> {
    db.query(
        sql!(
            "SELECT position, digest FROM audit_log WHERE position < coalesce( \
                 (SELECT min(l.position) FROM audit_log l WHERE l.position IS NOT NULL AND l.time >= ?1), \
                 9223372036854775807) \
             ORDER BY position DESC LIMIT 1"
        ),
        &params![time],
    )?
    .first()
}

/// Removes the first `limit` entries of the chain, up to a position; returns how many there were.
pub fn remove(tx: &WriteTx<'_>, position: i64, limit: i64) -> Result<usize, DbError> {
    let removed = tx.execute(
        statement!(
            "DELETE FROM audit_log WHERE id ",
            among!(
                "SELECT l.id FROM audit_log l WHERE l.position <= ?1 ORDER BY l.position LIMIT ?2"
            ),
            " RETURNING 1"
        ),
        &params![position, limit],
    )?;
    Ok(removed.rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestDatabase, TestPostgres, write};
    use crate::{Connection, audit};

    fn ids(rows: &[AuditRow]) -> Vec<i64> {
        rows.iter().map(|row| row.id.0).collect()
    }

    fn chain(connection: &dyn Connection) {
        write(connection, |tx| {
            for time in [10, 20, 15, 30] {
                let kind = "user_created";
                audit::append(tx, RealmId::ONLY, time, None, None, kind, "{}").unwrap();
            }
        });
        assert_eq!(end(connection), Ok(ChainEnd::default()));
        assert_eq!(ids(&unchained(connection, 3).unwrap()), [1, 2, 3]);
        write(connection, |tx| {
            for (position, id) in [(1, 1), (2, 3), (3, 2)] {
                set(tx, AuditEntryId(id), position, &format!("digest {id}")).unwrap();
            }
            // An entry that has a position keeps it.
            set(tx, AuditEntryId(1), 9, "").unwrap();
        });
        let newest = ChainEnd {
            position: 3,
            digest: "digest 2".to_owned(),
        };
        assert_eq!(end(connection), Ok(newest.clone()));
        assert_eq!(ids(&unchained(connection, 9).unwrap()), [4]);
        assert_eq!(ids(&after(connection, 1, 9).unwrap()), [3, 2]);
        assert_eq!(last_before(connection, 10), Ok(None));
        let before = |time| last_before(connection, time).unwrap().unwrap().position;
        assert_eq!((before(15), before(20), before(99)), (1, 2, 3));
        let removed = |position| write(connection, |tx| remove(tx, position, 2).unwrap());
        assert_eq!((removed(2), removed(2), removed(9)), (2, 0, 1));
        assert_eq!(ids(&unchained(connection, 9).unwrap()), [4]);
        assert_eq!(prunings(connection, RealmId::ONLY), Ok(Vec::new()));
    }

    #[test]
    fn entries_get_positions_on_both_databases() {
        chain(&TestDatabase::with_realm().db());
        if let Some(database) = TestPostgres::with_realm() {
            chain(&database.open());
        }
    }
}
