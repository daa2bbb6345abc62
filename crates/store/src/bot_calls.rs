//! Calls to outgoing and embedded bots that are still to be made, one for each message and bot.
//!
//! A row is written in the transaction of its message, claimed for a time by the worker that makes
//! the call, and deleted in the transaction of the bot's answer. So a crash repeats a call and
//! never loses one. A call whose service may not be called yet is deferred, which is no attempt.

use spindle_domain::{BotCallId, MessageId, UserId};

use crate::{Db, DbError, WriteTx, among, params, row_struct, sql, statement};

/// Notes a call for each account of a JSON list that is an active bot with a service and received
/// the message; not for a bot that has `most` calls waiting. `reason`: `direct_message` or `mention`.
pub fn insert(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    accounts: &str,
    reason: &'static str,
    now: i64,
    most: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO bot_calls (bot_id, message_id, reason, created, due) \
         SELECT u.id, ?1, ?3, ?4, ?4 FROM users u \
         WHERE u.id IN (SELECT value FROM json_ids(?2)) AND u.bot_type IN (3, 4) \
         AND u.is_active = 1 AND EXISTS (SELECT 1 FROM user_messages um \
             WHERE um.user_id = u.id AND um.message_id = ?1) \
         AND (SELECT count(*) FROM bot_calls c WHERE c.bot_id = u.id) < ?5"
        ),
        &params![message_id, accounts, reason, now, most],
    )?;
    Ok(())
}

/// The owner of the bot of a call.
macro_rules! owner {
    () => {
        "(SELECT coalesce(u.bot_owner_id, u.id) FROM users u WHERE u.id = bot_calls.bot_id) AS owner_id"
    };
}

row_struct! {
    /// A call that is due.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BotCallRow {
        /// Row id.
        pub id: BotCallId,
        /// The bot.
        pub bot_id: UserId,
        /// The bot's owner; the bot itself without one.
        pub owner_id: UserId,
        pub message_id: MessageId,
        /// `direct_message` or `mention`.
        pub reason: String,
        /// Attempts so far, this one included.
        pub attempts: i64,
    }
}

/// Whether any call is due at `now` (UNIX seconds).
pub fn is_any_due(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM bot_calls WHERE due <= ?1 AND claimed_until <= ?1)"),
        &params![now],
    )?
    .one_value()
}

/// How many calls a claim takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// At most, of all bots together.
    pub limit: i64,
    /// At most claimed of one bot at any time, earlier claims included.
    pub per_bot: i64,
    /// At most claimed of all bots of one owner at any time, earlier claims included.
    pub per_owner: i64,
}

/// Claims calls that are due at `now`, the oldest of each bot first and alternating between owners;
/// no other worker gets them before `until` (UNIX seconds).
pub fn claim(
    tx: &WriteTx<'_>,
    now: i64,
    until: i64,
    share: Share,
) -> Result<Vec<BotCallRow>, DbError> {
    tx.execute(
        statement!(
            "UPDATE bot_calls SET attempts = attempts + 1, claimed_until = ?2 \
             WHERE id ",
            among!(
                "SELECT id FROM ( \
                     SELECT id, due, claimed_until, row_number() OVER (PARTITION BY owner_id \
                         ORDER BY claimed_until > ?1 DESC, place, due, id) AS place_of_owner \
                     FROM (SELECT c.id, c.due, c.claimed_until, coalesce(u.bot_owner_id, u.id) AS owner_id, \
                             row_number() OVER (PARTITION BY c.bot_id \
                                 ORDER BY c.claimed_until > ?1 DESC, c.due, c.id) AS place \
                         FROM bot_calls c JOIN users u ON u.id = c.bot_id WHERE c.due <= ?1) AS of_bots \
                     WHERE place <= ?4) AS waiting \
                 WHERE place_of_owner <= ?5 AND claimed_until <= ?1 \
                 ORDER BY place_of_owner, due, id LIMIT ?3"
            ),
            " RETURNING id, bot_id, ",
            owner!(),
            ", message_id, reason, attempts"
        ),
        &params![now, until, share.limit, share.per_bot, share.per_owner],
    )?
    .all()
}

/// A call that is at this attempt; `None` when it was answered or claimed again.
pub fn by_attempt(db: &dyn Db, id: BotCallId, attempt: i64) -> Result<Option<BotCallRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, bot_id, ",
            owner!(),
            ", message_id, reason, attempts FROM bot_calls WHERE id = ?1 AND attempts = ?2"
        ),
        &params![id, attempt],
    )?
    .first()
}

/// Lets a call be made again at `due` (UNIX seconds).
pub fn postpone(tx: &WriteTx<'_>, id: BotCallId, due: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE bot_calls SET due = ?2, claimed_until = 0 WHERE id = ?1"),
        &params![id, due],
    )?;
    Ok(())
}

/// Gives a claimed call back: it was not made, and is due at `due` (UNIX seconds).
pub fn defer(tx: &WriteTx<'_>, id: BotCallId, due: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE bot_calls SET attempts = attempts - 1, claimed_until = 0, due = ?2 WHERE id = ?1"),
        &params![id, due],
    )?;
    Ok(())
}

/// Lets all calls of a bot that are not claimed at `now` wait until `due` (UNIX seconds) at
/// least.
pub fn defer_all(tx: &WriteTx<'_>, bot_id: UserId, now: i64, due: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE bot_calls SET due = ?3 WHERE bot_id = ?1 AND due < ?3 AND claimed_until <= ?2"
        ),
        &params![bot_id, now, due],
    )?;
    Ok(())
}

/// Deletes the calls of a bot that were noted before `created` and that are not claimed at
/// `now` (UNIX seconds); returns the messages they were about, ascending.
pub fn give_up(
    tx: &WriteTx<'_>,
    bot_id: UserId,
    now: i64,
    created: i64,
) -> Result<Vec<MessageId>, DbError> {
    let mut messages = tx
        .execute(
            statement!(
                "DELETE FROM bot_calls WHERE bot_id = ?1 AND created < ?3 AND claimed_until <= ?2 \
             RETURNING message_id"
            ),
            &params![bot_id, now, created],
        )?
        .values()?;
    messages.sort_unstable();
    Ok(messages)
}

/// The call is over.
pub fn delete(tx: &WriteTx<'_>, id: BotCallId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM bot_calls WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use spindle_domain::{ConversationId, RealmId, Role};

    use super::*;
    use crate::testing::TestDatabase;

    const ALL: Share = Share {
        limit: 10,
        per_bot: 10,
        per_owner: 10,
    };

    fn user(tx: &WriteTx<'_>, email: &'static str, bot_type: Option<i64>) -> UserId {
        let new = crate::users::NewUser {
            realm_id: RealmId::ONLY,
            email,
            email_folded: email,
            delivery_email: email,
            delivery_email_folded: email,
            full_name: email,
            full_name_folded: email,
            role: Role::Member,
            bot_type,
            ..crate::users::NewUser::default()
        };
        crate::users::insert(tx, &new).unwrap()
    }

    /// A message of `sender` that all of them have.
    fn message(
        tx: &WriteTx<'_>,
        id: MessageId,
        conversation: ConversationId,
        sender: UserId,
        readers: &[UserId],
    ) {
        tx.execute(
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, content, \
             rendered_content, date_sent, client) VALUES (?1, 1, ?2, ?3, 'x', 'x', 0, '')",
            &params![id, sender, conversation],
        )
        .unwrap();
        for reader in readers {
            tx.execute(
                "INSERT INTO user_messages (user_id, message_id) VALUES (?1, ?2)",
                &params![*reader, id],
            )
            .unwrap();
        }
    }

    #[test]
    fn a_call_is_claimed_once_at_a_time() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bot) = (user(&tx, "a@x", None), user(&tx, "b@x", Some(3)));
        let conversation =
            crate::conversations::insert_direct(&tx, RealmId::ONLY, &format!("{ann},{bot}"))
                .unwrap();
        message(&tx, MessageId(5), conversation, ann, &[ann, bot]);
        let both = crate::id_list([ann, bot]);
        insert(&tx, MessageId(5), &both, "direct_message", 100, 10).unwrap();
        assert_eq!(is_any_due(&tx, 99), Ok(false));
        assert_eq!(is_any_due(&tx, 100), Ok(true));
        let claimed = claim(&tx, 100, 160, ALL).unwrap();
        assert_eq!(
            (claimed.len(), claimed[0].bot_id, claimed[0].attempts),
            (1, bot, 1)
        );
        assert_eq!(claim(&tx, 159, 219, ALL), Ok(vec![]));
        let again = claim(&tx, 160, 220, ALL).unwrap();
        assert_eq!(again[0].attempts, 2);
        assert_eq!(by_attempt(&tx, again[0].id, 1), Ok(None));
        postpone(&tx, again[0].id, 170).unwrap();
        assert_eq!(is_any_due(&tx, 169), Ok(false));
        assert_eq!(is_any_due(&tx, 170), Ok(true));
        delete(&tx, again[0].id).unwrap();
        assert_eq!(is_any_due(&tx, 1_000), Ok(false));
    }

    #[test]
    fn bots_alternate_and_one_holds_only_its_share() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = user(&tx, "a@x", None);
        let (one, other) = (user(&tx, "b@x", Some(3)), user(&tx, "c@x", Some(3)));
        let conversation = crate::conversations::insert_direct(
            &tx,
            RealmId::ONLY,
            &format!("{ann},{one},{other}"),
        )
        .unwrap();
        let note = |id, bot: UserId, most| {
            let id = MessageId(id);
            message(&tx, id, conversation, ann, &[bot]);
            let accounts = crate::id_list([bot]);
            insert(&tx, id, &accounts, "mention", 100, most).unwrap();
        };
        for id in 1..=9 {
            note(id, one, 8);
        }
        note(10, other, 8);
        let share = Share {
            limit: 4,
            per_bot: 3,
            per_owner: 3,
        };
        let messages = |now| {
            let claimed = claim(&tx, now, now + 60, share).unwrap();
            let mut ids: Vec<i64> = claimed.iter().map(|row| row.message_id.get()).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(
            messages(100),
            [1, 2, 3, 10],
            "the other one is not left out"
        );
        assert_eq!(messages(101), Vec::<i64>::new(), "it has its share");
        let first = "SELECT id FROM bot_calls WHERE message_id = 1";
        let first = tx.execute(first, &[]).unwrap();
        let first = first.one_value::<BotCallId>().unwrap();
        // Not made: no attempt, and the others of this bot wait as well.
        defer(&tx, first, 130).unwrap();
        defer_all(&tx, one, 102, 130).unwrap();
        assert!(by_attempt(&tx, first, 0).unwrap().is_some());
        assert_eq!(messages(129), Vec::<i64>::new());
        assert_eq!(messages(130), [1], "two are claimed still");
        assert_eq!(
            give_up(&tx, one, 131, 101),
            Ok(vec![4, 5, 6, 7, 8].into_iter().map(MessageId).collect())
        );
    }

    #[test]
    fn owners_alternate_however_many_bots_they_have() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (user(&tx, "a@x", None), user(&tx, "b@x", None));
        let owned = |email, owner| {
            let bot = user(&tx, email, Some(3));
            let sql = "UPDATE users SET bot_owner_id = ?2 WHERE id = ?1";
            tx.execute(sql, &params![bot, owner]).unwrap();
            bot
        };
        let bots = ["1@x", "2@x", "3@x", "4@x"].map(|email| owned(email, ann));
        let late = owned("5@x", bob);
        let accounts = crate::id_list(bots.into_iter().chain([late]));
        let people = [ann, bob].map(|person| person.to_string()).join(",");
        let conversation =
            crate::conversations::insert_direct(&tx, RealmId::ONLY, &people).unwrap();
        message(&tx, MessageId(1), conversation, ann, &[]);
        for bot in bots.into_iter().chain([late]) {
            let sql = "INSERT INTO user_messages (user_id, message_id) VALUES (?1, 1)";
            tx.execute(sql, &params![bot]).unwrap();
        }
        insert(&tx, MessageId(1), &accounts, "mention", 100, 8).unwrap();
        let share = Share {
            limit: 4,
            per_bot: 8,
            per_owner: 2,
        };
        let claimed = claim(&tx, 100, 160, share).unwrap();
        let mut owners: Vec<UserId> = claimed.iter().map(|row| row.owner_id).collect();
        owners.sort_unstable();
        assert_eq!(owners, [ann, ann, bob]);
        assert_eq!(claim(&tx, 101, 161, share), Ok(vec![]));
    }
}
