//! Deletions of what an account has sent, of which not all parts have gone; and what goes next.

use crate::{Db, DbError, WriteTx, params, sql};

/// Messages that are looked at for one part, at most.
pub const LOOKED_AT: usize = 400;
/// Deliveries of a message that are counted; more are as many.
const DELIVERIES_COUNTED: i64 = 2_000;

/// Which places messages are deleted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Places {
    /// Channels that everybody in the organization may read.
    pub public_channels: bool,
    /// Private channels.
    pub private_channels: bool,
    /// Direct conversations.
    pub direct: bool,
}

/// A deletion with parts to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErasureRow {
    /// Organization.
    pub realm_id: i64,
    /// Whose messages go.
    pub sender_id: i64,
    /// Who deletes them.
    pub user_id: i64,
    /// Where.
    pub places: Places,
    /// Messages with higher ids have gone, or stay.
    pub last_id: i64,
    /// Messages that have gone.
    pub erased: i64,
}

/// A message of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRow {
    /// Id.
    pub id: i64,
    /// Whether it is in one of the places.
    pub is_meant: bool,
    /// None for a direct message.
    pub channel_id: Option<i64>,
    /// Where it was sent to.
    pub conversation_id: i64,
    /// Empty for a direct message.
    pub topic: String,
    /// To how many people it was delivered.
    pub deliveries: i64,
}

/// Notes that what `sender_id` has sent until now to these places is deleted by `user_id`.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: i64,
    sender_id: i64,
    user_id: i64,
    places: Places,
) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO message_erasures (realm_id, sender_id, user_id, public_channels, \
             private_channels, direct, last_id, erased) SELECT ?1, ?2, ?3, ?4, ?5, ?6, \
             coalesce((SELECT max(m.id) FROM messages m WHERE m.sender_id = ?2), 0), 0",
        &params![
            realm_id,
            sender_id,
            user_id,
            places.public_channels,
            places.private_channels,
            places.direct
        ],
    )?;
    Ok(())
}

/// The deletion with parts to go that began first.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn first(db: &dyn Db, realm_id: i64) -> Result<Option<i64>, DbError> {
    db.query(
        sql!("SELECT id FROM message_erasures WHERE realm_id = ?1 ORDER BY id LIMIT 1"),
        &params![realm_id],
    )?
    .read_first(|row| row.integer())
}

/// A deletion with parts to go.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn find(db: &dyn Db, id: i64) -> Result<Option<ErasureRow>, DbError> {
    db.query(
        sql!("SELECT realm_id, sender_id, user_id, public_channels, private_channels, direct, last_id, \
             erased FROM message_erasures WHERE id = ?1"),
        &params![id],
    )?
    .read_first(|row| {
        Ok(ErasureRow {
            realm_id: row.integer()?,
            sender_id: row.integer()?,
            user_id: row.integer()?,
            places: Places {
                public_channels: row.flag()?,
                private_channels: row.flag()?,
                direct: row.flag()?,
            },
            last_id: row.integer()?,
            erased: row.integer()?,
        })
    })
}

/// The newest messages that are left, in the places and elsewhere, the newest first.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn newest(db: &dyn Db, erasure: &ErasureRow) -> Result<Vec<SentRow>, DbError> {
    let places = erasure.places;
    db.query(
        sql!("SELECT m.id, CASE ch.invite_only WHEN 0 THEN ?3 WHEN 1 THEN ?4 ELSE ?5 END, m.channel_id, \
             m.conversation_id, m.topic, (SELECT count(*) FROM (SELECT 1 FROM user_messages um \
                 WHERE um.message_id = m.id LIMIT ?7)) \
         FROM messages m LEFT JOIN channels ch ON ch.id = m.channel_id \
         WHERE m.sender_id = ?1 AND m.id <= ?2 ORDER BY m.id DESC LIMIT ?6"),
        &params![
            erasure.sender_id,
            erasure.last_id,
            places.public_channels,
            places.private_channels,
            places.direct,
            i64::try_from(LOOKED_AT).unwrap_or(i64::MAX),
            DELIVERIES_COUNTED
        ],
    )?
    .read_all(|row| {
        Ok(SentRow {
            id: row.integer()?,
            is_meant: row.flag()?,
            channel_id: row.optional_integer()?,
            conversation_id: row.integer()?,
            topic: row.text()?,
            deliveries: row.integer()?,
        })
    })
}

/// Notes that a part has gone: how many messages have in all, and from which one on is left.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn advance(tx: &WriteTx<'_>, id: i64, last_id: i64, erased: i64) -> Result<(), DbError> {
    tx.execute(
        "UPDATE message_erasures SET last_id = ?2, erased = ?3 WHERE id = ?1",
        &params![id, last_id, erased],
    )?;
    Ok(())
}

/// Forgets a deletion that is complete.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn finish(tx: &WriteTx<'_>, id: i64) -> Result<(), DbError> {
    tx.execute("DELETE FROM message_erasures WHERE id = ?1", &params![id])?;
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
        let (ann, bob) = (testing::add_user(&tx, "a@x"), testing::add_user(&tx, "b@x"));
        let open = testing::add_channel(&tx, "open", false);
        let closed = testing::add_channel(&tx, "closed", true);
        let direct = conversations::insert_direct(&tx, 1, &format!("{ann},{bob}")).unwrap();
        let send = |sender: i64, channel: Option<i64>| {
            let sql = "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, \
                 topic, content, rendered_content, date_sent, client) SELECT 1, ?1, \
                 coalesce((SELECT conversation_id FROM channels WHERE id = ?2), ?3), ?2, 't', \
                 '', '', 0, '' RETURNING id";
            let rows = tx.execute(sql, &params![sender, channel, direct]);
            rows.unwrap().read_one(|row| row.integer()).unwrap()
        };
        let one = send(ann, Some(open.into()));
        let two = send(ann, Some(closed.into()));
        let three = send(ann, None);
        send(bob, Some(open.into()));
        tx.execute(
            "INSERT INTO user_messages (user_id, message_id) VALUES (?1, ?3), (?2, ?3)",
            &params![ann, bob, two],
        )
        .unwrap();
        let places = Places {
            private_channels: true,
            direct: true,
            ..Places::default()
        };
        insert(&tx, 1, ann, bob, places).unwrap();
        let later = send(ann, None);
        assert!(later > three);
        let id = first(&tx, 1).unwrap().unwrap();
        let erasure = find(&tx, id).unwrap().unwrap();
        assert_eq!((erasure.sender_id, erasure.user_id), (ann, bob));
        assert_eq!((erasure.places, erasure.last_id), (places, three));
        let found: Vec<_> = newest(&tx, &erasure)
            .unwrap()
            .into_iter()
            .map(|sent| (sent.id, sent.is_meant, sent.channel_id, sent.deliveries))
            .collect();
        let expected = [
            (three, true, None, 0),
            (two, true, Some(closed.get()), 2),
            (one, false, Some(open.get()), 0),
        ];
        assert_eq!(found, expected);
        advance(&tx, id, one, 2).unwrap();
        let erasure = find(&tx, id).unwrap().unwrap();
        assert_eq!((erasure.last_id, erasure.erased), (one, 2));
        assert_eq!(newest(&tx, &erasure).unwrap().len(), 1);
        finish(&tx, id).unwrap();
        assert_eq!(first(&tx, 1), Ok(None));
    }
}
