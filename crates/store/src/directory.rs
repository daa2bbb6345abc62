//! Looks up the names that a message refers to, for mentions and links.
//!
//! One statement, whatever the number of names. It returns facts; which of them the sender
//! may see or mention is decided by the caller.

use spindle_domain::{ChannelId, GroupId, MessageId, RealmId, Role, UserId};

use crate::group_settings::{Member, groups_of_member};
use crate::{Db, DbError, FromRow, Row, params, sql};

/// What to look up; each list is JSON text.
#[derive(Debug, Clone)]
pub struct Names<'a> {
    /// Folded full names of users.
    pub user_names: &'a str,
    /// Ids of users.
    pub user_ids: &'a str,
    /// Names of groups.
    pub group_names: &'a str,
    /// Names of channels.
    pub channel_names: &'a str,
    /// Pairs of channel name and folded topic.
    pub topics: &'a str,
}

/// An object that was found by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A user or bot.
    User {
        id: UserId,
        full_name: String,
        /// False once deactivated.
        is_active: bool,
        role: Role,
        /// Whether it is a bot.
        is_bot: bool,
    },
    /// A user group.
    Group {
        /// Group.
        id: GroupId,
        name: String,
        /// False once deactivated.
        is_active: bool,
        /// Whether the sender holds the group's `can_mention_group`.
        may_mention: bool,
        /// Whether it is a system group.
        is_system_group: bool,
    },
    /// A channel that is not archived.
    Channel {
        /// Channel.
        id: ChannelId,
        name: String,
        /// Private channel.
        invite_only: bool,
        /// Whether subscribers read what was sent before they came.
        history_public_to_subscribers: bool,
        /// Whether unauthenticated clients read it.
        is_web_public: bool,
        /// Whether the sender is subscribed.
        is_subscribed: bool,
    },
    /// The newest message of a topic; with protected history the newest that the sender received.
    Topic {
        channel_id: ChannelId,
        /// Folded topic.
        topic: String,
        message_id: MessageId,
    },
}

/// Looks up all names in one statement, for the sender `member`.
pub fn resolve(
    db: &dyn Db,
    realm_id: RealmId,
    member: impl Into<Member>,
    names: &Names<'_>,
) -> Result<Vec<Named>, DbError> {
    let member = member.into();
    let rows = db.query(
        sql!(
            "SELECT 'user', u.id, u.full_name, u.is_active, u.role, u.is_bot, 0 FROM users u \
             WHERE u.realm_id = ?1 AND u.full_name_folded IN (SELECT value FROM json_texts(?3)) \
             UNION ALL \
             SELECT 'user', u.id, u.full_name, u.is_active, u.role, u.is_bot, 0 FROM users u \
             WHERE +u.realm_id = ?1 AND u.id IN (SELECT value FROM json_ids(?4)) \
             UNION ALL \
             SELECT 'group', g.id, g.name, 1 - g.deactivated, iif(EXISTS (SELECT 1 FROM group_settings gs \
                 WHERE gs.owner_type = 'user_group' AND gs.owner_id = g.id \
                 AND gs.name = 'can_mention_group' AND gs.group_id IN ",
            groups_of_member!("?2", "?8"),
            "), 1, 0), g.is_system_group, 0 FROM user_groups g \
             WHERE g.realm_id = ?1 AND g.name IN (SELECT value FROM json_texts(?5)) \
             UNION ALL \
             SELECT 'channel', ch.id, ch.name, ch.invite_only, ch.history_public_to_subscribers, \
                 ch.is_web_public, iif(EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = ?2 \
                 AND s.channel_id = ch.id AND s.active = 1), 1, 0) FROM channels ch \
             WHERE ch.realm_id = ?1 AND ch.is_archived = 0 \
             AND ch.name IN (SELECT value FROM json_texts(?6)) \
             UNION ALL \
             SELECT 'topic', ch.id, t.value ->> 1, CASE \
                 WHEN ch.invite_only = 0 OR ch.history_public_to_subscribers = 1 THEN \
                     (SELECT max(m.id) FROM messages m \
                      WHERE m.channel_id = ch.id AND m.topic_folded = t.value ->> 1) \
                 ELSE (SELECT m.id FROM messages m \
                      WHERE m.channel_id = ch.id AND m.topic_folded = t.value ->> 1 \
                      AND EXISTS (SELECT 1 FROM user_messages um \
                          WHERE um.user_id = ?2 AND um.message_id = m.id) \
                      ORDER BY m.id DESC LIMIT 1) END, 0, 0, 0 \
             FROM json_texts(?7) t JOIN channels ch ON ch.realm_id = ?1 AND ch.name = t.value ->> 0 \
             AND ch.is_archived = 0"
        ),
        &params![
            realm_id,
            member.user_id,
            names.user_names,
            names.user_ids,
            names.group_names,
            names.channel_names,
            names.topics,
            member.is_lowered,
        ],
    )?;
    let found = rows.all::<Found>()?;
    Ok(found.into_iter().filter_map(|Found(named)| named).collect())
}

/// A row; `None` for a topic without a message that the sender may read.
struct Found(Option<Named>);

impl FromRow for Found {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        let (kind, id, name): (String, i64, _) = (row.take()?, row.take()?, row.take()?);
        Ok(Self(match kind.as_str() {
            "user" => Some(Named::User {
                id: UserId(id),
                full_name: name,
                is_active: row.take()?,
                role: row.take()?,
                is_bot: row.take()?,
            }),
            "group" => Some(Named::Group {
                id: GroupId(id),
                name,
                is_active: row.take()?,
                may_mention: row.take()?,
                is_system_group: row.take()?,
            }),
            "channel" => Some(Named::Channel {
                id: ChannelId(id),
                name,
                invite_only: row.take()?,
                history_public_to_subscribers: row.take()?,
                is_web_public: row.take()?,
                is_subscribed: row.take()?,
            }),
            _ => row.take::<Option<_>>()?.map(|message_id| Named::Topic {
                channel_id: ChannelId(id),
                topic: name,
                message_id,
            }),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group_settings::{self, Owner};
    use crate::groups;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn users_and_groups_are_found_and_others_are_not() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (testing::user(&tx, "a@x"), testing::user(&tx, "b@x"));
        testing::user(&tx, "c@x");
        let devs = groups::insert(&tx, RealmId::ONLY, Some("devs"), "", false, None, None).unwrap();
        groups::add_member(&tx, devs, ann).unwrap();
        group_settings::set(
            &tx,
            RealmId::ONLY,
            Owner::UserGroup(devs),
            "can_mention_group",
            devs,
        )
        .unwrap();
        let ids = crate::id_list([bob]);
        let names = Names {
            user_names: r#"["a@x","nobody"]"#,
            user_ids: &ids,
            group_names: r#"["devs","ops"]"#,
            channel_names: "[]",
            topics: r#"[["gone","x"]]"#,
        };
        let user = |id, name: &str| Named::User {
            id,
            full_name: name.into(),
            is_active: true,
            role: Role::Member,
            is_bot: false,
        };
        let group = |may_mention| Named::Group {
            id: devs,
            name: "devs".into(),
            is_active: true,
            may_mention,
            is_system_group: false,
        };
        let found = resolve(&tx, RealmId::ONLY, ann, &names).unwrap();
        assert_eq!(found, [user(ann, "a@x"), user(bob, "b@x"), group(true)]);
        assert!(
            resolve(&tx, RealmId::ONLY, bob, &names)
                .unwrap()
                .contains(&group(false))
        );
    }
}
