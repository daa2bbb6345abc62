//! Sessions of browsers, and the one statement that authenticates a request with a cookie.
//!
//! Only hashes of tokens are stored. How long a session lives is decided by the caller: statements
//! that depend on it are given the time before which a last use is too long ago.

use spindle_domain::{SessionId, UserId};

use crate::keys::{CallerRow, caller_columns};
use crate::{Db, DbError, FromRow, Row, WriteTx, among, params, row_struct, sql, statement};

/// A session with the account that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCaller {
    /// The account; its hash is the session's.
    pub caller: CallerRow,
    pub session_id: SessionId,
    /// UNIX seconds; up to an hour before the last use.
    pub last_used: i64,
}

impl FromRow for SessionCaller {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            caller: CallerRow::from_row(row)?,
            session_id: row.named("session_id")?,
            last_used: row.named("last_used")?,
        })
    }
}

row_struct! {
    /// A session as its owner sees it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SessionRow {
        pub id: SessionId,
        /// UNIX seconds.
        pub created: i64,
        /// UNIX seconds; up to an hour before the last use.
        pub last_used: i64,
        /// How the browser describes itself (`User-Agent`).
        pub client: String,
    }
}

/// Finds the account behind the hash of a token.
pub fn caller_by_hash(db: &dyn Db, hash: &[u8]) -> Result<Option<SessionCaller>, DbError> {
    db.query(
        sql!(
            caller_columns!("s.hash", "s.proves_second_factor"),
            ", s.id AS session_id, s.last_used \
             FROM sessions s JOIN users u ON u.id = s.user_id JOIN realms r ON r.id = u.realm_id \
             WHERE s.hash = ?1"
        ),
        &params![hash],
    )?
    .first()
}

/// Whether an account has a session or a key of this program.
pub fn knows_client(db: &dyn Db, user_id: UserId, client: &str) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM sessions WHERE user_id = ?1 AND client = ?2) \
             OR EXISTS (SELECT 1 FROM api_keys WHERE user_id = ?1 AND label = ?2)"
        ),
        &params![user_id, client],
    )?
    .one_value()
}

/// How a session begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Begun<'a> {
    /// How the browser describes itself.
    pub client: &'a str,
    /// Id of the identity provider that has identified the person.
    pub provider: Option<&'a str>,
    /// Whether another service has checked a second factor.
    pub proves_second_factor: bool,
}

/// Stores a session, and deletes the sessions of all accounts that were last used before `expired`, and the oldest of
/// this account beyond `keep`. Returns the id, and whether it deleted any of the latter.
pub fn insert(
    tx: &WriteTx<'_>,
    user_id: UserId,
    hash: &[u8],
    now: i64,
    begun: Begun<'_>,
    (expired, keep): (i64, i64),
) -> Result<(SessionId, bool), DbError> {
    delete_expired(tx, expired)?;
    let id = tx
        .execute(
            statement!(
                "INSERT INTO sessions (hash, user_id, created, last_used, client, provider, proves_second_factor) \
             VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6) RETURNING id"
            ),
            &params![hash, user_id, now, begun.client, begun.provider, begun.proves_second_factor],
        )?
        .one_value()?;
    // The new session is never deleted here, even if the clock was set back.
    let gone = tx.execute(
        statement!(
            "DELETE FROM sessions WHERE user_id = ?1 AND id ",
            among!(
                "SELECT id FROM sessions WHERE user_id = ?1 AND id <> ?2 \
                 ORDER BY last_used DESC, id DESC LIMIT -1 OFFSET ?3"
            ),
            " RETURNING 1"
        ),
        &params![user_id, id, keep - 1],
    )?;
    Ok((id, !gone.rows.is_empty()))
}

/// Id of the identity provider that a session began with, if one did.
pub fn provider(db: &dyn Db, session_id: SessionId) -> Result<Option<String>, DbError> {
    let found = db
        .query(
            sql!("SELECT provider FROM sessions WHERE id = ?1"),
            &params![session_id],
        )?
        .value()?;
    Ok(found.flatten())
}

/// Notes that a session is used at `now`, if it was not noted since `before` already. False when it was,
/// or there is no such session.
pub fn renew(
    tx: &WriteTx<'_>,
    session_id: SessionId,
    now: i64,
    before: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE sessions SET last_used = ?2 WHERE id = ?1 AND last_used < ?3 RETURNING 1"
        ),
        &params![session_id, now, before],
    )?;
    Ok(!rows.rows.is_empty())
}

/// The sessions of an account that were used at `expired` or later, by id.
pub fn list(db: &dyn Db, user_id: UserId, expired: i64) -> Result<Vec<SessionRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, created, last_used, client FROM sessions \
             WHERE user_id = ?1 AND last_used >= ?2 ORDER BY id"
        ),
        &params![user_id, expired],
    )?
    .all()
}

/// Ends the sessions of all accounts that were last used before `expired`.
pub fn delete_expired(tx: &WriteTx<'_>, expired: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM sessions WHERE last_used < ?1"),
        &params![expired],
    )?;
    Ok(())
}

/// When a session of an account began (UNIX seconds).
pub fn created(
    db: &dyn Db,
    user_id: UserId,
    session_id: SessionId,
) -> Result<Option<i64>, DbError> {
    db.query(
        sql!("SELECT created FROM sessions WHERE id = ?2 AND user_id = ?1"),
        &params![user_id, session_id],
    )?
    .value()
}

/// Ends a session; false when the account has no such session.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, session_id: SessionId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM sessions WHERE id = ?2 AND user_id = ?1 RETURNING 1"),
        &params![user_id, session_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Ends all sessions of an account but `keep`.
pub fn delete_others(
    tx: &WriteTx<'_>,
    user_id: UserId,
    keep: Option<SessionId>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM sessions WHERE user_id = ?1 AND id <> ?2"),
        &params![user_id, keep.map_or(0, SessionId::get)],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn in_client(client: &str) -> Begun<'_> {
        Begun {
            client,
            ..Begun::default()
        }
    }

    fn hash(number: u8) -> [u8; 32] {
        [number; 32]
    }

    fn ids(tx: &WriteTx<'_>, user_id: UserId, expired: i64) -> Vec<SessionId> {
        let rows = list(tx, user_id, expired).unwrap();
        rows.into_iter().map(|row| row.id).collect()
    }

    #[test]
    fn a_caller_is_found_by_hash_and_until_the_session_ends() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (
            testing::user(&tx, "ann@x.org"),
            testing::user(&tx, "bob@x.org"),
        );
        let id = insert(&tx, ann, &hash(1), 50, in_client("Firefox"), (0, 100))
            .unwrap()
            .0;
        let found = caller_by_hash(&tx, &hash(1)).unwrap().unwrap();
        assert_eq!((found.session_id, found.last_used), (id, 50));
        assert_eq!(found.caller.user_id, ann);
        assert_eq!(found.caller.hash, hash(1));
        assert_eq!(caller_by_hash(&tx, &hash(2)), Ok(None));
        assert_eq!(provider(&tx, id), Ok(None));
        let by_provider = Begun {
            provider: Some("kc"),
            ..in_client("")
        };
        let by_provider = insert(&tx, ann, &hash(3), 50, by_provider, (0, 100)).unwrap();
        assert_eq!(provider(&tx, by_provider.0), Ok(Some("kc".to_owned())));
        assert_eq!(delete(&tx, bob, id), Ok(false));
        assert_eq!(delete(&tx, ann, id), Ok(true));
        assert_eq!(caller_by_hash(&tx, &hash(1)), Ok(None));
    }

    #[test]
    fn a_use_is_noted_now_and_then() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let id = insert(&tx, ann, &hash(1), 50, in_client(""), (0, 100))
            .unwrap()
            .0;
        let used = || list(&tx, ann, 0).unwrap()[0].last_used;
        assert_eq!(renew(&tx, id, 60, 50), Ok(false));
        assert_eq!(used(), 50);
        assert_eq!(renew(&tx, id, 60, 51), Ok(true));
        assert_eq!(used(), 60);
        assert_eq!(renew(&tx, SessionId(id.get() + 1), 60, 51), Ok(false));
    }

    #[test]
    fn the_oldest_and_the_expired_go() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (
            testing::user(&tx, "ann@x.org"),
            testing::user(&tx, "bob@x.org"),
        );
        let of_bob = insert(&tx, bob, &hash(99), 3, in_client(""), (0, 3))
            .unwrap()
            .0;
        let made: Vec<SessionId> = (0..5)
            .map(|number: u8| {
                insert(
                    &tx,
                    ann,
                    &hash(number),
                    number.into(),
                    in_client(""),
                    (0, 3),
                )
                .unwrap()
                .0
            })
            .collect();
        assert_eq!(ids(&tx, ann, 0), made[2..]);
        assert_eq!(ids(&tx, bob, 0), [of_bob]);
        // A clock that was set back must not end the session that was just made.
        let early = insert(&tx, ann, &hash(50), -1, in_client(""), (-9, 3))
            .unwrap()
            .0;
        assert_eq!(ids(&tx, ann, -9), [made[3], made[4], early]);
        let late = insert(&tx, bob, &hash(51), 9, in_client(""), (4, 3))
            .unwrap()
            .0;
        assert_eq!(ids(&tx, ann, -9), [made[4]]);
        assert_eq!(ids(&tx, bob, -9), [late]);
        delete_others(&tx, bob, Some(late)).unwrap();
        assert_eq!(ids(&tx, bob, 0), [late]);
        delete_others(&tx, bob, None).unwrap();
        assert_eq!(ids(&tx, bob, 0), [SessionId(0); 0]);
    }
}
