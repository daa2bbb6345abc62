//! Messages that outgoing and embedded bots have still to see.
//!
//! A row is written in the transaction of its message, claimed for a while by whoever makes the
//! call, and deleted in the transaction of the bot's answer. So a crash repeats a call and
//! never loses one.

use crate::{Db, DbError, Row, params};

/// Notes a message for those of the accounts in a JSON list that are active bots with a service
/// and that it was delivered to. `reason`: `direct_message` or `mention`.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert(
    db: &dyn Db,
    message_id: i64,
    accounts: &str,
    reason: &'static str,
    now: i64,
) -> Result<(), DbError> {
    db.execute(
        "INSERT INTO bot_calls (bot_id, message_id, reason, created, due) \
         SELECT u.id, ?1, ?3, ?4, ?4 FROM users u \
         WHERE u.id IN (SELECT value FROM json_each(?2)) AND u.bot_type IN (3, 4) \
         AND u.is_active = 1 AND EXISTS (SELECT 1 FROM user_messages um \
             WHERE um.user_id = u.id AND um.message_id = ?1)",
        &params![message_id, accounts, reason, now],
    )?;
    Ok(())
}

/// A call that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotCallRow {
    /// Row id.
    pub id: i64,
    /// The bot.
    pub bot_id: i64,
    /// The message.
    pub message_id: i64,
    /// `direct_message` or `mention`.
    pub reason: String,
    /// Attempts so far, this one included.
    pub attempts: i64,
}

fn read(row: &mut Row<'_>) -> Result<BotCallRow, DbError> {
    Ok(BotCallRow {
        id: row.integer()?,
        bot_id: row.integer()?,
        message_id: row.integer()?,
        reason: row.text()?,
        attempts: row.integer()?,
    })
}

/// Whether any call is due at `now` (UNIX seconds).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn is_any_due(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.execute(
        "SELECT EXISTS (SELECT 1 FROM bot_calls WHERE due <= ?1 AND claimed_until <= ?1)",
        &params![now],
    )?
    .read_one(|row| row.flag())
}

/// Claims the oldest calls that are due at `now`, at most `limit`; nobody else gets them before
/// `until` (UNIX seconds).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn claim(db: &dyn Db, now: i64, until: i64, limit: i64) -> Result<Vec<BotCallRow>, DbError> {
    db.execute(
        "UPDATE bot_calls SET attempts = attempts + 1, claimed_until = ?2 \
         WHERE id IN (SELECT id FROM bot_calls WHERE due <= ?1 AND claimed_until <= ?1 \
             ORDER BY due, id LIMIT ?3) \
         RETURNING id, bot_id, message_id, reason, attempts",
        &params![now, until, limit],
    )?
    .read_all(read)
}

/// A call that is at this attempt; none when it was answered or claimed anew.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_attempt(db: &dyn Db, id: i64, attempt: i64) -> Result<Option<BotCallRow>, DbError> {
    db.execute(
        "SELECT id, bot_id, message_id, reason, attempts FROM bot_calls \
         WHERE id = ?1 AND attempts = ?2",
        &params![id, attempt],
    )?
    .read_first(read)
}

/// Lets a call be made again at `due` (UNIX seconds).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn postpone(db: &dyn Db, id: i64, due: i64) -> Result<(), DbError> {
    db.execute(
        "UPDATE bot_calls SET due = ?2, claimed_until = 0 WHERE id = ?1",
        &params![id, due],
    )?;
    Ok(())
}

/// The call is over.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete(db: &dyn Db, id: i64) -> Result<(), DbError> {
    db.execute("DELETE FROM bot_calls WHERE id = ?1", &params![id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn a_call_is_claimed_once_at_a_time() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let user = |email: &'static str, bot_type| {
            let new = crate::users::NewUser {
                realm_id: 1,
                email,
                email_folded: email,
                delivery_email: email,
                delivery_email_folded: email,
                full_name: email,
                full_name_folded: email,
                role: 400,
                bot_type,
                ..crate::users::NewUser::default()
            };
            crate::users::insert(&db, &new).unwrap()
        };
        let (ann, bot) = (user("a@x", None), user("b@x", Some(3)));
        let conversation =
            crate::conversations::insert_direct(&db, 1, &format!("{ann},{bot}")).unwrap();
        db.execute(
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, content, \
             rendered_content, date_sent, client) VALUES (5, 1, ?1, ?2, 'x', 'x', 0, '')",
            &params![ann, conversation],
        )
        .unwrap();
        for id in [ann, bot] {
            db.execute(
                "INSERT INTO user_messages (user_id, message_id) VALUES (?1, 5)",
                &params![id],
            )
            .unwrap();
        }
        let both = crate::id_list([ann, bot]);
        insert(&db, 5, &both, "direct_message", 100).unwrap();
        assert_eq!(is_any_due(&db, 99), Ok(false));
        assert_eq!(is_any_due(&db, 100), Ok(true));
        let claimed = claim(&db, 100, 160, 10).unwrap();
        assert_eq!(
            (claimed.len(), claimed[0].bot_id, claimed[0].attempts),
            (1, bot, 1)
        );
        assert_eq!(claim(&db, 159, 219, 10), Ok(vec![]));
        let again = claim(&db, 160, 220, 10).unwrap();
        assert_eq!(again[0].attempts, 2);
        assert_eq!(by_attempt(&db, again[0].id, 1), Ok(None));
        postpone(&db, again[0].id, 170).unwrap();
        assert_eq!(is_any_due(&db, 169), Ok(false));
        assert_eq!(is_any_due(&db, 170), Ok(true));
        delete(&db, again[0].id).unwrap();
        assert_eq!(is_any_due(&db, 1_000), Ok(false));
    }
}
