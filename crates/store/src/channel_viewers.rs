//! Every active account with what decides whether it sees one channel.
//!
//! Rows hold facts, not the decision, which is the domain's. Gives the audience of changes of
//! a channel, and the users who begin or cease to see it.

use spindle_domain::{ChannelId, GroupId, RealmId, Role, UserId};

use crate::{Db, DbError, Json, params, row_struct, sql};

row_struct! {
    /// An active account and its relation to a channel.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ViewerRow {
        pub user_id: UserId,
        pub role: Role,
        /// Subscribed.
        pub is_subscribed: bool,
        /// In `can_subscribe_group` or `can_add_subscribers_group` of the channel.
        pub grants_content_access: bool,
        /// In `can_administer_channel_group`.
        pub administers: bool,
    }
}

/// Users in any of the groups that hold the permissions of channel `?2` named in the list.
macro_rules! holders {
    ($names:literal) => {
        concat!(
            "(SELECT gm.user_id FROM group_settings gs \
             JOIN user_group_closure gc ON gc.supergroup_id = gs.group_id \
             JOIN user_group_members gm ON gm.group_id = gc.subgroup_id \
             WHERE gs.owner_type = 'channel' AND gs.owner_id = ?2 AND gs.name IN (",
            $names,
            "))"
        )
    };
}

/// All active accounts by id, with what matters about the channel.
pub fn viewers(
    db: &dyn Db,
    realm_id: RealmId,
    channel_id: ChannelId,
) -> Result<Vec<ViewerRow>, DbError> {
    db.query(
        sql!(
            "SELECT u.id AS user_id, u.role, EXISTS (SELECT 1 FROM subscriptions s \
                 WHERE s.user_id = u.id AND s.channel_id = ?2 AND s.active = 1) AS is_subscribed, \
                 u.id IN ",
            holders!("'can_subscribe_group', 'can_add_subscribers_group'"),
            " AS grants_content_access, u.id IN ",
            holders!("'can_administer_channel_group'"),
            " AS administers FROM users u WHERE u.realm_id = ?1 AND u.is_active = 1 ORDER BY u.id"
        ),
        &params![realm_id, channel_id],
    )?
    .all()
}

row_struct! {
    /// Active accounts that are alike in what decides whether they read one channel.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReaderGroup {
        pub role: Role,
        /// Subscribed.
        pub is_subscribed: bool,
        /// In `can_subscribe_group` or `can_add_subscribers_group` of the channel.
        pub grants_content_access: bool,
        /// Ids of the accounts.
        pub users: Json<Vec<UserId>>,
    }
}

/// The subscribers of a channel, the recipients of any of the messages in a JSON list of ids, and the users in the JSON
/// list `further`: all users whom a change of those messages may concern, grouped so that few rows come back from a
/// large channel.
pub fn concerned(
    db: &dyn Db,
    realm_id: RealmId,
    channel_id: ChannelId,
    message_ids: &str,
    further: &str,
) -> Result<Vec<ReaderGroup>, DbError> {
    db.query(
        sql!(
            "SELECT role, is_subscribed, grants_content_access, \
             json_group_array(id ORDER BY id) AS users FROM ( \
             SELECT u.id, u.role, EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = u.id \
                 AND s.channel_id = ?2 AND s.active = 1) AS is_subscribed, u.id IN ",
            holders!("'can_subscribe_group', 'can_add_subscribers_group'"),
            " AS grants_content_access FROM users u WHERE u.realm_id = ?1 AND u.is_active = 1 AND u.id IN ( \
                 SELECT user_id FROM subscriptions WHERE channel_id = ?2 AND active = 1 \
                 UNION SELECT user_id FROM user_messages \
                     WHERE message_id IN (SELECT value FROM json_ids(?3)) \
                 UNION SELECT value FROM json_ids(?4))) AS accounts GROUP BY role, is_subscribed, grants_content_access"
        ),
        &params![realm_id, channel_id, message_ids, further],
    )?
    .all()
}

/// Private channels that the group, or one that contains it, lets its members know of; by id, at most `most`.
pub fn private_channels_of_group(
    db: &dyn Db,
    realm_id: RealmId,
    group_id: GroupId,
    most: i64,
) -> Result<Vec<ChannelId>, DbError> {
    db.query(
        sql!(
            "SELECT DISTINCT ch.id FROM user_group_closure c \
         CROSS JOIN group_settings s ON s.group_id = c.supergroup_id \
         JOIN channels ch ON ch.id = s.owner_id \
         WHERE c.subgroup_id = ?2 AND s.owner_type = 'channel' AND s.name IN \
             ('can_subscribe_group', 'can_add_subscribers_group', 'can_administer_channel_group') \
         AND ch.realm_id = ?1 AND ch.invite_only = 1 ORDER BY ch.id LIMIT ?3"
        ),
        &params![realm_id, group_id, most],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};
    use crate::{group_nesting, group_settings, groups, users};

    #[test]
    fn facts_of_active_accounts() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let people = ["a@x", "b@x", "c@x", "d@x"].map(|email| testing::user(&tx, email));
        let [ann, bob, cem, gone] = people;
        users::set_active(&tx, gone, false).unwrap();
        let channel = testing::add_channel(&tx, "c", true);
        assert!(testing::subscribe(&tx, ann, channel, "#000000"));
        let outer = groups::insert(
            &tx,
            spindle_domain::RealmId::ONLY,
            Some("outer"),
            "",
            false,
            None,
            None,
        )
        .unwrap();
        let inner = groups::insert(
            &tx,
            spindle_domain::RealmId::ONLY,
            Some("inner"),
            "",
            false,
            None,
            None,
        )
        .unwrap();
        group_nesting::add_subgroup(&tx, outer, inner).unwrap();
        groups::add_member(&tx, inner, bob).unwrap();
        groups::add_member(&tx, outer, cem).unwrap();
        let set = |name, group| {
            let owner = group_settings::Owner::Channel(channel);
            group_settings::set(&tx, spindle_domain::RealmId::ONLY, owner, name, group).unwrap();
        };
        set("can_subscribe_group", outer);
        set("can_administer_channel_group", inner);
        set("can_send_message_group", inner);
        let facts: Vec<_> = viewers(&tx, RealmId::ONLY, channel)
            .unwrap()
            .iter()
            .map(|row| {
                let granted = (row.grants_content_access, row.administers);
                (row.user_id, row.is_subscribed, granted)
            })
            .collect();
        assert_eq!(
            facts,
            [
                (ann, true, (false, false)),
                (bob, false, (true, true)),
                (cem, false, (true, false))
            ]
        );
    }
}
