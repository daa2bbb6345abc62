//! The organization of an export: channels, groups, emoji, and what else belongs to the organization.

use super::{Table, json_flag};
use crate::{either, sql};

/// The settings of an owner that name a group, as a JSON object; an empty one where there are none, which PostgreSQL's
/// function does not return.
macro_rules! group_settings {
    ($owner_type:expr, $owner_id:expr) => {
        concat!(
            "(SELECT ",
            either!(
                "json_group_object(g.name, g.group_id)",
                "coalesce(json_object_agg(g.name, g.group_id), '{}')"
            ),
            " FROM group_settings g WHERE g.owner_type = '",
            $owner_type,
            "' AND g.owner_id = ",
            $owner_id,
            ")"
        )
    };
}

/// Tables of what belongs to the organization.
pub const ORGANIZATION: &[Table] = &[
    Table {
        name: "zerver_realm",
        // Settings are added by the builder, which knows the defaults.
        sql: sql!(
            "SELECT json_object('id', r.id, 'name', r.name, 'description', r.description, \
             'rendered_description', r.rendered_description, 'string_id', r.string_id, \
             'uuid', r.uuid, 'date_created', r.date_created * 1.0, 'deactivated', ",
            json_flag!("r.deactivated"),
            ", 'org_type', 0, 'plan_type', 1, \
             'icon_source', iif(r.icon_name IS NULL, 'G', 'U'), 'icon_version', r.icon_version, \
             'logo_source', iif(r.logo_name IS NULL, 'D', 'U'), 'logo_version', r.logo_version, \
             'night_logo_source', iif(r.night_logo_name IS NULL, 'D', 'U'), \
             'night_logo_version', r.night_logo_version, 'settings', json(r.settings), \
             'groups', ",
            group_settings!("realm", "r.id"),
            ") FROM realms r WHERE r.id = ?1"
        ),
    },
    Table {
        name: "zerver_stream",
        sql: sql!(
            "SELECT json_patch(json_object('id', c.id, 'name', c.name, 'realm', c.realm_id, \
             'date_created', c.date_created * 1.0, 'creator', c.creator_id, 'deactivated', ",
            json_flag!("c.is_archived"),
            ", 'description', c.description, 'rendered_description', c.rendered_description, \
             'recipient', c.conversation_id, 'invite_only', ",
            json_flag!("c.invite_only"),
            ", 'history_public_to_subscribers', ",
            json_flag!("c.history_public_to_subscribers"),
            ", 'is_web_public', ",
            json_flag!("c.is_web_public"),
            ", 'is_recently_active', ",
            json_flag!("c.is_recently_active"),
            ", 'message_retention_days', c.message_retention_days, \
             'topics_policy', c.topics_policy, 'folder', c.folder_id, \
             'first_message_id', c.first_message_id), ",
            group_settings!("channel", "c.id"),
            ") FROM channels c JOIN archive_channels a ON a.id = c.id \
             WHERE c.realm_id = ?1 ORDER BY c.id"
        ),
    },
    Table {
        name: "zerver_recipient",
        sql: sql!(
            "SELECT json_object('id', id, 'type', type, 'type_id', type_id) FROM ( \
             SELECT u.id + (SELECT shift FROM archive_facts) AS id, 1 AS type, u.id AS type_id \
                FROM users u WHERE u.realm_id = ?1 \
             UNION ALL SELECT c.conversation_id, 2, c.id FROM channels c \
                JOIN archive_channels a ON a.id = c.id \
             UNION ALL SELECT a.id, 3, a.id FROM archive_conversations a WHERE a.people > 2) AS recipients \
             ORDER BY id"
        ),
    },
    Table {
        name: "zerver_huddle",
        sql: sql!(
            "SELECT json_object('id', a.id, 'huddle_hash', c.members_key, 'recipient', a.id) \
             FROM archive_conversations a JOIN conversations c ON c.id = a.id \
             WHERE c.realm_id = ?1 AND a.people > 2 ORDER BY a.id"
        ),
    },
    Table {
        name: "zerver_defaultstream",
        sql: sql!(
            "SELECT json_object('id', d.channel_id, 'realm', ?1:bigint, 'stream', d.channel_id) \
             FROM default_channels d JOIN archive_channels a ON a.id = d.channel_id \
             ORDER BY d.channel_id"
        ),
    },
    Table {
        name: "zerver_channelfolder",
        sql: sql!(
            "SELECT json_object('id', f.id, 'realm', f.realm_id, 'name', f.name, \
             'description', f.description, 'rendered_description', f.rendered_description, \
             'order', f.position, 'date_created', f.date_created * 1.0, \
             'creator', f.creator_id, 'is_archived', ",
            json_flag!("f.is_archived"),
            ") FROM channel_folders f WHERE f.realm_id = ?1 ORDER BY f.id"
        ),
    },
    Table {
        name: "zerver_usergroup",
        sql: sql!(
            "SELECT json_object('id', g.id, 'realm', g.realm_id) FROM user_groups g \
             WHERE g.realm_id = ?1 ORDER BY g.id"
        ),
    },
    Table {
        name: "zerver_namedusergroup",
        sql: sql!(
            "SELECT json_patch(json_object('usergroup_ptr', o.id, 'name', o.name, \
             'description', o.description, 'is_system_group', ",
            json_flag!("o.is_system_group"),
            ", 'realm_for_sharding', o.realm_id, 'date_created', o.date_created * 1.0, \
             'creator', o.creator_id, 'deactivated', ",
            json_flag!("o.deactivated"),
            "), ",
            group_settings!("user_group", "o.id"),
            ") FROM user_groups o WHERE o.realm_id = ?1 AND o.name IS NOT NULL ORDER BY o.id"
        ),
    },
    Table {
        name: "zerver_usergroupmembership",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY m.group_id, m.user_id), \
             'user_group', m.group_id, 'user_profile', m.user_id) FROM user_group_members m \
             JOIN user_groups g ON g.id = m.group_id AND g.realm_id = ?1"
        ),
    },
    Table {
        name: "zerver_groupgroupmembership",
        sql: sql!(
            "SELECT json_object('id', row_number() OVER (ORDER BY s.supergroup_id, s.subgroup_id), \
             'supergroup', s.supergroup_id, 'subgroup', s.subgroup_id) \
             FROM user_group_subgroups s JOIN user_groups g ON g.id = s.supergroup_id \
             AND g.realm_id = ?1"
        ),
    },
    Table {
        name: "zerver_customprofilefield",
        sql: sql!(
            "SELECT json_object('id', f.id, 'realm', f.realm_id, 'name', f.name, 'hint', f.hint, \
             'order', f.position, 'display_in_profile_summary', ",
            json_flag!("f.in_summary"),
            ", 'required', ",
            json_flag!("f.required"),
            ", 'editable_by_user', ",
            json_flag!("f.editable_by_user"),
            ", 'use_for_user_matching', ",
            json_flag!("f.matches_users"),
            ", 'field_type', f.type, 'field_data', f.field_data) FROM profile_fields f \
             WHERE f.realm_id = ?1 ORDER BY f.id"
        ),
    },
    Table {
        name: "zerver_realmfilter",
        sql: sql!(
            "SELECT json_object('id', l.id, 'realm', l.realm_id, 'pattern', l.pattern, \
             'url_template', l.url_template, 'order', l.position, \
             'example_input', l.example_input, 'reverse_template', l.reverse_template, \
             'alternative_url_templates', json(l.alternative_url_templates)) \
             FROM linkifiers l WHERE l.realm_id = ?1 ORDER BY l.id"
        ),
    },
    Table {
        name: "zerver_realmdomain",
        sql: sql!(
            "SELECT json_object('id', d.id, 'realm', d.realm_id, 'domain', d.domain, \
             'allow_subdomains', ",
            json_flag!("d.allow_subdomains"),
            ") FROM realm_domains d WHERE d.realm_id = ?1 ORDER BY d.id"
        ),
    },
    Table {
        name: "zerver_realmplayground",
        sql: sql!(
            "SELECT json_object('id', p.id, 'realm', p.realm_id, 'name', p.name, \
             'pygments_language', p.pygments_language, 'url_template', p.url_template) \
             FROM realm_playgrounds p WHERE p.realm_id = ?1 ORDER BY p.id"
        ),
    },
    Table {
        name: "zerver_client",
        sql: sql!(
            "SELECT json_object('id', c.id, 'name', c.name) FROM archive_clients c \
             WHERE ?1:bigint IS NOT NULL ORDER BY c.id"
        ),
    },
    Table {
        // The bots of the system, under the names by which importers know them.
        name: "zerver_userprofile_crossrealm",
        sql: sql!(
            "SELECT json_object('id', u.id, \
             'email', replace(u.email, '@spindle.invalid', '@zulip.com'), \
             'recipient_id', u.id + (SELECT shift FROM archive_facts)) \
             FROM users u WHERE u.realm_id = 0 AND u.realm_id <> ?1 ORDER BY u.id"
        ),
    },
    Table {
        name: "zerver_realmemoji",
        sql: sql!(
            "SELECT json_object('id', e.id, 'author', e.author_id, 'realm', e.realm_id, \
             'name', e.name, 'file_name', e.file_name, 'is_animated', ",
            json_flag!("e.still_file_name IS NOT NULL"),
            ", 'deactivated', ",
            json_flag!("e.deactivated"),
            ") FROM realm_emoji e WHERE e.realm_id = ?1 ORDER BY e.id"
        ),
    },
    Table {
        name: "zerver_reaction",
        sql: sql!(
            "SELECT json_object('id', r.id, 'user_profile', r.user_id, 'message', r.message_id, \
             'emoji_name', r.emoji_name, 'emoji_code', r.emoji_code, \
             'reaction_type', r.reaction_type) \
             FROM reactions r JOIN archive_messages m ON m.id = r.message_id \
             JOIN users u ON u.id = r.user_id AND u.realm_id = ?1 ORDER BY r.id"
        ),
    },
    Table {
        name: "zerver_service",
        sql: sql!(
            "SELECT json_object('id', b.user_id, 'name', s.value ->> 'service_name', \
             'user_profile', b.user_id, 'base_url', s.value ->> 'base_url', \
             'token', '', 'interface', CAST(s.value ->> 'interface' AS BIGINT)) \
             FROM bots b JOIN archive_people p ON p.id = b.user_id \
             JOIN users u ON u.id = b.user_id AND u.realm_id = ?1, json_texts(b.services) s \
             ORDER BY b.user_id"
        ),
    },
    Table {
        name: "zerver_realmauditlog",
        sql: sql!(
            "SELECT json_object('id', l.id, 'event_time', l.time * 1.0, 'backfilled', json('false'), \
             'extra_data', json(l.data), 'event_type', l.event_type, 'realm', l.realm_id, \
             'acting_user', l.acting_user_id, 'modified_user', l.modified_user_id, \
             'modified_stream', NULL, 'modified_user_group', NULL, \
             'event_last_message_id', NULL) \
             FROM audit_log l WHERE l.realm_id = ?1 \
             AND (SELECT scope FROM archive_facts) = 2 ORDER BY l.id"
        ),
    },
];
