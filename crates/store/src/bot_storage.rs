//! The storage of bots between their runs: texts by key, separate for each account.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// The entries of an account as a JSON object, all of them or those in a JSON list of keys.
pub fn entries(db: &dyn Db, user_id: UserId, keys: Option<&str>) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT coalesce(json_group_object(key, value ORDER BY key), '{}') FROM bot_storage WHERE user_id = ?1 \
             AND (?2:text IS NULL OR key IN (SELECT value FROM json_texts(?2)))"
        ),
        &params![user_id, keys],
    )?
    .one_value()
}

/// The first key of a JSON list that the account has no entry for.
pub fn first_missing(db: &dyn Db, user_id: UserId, keys: &str) -> Result<Option<String>, DbError> {
    db.query(
        sql!(
            "SELECT j.value FROM json_texts(?2) j WHERE NOT EXISTS (SELECT 1 FROM bot_storage s \
             WHERE s.user_id = ?1 AND s.key = j.value) ORDER BY j.key LIMIT 1"
        ),
        &params![user_id, keys],
    )?
    .value()
}

/// Stores the entries of a JSON object, in place of those under the same keys.
pub fn set(tx: &WriteTx<'_>, user_id: UserId, entries: &str) -> Result<(), DbError> {
    // `true`: without it, ON CONFLICT would be read as part of a join.
    tx.execute(
        statement!(
            "INSERT INTO bot_storage (user_id, key, value) \
         SELECT ?1, j.key, j.value FROM json_members(?2) j WHERE true \
         ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value"
        ),
        &params![user_id, entries],
    )?;
    Ok(())
}

/// Characters of all keys and values of an account.
pub fn size(db: &dyn Db, user_id: UserId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT coalesce(sum(length(key) + length(value)), 0) FROM bot_storage WHERE user_id = ?1"),
        &params![user_id],
    )?
    .one_value()
}

/// Forgets the entries of an account, all of them or those in a JSON list of keys.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, keys: Option<&str>) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM bot_storage WHERE user_id = ?1 \
         AND (?2:text IS NULL OR key IN (SELECT value FROM json_texts(?2)))"
        ),
        &params![user_id, keys],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn every_account_keeps_its_own() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (one, two) = (testing::bot(&tx, "1@x"), testing::bot(&tx, "2@x"));
        set(&tx, one, r#"{"a":"1","b":"zwei"}"#).unwrap();
        set(&tx, one, r#"{"a":"3"}"#).unwrap();
        set(&tx, two, r#"{"a":"other"}"#).unwrap();
        assert_eq!(entries(&tx, one, None).unwrap(), r#"{"a":"3","b":"zwei"}"#);
        assert_eq!(
            entries(&tx, one, Some(r#"["b"]"#)).unwrap(),
            r#"{"b":"zwei"}"#
        );
        assert_eq!(size(&tx, one), Ok(7));
        let missing = first_missing(&tx, one, r#"["b","x","y"]"#).unwrap();
        assert_eq!(missing.as_deref(), Some("x"));
        delete(&tx, one, Some(r#"["a"]"#)).unwrap();
        assert_eq!(entries(&tx, one, None).unwrap(), r#"{"b":"zwei"}"#);
        delete(&tx, one, None).unwrap();
        assert_eq!(entries(&tx, one, None).unwrap(), "{}");
        assert_eq!(entries(&tx, two, None).unwrap(), r#"{"a":"other"}"#);
    }
}
