//! Users whom other users have muted.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// The people whom user `?1` has muted.
macro_rules! muted_users_query {
    () => {
        "SELECT json_group_array(json_object('id', muted_user_id, 'timestamp', created) \
             ORDER BY muted_user_id) FROM muted_users WHERE user_id = ?1"
    };
}
pub(crate) use muted_users_query;

/// The people whom a user has muted as a JSON list, by id.
pub fn records(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(sql!(muted_users_query!()), &params![user_id])?
        .one_value()
}

/// Mutes a user at `now` (UNIX seconds); false when they were muted before.
pub fn insert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    muted_user_id: UserId,
    now: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO muted_users (user_id, muted_user_id, created) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO NOTHING RETURNING 1"
        ),
        &params![user_id, muted_user_id, now],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Unmutes a user; false when they were not muted.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, muted_user_id: UserId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM muted_users WHERE user_id = ?1 AND muted_user_id = ?2 RETURNING 1"),
        &params![user_id, muted_user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn people_are_muted_once() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bob = testing::user(&tx, "bob@x.org");
        assert_eq!(insert(&tx, ann, bob, 5), Ok(true));
        assert_eq!(insert(&tx, ann, bob, 6), Ok(false));
        let expected = format!(r#"[{{"id":{bob},"timestamp":5}}]"#);
        assert_eq!(records(&tx, ann), Ok(expected));
        assert_eq!(delete(&tx, ann, bob), Ok(true));
        assert_eq!(delete(&tx, ann, bob), Ok(false));
    }
}
