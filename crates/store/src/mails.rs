//! The outbox: mails that are to be sent, and recently ended ones.
//!
//! A row is written in the transaction of its cause, claimed for a time by the worker that sends it, and ended in the
//! transaction of its outcome. So a crash repeats a mail and never loses one.

use spindle_domain::{MailId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, among, params, row_struct, sql, statement};

/// Bytes of a nonce.
pub const NONCE_LENGTH: usize = 16;

/// Whom a mail is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipient<'a> {
    /// An account, at the address that it has when the mail is sent.
    Account(UserId),
    /// An address, and the same folded.
    Address(&'a str, &'a str),
}

impl Recipient<'_> {
    const fn user_id(&self) -> Option<UserId> {
        match self {
            Self::Account(user_id) => Some(*user_id),
            Self::Address(..) => None,
        }
    }

    const fn folded(&self) -> Option<&str> {
        match self {
            Self::Account(_) => None,
            Self::Address(_, folded) => Some(folded),
        }
    }

    const fn address(&self) -> Option<&str> {
        match self {
            Self::Account(_) => None,
            Self::Address(address, _) => Some(address),
        }
    }
}

/// A mail to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMail<'a> {
    pub realm_id: RealmId,
    /// `MailKind` by name.
    pub kind: &'a str,
    /// Different for each cause.
    pub cause: &'a str,
    pub to: Recipient<'a>,
    /// Whose share of the mails of this kind it uses.
    pub payer: Option<UserId>,
    /// A JSON object; its form depends on `kind`.
    pub detail: &'a str,
    pub nonce: &'a [u8; NONCE_LENGTH],
    /// UNIX seconds.
    pub created: i64,
    /// Not before this time (UNIX seconds).
    pub due: i64,
}

/// Stores a mail; false when there is one with the same cause.
pub fn insert(tx: &WriteTx<'_>, mail: &NewMail<'_>) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO mails (realm_id, kind, cause, user_id, address, address_folded, detail, nonce, created, due, payer_id) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING RETURNING 1"
        ),
        &params![
            mail.realm_id,
            mail.kind,
            mail.cause,
            mail.to.user_id(),
            mail.to.address(),
            mail.to.folded(),
            mail.detail,
            mail.nonce.as_slice(),
            mail.created,
            mail.due,
            mail.payer
        ],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Counts the mails of a kind to a recipient that were written after `since` (UNIX seconds).
pub fn count_to(db: &dyn Db, kind: &str, to: &Recipient<'_>, since: i64) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT (SELECT count(*) FROM mails WHERE kind = ?1 AND created > ?2 AND user_id = ?3) \
             + (SELECT count(*) FROM mails WHERE kind = ?1 AND created > ?2 AND address_folded = ?4)"
        ),
        &params![kind, since, to.user_id(), to.folded()],
    )?
    .one_value()
}

/// Counts the mails of a kind that use a person's share and were written after `since` (UNIX seconds).
pub fn count_of(db: &dyn Db, kind: &str, payer: UserId, since: i64) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM mails WHERE payer_id = ?2 AND kind = ?1 AND created > ?3"),
        &params![kind, payer, since],
    )?
    .one_value()
}

/// Counts the mails of a kind that were written after `since` (UNIX seconds).
pub fn count_all(db: &dyn Db, kind: &str, since: i64) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM mails WHERE kind = ?1 AND created > ?2"),
        &params![kind, since],
    )?
    .one_value()
}

row_struct! {
    /// A stored mail.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MailRow {
        pub id: MailId,
        /// `MailKind` by name.
        pub kind: String,
        /// None: it is for an address.
        pub user_id: Option<UserId>,
        /// None: it is for an account.
        pub address: Option<String>,
        /// A JSON object; its form depends on `kind`.
        pub detail: String,
        pub nonce: Vec<u8>,
        /// UNIX seconds.
        pub created: i64,
        /// Attempts so far, this one included.
        pub attempts: i64,
    }
}

/// Whether a mail of this kind to an account, about this place, was written and not tried yet.
pub fn has_open_batch(
    db: &dyn Db,
    user_id: UserId,
    kind: &str,
    place: &str,
) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM mails WHERE user_id = ?1 AND kind = ?2 AND ended IS NULL \
             AND attempts = 0 AND detail ->> 'place' = ?3)"
        ),
        &params![user_id, kind, place],
    )?
    .one_value()
}

/// Whether any mail is due at `now` (UNIX seconds).
pub fn is_any_due(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM mails WHERE ended IS NULL AND due <= ?1 AND claimed_until <= ?1)"
        ),
        &params![now],
    )?
    .one_value()
}

/// Claims the mail that is due longest at `now`; no other worker gets it before `until` (UNIX seconds).
pub fn claim(tx: &WriteTx<'_>, now: i64, until: i64) -> Result<Option<MailRow>, DbError> {
    tx.execute(
        statement!(
            "UPDATE mails SET attempts = attempts + 1, claimed_until = ?2 WHERE id ",
            among!(
                "SELECT id FROM mails WHERE ended IS NULL AND due <= ?1 AND claimed_until <= ?1 \
                 ORDER BY due, id LIMIT 1"
            ),
            " RETURNING id, kind, user_id, address, detail, nonce, created, attempts"
        ),
        &params![now, until],
    )?
    .first()
}

/// A mail that is at this attempt; none when it has ended or was claimed again.
pub fn by_attempt(db: &dyn Db, id: MailId, attempt: i64) -> Result<Option<MailRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, kind, user_id, address, detail, nonce, created, attempts \
             FROM mails WHERE id = ?1 AND attempts = ?2 AND ended IS NULL"
        ),
        &params![id, attempt],
    )?
    .first()
}

/// Lets a mail be tried again at `due` (UNIX seconds), and stores why it was not taken.
pub fn postpone(tx: &WriteTx<'_>, id: MailId, due: i64, answer: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE mails SET due = ?2, claimed_until = 0, answer = ?3 WHERE id = ?1"),
        &params![id, due, answer],
    )?;
    Ok(())
}

/// How a mail has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailEnd {
    /// The mail server has taken it.
    Sent,
    /// The mail server does not take it.
    Refused,
    /// It was tried for long enough.
    Expired,
    /// Its cause is settled.
    Dropped,
}

impl MailEnd {
    /// The column `outcome`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Dropped => "dropped",
        }
    }
}

/// Ends a mail at `now` (UNIX seconds).
pub fn end(
    tx: &WriteTx<'_>,
    id: MailId,
    now: i64,
    end: MailEnd,
    answer: Option<&str>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE mails SET ended = ?2, outcome = ?3, answer = ?4 WHERE id = ?1"),
        &params![id, now, end.name(), answer],
    )?;
    Ok(())
}

/// Ends all mails that wait at `now` (UNIX seconds): there is nothing to send them with.
pub fn drop_all(tx: &WriteTx<'_>, realm_id: RealmId, now: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE mails SET ended = ?2, outcome = 'dropped' WHERE realm_id = ?1 AND ended IS NULL"
        ),
        &params![realm_id, now],
    )?;
    Ok(())
}

/// Whether a mail has ended before `time` (UNIX seconds).
pub fn any_ended_before(db: &dyn Db, time: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM mails WHERE ended IS NOT NULL AND ended < ?1)"),
        &params![time],
    )?
    .one_value()
}

/// Deletes the mails that have ended before `time` (UNIX seconds).
pub fn delete_ended_before(tx: &WriteTx<'_>, time: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM mails WHERE ended IS NOT NULL AND ended < ?1"),
        &params![time],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    const NONCE: [u8; NONCE_LENGTH] = [7; NONCE_LENGTH];

    fn mail<'a>(cause: &'a str, to: Recipient<'a>) -> NewMail<'a> {
        NewMail {
            realm_id: RealmId::ONLY,
            kind: "test",
            cause,
            to,
            payer: None,
            detail: "{}",
            nonce: &NONCE,
            created: 100,
            due: 110,
        }
    }

    #[test]
    fn a_cause_has_one_mail() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = Recipient::Account(testing::user(&tx, "ann@x.org"));
        let bob = Recipient::Address("Bob@x.org", "bob@x.org");
        assert_eq!(insert(&tx, &mail("a", ann)), Ok(true));
        assert_eq!(insert(&tx, &mail("a", bob)), Ok(false));
        assert_eq!(insert(&tx, &mail("b", bob)), Ok(true));
        let payer = testing::user(&tx, "cy@x.org");
        let paid = NewMail {
            payer: Some(payer),
            ..mail("c", bob)
        };
        assert_eq!(count_of(&tx, "test", payer, 99), Ok(0));
        assert_eq!(insert(&tx, &paid), Ok(true));
        assert_eq!(count_of(&tx, "test", payer, 99), Ok(1));
        tx.execute(
            statement!("DELETE FROM mails WHERE payer_id IS NOT NULL"),
            &[],
        )
        .unwrap();
        for (to, since, expected) in [(ann, 99, (1, 2)), (bob, 99, (1, 2)), (bob, 100, (0, 0))] {
            let counts = (
                count_to(&tx, "test", &to, since).unwrap(),
                count_all(&tx, "test", since).unwrap(),
            );
            assert_eq!(counts, expected);
        }
    }

    #[test]
    fn a_mail_is_claimed_by_one_worker_and_ended() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let bob = Recipient::Address("Bob@x.org", "bob@x.org");
        insert(&tx, &mail("a", bob)).unwrap();
        assert_eq!(is_any_due(&tx, 109), Ok(false));
        assert_eq!(claim(&tx, 109, 200), Ok(None));
        let claimed = claim(&tx, 110, 200).unwrap().unwrap();
        assert_eq!(
            (claimed.attempts, claimed.address.as_deref()),
            (1, Some("Bob@x.org"))
        );
        assert_eq!(claim(&tx, 199, 300), Ok(None));
        let again = claim(&tx, 200, 300).unwrap().unwrap();
        assert_eq!((again.id, again.attempts), (claimed.id, 2));
        assert_eq!(by_attempt(&tx, claimed.id, 1), Ok(None));
        postpone(&tx, claimed.id, 250, "busy").unwrap();
        assert_eq!(is_any_due(&tx, 249), Ok(false));
        assert_eq!(is_any_due(&tx, 250), Ok(true));
        end(&tx, claimed.id, 260, MailEnd::Sent, Some("taken")).unwrap();
        assert_eq!(is_any_due(&tx, 999), Ok(false));
        assert_eq!(by_attempt(&tx, claimed.id, 2), Ok(None));
        assert_eq!(any_ended_before(&tx, 260), Ok(false));
        assert_eq!(any_ended_before(&tx, 261), Ok(true));
        delete_ended_before(&tx, 261).unwrap();
        assert_eq!(insert(&tx, &mail("a", bob)), Ok(true));
    }

    #[test]
    fn a_batch_is_open_until_it_is_tried() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let to = Recipient::Account(ann);
        let batch = NewMail {
            detail: r#"{"place":"5 tea"}"#,
            ..mail("a", to)
        };
        insert(&tx, &batch).unwrap();
        let is_open = |place| has_open_batch(&tx, ann, "test", place).unwrap();
        assert!(is_open("5 tea") && !is_open("5 cake"));
        claim(&tx, 110, 200).unwrap().unwrap();
        assert!(!is_open("5 tea"));
    }

    #[test]
    fn without_mail_nothing_waits() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        insert(&tx, &mail("a", Recipient::Address("b@x.org", "b@x.org"))).unwrap();
        drop_all(&tx, RealmId::ONLY, 120).unwrap();
        assert_eq!(is_any_due(&tx, 999), Ok(false));
    }
}
