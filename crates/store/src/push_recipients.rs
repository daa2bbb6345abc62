//! Candidates for push notifications of new messages, with the facts that decide; and their phones.
//!
//! The statement begins with the users who have a registered phone, of whom there are few, and
//! selects only messages that they have received and not read.

use spindle_domain::{DeviceId, GroupId, MessageId, UserId};

use crate::{Db, DbError, WriteTx, either, params, row_struct, sql, statement};

row_struct! {
    /// A user with a phone, and a message that they have not read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RecipientRow {
        pub user_id: UserId,
        pub message_id: MessageId,
        /// Their flags on it; see [`crate::messages::flag`].
        pub flags: i64,
        /// JSON object of their settings that differ from the defaults.
        pub settings: String,
        /// When they last used a client, UNIX seconds; 0: never.
        pub active_timestamp: i64,
        /// Whether they have muted the channel.
        pub channel_muted: bool,
        /// `push_notifications` of the subscription; `None` means their own default.
        pub push_notifications: Option<bool>,
        /// `wildcard_mentions_notify` of the subscription; `None` means their own default.
        pub wildcard_mentions_notify: Option<bool>,
        /// Their policy for the topic; 0 for none. A topic that they follow since this message, such as
        /// because they are mentioned in it, does not count as followed.
        pub topic_policy: i64,
        /// Whether a device of theirs is registered.
        pub has_device: bool,
        /// Whether an account id of theirs is registered.
        pub has_account: bool,
    }
}

/// Active people with a registered phone among the recipients of the messages in a JSON list, as
/// far as they have not read them, have not written them and have not muted who has; by message
/// and user.
pub fn of_messages(db: &dyn Db, messages: &str) -> Result<Vec<RecipientRow>, DbError> {
    db.query(
        sql!(
            "SELECT r.user_id, m.id AS message_id, um.flags, u.settings, \
                 coalesce(p.active_timestamp, 0) AS active_timestamp, \
                 coalesce(s.is_muted, 0) AS channel_muted, s.push_notifications, s.wildcard_mentions_notify, \
                 iif(t.visibility_policy = 3 AND t.last_updated >= m.date_sent, 0, \
                     coalesce(t.visibility_policy, 0)) AS topic_policy, max(r.is_device) AS has_device, \
                 max(1 - r.is_device) AS has_account \
             FROM (SELECT user_id, 1 AS is_device FROM devices WHERE push_token_id IS NOT NULL \
                 UNION SELECT user_id, 0 FROM push_accounts WHERE status = 'active') r \
             JOIN users u ON u.id = r.user_id AND u.is_active = 1 AND u.is_bot = 0 \
             JOIN messages m ON m.id IN (SELECT value FROM json_ids(?1)) \
             JOIN user_messages um ON um.user_id = r.user_id AND um.message_id = m.id \
             LEFT JOIN presences p ON p.user_id = r.user_id \
             LEFT JOIN subscriptions s ON s.user_id = r.user_id AND s.channel_id = m.channel_id \
                 AND s.active = 1 \
             LEFT JOIN user_topics t ON t.user_id = r.user_id AND t.channel_id = m.channel_id \
                 AND t.topic_folded = m.topic_folded \
             WHERE um.flags & 1 = 0 AND m.sender_id <> r.user_id \
             AND NOT EXISTS (SELECT 1 FROM muted_users mu \
                 WHERE mu.user_id = r.user_id AND mu.muted_user_id = m.sender_id) \
             GROUP BY m.id, r.user_id",
            // What each person has one row of; SQLite asks for no list of them.
            either!(
                "",
                ", u.id, um.user_id, um.message_id, p.user_id, s.user_id, s.channel_id, t.user_id, \
                 t.channel_id, t.topic_folded"
            ),
            " ORDER BY m.id, r.user_id"
        ),
        &params![messages],
    )?
    .all()
}

row_struct! {
    /// A phone that notifications can be sent to.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PhoneRow {
        /// Device or account id.
        pub id: i64,
        /// `apns` or `fcm`.
        pub token_kind: String,
        /// Base64.
        pub push_key: String,
        /// Names the key; `None` in the form with an account id.
        pub push_key_id: Option<i64>,
        /// The token's id at the push service; `None` in the form with an account id.
        pub token_id: Option<String>,
        /// The phone's id at the push service; only in the form with an account id.
        pub service_device_id: Option<i64>,
    }
}

/// The phones of a user that are registered in this form, by id; `target`: only this one.
pub fn phones(
    db: &dyn Db,
    user_id: UserId,
    form: &str,
    target: Option<i64>,
) -> Result<Vec<PhoneRow>, DbError> {
    let sql = if form == "device" {
        sql!(
            "SELECT id, token_kind, push_key, push_key_id, push_token_id AS token_id, \
                 NULL AS service_device_id FROM devices \
             WHERE user_id = ?1 AND push_token_id IS NOT NULL AND push_key IS NOT NULL \
             AND token_kind IS NOT NULL AND (?2:bigint IS NULL OR id = ?2) ORDER BY id"
        )
    } else {
        sql!(
            "SELECT push_account_id AS id, token_kind, push_key, NULL AS push_key_id, \
                 NULL AS token_id, service_device_id \
             FROM push_accounts WHERE user_id = ?1 AND status = 'active' \
             AND service_device_id IS NOT NULL AND (?2:bigint IS NULL OR push_account_id = ?2) \
             ORDER BY push_account_id"
        )
    };
    db.query(sql, &params![user_id, target])?.all()
}

/// Removes the tokens in a JSON list from the devices of a user; returns the ids of the devices.
pub fn forget_tokens(
    tx: &WriteTx<'_>,
    user_id: UserId,
    tokens: &str,
) -> Result<Vec<DeviceId>, DbError> {
    tx.execute(
        statement!(
            "UPDATE devices SET push_token_id = NULL WHERE user_id = ?1 \
         AND push_token_id IN (SELECT value FROM json_texts(?2)) RETURNING id"
        ),
        &params![user_id, tokens],
    )?
    .values()
}

/// Deletes the registrations of a user whose phone is in a JSON list.
pub fn forget_accounts(tx: &WriteTx<'_>, user_id: UserId, phones: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM push_accounts WHERE user_id = ?1 \
         AND service_device_id IN (SELECT value FROM json_ids(?2))"
        ),
        &params![user_id, phones],
    )?;
    Ok(())
}

row_struct! {
    /// A named group.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NamedGroup {
        pub id: GroupId,
        pub name: String,
    }
}

/// Of the groups in a JSON list, the one with the fewest members that a user is a member of.
pub fn smallest_group(
    db: &dyn Db,
    user_id: UserId,
    groups: &str,
) -> Result<Option<NamedGroup>, DbError> {
    db.query(
        sql!(
            "SELECT g.id, g.name FROM user_groups g WHERE g.name IS NOT NULL \
             AND g.id IN (SELECT value FROM json_ids(?2)) \
             AND EXISTS (SELECT 1 FROM user_group_members m JOIN user_group_closure c \
                 ON c.subgroup_id = m.group_id WHERE m.user_id = ?1 AND c.supergroup_id = g.id) \
             ORDER BY (SELECT count(DISTINCT m.user_id) FROM user_group_closure c \
                 JOIN user_group_members m ON m.group_id = c.subgroup_id \
                 WHERE c.supergroup_id = g.id), g.id LIMIT 1"
        ),
        &params![user_id, groups],
    )?
    .first()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn fill(tx: &WriteTx<'_>) {
        for email in ["a@x", "b@x", "c@x", "d@x"] {
            testing::user(tx, email);
        }
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (7, 1, 1, 'c', 'c', 5)",
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client) VALUES \
             (11, 1, 1, 1, 7, 'Tea', 'tea', '', '', 10, '')",
            "INSERT INTO user_messages (user_id, message_id, flags) \
             VALUES (1, 11, 0), (2, 11, 8), (3, 11, 0), (4, 11, 0)",
            "INSERT INTO devices (id, user_id, created, push_key, push_key_id, token_kind, \
             push_token_id) VALUES (1, 1, 0, 'k', 5, 'fcm', 't1'), (2, 2, 0, 'k', 5, 'apns', 't2'), \
             (3, 4, 0, 'k', 5, 'fcm', 't4'), (4, 3, 0, 'k', 5, 'fcm', NULL)",
            "INSERT INTO push_accounts (user_id, push_account_id, token_kind, push_key, status, \
             updated, service_device_id) VALUES (2, 9, 'fcm', 'k', 'active', 0, 90), \
             (3, 9, 'fcm', 'k', 'pending', 0, NULL)",
            "INSERT INTO muted_users (user_id, muted_user_id, created) VALUES (4, 1, 0)",
            "INSERT INTO subscriptions (user_id, channel_id, color, is_muted, push_notifications) \
             VALUES (2, 7, '#000000', 1, 0)",
            "INSERT INTO user_topics (user_id, channel_id, topic_folded, topic, visibility_policy, \
             last_updated) VALUES (2, 7, 'tea', 'Tea', 3, 9)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
    }

    #[test]
    fn only_users_with_a_phone_who_have_not_read_it() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        fill(&tx);
        let expected = RecipientRow {
            user_id: UserId(2),
            message_id: MessageId(11),
            flags: 8,
            settings: "{}".to_owned(),
            active_timestamp: 0,
            channel_muted: true,
            push_notifications: Some(false),
            wildcard_mentions_notify: None,
            topic_policy: 3,
            has_device: true,
            has_account: true,
        };
        // Not the sender, no user who has muted them, no user whose phone is not registered yet.
        assert_eq!(of_messages(&tx, "[11]"), Ok(vec![expected]));
        let follow = "UPDATE user_topics SET last_updated = 10";
        tx.execute(follow, &[]).unwrap();
        assert_eq!(of_messages(&tx, "[11]").unwrap()[0].topic_policy, 0);
        for sql in [
            "UPDATE users SET is_active = 0 WHERE id = 2",
            "UPDATE users SET is_active = 1 WHERE id = 2",
            "UPDATE user_messages SET flags = 9 WHERE user_id = 2",
        ] {
            tx.execute(sql, &[]).unwrap();
            let reached = !of_messages(&tx, "[11]").unwrap().is_empty();
            assert_eq!(reached, sql.contains("is_active = 1"), "{sql}");
        }
    }

    #[test]
    fn phones_are_found_and_forgotten() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        fill(&tx);
        let ids = |form: &str, target| -> Vec<i64> {
            let found = phones(&tx, UserId(2), form, target).unwrap();
            found.iter().map(|phone| phone.id).collect()
        };
        assert_eq!(
            (ids("device", None), ids("account", None)),
            (vec![2], vec![9])
        );
        assert_eq!(
            (ids("device", Some(1)), ids("account", Some(9))),
            (vec![], vec![9])
        );
        assert_eq!(forget_tokens(&tx, UserId(1), r#"["t2"]"#), Ok(vec![]));
        assert_eq!(
            forget_tokens(&tx, UserId(2), r#"["t2"]"#),
            Ok(vec![DeviceId(2)])
        );
        forget_accounts(&tx, UserId(2), "[90]").unwrap();
        assert_eq!(
            (ids("device", None), ids("account", None)),
            (vec![], vec![])
        );
    }

    #[test]
    fn the_smallest_group_counts() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        fill(&tx);
        for sql in [
            "INSERT INTO user_groups (id, realm_id, name) VALUES (91, 1, 'big'), (92, 1, 'small'), \
             (93, 1, 'others')",
            "INSERT INTO user_group_members (user_id, group_id) VALUES (1, 91), (2, 91), (2, 92), \
             (1, 93)",
            "INSERT INTO user_group_closure (supergroup_id, subgroup_id) VALUES (91, 91), (92, 92), \
             (93, 93)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        let found = smallest_group(&tx, UserId(2), "[91,92,93]").unwrap();
        let small = NamedGroup {
            id: GroupId(92),
            name: "small".to_owned(),
        };
        assert_eq!(found, Some(small));
        assert_eq!(smallest_group(&tx, UserId(3), "[91,92,93]").unwrap(), None);
    }
}
