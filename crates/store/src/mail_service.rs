//! Whether mail is configured, up to where the event log was searched for messages to mail about, and up to which account
//! the digests of a week were written.
//!
//! The host creates and deletes the row at its start; components find in it whether mails are written.

use spindle_domain::RealmId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Whether mail is configured.
pub fn is_on(db: &dyn Db, realm_id: RealmId) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM mail_service WHERE realm_id = ?1)"),
        &params![realm_id],
    )?
    .one_value()
}

/// Up to where the event log was searched for missed messages; none without mail.
pub fn log_position(db: &dyn Db, realm_id: RealmId) -> Result<Option<i64>, DbError> {
    let rows: Vec<i64> = db
        .query(
            sql!("SELECT log_position FROM mail_service WHERE realm_id = ?1"),
            &params![realm_id],
        )?
        .values()?;
    Ok(rows.first().copied())
}

/// Notes that mail is configured: the event log is searched from `log_position` on. Changes nothing when it was before.
pub fn configure(tx: &WriteTx<'_>, realm_id: RealmId, log_position: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO mail_service (realm_id, log_position) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        ),
        &params![realm_id, log_position],
    )?;
    Ok(())
}

/// Notes that the log was searched from `from` to `to`; false when another worker has done so already.
pub fn advance(tx: &WriteTx<'_>, realm_id: RealmId, from: i64, to: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE mail_service SET log_position = ?3 WHERE realm_id = ?1 AND log_position = ?2 \
             RETURNING 1"
        ),
        &params![realm_id, from, to],
    )?;
    Ok(!rows.rows.is_empty())
}

row_struct! {
    /// How far the digests have come.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DigestRow {
        /// Days since 1970 of the latest ones; 0 before the first.
        pub day: i64,
        /// The last account that has one; [`i64::MAX`] when all have.
        pub user: i64,
    }
}

/// How far the digests have come; none without mail.
pub fn digests(db: &dyn Db, realm_id: RealmId) -> Result<Option<DigestRow>, DbError> {
    db.query(
        sql!("SELECT digest_day AS day, digest_user AS \"user\" FROM mail_service WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .first()
}

/// Notes how far the digests have come; false when another worker has gone on from `from` already.
pub fn advance_digests(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    from: DigestRow,
    to: DigestRow,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE mail_service SET digest_day = ?4, digest_user = ?5 \
             WHERE realm_id = ?1 AND digest_day = ?2 AND digest_user = ?3 RETURNING 1"
        ),
        &params![realm_id, from.day, from.user, to.day, to.user],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Notes that mail is not configured any more.
pub fn forget(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM mail_service WHERE realm_id = ?1"),
        &params![realm_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn mail_is_configured_once_and_forgotten() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(is_on(&tx, RealmId::ONLY), Ok(false));
        assert_eq!(log_position(&tx, RealmId::ONLY), Ok(None));
        configure(&tx, RealmId::ONLY, 7).unwrap();
        configure(&tx, RealmId::ONLY, 9).unwrap();
        assert_eq!(is_on(&tx, RealmId::ONLY), Ok(true));
        assert_eq!(advance(&tx, RealmId::ONLY, 9, 10), Ok(false));
        assert_eq!(advance(&tx, RealmId::ONLY, 7, 10), Ok(true));
        assert_eq!(log_position(&tx, RealmId::ONLY), Ok(Some(10)));
        let before = digests(&tx, RealmId::ONLY).unwrap().unwrap();
        assert_eq!(before, DigestRow { day: 0, user: 0 });
        let after = DigestRow {
            day: 20_000,
            user: 7,
        };
        assert_eq!(advance_digests(&tx, RealmId::ONLY, before, after), Ok(true));
        assert_eq!(
            advance_digests(&tx, RealmId::ONLY, before, after),
            Ok(false)
        );
        assert_eq!(digests(&tx, RealmId::ONLY), Ok(Some(after)));
        forget(&tx, RealmId::ONLY).unwrap();
        assert_eq!(is_on(&tx, RealmId::ONLY), Ok(false));
    }
}
