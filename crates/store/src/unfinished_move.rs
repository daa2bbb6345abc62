//! Whether an organization is being moved or imported into the database.

use crate::{Db, DbError, either, sql};

/// Whether a copy into this database has begun and was not finished.
pub fn is_unfinished(db: &dyn Db) -> Result<bool, DbError> {
    let sql = sql!(either!(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'organization_move') AS is_there",
        "SELECT to_regclass('organization_move') IS NOT NULL AS is_there"
    ));
    db.query(sql, &[])?.one_value()
}

/// Refuses a database into which a copy was not finished.
pub fn require_finished(db: &dyn Db) -> Result<(), DbError> {
    if !is_unfinished(db)? {
        return Ok(());
    }
    Err(DbError::Failed(
        "an organization is being moved or imported into this database, and that was not finished: run the same \
         spindle admin move or import again, or drop the database and create it again"
            .to_owned(),
    ))
}
