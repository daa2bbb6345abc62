//! Deletions of the messages of an account that are not complete, and the messages to delete next.

use spindle_domain::{ChannelId, ConversationId, ErasureId, MessageId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Most messages that are read for one part.
pub const LOOKED_AT: usize = 400;
/// The count of the deliveries of a message stops here.
const DELIVERIES_COUNTED: i64 = 2_000;

/// The kinds of conversations whose messages are deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationKinds {
    /// Channels that all members of the organization may read.
    pub public_channels: bool,
    /// Private channels.
    pub private_channels: bool,
    /// Direct conversations.
    pub direct: bool,
}

row_struct! {
    /// A deletion that is not complete.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ErasureRow {
        /// The sender's organization.
        pub realm_id: RealmId,
        /// The account whose messages are deleted.
        pub sender_id: UserId,
        /// The account that deletes them.
        pub user_id: UserId,
        /// Whether messages in public channels are deleted.
        pub public_channels: bool,
        /// Whether messages in private channels are deleted.
        pub private_channels: bool,
        /// Whether direct messages are deleted.
        pub direct: bool,
        /// Messages with higher ids are deleted already, or are kept.
        pub last_id: MessageId,
        /// Number of messages deleted so far.
        pub erased: i64,
    }
}

row_struct! {
    /// A message of the account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SentRow {
        pub id: MessageId,
        /// Whether it is in a conversation of the kinds that are deleted.
        pub is_meant: bool,
        /// None for a direct message.
        pub channel_id: Option<ChannelId>,
        /// The conversation it is in.
        pub conversation_id: ConversationId,
        /// Empty for a direct message.
        pub topic: String,
        /// Number of users to whom it was delivered, counted up to 2000.
        pub deliveries: i64,
    }
}

/// Stores that `user_id` deletes what `sender_id` has sent until now to these kinds of conversations.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    sender_id: UserId,
    user_id: UserId,
    kinds: ConversationKinds,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO message_erasures (realm_id, sender_id, user_id, public_channels, \
             private_channels, direct, last_id, erased) SELECT ?1, ?2, ?3, ?4, ?5, ?6, \
             coalesce((SELECT max(m.id) FROM messages m WHERE m.sender_id = ?2), 0), 0"
        ),
        &params![
            realm_id,
            sender_id,
            user_id,
            kinds.public_channels,
            kinds.private_channels,
            kinds.direct
        ],
    )?;
    Ok(())
}

/// The oldest deletion that is not complete.
pub fn first(db: &dyn Db, realm_id: RealmId) -> Result<Option<ErasureId>, DbError> {
    db.query(
        sql!("SELECT id FROM message_erasures WHERE realm_id = ?1 ORDER BY id LIMIT 1"),
        &params![realm_id],
    )?
    .value()
}

/// A deletion that is not complete.
pub fn find(db: &dyn Db, id: ErasureId) -> Result<Option<ErasureRow>, DbError> {
    db.query(
        sql!("SELECT realm_id, sender_id, user_id, public_channels, private_channels, direct, last_id, \
             erased FROM message_erasures WHERE id = ?1"),
        &params![id],
    )?
    .first()
}

/// The newest remaining messages of the account, whether they will be deleted or not, the newest first.
pub fn newest(db: &dyn Db, erasure: &ErasureRow) -> Result<Vec<SentRow>, DbError> {
    db.query(
        sql!("SELECT m.id, CASE ch.invite_only WHEN 0 THEN ?3:bigint WHEN 1 THEN ?4:bigint ELSE ?5:bigint END AS is_meant, m.channel_id, \
             m.conversation_id, m.topic, (SELECT count(*) FROM (SELECT 1 FROM user_messages um \
                 WHERE um.message_id = m.id LIMIT ?7) AS counted) AS deliveries \
         FROM messages m LEFT JOIN channels ch ON ch.id = m.channel_id \
         WHERE m.sender_id = ?1 AND m.id <= ?2 ORDER BY m.id DESC LIMIT ?6"),
        &params![
            erasure.sender_id,
            erasure.last_id,
            erasure.public_channels,
            erasure.private_channels,
            erasure.direct,
            i64::try_from(LOOKED_AT).unwrap_or(i64::MAX),
            DELIVERIES_COUNTED
        ],
    )?
    .all()
}

/// Stores that a part is deleted: the newest message that is left, and the number deleted so far.
pub fn advance(
    tx: &WriteTx<'_>,
    id: ErasureId,
    last_id: MessageId,
    erased: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE message_erasures SET last_id = ?2, erased = ?3 WHERE id = ?1"),
        &params![id, last_id, erased],
    )?;
    Ok(())
}

/// Deletes the row of a deletion that is complete.
pub fn finish(tx: &WriteTx<'_>, id: ErasureId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM message_erasures WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversations;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn what_is_left_of_what_an_account_has_sent() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let [ann, bob]: [UserId; 2] =
            ["a@x", "b@x"].map(|email| testing::add_user(&tx, email).into());
        let open: ChannelId = testing::add_channel(&tx, "open", false);
        let closed: ChannelId = testing::add_channel(&tx, "closed", true);
        let direct =
            conversations::insert_direct(&tx, RealmId::ONLY, &format!("{ann},{bob}")).unwrap();
        let send = |sender: UserId, channel: Option<ChannelId>| -> MessageId {
            let sql = "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, \
                 topic, content, rendered_content, date_sent, client) SELECT 1, ?1, \
                 coalesce((SELECT conversation_id FROM channels WHERE id = ?2), ?3), ?2, 't', \
                 '', '', 0, '' RETURNING id";
            let rows = tx.execute(sql, &params![sender, channel, direct]);
            rows.unwrap().one_value().unwrap()
        };
        let one = send(ann, Some(open));
        let two = send(ann, Some(closed));
        let three = send(ann, None);
        send(bob, Some(open));
        tx.execute(
            "INSERT INTO user_messages (user_id, message_id) VALUES (?1, ?3), (?2, ?3)",
            &params![ann, bob, two],
        )
        .unwrap();
        let kinds = ConversationKinds {
            private_channels: true,
            direct: true,
            ..ConversationKinds::default()
        };
        insert(&tx, RealmId::ONLY, ann, bob, kinds).unwrap();
        let later = send(ann, None);
        assert!(later > three);
        let id = first(&tx, RealmId::ONLY).unwrap().unwrap();
        let erasure = find(&tx, id).unwrap().unwrap();
        assert_eq!((erasure.sender_id, erasure.user_id), (ann, bob));
        let stored = ConversationKinds {
            public_channels: erasure.public_channels,
            private_channels: erasure.private_channels,
            direct: erasure.direct,
        };
        assert_eq!((stored, erasure.last_id), (kinds, three));
        let found: Vec<_> = newest(&tx, &erasure)
            .unwrap()
            .into_iter()
            .map(|sent| (sent.id, sent.is_meant, sent.channel_id, sent.deliveries))
            .collect();
        let expected = [
            (three, true, None, 0),
            (two, true, Some(closed), 2),
            (one, false, Some(open), 0),
        ];
        assert_eq!(found, expected);
        advance(&tx, id, one, 2).unwrap();
        let erasure = find(&tx, id).unwrap().unwrap();
        assert_eq!((erasure.last_id, erasure.erased), (one, 2));
        assert_eq!(newest(&tx, &erasure).unwrap().len(), 1);
        finish(&tx, id).unwrap();
        assert_eq!(first(&tx, RealmId::ONLY), Ok(None));
    }
}
