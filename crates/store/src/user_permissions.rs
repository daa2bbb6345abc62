//! Permissions that the operator grants to single accounts, in addition to roles and groups.
//!
//! Owns the rows of `user_permissions`.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Grants or revokes a special permission; returns whether anything changed.
pub fn set_permission(
    tx: &WriteTx<'_>,
    user_id: UserId,
    permission: &str,
    granted: bool,
) -> Result<bool, DbError> {
    let sql = if granted {
        statement!(
            "INSERT INTO user_permissions (user_id, permission) VALUES (?1, ?2) \
         ON CONFLICT DO NOTHING RETURNING 1"
        )
    } else {
        statement!(
            "DELETE FROM user_permissions WHERE user_id = ?1 AND permission = ?2 RETURNING 1"
        )
    };
    let rows = tx.execute(sql, &params![user_id, permission])?;
    Ok(!rows.rows.is_empty())
}

/// Whether the account holds a special permission.
pub fn has_permission(db: &dyn Db, user_id: UserId, permission: &str) -> Result<bool, DbError> {
    let rows = db.query(
        sql!("SELECT 1 FROM user_permissions WHERE user_id = ?1 AND permission = ?2"),
        &params![user_id, permission],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Whether the account holds any special permission.
pub fn has_any(db: &dyn Db, user_id: UserId) -> Result<bool, DbError> {
    let rows = db.query(
        sql!("SELECT 1 FROM user_permissions WHERE user_id = ?1 LIMIT 1"),
        &params![user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn special_permissions() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let id = testing::user(&tx, "ann@x.org");
        assert_eq!(set_permission(&tx, id, "can_create_users", true), Ok(true));
        assert_eq!(set_permission(&tx, id, "can_create_users", true), Ok(false));
        assert_eq!(has_permission(&tx, id, "can_create_users"), Ok(true));
        assert_eq!(has_permission(&tx, id, "can_forge_sender"), Ok(false));
        assert_eq!(has_any(&tx, id), Ok(true));
        assert_eq!(set_permission(&tx, id, "can_create_users", false), Ok(true));
        assert_eq!(has_permission(&tx, id, "can_create_users"), Ok(false));
        assert_eq!(has_any(&tx, id), Ok(false));
    }
}
