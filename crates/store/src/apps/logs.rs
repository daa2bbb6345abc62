//! What apps and the server have noted about runs; the newest lines of each app.

use spindle_domain::AppId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Adds a line at `now` (UNIX seconds), and removes the oldest ones of the app down to `keep`.
pub fn append(
    tx: &WriteTx<'_>,
    app_id: AppId,
    now: i64,
    text: &str,
    keep: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO app_logs (app_id, time, text) VALUES (?1, ?2, ?3)"),
        &params![app_id, now, text],
    )?;
    tx.execute(
        statement!(
            "DELETE FROM app_logs WHERE app_id = ?1 AND id <= (SELECT id FROM app_logs WHERE app_id = ?1 \
             ORDER BY id DESC LIMIT 1 OFFSET ?2)"
        ),
        &params![app_id, keep],
    )?;
    Ok(())
}

/// The lines of an app as a JSON list, the oldest first.
pub fn list(db: &dyn Db, app_id: AppId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json_object('time', time, 'text', text) ORDER BY id) FROM app_logs \
             WHERE app_id = ?1"
        ),
        &params![app_id],
    )?
    .one_value()
}
