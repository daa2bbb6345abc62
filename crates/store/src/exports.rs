//! Data exports: the requests and their results.
//!
//! The archive itself is a blob; a deleted export keeps its row, without the blob.

use spindle_domain::{RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// An export as the wire has it (docs/protocol/exports.md#export_realm); `?1` is the address of the
/// organization.
macro_rules! export_object {
    () => {
        "json_object('id', id, 'acting_user_id', acting_user_id, \
         'export_time', export_time * 1.0, \
         'export_url', iif(deleted IS NULL, ?1:text || '/user_avatars/exports/' || path, NULL), \
         'deleted_timestamp', deleted * 1.0, 'failed_timestamp', failed * 1.0, \
         'pending', json(iif(path IS NULL AND failed IS NULL AND deleted IS NULL, 'true', 'false')), \
         'export_type', export_type)"
    };
}

row_struct! {
    /// An export whose archive is to be built.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PendingExport {
        pub id: i64,
        pub realm_id: RealmId,
        /// Wire name of its type.
        pub export_type: String,
        /// The server's address, as the user who asked for the export knows it; without a slash at its end.
        pub realm_url: String,
    }
}

row_struct! {
    /// What `access` needs of an export.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ExportRow {
        /// Wire name of its type.
        pub export_type: String,
        /// Key of the archive; `None` while there is none.
        pub blob_key: Option<String>,
        /// Whether building it failed.
        pub failed: bool,
        /// Whether it was deleted.
        pub deleted: bool,
    }
}

/// Exports of an organization as a JSON list, by id, those of the type `left_out` (if any) not
/// among them; `realm_url` has no slash at its end.
pub fn records(
    db: &dyn Db,
    realm_id: RealmId,
    realm_url: &str,
    left_out: Option<&str>,
) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            export_object!(),
            " ORDER BY id) FROM realm_exports WHERE realm_id = ?2 AND export_type IS DISTINCT FROM ?3:text"
        ),
        &params![realm_url, realm_id, left_out],
    )?
    .one_value()
}

/// Number of exports that were asked for after `time` (UNIX seconds).
pub fn count_since(db: &dyn Db, realm_id: RealmId, time: i64) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM realm_exports WHERE realm_id = ?1 AND export_time > ?2"),
        &params![realm_id, time],
    )?
    .one_value()
}

/// Number of messages that an export would hold, counted up to `limit`; of channels that are
/// not private alone when it is public.
pub fn count_messages(
    db: &dyn Db,
    realm_id: RealmId,
    only_public: bool,
    limit: i64,
) -> Result<i64, DbError> {
    let sql = if only_public {
        sql!(
            "SELECT count(*) FROM (SELECT 1 FROM channels c \
             JOIN messages m ON m.conversation_id = c.conversation_id \
             WHERE c.realm_id = ?1 AND c.invite_only = 0 LIMIT ?2) AS counted"
        )
    } else {
        sql!(
            "SELECT count(*) FROM (SELECT 1 FROM messages WHERE realm_id = ?1 LIMIT ?2) AS counted"
        )
    };
    db.query(sql, &params![realm_id, limit])?.one_value()
}

/// Stores a request for an export; returns its id.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    acting_user_id: UserId,
    export_type: &str,
    realm_url: &str,
    now: i64,
) -> Result<i64, DbError> {
    tx.execute(
        statement!("INSERT INTO realm_exports (realm_id, acting_user_id, export_type, realm_url, export_time) \
         VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id"),
        &params![realm_id, acting_user_id, export_type, realm_url, now],
    )?
    .one_value()
}

/// An export of the organization, if there is one.
pub fn find(db: &dyn Db, realm_id: RealmId, export_id: i64) -> Result<Option<ExportRow>, DbError> {
    db.query(
        sql!(
            "SELECT export_type, blob_key, failed IS NOT NULL AS failed, \
         deleted IS NOT NULL AS deleted FROM realm_exports \
         WHERE id = ?2 AND realm_id = ?1"
        ),
        &params![realm_id, export_id],
    )?
    .first()
}

/// Exports whose archives are to be built.
macro_rules! pending {
    () => {
        "path IS NULL AND failed IS NULL AND deleted IS NULL"
    };
}

/// Whether there is an export that `builder` may claim at `now` (UNIX seconds).
pub fn is_any_due(db: &dyn Db, builder: &str, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM realm_exports WHERE ",
            pending!(),
            " AND (claimed_until <= ?2 OR claimed_by = ?1))"
        ),
        &params![builder, now],
    )?
    .one_value()
}

/// Claims the oldest pending export that no other builder has claimed at `now`: until `until` (UNIX seconds) it belongs
/// to `builder` alone.
pub fn claim(
    tx: &WriteTx<'_>,
    builder: &str,
    now: i64,
    until: i64,
) -> Result<Option<PendingExport>, DbError> {
    tx.execute(
        statement!(
            "UPDATE realm_exports SET claimed_by = ?1, claimed_until = ?3 WHERE id = ( \
             SELECT id FROM realm_exports WHERE ",
            pending!(),
            " AND (claimed_until <= ?2 OR claimed_by = ?1) ORDER BY id LIMIT 1) \
             RETURNING id, realm_id, export_type, realm_url"
        ),
        &params![builder, now, until],
    )?
    .first()
}

/// Renews a claim; false when another builder has it, or the export is no longer pending.
pub fn prolong(
    tx: &WriteTx<'_>,
    export_id: i64,
    builder: &str,
    until: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE realm_exports SET claimed_until = ?3 WHERE id = ?1 AND claimed_by = ?2 AND ",
            pending!(),
            " RETURNING 1"
        ),
        &params![export_id, builder, until],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Notes where the archive is, of `size` bytes; false when the export is no longer pending.
pub fn finish(
    tx: &WriteTx<'_>,
    export_id: i64,
    path: &str,
    blob_key: &str,
    size: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE realm_exports SET path = ?2, blob_key = ?3, size = ?4 WHERE id = ?1 AND ",
            pending!(),
            " RETURNING 1"
        ),
        &params![export_id, path, blob_key, size],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Notes that the archive could not be built by `builder`; false when another builder has claimed it, or it is no
/// longer pending.
pub fn set_failed(
    tx: &WriteTx<'_>,
    export_id: i64,
    builder: &str,
    now: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE realm_exports SET failed = ?3 WHERE id = ?1 AND claimed_by = ?2 AND ",
            pending!(),
            " RETURNING 1"
        ),
        &params![export_id, builder, now],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Notes that the archive was deleted.
pub fn set_deleted(tx: &WriteTx<'_>, export_id: i64, now: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realm_exports SET deleted = ?2 WHERE id = ?1"),
        &params![export_id, now],
    )?;
    Ok(())
}

row_struct! {
    /// The archive of an export.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Archive {
        /// Where its content is.
        pub blob_key: String,
        /// Wire name of the type of the export.
        pub export_type: String,
    }
}

/// The archive at a path below /user_avatars/exports/.
pub fn archive_at(db: &dyn Db, path: &str) -> Result<Option<Archive>, DbError> {
    db.query(
        sql!("SELECT blob_key, export_type FROM realm_exports WHERE path = ?1 AND deleted IS NULL"),
        &params![path],
    )?
    .first()
}

/// Active people and whether each agrees to the export of their private data, as a JSON list
/// by id.
pub fn consents(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json_object('user_id', id, \
             'consented', json(iif(settings -> 'allow_private_data_export' = 'true', 'true', 'false')), \
             'email_address_visibility', CAST(coalesce(settings ->> 'email_address_visibility', '1') AS BIGINT)) \
             ORDER BY id) \
         FROM users WHERE realm_id = ?1 AND is_active = 1 AND is_bot = 0"
        ),
        &params![realm_id],
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn an_export_is_pending_until_it_ends_one_way() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let owner = testing::user(&tx, "ann@x.org");
        let first = insert(&tx, RealmId::ONLY, owner, "public", "http://x", 100).unwrap();
        let second = insert(
            &tx,
            RealmId::ONLY,
            owner,
            "full_with_consent",
            "http://x",
            200,
        )
        .unwrap();
        assert_eq!(
            (
                count_since(&tx, RealmId::ONLY, 99),
                count_since(&tx, RealmId::ONLY, 100)
            ),
            (Ok(2), Ok(1))
        );
        let claimed = |builder, now| {
            let is_due = is_any_due(&tx, builder, now).unwrap();
            let claimed = claim(&tx, builder, now, now + 90).unwrap();
            assert_eq!(is_due, claimed.is_some());
            claimed.map(|export| export.id)
        };
        assert_eq!(claimed("one", 1000), Some(first));
        // Another builder takes another one; the first one has it still, after a start too.
        assert_eq!(claimed("two", 1000), Some(second));
        assert_eq!(claimed("three", 1089), None);
        assert_eq!(claimed("one", 1001), Some(first));
        assert_eq!(prolong(&tx, first, "one", 1200), Ok(true));
        assert_eq!(claimed("three", 1199), Some(second), "its claim is over");
        assert_eq!(prolong(&tx, second, "two", 1300), Ok(false));
        assert_eq!(set_failed(&tx, second, "two", 300), Ok(false));
        assert_eq!(finish(&tx, first, "1/x/a.tar.gz", "key", 9), Ok(true));
        assert_eq!(finish(&tx, first, "1/y/a.tar.gz", "other", 9), Ok(false));
        let archive = Archive {
            blob_key: "key".to_owned(),
            export_type: "public".to_owned(),
        };
        assert_eq!(archive_at(&tx, "1/x/a.tar.gz"), Ok(Some(archive)));
        assert_eq!(prolong(&tx, first, "one", 1300), Ok(false));
        assert_eq!(set_failed(&tx, second, "three", 300), Ok(true));
        assert_eq!(claimed("one", 9999), None);
        set_deleted(&tx, first, 400).unwrap();
        assert_eq!(archive_at(&tx, "1/x/a.tar.gz"), Ok(None));
        let of_consent = records(&tx, RealmId::ONLY, "http://x", Some("public")).unwrap();
        assert!(!of_consent.contains(r#""public""#) && of_consent.contains("full_with_consent"));
        let records = records(&tx, RealmId::ONLY, "http://x", None).unwrap();
        let expected = format!(
            r#"[{{"id":{first},"acting_user_id":{owner},"export_time":100.0,"export_url":null,"deleted_timestamp":400.0,"failed_timestamp":null,"pending":false,"export_type":"public"}},{{"id":{second},"acting_user_id":{owner},"export_time":200.0,"export_url":null,"deleted_timestamp":null,"failed_timestamp":300.0,"pending":false,"export_type":"full_with_consent"}}]"#
        );
        assert_eq!(records, expected);
    }
}
