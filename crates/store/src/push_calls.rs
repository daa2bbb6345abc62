//! Calls to the push service that are still to be made, and the messages that phones show
//! because of one.
//!
//! A row is written in the transaction of whatever it tells, claimed for a while by whoever makes
//! the call, and deleted in the transaction of its outcome. So a crash repeats a call and never
//! loses one.

use crate::{Db, DbError, Row, WriteTx, params, sql};

/// A call to be noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPushCall<'a> {
    /// `register`, `message`, `remove` or `test`.
    pub kind: &'a str,
    /// `device` or `account`.
    pub form: &'a str,
    /// Whose phones.
    pub user_id: i64,
    /// One device or account; none: all of them.
    pub target: Option<i64>,
    /// The message of `message`.
    pub message_id: Option<i64>,
    /// See the schema.
    pub detail: &'a str,
}

/// Notes a call that is due at once. A message that was noted for the same phones before is not
/// noted again.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert(tx: &WriteTx<'_>, call: &NewPushCall<'_>, now: i64) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO push_calls (kind, form, user_id, target, message_id, detail, created, due) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT DO NOTHING",
        &params![
            call.kind,
            call.form,
            call.user_id,
            call.target,
            call.message_id,
            call.detail,
            now
        ],
    )?;
    Ok(())
}

/// A call as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushCallRow {
    /// Row id.
    pub id: i64,
    /// `register`, `message`, `remove` or `test`.
    pub kind: String,
    /// `device` or `account`.
    pub form: String,
    /// Whose phones.
    pub user_id: i64,
    /// One device or account; none: all of them.
    pub target: Option<i64>,
    /// The message of `message`.
    pub message_id: Option<i64>,
    /// See the schema.
    pub detail: String,
    /// UNIX seconds.
    pub created: i64,
    /// Attempts so far, this one included.
    pub attempts: i64,
}

fn read(row: &mut Row<'_>) -> Result<PushCallRow, DbError> {
    Ok(PushCallRow {
        id: row.integer()?,
        kind: row.text()?,
        form: row.text()?,
        user_id: row.integer()?,
        target: row.optional_integer()?,
        message_id: row.optional_integer()?,
        detail: row.text()?,
        created: row.integer()?,
        attempts: row.integer()?,
    })
}

/// Whether any call is due at `now` (UNIX seconds).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn is_any_due(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM push_calls WHERE due <= ?1 AND claimed_until <= ?1)"),
        &params![now],
    )?
    .read_one(|row| row.flag())
}

/// Claims the calls that are due longest at `now`, at most `limit`; nobody else gets them before
/// `until` (UNIX seconds). What takes messages back waits until no message of the same user is on
/// its way.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn claim(
    tx: &WriteTx<'_>,
    now: i64,
    until: i64,
    limit: i64,
) -> Result<Vec<PushCallRow>, DbError> {
    let mut rows = tx
        .execute(
            "UPDATE push_calls SET attempts = attempts + 1, claimed_until = ?2 \
             WHERE id IN (SELECT c.id FROM push_calls c WHERE c.due <= ?1 AND c.claimed_until <= ?1 \
                 AND NOT (c.kind = 'remove' AND EXISTS (SELECT 1 FROM push_calls e \
                     WHERE e.user_id = c.user_id AND e.kind = 'message' AND e.form = c.form \
                     AND e.claimed_until > ?1)) \
                 ORDER BY c.due, c.id LIMIT ?3) \
             RETURNING id, kind, form, user_id, target, message_id, detail, created, attempts",
            &params![now, until, limit],
        )?
        .read_all(read)?;
    rows.sort_by_key(|row| row.id);
    Ok(rows)
}

/// A call that is at this attempt; none when it is over or was claimed anew.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_attempt(db: &dyn Db, id: i64, attempt: i64) -> Result<Option<PushCallRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, kind, form, user_id, target, message_id, detail, created, attempts \
             FROM push_calls WHERE id = ?1 AND attempts = ?2"
        ),
        &params![id, attempt],
    )?
    .read_first(read)
}

/// Lets a call be made again at `due` (UNIX seconds).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn postpone(tx: &WriteTx<'_>, id: i64, due: i64) -> Result<(), DbError> {
    tx.execute(
        "UPDATE push_calls SET due = ?2, claimed_until = 0 WHERE id = ?1",
        &params![id, due],
    )?;
    Ok(())
}

/// The call is over.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete(tx: &WriteTx<'_>, id: i64) -> Result<(), DbError> {
    tx.execute("DELETE FROM push_calls WHERE id = ?1", &params![id])?;
    Ok(())
}

/// Forgets the registration of a device or account that was still to be passed on.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn withdraw_registration(
    tx: &WriteTx<'_>,
    user_id: i64,
    form: &str,
    target: i64,
) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM push_calls WHERE user_id = ?1 AND kind = 'register' AND form = ?2 \
         AND target = ?3",
        &params![user_id, form, target],
    )?;
    Ok(())
}

/// Takes every call off the list; returns the registrations among them.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete_all(tx: &WriteTx<'_>) -> Result<Vec<PushCallRow>, DbError> {
    let rows = tx
        .execute(
            "DELETE FROM push_calls \
             RETURNING id, kind, form, user_id, target, message_id, detail, created, attempts",
            &[],
        )?
        .read_all(read)?;
    Ok(rows
        .into_iter()
        .filter(|row| row.kind == "register")
        .collect())
}

/// Notes that a message was handed over for a user.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn note_pushed(tx: &WriteTx<'_>, user_id: i64, message_id: i64) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO pushed_messages (user_id, message_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        &params![user_id, message_id],
    )?;
    Ok(())
}

/// Messages that were pushed to one of the users in a JSON list and that they have read since, or
/// that are no longer theirs: ids by user, both ascending.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn settled(db: &dyn Db, users: &str) -> Result<Vec<(i64, Vec<i64>)>, DbError> {
    db.query(
        sql!(
            "SELECT p.user_id, json_group_array(p.message_id ORDER BY p.message_id) \
             FROM pushed_messages p LEFT JOIN user_messages um \
                 ON um.user_id = p.user_id AND um.message_id = p.message_id \
             WHERE p.user_id IN (SELECT value FROM json_each(?1)) \
             AND (um.message_id IS NULL OR um.flags & 1 <> 0) GROUP BY p.user_id ORDER BY p.user_id"
        ),
        &params![users],
    )?
    .read_all(|row| Ok((row.integer()?, row.json()?)))
}

/// Phones no longer show these messages (a JSON list) to a user.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn forget_pushed(tx: &WriteTx<'_>, user_id: i64, messages: &str) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM pushed_messages WHERE user_id = ?1 \
         AND message_id IN (SELECT value FROM json_each(?2))",
        &params![user_id, messages],
    )?;
    Ok(())
}

/// Nothing was pushed to anybody.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn forget_all_pushed(tx: &WriteTx<'_>) -> Result<(), DbError> {
    tx.execute("DELETE FROM pushed_messages", &[])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn call<'a>(kind: &'a str, user_id: i64, message_id: Option<i64>) -> NewPushCall<'a> {
        NewPushCall {
            kind,
            form: "device",
            user_id,
            target: None,
            message_id,
            detail: "[]",
        }
    }

    fn fill(tx: &WriteTx<'_>) -> i64 {
        let ann = testing::add_user(tx, "a@x");
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind, members_key) VALUES (1, 1, 'direct', '1')",
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, content, \
             rendered_content, date_sent, client) VALUES (5, 1, 1, 1, '', '', 0, ''), \
             (6, 1, 1, 1, '', '', 0, '')",
            "INSERT INTO user_messages (user_id, message_id, flags) VALUES (1, 5, 0), (1, 6, 0)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        ann
    }

    #[test]
    fn a_call_is_claimed_once_at_a_time() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = fill(&tx);
        insert(&tx, &call("message", ann, Some(5)), 100).unwrap();
        insert(&tx, &call("message", ann, Some(5)), 101).unwrap();
        assert_eq!(is_any_due(&tx, 99), Ok(false));
        let claimed = claim(&tx, 100, 160, 10).unwrap();
        assert_eq!((claimed.len(), claimed[0].attempts), (1, 1));
        insert(&tx, &call("remove", ann, None), 100).unwrap();
        assert_eq!(claim(&tx, 159, 219, 10), Ok(vec![]), "it would overtake");
        postpone(&tx, claimed[0].id, 170).unwrap();
        let kinds: Vec<String> = claim(&tx, 159, 219, 10)
            .unwrap()
            .into_iter()
            .map(|row| row.kind)
            .collect();
        assert_eq!(kinds, ["remove"]);
        assert!(by_attempt(&tx, claimed[0].id, 2).unwrap().is_none());
        assert!(by_attempt(&tx, claimed[0].id, 1).unwrap().is_some());
        delete(&tx, claimed[0].id).unwrap();
        assert_eq!(is_any_due(&tx, 170), Ok(false));
    }

    #[test]
    fn registrations_are_withdrawn_and_told_apart() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = fill(&tx);
        let register = |target| NewPushCall {
            target: Some(target),
            ..call("register", ann, None)
        };
        insert(&tx, &register(7), 1).unwrap();
        insert(&tx, &register(8), 1).unwrap();
        insert(&tx, &call("message", ann, Some(5)), 1).unwrap();
        withdraw_registration(&tx, ann, "account", 7).unwrap();
        withdraw_registration(&tx, ann, "device", 7).unwrap();
        let left = delete_all(&tx).unwrap();
        assert_eq!((left.len(), left[0].target), (1, Some(8)));
        assert_eq!(is_any_due(&tx, 9), Ok(false));
    }

    #[test]
    fn what_was_read_or_is_gone_is_settled() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = fill(&tx);
        for id in [5, 6, 7] {
            note_pushed(&tx, ann, id).unwrap();
            note_pushed(&tx, ann, id).unwrap();
        }
        assert_eq!(settled(&tx, "[1]").unwrap(), [(ann, vec![7])]);
        tx.execute(
            "UPDATE user_messages SET flags = 1 WHERE message_id = 5",
            &[],
        )
        .unwrap();
        assert_eq!(settled(&tx, "[1]").unwrap(), [(ann, vec![5, 7])]);
        assert_eq!(settled(&tx, "[2]").unwrap(), []);
        forget_pushed(&tx, ann, "[5,7]").unwrap();
        assert_eq!(settled(&tx, "[1]").unwrap(), []);
        forget_all_pushed(&tx).unwrap();
    }
}
