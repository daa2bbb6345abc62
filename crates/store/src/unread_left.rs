//! Messages that users had not read in channels that they have left: they are marked as read, a
//! bounded number at a time, and a row is kept while more are left.

use spindle_domain::{ChannelId, MessageId, UserId};

use crate::message_flags::{NewlyRead, ReadRow, by_reader};
use crate::subscriptions::{SubscriptionKey, pair_list};
use crate::{Db, DbError, WriteTx, among, either, params, row_struct, sql, statement};

/// Most messages that one statement marks.
pub const AT_ONCE: i64 = 2_000;

row_struct! {
    /// Unread messages of a channel that a user has left.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LeftRow {
        /// The user who has left.
        pub user_id: UserId,
        /// The channel that was left.
        pub channel_id: ChannelId,
        /// Messages with higher ids were sent later and stay unread.
        pub last_id: MessageId,
    }
}

/// Marks messages of channels as read for users who have left them, at most [`AT_ONCE`], and stores
/// a row where more are left. Returns the messages that were unread.
pub fn read(tx: &WriteTx<'_>, left: &[SubscriptionKey]) -> Result<Vec<NewlyRead>, DbError> {
    let list = pair_list(left);
    let rows: Vec<ReadRow> = tx
        .execute(
            statement!(
                // As for `among!`, for two columns.
                either!(
                    "UPDATE user_messages SET flags = flags | 1 WHERE (user_id, message_id) IN (",
                    "WITH left_unread AS MATERIALIZED ("
                ),
                "SELECT um.user_id, um.message_id FROM json_texts(?1) p \
             JOIN user_messages um INDEXED BY user_messages_unread \
                 ON um.user_id = CAST(p.value ->> 0 AS BIGINT) AND um.flags & 1 = 0 \
             JOIN messages m ON m.id = um.message_id AND m.channel_id = CAST(p.value ->> 1 AS BIGINT) LIMIT ?2) ",
                either!(
                    "RETURNING user_id, message_id",
                    "UPDATE user_messages SET flags = user_messages.flags | 1 FROM left_unread l \
                     WHERE user_messages.user_id = l.user_id AND user_messages.message_id = l.message_id \
                     RETURNING user_messages.user_id, user_messages.message_id"
                )
            ),
            &params![list.as_str(), AT_ONCE],
        )?
        .all()?;
    if i64::try_from(rows.len()) == Ok(AT_ONCE) {
        tx.execute(
            statement!(
                "INSERT INTO unread_left (user_id, channel_id, last_id) \
             SELECT CAST(p.value ->> 0 AS BIGINT), CAST(p.value ->> 1 AS BIGINT), (SELECT max(id) FROM messages) \
             FROM json_texts(?1) p WHERE EXISTS (SELECT 1 \
                 FROM user_messages um INDEXED BY user_messages_unread \
                 JOIN messages m ON m.id = um.message_id AND m.channel_id = CAST(p.value ->> 1 AS BIGINT) \
                 WHERE um.user_id = CAST(p.value ->> 0 AS BIGINT) AND um.flags & 1 = 0) \
             ON CONFLICT (user_id, channel_id) DO UPDATE SET last_id = excluded.last_id"
            ),
            &params![list],
        )?;
    }
    Ok(by_reader(rows))
}

/// Any channel left with messages that are still unread.
pub fn first(db: &dyn Db) -> Result<Option<LeftRow>, DbError> {
    db.query(
        sql!("SELECT user_id, channel_id, last_id FROM unread_left LIMIT 1"),
        &params![],
    )?
    .first()
}

/// Marks the next messages of such a channel, at most [`AT_ONCE`], and deletes the row when none
/// are left. Returns the ids of the messages that were unread, ascending.
pub fn read_more(tx: &WriteTx<'_>, left: LeftRow) -> Result<Vec<MessageId>, DbError> {
    let mut ids: Vec<MessageId> = tx
        .execute(
            statement!(
                "UPDATE user_messages SET flags = flags | 1 WHERE user_id = ?1 AND message_id ",
                among!(
                    "SELECT um.message_id FROM user_messages um INDEXED BY user_messages_unread \
                     JOIN messages m ON m.id = um.message_id AND m.channel_id = ?2 \
                     WHERE um.user_id = ?1 AND um.flags & 1 = 0 AND um.message_id <= ?3 LIMIT ?4"
                ),
                " RETURNING message_id"
            ),
            &params![left.user_id, left.channel_id, left.last_id, AT_ONCE],
        )?
        .values()?;
    if i64::try_from(ids.len()) != Ok(AT_ONCE) {
        tx.execute(
            statement!("DELETE FROM unread_left WHERE user_id = ?1 AND channel_id = ?2"),
            &params![left.user_id, left.channel_id],
        )?;
    }
    ids.sort_unstable();
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn what_is_left_is_read_in_parts() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let [ann, bob]: [UserId; 2] =
            ["a@x", "b@x"].map(|email| testing::add_user(&tx, email).into());
        let [large, small]: [ChannelId; 2] =
            ["large", "small"].map(|name| testing::add_channel(&tx, name, false));
        for (channel, count) in [(small, 3), (large, 4_500)] {
            tx.execute(
                "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic, \
                     content, rendered_content, date_sent, client) \
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3) \
                 SELECT 1, ?1, (SELECT conversation_id FROM channels WHERE id = ?2), ?2, 't', '', \
                     '', 0, '' FROM n",
                &params![bob, channel, count],
            )
            .unwrap();
        }
        tx.execute(
            "INSERT INTO user_messages (user_id, message_id) SELECT ?1, id FROM messages",
            &params![ann],
        )
        .unwrap();
        let unread = || {
            let sql = "SELECT count(*) FROM user_messages WHERE user_id = ?1 AND flags & 1 = 0";
            let rows = tx.execute(sql, &params![ann]);
            rows.unwrap().one_value::<i64>().unwrap()
        };
        let of = |user_id, channel_id| SubscriptionKey {
            user_id,
            channel_id,
        };
        let counted = |read: Vec<NewlyRead>| -> Vec<(UserId, usize)> {
            let count = |read: &NewlyRead| (read.user_id, read.message_ids.len());
            read.iter().map(count).collect()
        };
        let newly = read(&tx, &[of(ann, small)]).unwrap();
        assert_eq!(counted(newly), [(ann, 3)]);
        assert_eq!(first(&tx), Ok(None));
        let newly = read(&tx, &[of(ann, large), of(bob, large)]).unwrap();
        assert_eq!(counted(newly), [(ann, 2_000)]);
        let left = first(&tx).unwrap().unwrap();
        assert_eq!((left.user_id, left.channel_id), (ann, large));
        // What comes later is not meant.
        tx.execute(
            "UPDATE messages SET channel_id = ?2 WHERE id = ?1",
            &params![left.last_id, small],
        )
        .unwrap();
        let earlier = LeftRow {
            last_id: left.last_id.before(),
            ..left
        };
        assert_eq!(read_more(&tx, earlier).unwrap().len(), 2_000);
        assert_eq!(first(&tx), Ok(Some(left)));
        assert_eq!(read_more(&tx, earlier).unwrap().len(), 499);
        assert_eq!((first(&tx), unread()), (Ok(None), 1));
    }
}
