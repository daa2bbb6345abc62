//! What one account has sent, by the places it was sent to.

use crate::{Db, DbError, params};

/// Which places are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Places {
    /// Channels that everybody in the organization may read.
    pub public_channels: bool,
    /// Private channels.
    pub private_channels: bool,
    /// Direct conversations.
    pub direct: bool,
}

/// The messages of one sender in one topic or one direct conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRow {
    /// Of a channel; none for a direct conversation.
    pub channel_id: Option<i64>,
    /// Empty for a direct conversation.
    pub topic: String,
    /// Ascending.
    pub message_ids: Vec<i64>,
}

/// Everything that an account has sent to these places, by place.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_place(db: &dyn Db, sender_id: i64, places: Places) -> Result<Vec<SentRow>, DbError> {
    db.execute(
        "SELECT m.channel_id, m.topic, json_group_array(m.id ORDER BY m.id) FROM messages m \
         LEFT JOIN channels ch ON ch.id = m.channel_id WHERE m.sender_id = ?1 \
         AND CASE ch.invite_only WHEN 0 THEN ?2 WHEN 1 THEN ?3 ELSE ?4 END \
         GROUP BY m.conversation_id, m.topic ORDER BY m.conversation_id, m.topic",
        &params![
            sender_id,
            places.public_channels,
            places.private_channels,
            places.direct
        ],
    )?
    .read_all(|row| {
        Ok(SentRow {
            channel_id: row.optional_integer()?,
            topic: row.text()?,
            message_ids: row.json()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversations;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn messages_by_place() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let (ann, bob) = (testing::add_user(&db, "a@x"), testing::add_user(&db, "b@x"));
        let open = testing::add_channel(&db, "open", false);
        let closed = testing::add_channel(&db, "closed", true);
        let direct = conversations::insert_direct(&db, 1, &format!("{ann},{bob}")).unwrap();
        let send = |sender: i64, channel: Option<i64>, topic: &str| {
            let sql = "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, \
                 topic, content, rendered_content, date_sent, client) SELECT 1, ?1, \
                 coalesce((SELECT conversation_id FROM channels WHERE id = ?2), ?3), ?2, ?4, \
                 '', '', 0, '' RETURNING id";
            let rows = db.execute(sql, &params![sender, channel, direct, topic]);
            rows.unwrap().read_one(|row| row.integer()).unwrap()
        };
        let one = send(ann, Some(open), "t");
        let two = send(ann, Some(closed), "t");
        let three = send(ann, None, "");
        let four = send(ann, Some(open), "t");
        let five = send(ann, Some(open), "u");
        send(bob, Some(open), "t");
        let row = |channel_id, topic: &str, ids: &[i64]| SentRow {
            channel_id,
            topic: topic.to_owned(),
            message_ids: ids.to_vec(),
        };
        let public = Places {
            public_channels: true,
            ..Places::default()
        };
        let in_public = [
            row(Some(open), "t", &[one, four]),
            row(Some(open), "u", &[five]),
        ];
        assert_eq!(by_place(&db, ann, public).unwrap(), in_public);
        let others = Places {
            private_channels: true,
            direct: true,
            ..Places::default()
        };
        let in_others = [row(Some(closed), "t", &[two]), row(None, "", &[three])];
        assert_eq!(by_place(&db, ann, others).unwrap(), in_others);
        assert_eq!(by_place(&db, ann, Places::default()).unwrap(), []);
    }
}
