//! The subscription record of the wire, and the channel objects of channels that the user never subscribed to.
//!
//! SQLite builds both as JSON, lists of subscribers included (see [`crate::subscriber_lists`]).

use spindle_domain::{ChannelId, UserId};

use crate::channels::{Visible, channel_object_open, visible_condition};
use crate::chunks::{self, and_after, select_chunk};
use crate::subscriber_lists::{SubscriberLists, subscriber_member, with_lively};
use crate::{Db, DbError, params, row_struct, sql};

/// The personal half of a subscription record, members of an object under construction with a
/// comma before it. Null notification settings are replaced by those of the JSON object in
/// parameter `$defaults`, where it has them. Expects `subscriptions s`.
macro_rules! personal_members {
    ($defaults:literal) => {
        concat!(
            "concat(',\"color\":', json_quote(s.color), \
             iif(s.is_muted, ',\"is_muted\":true,\"in_home_view\":false', \
                 ',\"is_muted\":false,\"in_home_view\":true'), \
             ',\"pin_to_top\":', iif(s.pin_to_top, 'true', 'false'), ",
            notification!("audible_notifications", $defaults),
            ", ",
            notification!("desktop_notifications", $defaults),
            ", ",
            notification!("email_notifications", $defaults),
            ", ",
            notification!("push_notifications", $defaults),
            ", ",
            notification!("wildcard_mentions_notify", $defaults),
            ")"
        )
    };
}

macro_rules! notification {
    ($name:literal, $defaults:literal) => {
        concat!(
            "',\"",
            $name,
            "\":', CASE s.",
            $name,
            " WHEN 0 THEN 'false' WHEN 1 THEN 'true' \
             ELSE coalesce(CAST(",
            $defaults,
            " -> '",
            $name,
            "' AS TEXT), 'null') END"
        )
    };
}

/// Which subscription records of a user are wanted, and how they are to look.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The user, and which of the channels that they have left they may still know of; archived
    /// channels only where it includes them.
    pub visible: Visible,
    /// True: subscribed now, whatever [`Wanted::visible`] says. False: was subscribed.
    pub active: bool,
    /// Whether the ids of the subscribers are included.
    pub subscribers: SubscriberLists,
    /// Replaces null notification settings: JSON object with the user's defaults by name of
    /// the property, or `{}` where null is understood.
    pub defaults: &'a str,
}

/// Subscription records of the wire as a JSON list, by channel id
/// (docs/protocol/subscriptions.md#subscription).
pub fn records(db: &dyn Db, wanted: &Wanted<'_>) -> Result<String, DbError> {
    let mut params = wanted.visible.params().to_vec();
    params.extend(params![wanted.active]);
    params.push(wanted.subscribers.into());
    params.extend(params![wanted.defaults]);
    chunks::list(|after| {
        db.query(
            sql!(
                with_lively!("?11:bigint", "?3:bigint"),
                select_chunk!(
                    concat!(
                        channel_object_open!(),
                        " || ",
                        personal_members!("?12:text"),
                        " || ",
                        subscriber_member!("?11:bigint"),
                        " || '}'"
                    ),
                    "s.channel_id",
                    "?13",
                    concat!(
                        "subscriptions s JOIN channels ch ON ch.id = s.channel_id \
                         WHERE s.user_id = ?2 AND s.active = ?10 AND (?7:bigint = 1 OR ch.is_archived = 0) \
                         AND (s.active = 1 OR ",
                        visible_condition!(),
                        ")"
                    )
                )
            ),
            &and_after(&params, after),
        )
    })
}

/// The visible channels that the user was never subscribed to, as a JSON list of channel
/// objects by id.
pub fn never_subscribed(
    db: &dyn Db,
    visible: &Visible,
    subscribers: SubscriberLists,
) -> Result<String, DbError> {
    let mut params = visible.params().to_vec();
    params.push(subscribers.into());
    chunks::list(|after| {
        db.query(
            sql!(
                with_lively!("?10:bigint", "?3:bigint"),
                select_chunk!(
                    concat!(
                        channel_object_open!(),
                        " || ",
                        subscriber_member!("?10:bigint"),
                        " || '}'"
                    ),
                    "ch.id",
                    "?11",
                    concat!(
                        "channels ch WHERE ",
                        visible_condition!(),
                        " AND NOT EXISTS (SELECT 1 FROM subscriptions ns WHERE ns.user_id = ?2 \
                         AND ns.channel_id = ch.id)"
                    )
                )
            ),
            &and_after(&params, after),
        )
    })
}

row_struct! {
    /// The personal half of one subscription.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PersonalRow {
        /// The subscriber.
        pub user_id: UserId,
        pub channel_id: ChannelId,
        /// JSON object: colour, muting, pinning and notification settings, null where the user's
        /// default applies.
        pub settings: String,
        /// JSON object of the user's own settings that differ from their defaults.
        pub user_settings: String,
    }
}

/// The personal halves of the active subscriptions of users in channels (JSON lists of ids),
/// by user and channel.
pub fn personal(
    db: &dyn Db,
    user_ids: &str,
    channel_ids: &str,
) -> Result<Vec<PersonalRow>, DbError> {
    db.query(
        sql!(
            "SELECT s.user_id, s.channel_id, '{' || substr(",
            personal_members!("'{}'"),
            ", 2) || '}' AS settings, u.settings AS user_settings \
             FROM subscriptions s JOIN users u ON u.id = s.user_id \
             WHERE s.user_id IN (SELECT value FROM json_ids(?1)) \
             AND s.channel_id IN (SELECT value FROM json_ids(?2)) AND s.active = 1 \
             ORDER BY s.user_id, s.channel_id"
        ),
        &params![user_ids, channel_ids],
    )?
    .all()
}

/// Ids of the channels that `user_id` is subscribed to and the viewer may know of, as a JSON
/// list.
pub fn visible_channels_of(
    db: &dyn Db,
    visible: &Visible,
    user_id: UserId,
) -> Result<String, DbError> {
    let mut params = visible.params().to_vec();
    params.push(user_id.into());
    db.query(
        sql!(
            // The time of the listing is of no use here, but the parameters are the same.
            "SELECT json_group_array(ch.id ORDER BY ch.id) FROM subscriptions s \
             JOIN channels ch ON ch.id = s.channel_id JOIN users u ON u.id = s.user_id \
             WHERE s.user_id = ?10 AND s.active = 1 AND u.is_active = 1 AND ?3:bigint IS NOT NULL AND ",
            visible_condition!()
        ),
        &params,
    )?
    .one_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels;
    use crate::subscriptions::{channels_of, leave, peers_of};
    use crate::testing::{self, TestDatabase};
    use crate::{channel_facts, group_settings, groups};
    use spindle_domain::RealmId;

    fn visible(user_id: UserId) -> Visible {
        Visible {
            realm_id: RealmId::ONLY,
            user_id: Some(user_id),
            now: 10_000_000,
            public: true,
            web_public: true,
            private: false,
            archived: false,
            subscribed: true,
            granted: true,
        }
    }

    fn listed(text: &str) -> Vec<serde_json::Value> {
        serde_json::from_str(text).unwrap()
    }

    fn wanted(user_id: UserId) -> Wanted<'static> {
        Wanted {
            visible: visible(user_id),
            active: true,
            subscribers: SubscriberLists::Complete,
            defaults: r#"{"push_notifications":true}"#,
        }
    }

    #[test]
    fn records_hold_channel_settings_and_subscribers() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (testing::user(&tx, "a@x"), testing::user(&tx, "b@x"));
        let (open, private) = (
            testing::add_channel(&tx, "open", false),
            testing::add_channel(&tx, "private", true),
        );
        let everyone = groups::insert(
            &tx,
            spindle_domain::RealmId::ONLY,
            Some("role:administrators"),
            "",
            true,
            None,
            None,
        )
        .unwrap();
        let owner = group_settings::Owner::Channel(open);
        group_settings::set(
            &tx,
            spindle_domain::RealmId::ONLY,
            owner,
            "can_send_message_group",
            everyone,
        )
        .unwrap();
        assert!(testing::subscribe(&tx, ann, open, "#aabbcc"));
        assert!(testing::subscribe(&tx, ann, private, "#ddeeff"));
        assert!(!testing::subscribe(&tx, ann, open, "#123456"));
        assert!(testing::subscribe(&tx, bob, open, "#000000"));
        let records = listed(&records(&tx, &wanted(ann)).unwrap());
        assert_eq!(records.len(), 2);
        assert_eq!(records[0]["subscribers"], serde_json::json!([ann, bob]));
        assert_eq!(records[0]["subscriber_count"], 2);
        assert_eq!(records[0]["stream_weekly_traffic"], serde_json::Value::Null);
        assert_eq!(records[0]["can_send_message_group"], everyone.get());
        assert_eq!(records[0]["stream_post_policy"], 2);
        assert_eq!(records[0]["is_announcement_only"], true);
        assert_eq!(records[0]["push_notifications"], true);
        assert_eq!(records[0]["email_notifications"], serde_json::Value::Null);
        assert_eq!(records[1]["color"], "#ddeeff");
        assert_eq!(records[1]["in_home_view"], true);
        assert_eq!(channels_of(&tx, ann), Ok(vec![open, private]));
        let peers = peers_of(&tx, bob).unwrap();
        assert_eq!(*peers[0].subscribers, [ann, bob].map(UserId::from));
        let facts = channel_facts::by_name(&tx, RealmId::ONLY, bob, "", "private")
            .unwrap()
            .unwrap();
        assert!(facts.invite_only && !facts.is_subscribed && !facts.topic_exists);
    }

    #[test]
    fn visible_channels() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        let (open, private) = (
            testing::add_channel(&tx, "open", false),
            testing::add_channel(&tx, "private", true),
        );
        let seen = |public, private, subscribed| {
            let visible = Visible {
                public,
                private,
                subscribed,
                ..visible(ann)
            };
            let ids = |text: String| -> Vec<ChannelId> {
                let list = listed(&text);
                let id = |channel: &serde_json::Value| channel["stream_id"].as_i64().map(ChannelId);
                list.iter().filter_map(id).collect()
            };
            (
                ids(channels::objects(&tx, &visible).unwrap()),
                ids(never_subscribed(&tx, &visible, SubscriberLists::Complete).unwrap()),
            )
        };
        assert_eq!(seen(true, false, true), (vec![open], vec![open]));
        assert_eq!(seen(false, false, true), (vec![], vec![]));
        assert_eq!(
            seen(true, true, true),
            (vec![open, private], vec![open, private])
        );
        testing::subscribe(&tx, ann, private, "#000000");
        assert_eq!(seen(true, false, true), (vec![open, private], vec![open]));
        leave(&tx, &crate::id_list([ann]), &crate::id_list([private])).unwrap();
        assert_eq!(seen(true, false, true), (vec![open], vec![open]));
        let former = Wanted {
            active: false,
            ..wanted(ann)
        };
        assert_eq!(records(&tx, &former).unwrap(), "[]");
        // A permission of the channel lets them know of it again.
        let group = groups::insert(
            &tx,
            spindle_domain::RealmId::ONLY,
            None,
            "",
            false,
            None,
            None,
        )
        .unwrap();
        groups::add_member(&tx, group, ann).unwrap();
        let owner = group_settings::Owner::Channel(private);
        group_settings::set(
            &tx,
            spindle_domain::RealmId::ONLY,
            owner,
            "can_subscribe_group",
            group,
        )
        .unwrap();
        assert_eq!(seen(true, false, true), (vec![open, private], vec![open]));
        assert_eq!(listed(&records(&tx, &former).unwrap()).len(), 1);
        let found = visible_channels_of(&tx, &visible(ann), ann).unwrap();
        assert_eq!(found, "[]");
    }

    #[test]
    fn personal_halves_keep_null() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        let open = testing::add_channel(&tx, "open", false);
        testing::subscribe(&tx, ann, open, "#aabbcc");
        let rows = personal(&tx, &crate::id_list([ann]), &crate::id_list([open])).unwrap();
        let settings: serde_json::Value = serde_json::from_str(&rows[0].settings).unwrap();
        assert_eq!(settings["color"], "#aabbcc");
        assert_eq!(settings["push_notifications"], serde_json::Value::Null);
        assert_eq!(settings.as_object().unwrap().len(), 9);
    }
}
