//! Blobs to delete: ones that are no longer needed, and ones that were announced and never used.

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Notes that the blobs of `keys` (a JSON list) can be deleted at `due` (UNIX seconds). A key that
/// is already listed keeps its time.
pub fn add(tx: &WriteTx<'_>, keys: &str, due: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO blob_deletions (key, due) SELECT value, ?2 FROM json_texts(?1) WHERE true \
             ON CONFLICT DO NOTHING"
        ),
        &params![keys, due],
    )?;
    Ok(())
}

/// Takes `keys` (a JSON list) out: the blobs are needed, or are gone.
pub fn remove(tx: &WriteTx<'_>, keys: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM blob_deletions WHERE key IN (SELECT value FROM json_texts(?1))"),
        &params![keys],
    )?;
    Ok(())
}

/// Keys that are due at `now` (UNIX seconds), at most `limit`.
pub fn due(db: &dyn Db, now: i64, limit: i64) -> Result<Vec<String>, DbError> {
    db.query(
        sql!("SELECT key FROM blob_deletions WHERE due <= ?1 ORDER BY due LIMIT ?2"),
        &params![now, limit],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn keys_come_when_they_are_due_and_go_when_they_are_needed() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        add(&tx, r#"["a","b"]"#, 10).unwrap();
        add(&tx, r#"["b","c"]"#, 5).unwrap();
        assert_eq!(due(&tx, 5, 9), Ok(vec!["c".to_owned()]));
        remove(&tx, r#"["a","c"]"#).unwrap();
        assert_eq!(due(&tx, 10, 9), Ok(vec!["b".to_owned()]));
    }
}
