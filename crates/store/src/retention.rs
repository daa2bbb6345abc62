//! Messages that are older than they are kept (docs/protocol/messages.md#delete_message,
//! `message_retention_days`).
//!
//! Owns the rule of inheritance as SQL: a channel's own number of days, else the organization's, which direct messages
//! always have; -1 is for ever. Every statement reads the setting, so a deletion follows its value in that transaction.
//! Deleting is done by [`crate::message_changes::delete`].

use spindle_domain::{ChannelId, MessageId, RealmId};

use crate::{Db, DbError, params, row_struct, sql};

/// Conversations that keep messages for the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionScope {
    /// A channel, by id.
    Channel(ChannelId),
    /// All direct conversations of the organization.
    Direct,
}

impl RetentionScope {
    /// The channel, if it is one.
    #[must_use]
    pub const fn channel_id(self) -> Option<ChannelId> {
        match self {
            Self::Channel(id) => Some(id),
            Self::Direct => None,
        }
    }
}

/// Days that organization `r` keeps messages.
macro_rules! realm_days {
    () => {
        "CAST(coalesce(r.settings ->> 'message_retention_days', '-1') AS BIGINT)"
    };
}

/// Days that channel `c` of organization `r` keeps messages.
macro_rules! channel_days {
    () => {
        concat!("coalesce(c.message_retention_days, ", realm_days!(), ")")
    };
}

/// The messages `m` of channel `?2` (null: direct) of organization `?1` that have expired at `?3`,
/// the oldest first, at most `?4`.
macro_rules! oldest_expired {
    () => {
        concat!(
            " FROM realms r LEFT JOIN channels c ON c.id = ?2 CROSS JOIN messages m ON true \
             WHERE r.id = ?1 AND +m.realm_id = r.id AND ",
            $crate::either!(
                "m.channel_id IS ?2",
                "(m.channel_id = ?2 OR ?2:bigint IS NULL AND m.channel_id IS NULL)"
            ),
            " AND ",
            channel_days!(),
            " > 0 AND m.date_sent < ?3 - 86400 * ",
            channel_days!(),
            " ORDER BY m.date_sent, m.id LIMIT ?4"
        )
    };
}

/// The conversations that hold a message which has expired at `now` (UNIX seconds), if there is one. Looks
/// at one message of each channel.
pub fn first_scope(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
) -> Result<Option<RetentionScope>, DbError> {
    let found = db
        .query(
            sql!(
                "SELECT c.id FROM realms r JOIN channels c ON c.realm_id = r.id WHERE r.id = ?1 AND ",
                channel_days!(),
                " > 0 AND EXISTS (SELECT 1 FROM messages m WHERE m.channel_id = c.id \
                 AND m.date_sent < ?2 - 86400 * ",
                channel_days!(),
                ") UNION ALL SELECT NULL FROM realms r WHERE r.id = ?1 AND ",
                realm_days!(),
                " > 0 AND EXISTS (SELECT 1 FROM messages m WHERE m.channel_id IS NULL \
                 AND +m.realm_id = r.id AND m.date_sent < ?2 - 86400 * ",
                realm_days!(),
                ") LIMIT 1"
            ),
            &params![realm_id, now],
        )?
        .value::<Option<ChannelId>>()?;
    Ok(found.map(|channel_id| channel_id.map_or(RetentionScope::Direct, RetentionScope::Channel)))
}

/// To how many people each of the oldest expired messages of a scope was delivered; in the order
/// of [`oldest`].
pub fn deliveries(
    db: &dyn Db,
    realm_id: RealmId,
    scope: RetentionScope,
    now: i64,
    limit: i64,
) -> Result<Vec<i64>, DbError> {
    db.query(
        sql!(
            "SELECT (SELECT count(*) FROM user_messages um WHERE um.message_id = m.id)",
            oldest_expired!()
        ),
        &params![realm_id, scope.channel_id(), now, limit],
    )?
    .values()
}

row_struct! {
    /// A message that is older than messages of its scope are kept.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ExpiredMessage {
        /// Message id.
        pub id: MessageId,
        /// Empty for a direct message.
        pub topic: String,
    }
}

/// The oldest expired messages of a scope.
pub fn oldest(
    db: &dyn Db,
    realm_id: RealmId,
    scope: RetentionScope,
    now: i64,
    limit: i64,
) -> Result<Vec<ExpiredMessage>, DbError> {
    db.query(
        sql!("SELECT m.id, m.topic", oldest_expired!()),
        &params![realm_id, scope.channel_id(), now, limit],
    )?
    .all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};
    use crate::{WriteTx, statement};

    const DAY: i64 = 86_400;
    const NOW: i64 = 1000 * DAY;

    /// Two channels, the second of which keeps messages for 30 days. A message of 9, 10 and 11
    /// days and one of 40 days in each, and the same direct; each was delivered to one person.
    fn filled(database: &TestDatabase) -> WriteTx<'_> {
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        testing::add_channel(&tx, "inherits", false);
        testing::add_channel(&tx, "own", false);
        let run = |sql, values: &[crate::Value]| tx.execute(sql, values).unwrap();
        run(
            "UPDATE channels SET message_retention_days = 30 WHERE id = 2",
            &[],
        );
        run(
            "INSERT INTO conversations (id, realm_id, kind, members_key) VALUES (9, 1, 'direct', '1')",
            &[],
        );
        for channel in [Some(1), Some(2), None] {
            for days in [40, 11, 10, 9] {
                run(
                    "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic, \
                     content, rendered_content, date_sent, client) \
                     VALUES (1, ?1, coalesce((SELECT conversation_id FROM channels WHERE id = ?2), 9), \
                     ?2, 't', '', '', ?3, '')",
                    &params![ann, channel, NOW - days * DAY],
                );
            }
        }
        run(
            "INSERT INTO user_messages (user_id, message_id) SELECT ?1, id FROM messages",
            &params![ann],
        );
        tx
    }

    fn set_realm(tx: &WriteTx<'_>, days: i64) {
        tx.execute(
            "UPDATE realms SET settings = json_set(settings, '$.message_retention_days', ?1) WHERE id = 1",
            &params![days],
        )
        .unwrap();
    }

    fn expired(tx: &WriteTx<'_>, scope: RetentionScope) -> usize {
        let found = oldest(tx, RealmId::ONLY, scope, NOW, 100).unwrap();
        assert_eq!(
            deliveries(tx, RealmId::ONLY, scope, NOW, 100),
            Ok(vec![1; found.len()])
        );
        found.len()
    }

    fn all_expired(tx: &WriteTx<'_>) -> [usize; 3] {
        [
            RetentionScope::Channel(ChannelId(1)),
            RetentionScope::Channel(ChannelId(2)),
            RetentionScope::Direct,
        ]
        .map(|scope| expired(tx, scope))
    }

    #[test]
    fn a_channel_has_its_own_days_and_direct_messages_the_organizations() {
        let database = TestDatabase::with_realm();
        let tx = filled(&database);
        assert_eq!(all_expired(&tx), [0, 1, 0]);
        assert_eq!(
            first_scope(&tx, RealmId::ONLY, NOW),
            Ok(Some(RetentionScope::Channel(ChannelId(2))))
        );
        // Exactly ten days is not older than ten days.
        set_realm(&tx, 10);
        assert_eq!(all_expired(&tx), [2, 1, 2]);
        set_realm(&tx, -1);
        assert_eq!(all_expired(&tx), [0, 1, 0]);
        let channel = |days: i64| {
            let sql = "UPDATE channels SET message_retention_days = ?1 WHERE id = 2";
            tx.execute(sql, &params![days]).unwrap();
        };
        channel(-1);
        assert_eq!(first_scope(&tx, RealmId::ONLY, NOW), Ok(None));
        set_realm(&tx, 1);
        assert_eq!(all_expired(&tx), [4, 0, 4]);
        tx.execute("DELETE FROM user_messages", &[]).unwrap();
        tx.execute("DELETE FROM messages WHERE channel_id = 1", &[])
            .unwrap();
        assert_eq!(
            first_scope(&tx, RealmId::ONLY, NOW),
            Ok(Some(RetentionScope::Direct))
        );
        assert_eq!(first_scope(&tx, RealmId::ONLY, NOW - 100 * DAY), Ok(None));
    }

    #[test]
    fn the_oldest_come_first_and_are_found_by_the_index() {
        let database = TestDatabase::with_realm();
        let tx = filled(&database);
        set_realm(&tx, 5);
        // As after a clock that was set back.
        tx.execute("UPDATE messages SET date_sent = 1 WHERE id = 3", &[])
            .unwrap();
        let ids: Vec<MessageId> = oldest(
            &tx,
            RealmId::ONLY,
            RetentionScope::Channel(ChannelId(1)),
            NOW,
            2,
        )
        .unwrap()
        .into_iter()
        .map(|message| message.id)
        .collect();
        assert_eq!(ids, [3, 1].map(MessageId));
        let plan = tx
            .execute(
                statement!("EXPLAIN QUERY PLAN SELECT m.id", oldest_expired!()),
                &params![1, None::<i64>, NOW, 10],
            )
            .unwrap();
        let text = format!("{:?}", plan.rows);
        let search = "USING INDEX messages_by_age (channel_id=? AND date_sent<?)";
        let covering = "USING COVERING INDEX messages_by_age (channel_id=? AND date_sent<?)";
        assert!(text.contains(search) || text.contains(covering), "{text}");
        assert!(!text.contains("TEMP B-TREE"), "{text}");
    }
}
