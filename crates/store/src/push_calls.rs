//! Calls to the push service that are still to be made, and the messages that phones show
//! because of one.
//!
//! A row is written in the transaction of the change that it is about, claimed for a time by the
//! worker that makes the call, and deleted in the transaction of its outcome. So a crash repeats a call and never
//! loses one.

use spindle_domain::{DeviceId, MessageId, PushAccountId, PushCallId, UserId};

use crate::{Db, DbError, Json, WriteTx, among, params, row_struct, sql, statement};

/// What a phone is registered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationId {
    /// A device (feature level 468).
    Device(DeviceId),
    /// An id of the client's choice (feature levels 406 to 467).
    Account(PushAccountId),
}

impl RegistrationId {
    /// The column `form`.
    #[must_use]
    pub const fn form(self) -> &'static str {
        match self {
            Self::Device(_) => "device",
            Self::Account(_) => "account",
        }
    }

    /// The column `target`.
    #[must_use]
    pub const fn target(self) -> i64 {
        match self {
            Self::Device(id) => id.get(),
            Self::Account(id) => id.get(),
        }
    }
}

/// A call to be noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPushCall<'a> {
    /// `register`, `message`, `remove` or `test`.
    pub kind: &'a str,
    /// `device` or `account`.
    pub form: &'a str,
    /// The owner of the phones.
    pub user_id: UserId,
    /// One device or account; `None` means all of them.
    pub target: Option<i64>,
    /// The message, in calls of the kind `message`.
    pub message_id: Option<MessageId>,
    /// JSON; its form depends on `kind` and is described in the schema.
    pub detail: &'a str,
}

/// Notes a call that is due immediately. A message that was noted for the same phones before is not noted again.
pub fn insert(tx: &WriteTx<'_>, call: &NewPushCall<'_>, now: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO push_calls (kind, form, user_id, target, message_id, detail, created, due) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT DO NOTHING"),
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

row_struct! {
    /// A stored call.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PushCallRow {
        /// Call.
        pub id: PushCallId,
        /// `register`, `message`, `remove` or `test`.
        pub kind: String,
        /// `device` or `account`.
        pub form: String,
        /// The owner of the phones.
        pub user_id: UserId,
        /// One device or account; `None` means all of them.
        pub target: Option<i64>,
        /// The message, in calls of the kind `message`.
        pub message_id: Option<MessageId>,
        /// JSON; its form depends on `kind` and is described in the schema.
        pub detail: String,
        /// UNIX seconds.
        pub created: i64,
        /// Attempts so far, this one included.
        pub attempts: i64,
    }
}

/// Whether any call is due at `now` (UNIX seconds).
pub fn is_any_due(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM push_calls WHERE due <= ?1 AND claimed_until <= ?1)"),
        &params![now],
    )?
    .one_value()
}

/// Claims the calls that are due longest at `now`, at most `limit`; no other worker gets them
/// before `until` (UNIX seconds). A call that takes messages back waits until no message to the same
/// user is being sent.
pub fn claim(
    tx: &WriteTx<'_>,
    now: i64,
    until: i64,
    limit: i64,
) -> Result<Vec<PushCallRow>, DbError> {
    let mut rows: Vec<PushCallRow> = tx
        .execute(
            statement!(
                "UPDATE push_calls SET attempts = attempts + 1, claimed_until = ?2 WHERE id ",
                among!(
                    "SELECT c.id FROM push_calls c WHERE c.due <= ?1 AND c.claimed_until <= ?1 \
                     AND NOT (c.kind = 'remove' AND EXISTS (SELECT 1 FROM push_calls e \
                         WHERE e.user_id = c.user_id AND e.kind = 'message' AND e.form = c.form \
                         AND e.claimed_until > ?1)) \
                     ORDER BY c.due, c.id LIMIT ?3"
                ),
                " RETURNING id, kind, form, user_id, target, message_id, detail, created, attempts"
            ),
            &params![now, until, limit],
        )?
        .all()?;
    rows.sort_by_key(|row| row.id);
    Ok(rows)
}

/// A call that is at this attempt; `None` when it is over or was claimed again.
pub fn by_attempt(
    db: &dyn Db,
    id: PushCallId,
    attempt: i64,
) -> Result<Option<PushCallRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, kind, form, user_id, target, message_id, detail, created, attempts \
             FROM push_calls WHERE id = ?1 AND attempts = ?2"
        ),
        &params![id, attempt],
    )?
    .first()
}

/// Lets a call be made again at `due` (UNIX seconds).
pub fn postpone(tx: &WriteTx<'_>, id: PushCallId, due: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE push_calls SET due = ?2, claimed_until = 0 WHERE id = ?1"),
        &params![id, due],
    )?;
    Ok(())
}

/// Deletes a call that has its outcome.
pub fn delete(tx: &WriteTx<'_>, id: PushCallId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM push_calls WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

/// Forgets the registration of a device or account that was still to be passed on.
pub fn withdraw_registration(
    tx: &WriteTx<'_>,
    user_id: UserId,
    registration: RegistrationId,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM push_calls WHERE user_id = ?1 AND kind = 'register' AND form = ?2 \
         AND target = ?3"
        ),
        &params![user_id, registration.form(), registration.target()],
    )?;
    Ok(())
}

/// Takes every call off the list; returns the registrations among them.
pub fn delete_all(tx: &WriteTx<'_>) -> Result<Vec<PushCallRow>, DbError> {
    let rows: Vec<PushCallRow> = tx
        .execute(
            statement!(
                "DELETE FROM push_calls \
             RETURNING id, kind, form, user_id, target, message_id, detail, created, attempts"
            ),
            &[],
        )?
        .all()?;
    Ok(rows
        .into_iter()
        .filter(|row| row.kind == "register")
        .collect())
}

/// Notes that a message was handed over for a user.
pub fn note_pushed(
    tx: &WriteTx<'_>,
    user_id: UserId,
    message_id: MessageId,
) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO pushed_messages (user_id, message_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING"),
        &params![user_id, message_id],
    )?;
    Ok(())
}

row_struct! {
    /// Pushed messages of a user that their phones need not show any longer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SettledRow {
        pub user_id: UserId,
        /// Ascending.
        pub message_ids: Json<Vec<MessageId>>,
    }
}

/// Messages that were pushed to one of the users in a JSON list and that they have read since, or
/// that are no longer theirs, by user.
pub fn settled(db: &dyn Db, users: &str) -> Result<Vec<SettledRow>, DbError> {
    db.query(
        sql!(
            "SELECT p.user_id, json_group_array(p.message_id ORDER BY p.message_id) AS message_ids \
             FROM pushed_messages p LEFT JOIN user_messages um \
                 ON um.user_id = p.user_id AND um.message_id = p.message_id \
             WHERE p.user_id IN (SELECT value FROM json_ids(?1)) \
             AND (um.message_id IS NULL OR um.flags & 1 <> 0) GROUP BY p.user_id ORDER BY p.user_id"
        ),
        &params![users],
    )?
    .all()
}

/// Deletes the notes of these messages (a JSON list), which the phones of a user no longer show.
pub fn forget_pushed(tx: &WriteTx<'_>, user_id: UserId, messages: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM pushed_messages WHERE user_id = ?1 \
         AND message_id IN (SELECT value FROM json_ids(?2))"
        ),
        &params![user_id, messages],
    )?;
    Ok(())
}

/// Deletes the notes of all pushed messages.
pub fn forget_all_pushed(tx: &WriteTx<'_>) -> Result<(), DbError> {
    tx.execute(statement!("DELETE FROM pushed_messages"), &[])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn call<'a>(kind: &'a str, user_id: UserId, message_id: Option<MessageId>) -> NewPushCall<'a> {
        NewPushCall {
            kind,
            form: "device",
            user_id,
            target: None,
            message_id,
            detail: "[]",
        }
    }

    fn fill(tx: &WriteTx<'_>) -> UserId {
        let ann = testing::user(tx, "a@x");
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
        insert(&tx, &call("message", ann, Some(MessageId(5))), 100).unwrap();
        insert(&tx, &call("message", ann, Some(MessageId(5))), 101).unwrap();
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
    fn registrations_are_withdrawn_and_distinguished() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = fill(&tx);
        let register = |target| NewPushCall {
            target: Some(target),
            ..call("register", ann, None)
        };
        insert(&tx, &register(7), 1).unwrap();
        insert(&tx, &register(8), 1).unwrap();
        insert(&tx, &call("message", ann, Some(MessageId(5))), 1).unwrap();
        withdraw_registration(&tx, ann, RegistrationId::Account(7.into())).unwrap();
        withdraw_registration(&tx, ann, RegistrationId::Device(7.into())).unwrap();
        let left = delete_all(&tx).unwrap();
        assert_eq!((left.len(), left[0].target), (1, Some(8)));
        assert_eq!(is_any_due(&tx, 9), Ok(false));
    }

    #[test]
    fn what_was_read_or_is_gone_is_settled() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = fill(&tx);
        for id in [5, 6, 7].map(MessageId) {
            note_pushed(&tx, ann, id).unwrap();
            note_pushed(&tx, ann, id).unwrap();
        }
        let row = |ids: &[i64]| SettledRow {
            user_id: ann,
            message_ids: Json(ids.iter().copied().map(MessageId).collect()),
        };
        assert_eq!(settled(&tx, "[1]").unwrap(), [row(&[7])]);
        tx.execute(
            "UPDATE user_messages SET flags = 1 WHERE message_id = 5",
            &[],
        )
        .unwrap();
        assert_eq!(settled(&tx, "[1]").unwrap(), [row(&[5, 7])]);
        assert_eq!(settled(&tx, "[2]").unwrap(), []);
        forget_pushed(&tx, ann, "[5,7]").unwrap();
        assert_eq!(settled(&tx, "[1]").unwrap(), []);
        forget_all_pushed(&tx).unwrap();
    }
}
