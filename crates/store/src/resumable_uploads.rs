//! Uploads that arrive in parts.
//!
//! Owns the rows of `resumable_uploads`. Only the blob store knows how many bytes of one have
//! arrived.

use spindle_domain::{RealmId, UserId};

use crate::quotas::accounts_of_share;
use crate::{Db, DbError, WriteTx, among, params, row_struct, sql, statement};

/// An upload that begins.
#[derive(Debug, Clone)]
pub struct NewResumableUpload<'a> {
    /// Random.
    pub id: &'a str,
    pub realm_id: RealmId,
    /// The user who uploads it.
    pub owner_id: UserId,
    /// As shown to people.
    pub name: &'a str,
    /// Media type, as sent.
    pub content_type: Option<&'a str>,
    /// The header `Upload-Metadata`, as sent.
    pub metadata: &'a str,
    /// Bytes of the whole file.
    pub size: i64,
    /// UNIX seconds.
    pub expires: i64,
}

row_struct! {
    /// An upload that was begun.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ResumableUploadRow {
        /// As shown to people.
        pub name: String,
        /// Media type, as sent.
        pub content_type: Option<String>,
        /// The header `Upload-Metadata`, as sent.
        pub metadata: String,
        /// Bytes of the whole file.
        pub size: i64,
        /// UNIX seconds.
        pub expires: i64,
        /// Whether it has become a file.
        pub is_finished: bool,
    }
}

row_struct! {
    /// What bounds uploads of an organization.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct UploadSpace {
        /// Bytes of all files.
        pub used: i64,
        /// Bytes of files whose uploads have begun.
        pub expected: i64,
        /// Most MiB of all files together; `None` means no limit.
        pub quota_mib: Option<i64>,
        /// Most MiB of one file.
        pub largest_mib: i64,
    }
}

/// How much space uploads of an organization have.
///
/// # Errors
/// [`DbError`] when there is no such organization or the statement fails.
pub fn upload_space(db: &dyn Db, realm_id: RealmId) -> Result<UploadSpace, DbError> {
    db.query(
        sql!(
            "SELECT (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM attachments WHERE realm_id = ?1) AS used, \
         (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM resumable_uploads WHERE realm_id = ?1 \
         AND finished = 0) AS expected, upload_quota_mib AS quota_mib, \
         max_file_upload_size_mib AS largest_mib FROM realms WHERE id = ?1"
        ),
        &params![realm_id],
    )?
    .one()
}

/// Bytes of the files that count for the share of one person, those included whose uploads have begun.
pub fn space_of_person(db: &dyn Db, user_id: UserId) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM attachments WHERE owner_id IN ",
            accounts_of_share!(),
            ") + (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM resumable_uploads \
             WHERE finished = 0 AND owner_id IN ",
            accounts_of_share!(),
            ") AS used"
        ),
        &params![user_id],
    )?
    .one_value()
}

/// Changes the most MiB that one file may have.
pub fn set_largest(tx: &WriteTx<'_>, realm_id: RealmId, mib: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET max_file_upload_size_mib = ?2 WHERE id = ?1"),
        &params![realm_id, mib],
    )?;
    Ok(())
}

/// Adds an upload.
pub fn insert(tx: &WriteTx<'_>, new: &NewResumableUpload<'_>) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO resumable_uploads (id, realm_id, owner_id, name, content_type, metadata, \
         size, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        ),
        &params![
            new.id,
            new.realm_id,
            new.owner_id,
            new.name,
            new.content_type,
            new.metadata,
            new.size,
            new.expires,
        ],
    )?;
    Ok(())
}

/// Finds an upload of this owner that has not expired at `now` (UNIX seconds).
pub fn find(
    db: &dyn Db,
    owner_id: UserId,
    id: &str,
    now: i64,
) -> Result<Option<ResumableUploadRow>, DbError> {
    db.query(
        sql!(
            "SELECT name, content_type, metadata, size, expires, finished AS is_finished \
             FROM resumable_uploads \
             WHERE id = ?2 AND owner_id = ?1 AND expires > ?3"
        ),
        &params![owner_id, id, now],
    )?
    .first()
}

/// Notes that an upload has become a file.
pub fn finish(tx: &WriteTx<'_>, id: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE resumable_uploads SET finished = 1 WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

/// Removes an upload; its bytes stay.
pub fn delete(tx: &WriteTx<'_>, id: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM resumable_uploads WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

/// Whether any upload has expired at `now` (UNIX seconds).
pub fn any_expired(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM resumable_uploads WHERE expires <= ?1)"),
        &params![now],
    )?
    .one_value()
}

/// Removes up to `limit` uploads that have expired at `now` (UNIX seconds).
pub fn delete_expired(tx: &WriteTx<'_>, now: i64, limit: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM resumable_uploads WHERE id ",
            among!(
                "SELECT id FROM resumable_uploads WHERE expires <= ?1 ORDER BY expires LIMIT ?2"
            )
        ),
        &params![now, limit],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quotas::Counter;
    use crate::testing::{self, TestDatabase};
    use spindle_domain::limits::quotas::Quota;

    #[test]
    fn an_upload_takes_room_until_it_is_finished_or_gone() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (
            testing::user(&tx, "ann@x.org"),
            testing::user(&tx, "bob@x.org"),
        );
        let mut new = NewResumableUpload {
            id: "a",
            realm_id: RealmId::ONLY,
            owner_id: ann,
            name: "a.txt",
            content_type: None,
            metadata: "filename YS50eHQ=",
            size: 30,
            expires: 100,
        };
        insert(&tx, &new).unwrap();
        new.id = "b";
        insert(&tx, &new).unwrap();
        let found = find(&tx, ann, "a", 99).unwrap().unwrap();
        assert_eq!((found.size, found.is_finished), (30, false));
        assert_eq!(found.metadata, new.metadata);
        assert_eq!(find(&tx, ann, "a", 100), Ok(None));
        assert_eq!(find(&tx, bob, "a", 99), Ok(None));
        assert_eq!(upload_space(&tx, RealmId::ONLY).unwrap().expected, 60);
        assert_eq!(Counter::of(Quota::ResumableUploads).count(&tx, ann), Ok(2));
        assert_eq!(Counter::of(Quota::ResumableBytes).count(&tx, ann), Ok(60));
        finish(&tx, "a").unwrap();
        assert_eq!(upload_space(&tx, RealmId::ONLY).unwrap().expected, 30);
        assert_eq!(any_expired(&tx, 99), Ok(false));
        assert_eq!(any_expired(&tx, 100), Ok(true));
        delete_expired(&tx, 100, 1).unwrap();
        delete_expired(&tx, 100, 1).unwrap();
        assert_eq!(any_expired(&tx, 100), Ok(false));
        assert_eq!(Counter::of(Quota::ResumableUploads).count(&tx, ann), Ok(0));
    }
}
