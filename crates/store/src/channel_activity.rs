//! How busy channels are: measured by a job, stored in their rows, read by every listing.
//!
//! A listing that counted would read each message of a month, so the job counts once a day for each
//! channel. What the numbers mean is decided by the domain.

use spindle_domain::ChannelId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// What was counted about a channel whose measurement is due.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ActivityRow {
        pub channel_id: ChannelId,
        /// Name, for the event.
        pub name: String,
        /// Changes of an archived channel are not broadcast.
        pub is_archived: bool,
        /// UNIX seconds.
        pub date_created: i64,
        /// Messages since `traffic_since`.
        pub messages: i64,
        /// Whether there is a message since `active_since`.
        pub has_recent_message: bool,
        /// As stored.
        pub weekly_traffic: Option<i64>,
        /// As stored.
        pub is_recently_active: bool,
    }
}

/// Channels that were last measured at `measured_before` or earlier, the longest waiting first,
/// at most `limit`. Times are UNIX seconds.
pub fn due(
    db: &dyn Db,
    measured_before: i64,
    traffic_since: i64,
    active_since: i64,
    limit: i64,
) -> Result<Vec<ActivityRow>, DbError> {
    db.query(
        sql!(
            "SELECT ch.id AS channel_id, ch.name, ch.is_archived, ch.date_created, \
             (SELECT count(*) FROM messages m WHERE m.conversation_id = ch.conversation_id \
                 AND m.id >= coalesce((SELECT id FROM messages WHERE date_sent >= ?2 \
                     ORDER BY date_sent, id LIMIT 1), 9223372036854775807)) AS messages, \
             EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = ch.conversation_id \
                 AND m.id >= coalesce((SELECT id FROM messages WHERE date_sent >= ?3 \
                     ORDER BY date_sent, id LIMIT 1), 9223372036854775807)) \
                 AS has_recent_message, \
             ch.weekly_traffic, ch.is_recently_active \
             FROM channels ch WHERE ch.activity_measured <= ?1 \
             ORDER BY ch.activity_measured, ch.id LIMIT ?4"
        ),
        &params![measured_before, traffic_since, active_since, limit],
    )?
    .all()
}

/// Whether any channel was last measured at `measured_before` or earlier.
pub fn is_any_due(db: &dyn Db, measured_before: i64) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM channels WHERE activity_measured <= ?1)"),
        &params![measured_before],
    )?
    .one_value()
}

/// Stores a measurement made at `now`.
pub fn store(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
    now: i64,
    weekly_traffic: Option<i64>,
    is_recently_active: bool,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE channels SET activity_measured = ?2, weekly_traffic = ?3, \
         is_recently_active = ?4 WHERE id = ?1"
        ),
        &params![channel_id, now, weekly_traffic, is_recently_active],
    )?;
    Ok(())
}

/// Marks a channel as recently active.
pub fn revive(tx: &WriteTx<'_>, channel_id: ChannelId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channels SET is_recently_active = 1 WHERE id = ?1"),
        &params![channel_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn due_channels_are_counted_once() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel'), (2, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (1, 1, 1, 'a', 'a', 5), (2, 1, 2, 'b', 'b', 6)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        for date in [10, 50, 100] {
            tx.execute(
                "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content, \
                 rendered_content, date_sent, client) VALUES (1, ?1, 1, 1, '', '', ?2, '')",
                &params![ann, date],
            )
            .unwrap();
        }
        let counted = |since, active| -> Vec<(i64, i64, bool)> {
            let rows = due(&tx, 0, since, active, 10).unwrap();
            rows.iter()
                .map(|row| (row.channel_id.get(), row.messages, row.has_recent_message))
                .collect()
        };
        assert_eq!(counted(50, 100), [(1, 2, true), (2, 0, false)]);
        assert_eq!(counted(101, 101), [(1, 0, false), (2, 0, false)]);
        store(&tx, ChannelId(1), 200, Some(7), false).unwrap();
        assert!(is_any_due(&tx, 0).unwrap());
        assert_eq!(counted(0, 0), [(2, 0, false)]);
        let again = due(&tx, 200, 0, 0, 1).unwrap();
        assert_eq!(
            again[0].channel_id,
            ChannelId(2),
            "the longest waiting first"
        );
        store(&tx, ChannelId(2), 200, None, true).unwrap();
        assert!(!is_any_due(&tx, 199).unwrap());
        revive(&tx, ChannelId(1)).unwrap();
        assert!(due(&tx, 200, 0, 0, 1).unwrap()[0].is_recently_active);
    }
}
