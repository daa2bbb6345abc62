//! Bots as their owners and administrators see them.

use crate::{Db, DbError, params};

/// The active bots of one owner, or of everybody, as a JSON list by id (fetch type
/// `realm_bot`; the small object since feature level 474).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, realm_id: i64, owner_id: i64, all: bool) -> Result<String, DbError> {
    db.execute(
        "SELECT json_group_array(json_object('user_id', id, 'default_sending_stream', NULL, \
             'default_events_register_stream', NULL, \
             'default_all_public_streams', json('false'), 'services', json('[]')) ORDER BY id) \
         FROM users WHERE realm_id = ?1 AND is_bot = 1 AND is_active = 1 \
         AND (?3 OR bot_owner_id = ?2)",
        &params![realm_id, owner_id, all],
    )?
    .read_one(|row| row.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn owners_see_their_own() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let ann = testing::add_user(&db, "ann@x.org");
        let bot = testing::add_bot(&db, "bot@x.org");
        assert_eq!(records(&db, 1, ann, false), Ok("[]".to_owned()));
        let all = records(&db, 1, ann, true).unwrap();
        let all: serde_json::Value = serde_json::from_str(&all).unwrap();
        assert_eq!(all[0]["user_id"], bot);
        assert_eq!(all[0]["default_all_public_streams"], false);
    }
}
