//! Unread messages of one user, in the form of the register response
//! (docs/protocol/register.md#unread_msgs).
//!
//! SQLite builds the whole object: there may be tens of thousands of ids, too many to be read row
//! by row.

use spindle_domain::UserId;

use crate::{Db, DbError, either, params, sql};

/// The object `unread_msgs` over the newest `limit` unread messages. `empty_topic` is the
/// name shown for the empty topic. What would be longer than `most_bytes` is cut: the topics and conversations with the
/// oldest messages are left out then. Messages of channels that the user has left are not counted.
///
/// `count` leaves out muted topics, and muted channels but for topics that are unmuted or
/// followed there; a mention of all subscribers or participants counts as a mention under the same
/// rule. Messages are looked up one by one, all other rows by topic or conversation.
pub fn object(
    db: &dyn Db,
    user_id: UserId,
    limit: i64,
    most_bytes: i64,
    empty_topic: &str,
) -> Result<String, DbError> {
    db.query(
        sql!("WITH newest AS MATERIALIZED (SELECT message_id, flags FROM user_messages \
             INDEXED BY user_messages_unread WHERE user_id = ?1 AND flags & 1 = 0 \
             ORDER BY message_id DESC LIMIT ?2), \
         unread AS MATERIALIZED (SELECT n.message_id, n.flags, m.channel_id, m.conversation_id, \
                 m.topic, m.topic_folded FROM newest n \
             CROSS JOIN messages m ON m.id = n.message_id), \
         grouped AS MATERIALIZED (SELECT channel_id, topic_folded, ",
            // As in the newest message, which SQLite takes the column from.
            either!("topic", "(array_agg(topic ORDER BY message_id DESC))[1] AS topic"),
            ", \
                 max(message_id) AS newest_id, count(*) AS number, \
                 json_group_array(message_id ORDER BY message_id) AS ids \
             FROM unread WHERE channel_id IS NOT NULL GROUP BY channel_id, topic_folded), \
         direct_all AS MATERIALIZED (SELECT c.members_key, max(u.message_id) AS newest_id, count(*) AS number, \
                 json_group_array(u.message_id ORDER BY u.message_id) AS ids, \
                 (SELECT count(*) FROM conversation_members p \
                     WHERE p.conversation_id = u.conversation_id) AS people, \
                 coalesce((SELECT min(p.user_id) FROM conversation_members p \
                     WHERE p.conversation_id = u.conversation_id AND p.user_id <> ?1), ?1) AS other \
             FROM unread u CROSS JOIN conversations c ON c.id = u.conversation_id \
             WHERE u.channel_id IS NULL GROUP BY u.conversation_id", either!("", ", c.members_key"), "), \
         sizes AS MATERIALIZED (SELECT newest_id, CAST(sum(bytes) OVER (ORDER BY newest_id DESC) AS BIGINT) AS bytes FROM ( \
             SELECT newest_id, 60 + octet_length(json_quote(topic)) + octet_length(CAST(ids AS TEXT)) AS bytes \
                 FROM grouped \
             UNION ALL SELECT newest_id, 60 + octet_length(members_key) + octet_length(CAST(ids AS TEXT)) \
                 FROM direct_all) AS groups), \
         shown AS MATERIALIZED (SELECT coalesce(min(newest_id), 0) AS first_id, count(*) AS number \
             FROM sizes WHERE bytes <= ?4:bigint), \
         direct AS MATERIALIZED (SELECT d.* FROM direct_all d CROSS JOIN shown w \
             ON d.newest_id >= w.first_id AND w.number > 0), \
         topics AS MATERIALIZED (SELECT g.channel_id, g.topic_folded, g.topic, g.number, g.ids, \
                 CASE t.visibility_policy WHEN 1 THEN 1 WHEN 2 THEN 0 WHEN 3 THEN 0 \
                     ELSE coalesce(s.is_muted, 0) END AS is_muted \
             FROM grouped g JOIN shown w ON g.newest_id >= w.first_id AND w.number > 0 \
             LEFT JOIN subscriptions s ON s.user_id = ?1 AND s.channel_id = g.channel_id \
             LEFT JOIN user_topics t ON t.user_id = ?1 AND t.channel_id = g.channel_id \
                 AND t.topic_folded = g.topic_folded \
             WHERE s.active IS NULL OR s.active = 1) \
         SELECT json_object('count', (SELECT coalesce(sum(number), 0) FROM topics WHERE is_muted = 0) \
                 + (SELECT coalesce(sum(number), 0) FROM direct), \
             'pms', json((SELECT json_group_array(json_object('other_user_id', other, \
                 'sender_id', other, 'unread_message_ids', json(ids)) ORDER BY other) \
                 FROM direct WHERE people <= 2)), \
             'streams', json((SELECT json_group_array(json_object('stream_id', channel_id, \
                 'topic', iif(topic = '', ?3, topic), 'unread_message_ids', json(ids)) \
                 ORDER BY channel_id, topic_folded) FROM topics)), \
             'huddles', json((SELECT json_group_array(json_object('user_ids_string', members_key, \
                 'unread_message_ids', json(ids)) ORDER BY members_key) \
                 FROM direct WHERE people > 2)), \
             'mentions', json((SELECT json_group_array(u.message_id ORDER BY u.message_id) \
                 FROM unread u LEFT JOIN topics t ON t.channel_id = u.channel_id \
                     AND t.topic_folded = u.topic_folded \
                 WHERE u.flags & 120 <> 0 AND (u.channel_id IS NULL OR t.channel_id IS NOT NULL \
                     AND (u.flags & 72 <> 0 OR t.is_muted = 0)))), \
             'old_unreads_missing', json(iif((SELECT number FROM shown) < (SELECT count(*) FROM sizes), 'true', \
                 iif((SELECT count(*) FROM newest) < ?2, 'false', \
                 iif((SELECT count(*) FROM (SELECT 1 FROM user_messages \
                     INDEXED BY user_messages_unread WHERE user_id = ?1 AND flags & 1 = 0 \
                     LIMIT ?2 + 1) AS more) > ?2, 'true', 'false')))))"),
        &params![user_id, limit, empty_topic, most_bytes],
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use spindle_domain::{ConversationId, MessageId, RealmId};

    use super::*;
    use crate::deliveries::{self, Delivery};
    use crate::messages::{self, NewMessage};
    use crate::testing::{self, TestDatabase};
    use crate::{WriteTx, conversations, message_windows};

    fn send(tx: &WriteTx<'_>, sender: i64, members: &str) -> MessageId {
        let sender_id = UserId(sender);
        let conversation_id = conversations::direct(tx, RealmId::ONLY, members)
            .unwrap()
            .unwrap_or_else(|| conversations::insert_direct(tx, RealmId::ONLY, members).unwrap());
        let new = NewMessage {
            realm_id: RealmId::ONLY,
            sender_id,
            conversation_id,
            channel_id: None,
            topic: "",
            topic_folded: "",
            content: "hi",
            rendered_content: "<p>hi</p>",
            date_sent: 5,
            client: "test",
            properties: 0,
            buttons: None,
        };
        let message_id = messages::insert(tx, &new).unwrap();
        let delivery = Delivery {
            message_id,
            channel_id: None,
            conversation_id,
            sender_id,
            read_by_sender: true,
            mentioned_users: &crate::id_list([3]),
            mentioned_groups: "[]",
            stream_wildcard: false,
            topic_participants: "[]",
            further_recipients: "[]",
            alerted_users: "[]",
        };
        deliveries::deliver(tx, &delivery).unwrap();
        message_id
    }

    #[test]
    fn direct_messages_are_delivered_counted_and_listed() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for email in ["a@x", "b@x", "c@x"] {
            testing::add_user(&tx, email);
        }
        let one = send(&tx, 1, "1,2");
        let all = send(&tx, 2, "1,2,3");
        let own = send(&tx, 1, "1");
        let with = |flags, user_id| deliveries::Recipients {
            flags,
            users: crate::Json(vec![UserId(user_id)]),
        };
        assert_eq!(
            deliveries::recipients(&tx, all).unwrap(),
            [with(2048, 1), with(2049, 2), with(2056, 3)]
        );
        let unread: serde_json::Value =
            serde_json::from_str(&object(&tx, UserId(3), 100, 1000, "x").unwrap()).unwrap();
        assert_eq!(
            unread,
            serde_json::json!({"count": 1, "pms": [], "streams": [], "mentions": [all],
                "huddles": [{"user_ids_string": "1,2,3", "unread_message_ids": [all]}],
                "old_unreads_missing": false})
        );
        let unread: serde_json::Value =
            serde_json::from_str(&object(&tx, UserId(2), 1, 1000, "x").unwrap()).unwrap();
        assert_eq!(unread["pms"][0]["other_user_id"], 1);
        assert_eq!(unread["old_unreads_missing"], false);
        assert_eq!(
            conversations::recent(&tx, UserId(1), 1000, 1000).unwrap(),
            format!(
                r#"[{{"user_ids":[],"max_message_id":{own}}},{{"user_ids":[2,3],"max_message_id":{all}}},{{"user_ids":[2],"max_message_id":{one}}}]"#
            )
        );
        // One, three and two people.
        assert_eq!(
            conversations::recent(&tx, UserId(1), 1000, 5).unwrap(),
            format!(
                r#"[{{"user_ids":[],"max_message_id":{own}}},{{"user_ids":[2,3],"max_message_id":{all}}}]"#
            )
        );
        // Only the newest messages are read.
        assert_eq!(
            conversations::recent(&tx, UserId(1), 1, 1000).unwrap(),
            format!(r#"[{{"user_ids":[],"max_message_id":{own}}}]"#)
        );
        let rows = messages::by_ids(
            &tx,
            RealmId::ONLY,
            UserId(3),
            &crate::id_list([one, all, MessageId(999)]),
        )
        .unwrap();
        // What was sent to others is left out like what does not exist.
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].id, all);
        assert!(
            rows[0]
                .display_recipient
                .contains(r#""full_name":"c@x","is_mirror_dummy":false"#)
        );
    }

    #[test]
    fn windows_walk_both_ways_and_filter() {
        use message_windows::{Filter, Side};
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for email in ["a@x", "b@x", "c@x"] {
            testing::add_user(&tx, email);
        }
        let sent: Vec<MessageId> = (0..6)
            .map(|index| send(&tx, 1 + index % 2, if index < 3 { "1,2" } else { "1,2,3" }))
            .collect();
        let filter = Filter {
            user_id: UserId(1),
            is_received: true,
            ..Filter::default()
        };
        let ids = |filter: &Filter, side, bound, limit| {
            message_windows::ids(&tx, filter, side, bound, limit).unwrap()
        };
        assert_eq!(ids(&filter, Side::Before, sent[4], 2), [sent[4], sent[3]]);
        assert_eq!(ids(&filter, Side::After, sent[4], 9), [sent[4], sent[5]]);
        let from_two = Filter {
            senders: Some(vec![UserId(2)]),
            ..filter.clone()
        };
        assert_eq!(
            ids(&from_two, Side::After, MessageId::MIN, 9),
            [sent[1], sent[3], sent[5]]
        );
        let mentions = Filter {
            mentions: vec![UserId(3)],
            senders_not: vec![UserId(2)],
            ..filter.clone()
        };
        assert_eq!(ids(&mentions, Side::After, MessageId::MIN, 9), [sent[4]]);
        let unread = Filter {
            conversations_not: vec![ConversationId(1)],
            ..filter.clone()
        };
        assert_eq!(
            message_windows::first_unread(&tx, &unread),
            Ok(Some(sent[3]))
        );
        assert_eq!(message_windows::first_since(&tx, 6), Ok(None));
        assert_eq!(message_windows::first_since(&tx, 5), Ok(Some(sent[0])));
    }

    /// Topics that are muted, unmuted and followed, in a channel that is muted and one that is not.
    #[test]
    fn muted_topics_and_channels_count_in_their_places_only() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        testing::add_user(&tx, "a@x");
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel'), (2, 1, 'channel'), \
             (3, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (7, 1, 1, 'c', 'c', 5), (8, 1, 2, 'd', 'd', 5), (9, 1, 3, 'e', 'e', 5)",
            "INSERT INTO subscriptions (user_id, channel_id, active, color, is_muted) VALUES \
             (1, 7, 1, '#000000', 0), (1, 8, 1, '#000000', 1), (1, 9, 0, '#000000', 0)",
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client) VALUES \
             (11, 1, 1, 1, 7, 'Tea', 'tea', '', '', 1, ''), (12, 1, 1, 1, 7, 'TEA', 'tea', '', '', 1, ''), \
             (13, 1, 1, 1, 7, 'm', 'm', '', '', 1, ''), (14, 1, 1, 1, 7, '', '', '', '', 1, ''), \
             (15, 1, 1, 2, 8, 'a', 'a', '', '', 1, ''), (16, 1, 1, 2, 8, 'u', 'u', '', '', 1, ''), \
             (17, 1, 1, 2, 8, 'f', 'f', '', '', 1, ''), (18, 1, 1, 3, 9, 'x', 'x', '', '', 1, '')",
            "INSERT INTO user_messages (user_id, message_id, flags) VALUES (1, 11, 0), (1, 12, 8), \
             (1, 13, 16), (1, 14, 16), (1, 15, 8), (1, 16, 32), (1, 17, 0), (1, 18, 8)",
            "INSERT INTO user_topics (user_id, channel_id, topic_folded, topic, visibility_policy, \
             last_updated) VALUES (1, 7, 'm', 'm', 1, 1), (1, 8, 'u', 'u', 2, 1), (1, 8, 'f', 'f', 3, 1)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        let unread: serde_json::Value =
            serde_json::from_str(&object(&tx, UserId(1), 100, 10_000, "none").unwrap()).unwrap();
        let topic = |channel: i64, topic: &str, ids: &[i64]| serde_json::json!({"stream_id": channel, "topic": topic, "unread_message_ids": ids});
        assert_eq!(
            unread["streams"],
            serde_json::json!([
                topic(7, "none", &[14]),
                topic(7, "m", &[13]),
                topic(7, "TEA", &[11, 12]),
                topic(8, "a", &[15]),
                topic(8, "f", &[17]),
                topic(8, "u", &[16]),
            ])
        );
        // Not the muted topic, not the muted channel but for its unmuted and followed topics.
        assert_eq!(unread["count"], 5);
        // Mentions by name count in muted topics, wildcard mentions do not.
        assert_eq!(unread["mentions"], serde_json::json!([12, 14, 15, 16]));
        assert_eq!(unread["old_unreads_missing"], false);
        // The topics with the newest messages, as many as there is room for; the left channel's is one of three.
        let cut: serde_json::Value =
            serde_json::from_str(&object(&tx, UserId(1), 100, 3 * 68, "none").unwrap()).unwrap();
        let shown = [topic(8, "f", &[17]), topic(8, "u", &[16])];
        assert_eq!(cut["streams"], serde_json::json!(shown));
        assert_eq!(cut["mentions"], serde_json::json!([16]));
        assert_eq!(cut["old_unreads_missing"], true);
        let none = object(&tx, UserId(1), 100, 10, "none").unwrap();
        assert!(none.contains(r#""count":0,"#), "{none}");
        tx.execute("UPDATE user_messages SET flags = flags | 2", &[])
            .unwrap();
        let starred = messages::starred(&tx, UserId(1), "[]", 2);
        assert_eq!(starred, Ok("[17,18]".to_owned()));
        let left = messages::starred(&tx, UserId(1), "[8]", 2).unwrap();
        assert!(!left.contains("17"), "{left}");
    }
}
