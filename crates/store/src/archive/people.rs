//! Accounts of an export and what belongs to them.

use spindle_domain::RealmId;

use super::{Table, json_flag};
use crate::{Db, DbError, params, row_struct, sql};

row_struct! {
    /// An account of an export.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ArchivedPerson {
        /// Its row but for settings, as JSON text.
        pub row: String,
        /// JSON of the settings that differ from the defaults.
        pub settings: String,
        /// Whether the private data of the account leaves.
        pub is_whole: bool,
        /// Whether it is nothing but the sender of old messages.
        pub is_stub: bool,
    }
}

/// All accounts, by id.
pub fn people(db: &dyn Db, realm_id: RealmId) -> Result<Vec<ArchivedPerson>, DbError> {
    db.query(
        sql!(
            "SELECT json_object('id', u.id, 'delivery_email', u.delivery_email, 'email', u.email, \
             'realm', u.realm_id, 'recipient', u.id + (SELECT shift FROM archive_facts), \
             'full_name', u.full_name, 'date_joined', u.date_joined * 1.0, \
             'last_login', u.last_login * 1.0, 'role', u.role, 'is_active', ",
            json_flag!("u.is_active"),
            ", 'is_bot', ",
            json_flag!("u.is_bot"),
            ", 'bot_type', u.bot_type, 'bot_owner', u.bot_owner_id, 'is_mirror_dummy', ",
            json_flag!("u.is_imported_stub"),
            ", 'timezone', u.timezone, 'avatar_source', u.avatar_source, \
             'avatar_version', u.avatar_version, 'avatar_hash', NULL, 'tos_version', NULL, \
             'default_sending_stream', b.default_sending_channel_id, \
             'default_events_register_stream', b.default_events_register_channel_id, \
             'default_all_public_streams', ",
            json_flag!("coalesce(b.default_all_public_streams, 0)"),
            ", 'groups', json('[]'), 'user_permissions', json('[]')) AS row, u.settings, \
             p.id IS NOT NULL AS is_whole, u.is_imported_stub AS is_stub \
             FROM users u LEFT JOIN archive_people p ON p.id = u.id \
             LEFT JOIN bots b ON b.user_id = p.id WHERE u.realm_id = ?1 ORDER BY u.id"
        ),
        &params![realm_id],
    )?
    .all()
}

/// Accounts whose private data leaves, by id, as a JSON list.
pub fn consenting(db: &dyn Db) -> Result<String, DbError> {
    db.query(
        sql!("SELECT json_group_array(id ORDER BY id) FROM archive_people"),
        &[],
    )?
    .one_value()
}

/// Tables of the data of accounts. Private rows are exported only for accounts whose private data
/// is exported.
pub const PEOPLE: &[Table] = &[
    Table {
        name: "zerver_subscription",
        // Channels first; then the own recipient of each user, and groups of more than two.
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY kind, user_id, recipient), \
             'user_profile', user_id, 'recipient', recipient, 'active', ",
            json_flag!("active"),
            ", 'is_user_active', ",
            json_flag!("is_active"),
            ", 'is_muted', ",
            json_flag!("is_muted"),
            ", 'color', color, 'pin_to_top', ",
            json_flag!("pin_to_top"),
            ", 'desktop_notifications', json(CASE desktop_notifications WHEN 1 THEN 'true' \
                WHEN 0 THEN 'false' ELSE 'null' END), \
             'email_notifications', json(CASE email_notifications WHEN 1 THEN 'true' \
                WHEN 0 THEN 'false' ELSE 'null' END), \
             'push_notifications', json(CASE push_notifications WHEN 1 THEN 'true' \
                WHEN 0 THEN 'false' ELSE 'null' END), \
             'audible_notifications', json(CASE audible_notifications WHEN 1 THEN 'true' \
                WHEN 0 THEN 'false' ELSE 'null' END), \
             'wildcard_mentions_notify', json(CASE wildcard_mentions_notify WHEN 1 THEN 'true' \
                WHEN 0 THEN 'false' ELSE 'null' END)) FROM ( \
             SELECT 1 AS kind, s.user_id, c.conversation_id AS recipient, s.active, u.is_active, \
                iif(p.id IS NULL, 0, s.is_muted) AS is_muted, \
                iif(p.id IS NULL, '#c2c2c2', s.color) AS color, \
                iif(p.id IS NULL, 0, s.pin_to_top) AS pin_to_top, \
                iif(p.id IS NULL, NULL, s.desktop_notifications) AS desktop_notifications, \
                iif(p.id IS NULL, NULL, s.email_notifications) AS email_notifications, \
                iif(p.id IS NULL, NULL, s.push_notifications) AS push_notifications, \
                iif(p.id IS NULL, NULL, s.audible_notifications) AS audible_notifications, \
                iif(p.id IS NULL, NULL, s.wildcard_mentions_notify) AS wildcard_mentions_notify \
             FROM subscriptions s JOIN users u ON u.id = s.user_id \
             JOIN channels c ON c.id = s.channel_id \
             LEFT JOIN archive_people p ON p.id = s.user_id \
             WHERE u.realm_id = ?1 AND c.id IN (SELECT id FROM archive_channels) \
             UNION ALL SELECT 2, u.id, u.id + (SELECT shift FROM archive_facts), 1, u.is_active, \
                0, '#c2c2c2', 0, NULL, NULL, NULL, NULL, NULL FROM users u WHERE u.realm_id = ?1 \
             UNION ALL SELECT 3, n.user_id, n.conversation_id, 1, u.is_active, \
                0, '#c2c2c2', 0, NULL, NULL, NULL, NULL, NULL \
             FROM conversation_members n JOIN archive_conversations a \
                ON a.id = n.conversation_id AND a.people > 2 \
             JOIN users u ON u.id = n.user_id) AS kinds"
        ),
    },
    Table {
        name: "zerver_customprofilefieldvalue",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY v.user_id, v.field_id), \
             'user_profile', v.user_id, 'field', v.field_id, 'value', v.value, \
             'rendered_value', v.rendered_value) \
             FROM profile_values v JOIN users u ON u.id = v.user_id AND u.realm_id = ?1"
        ),
    },
    Table {
        name: "zerver_usertopic",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY t.user_id, t.channel_id, \
                t.topic_folded), 'user_profile', t.user_id, 'stream', t.channel_id, \
             'recipient', c.conversation_id, 'topic_name', t.topic, \
             'last_updated', t.last_updated * 1.0, 'visibility_policy', t.visibility_policy) \
             FROM user_topics t JOIN archive_people p ON p.id = t.user_id \
             JOIN archive_channels a ON a.id = t.channel_id \
             JOIN channels c ON c.id = t.channel_id AND c.realm_id = ?1"
        ),
    },
    Table {
        name: "zerver_muteduser",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY m.user_id, m.muted_user_id), \
             'user_profile', m.user_id, 'muted_user', m.muted_user_id, \
             'date_muted', m.created * 1.0) \
             FROM muted_users m JOIN archive_people p ON p.id = m.user_id \
             JOIN users u ON u.id = m.user_id AND u.realm_id = ?1"
        ),
    },
    Table {
        name: "zerver_alertword",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY w.user_id, w.position), \
             'realm', ?1:bigint, 'user_profile', w.user_id, 'word', w.word) \
             FROM alert_words w JOIN archive_people p ON p.id = w.user_id"
        ),
    },
    Table {
        name: "zerver_userstatus",
        sql: sql!(
            "SELECT json_object('id', s.user_id, 'user_profile', s.user_id, \
             'reaction_type', s.reaction_type, 'emoji_name', s.emoji_name, \
             'emoji_code', s.emoji_code, 'status_text', s.status_text, \
             'timestamp', s.updated * 1.0, 'client', 1) \
             FROM user_statuses s JOIN archive_people p ON p.id = s.user_id \
             JOIN users u ON u.id = s.user_id AND u.realm_id = ?1 ORDER BY s.user_id"
        ),
    },
    Table {
        name: "zerver_userpresence",
        sql: sql!(
            "SELECT json_object('id', p.user_id, 'user_profile', p.user_id, 'realm', ?1:bigint, \
             'last_update_id', p.update_id, 'last_connected_time', p.idle_timestamp * 1.0, \
             'last_active_time', p.active_timestamp * 1.0) \
             FROM presences p JOIN users u ON u.id = p.user_id AND u.realm_id = ?1 \
             WHERE p.idle_timestamp > 0 ORDER BY p.user_id"
        ),
    },
    Table {
        name: "zerver_savedsnippet",
        sql: sql!(
            "SELECT json_object('id', s.id, 'realm', ?1:bigint, 'user_profile', s.user_id, \
             'title', s.title, 'content', s.content, 'date_created', s.date_created * 1.0) \
             FROM saved_snippets s JOIN archive_people p ON p.id = s.user_id ORDER BY s.id"
        ),
    },
    Table {
        name: "zerver_navigationview",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY v.user_id, v.fragment), \
             'user', v.user_id, 'fragment', v.fragment, 'is_pinned', ",
            json_flag!("v.is_pinned"),
            ", 'name', v.name) FROM navigation_views v \
             JOIN archive_people p ON p.id = v.user_id \
             JOIN users u ON u.id = v.user_id AND u.realm_id = ?1"
        ),
    },
    Table {
        name: "zerver_scheduledmessage",
        sql: sql!(
            "SELECT json_object('id', s.id, 'sender', s.user_id, 'recipient', \
             CASE WHEN s.channel_id IS NOT NULL THEN c.conversation_id \
                WHEN json_array_length(s.recipients) = 1 \
                    THEN CAST(s.recipients ->> 0 AS BIGINT) + (SELECT shift FROM archive_facts) \
                ELSE (SELECT g.id FROM conversations g WHERE g.realm_id = s.realm_id \
                    AND g.members_key = (SELECT group_concat(CAST(id AS TEXT), ',' ORDER BY id) FROM ( \
                        SELECT value AS id FROM json_ids(s.recipients) \
                        UNION SELECT s.user_id) AS people)) END, \
             'subject', s.topic, 'content', s.content, 'rendered_content', s.rendered_content, \
             'sending_client', (SELECT id FROM archive_clients WHERE name = s.client), 'stream', s.channel_id, 'realm', s.realm_id, \
             'scheduled_timestamp', s.deliver_at * 1.0, 'read_by_sender', ",
            json_flag!("s.read_by_sender"),
            ", 'delivered', json('false'), 'delivered_message', NULL, \
             'has_attachment', json('false'), 'failed', ",
            json_flag!("s.failure IS NOT NULL"),
            ", 'failure_message', s.failure, 'delivery_type', 1, 'to', json(s.recipients)) \
             FROM scheduled_messages s JOIN archive_people p ON p.id = s.user_id \
             LEFT JOIN channels c ON c.id = s.channel_id WHERE s.realm_id = ?1 \
             AND (s.channel_id IS NULL OR s.channel_id IN (SELECT id FROM archive_channels)) \
             ORDER BY s.id"
        ),
    },
    Table {
        name: "zerver_botstoragedata",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY s.user_id, s.key), \
             'bot_profile', s.user_id, 'key', s.key, 'value', s.value) \
             FROM bot_storage s JOIN archive_people p ON p.id = s.user_id \
             JOIN users u ON u.id = s.user_id AND u.realm_id = ?1"
        ),
    },
];
