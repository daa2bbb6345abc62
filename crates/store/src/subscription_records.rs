//! The subscription record of the wire, and the channel objects of those who never subscribed.
//!
//! Both are put together as JSON by SQLite, lists of subscribers included: complete, or, in
//! large channels when a client asks for no more, those who matter to it (spec: Limits).

use crate::channels::{Visible, channel_object_open, visible_condition};
use crate::subscriptions::subscriber_ids;
use crate::{Db, DbError, params};

/// Which lists of subscribers a client is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SubscriberLists {
    /// None.
    #[default]
    None,
    /// `subscribers`, complete.
    Complete,
    /// `subscribers` of channels with fewer than 250 subscribers; of larger ones
    /// `partial_subscribers`: bots, and people who were active in the last 14 days.
    Partial,
}

impl From<SubscriberLists> for crate::Value {
    fn from(lists: SubscriberLists) -> Self {
        Self::Integer(match lists {
            SubscriberLists::None => 0,
            SubscriberLists::Complete => 1,
            SubscriberLists::Partial => 2,
        })
    }
}

/// Seconds in the 14 days of [`SubscriberLists::Partial`], as SQL text.
macro_rules! lively_seconds {
    () => {
        "1209600"
    };
}

/// `WITH` clause that names the accounts which a partial list always holds: bots, and whoever
/// has joined, sent a message, or had an event queue in the last 14 days. Empty unless the
/// lists of parameter `$lists` are partial; `$now` is in UNIX seconds.
macro_rules! with_lively {
    ($lists:literal, $now:literal) => {
        concat!(
            "WITH lively AS MATERIALIZED (SELECT lu.id FROM users lu WHERE ",
            $lists,
            " = 2 AND lu.is_active = 1 AND (lu.is_bot = 1 OR lu.date_joined >= ",
            $now,
            " - ",
            lively_seconds!(),
            " OR EXISTS (SELECT 1 FROM event_queues lq WHERE lq.user_id = lu.id) \
             OR EXISTS (SELECT 1 FROM user_activity la WHERE la.user_id = lu.id \
                 AND la.last_active >= ",
            $now,
            " - ",
            lively_seconds!(),
            ") OR coalesce((SELECT lm.date_sent FROM messages lm WHERE lm.sender_id = lu.id \
                 ORDER BY lm.id DESC LIMIT 1), 0) >= ",
            $now,
            " - ",
            lively_seconds!(),
            ")) "
        )
    };
}

/// The list of subscribers of `ch` as a member of an object under construction, with a comma
/// before it; empty when none is asked for. 250 is the specification's limit.
macro_rules! subscriber_member {
    ($lists:literal) => {
        concat!(
            "CASE WHEN ",
            $lists,
            " = 0 THEN '' WHEN ",
            $lists,
            " = 1 OR ch.subscriber_count < 250 THEN ',\"subscribers\":' || ",
            subscriber_ids!("ch.id"),
            " ELSE ',\"partial_subscribers\":' || (SELECT json_group_array(ps.user_id \
                 ORDER BY ps.user_id) FROM subscriptions ps WHERE ps.channel_id = ch.id \
                 AND ps.active = 1 AND ps.user_id IN (SELECT id FROM lively)) END"
        )
    };
}

/// The personal half of a subscription record, members of an object under construction with a
/// comma before it. Null notification settings are replaced by those of the JSON object in
/// parameter `$defaults`, where it has them. Expects `subscriptions s`.
macro_rules! personal_members {
    ($defaults:literal) => {
        concat!(
            "',' || substr(rtrim(json_object('color', s.color, \
             'is_muted', json(iif(s.is_muted, 'true', 'false')), \
             'in_home_view', json(iif(s.is_muted, 'false', 'true')), \
             'pin_to_top', json(iif(s.pin_to_top, 'true', 'false')), ",
            notification!("audible_notifications", $defaults),
            ", ",
            notification!("desktop_notifications", $defaults),
            ", ",
            notification!("email_notifications", $defaults),
            ", ",
            notification!("push_notifications", $defaults),
            ", ",
            notification!("wildcard_mentions_notify", $defaults),
            "), '}'), 2)"
        )
    };
}

macro_rules! notification {
    ($name:literal, $defaults:literal) => {
        concat!(
            "'",
            $name,
            "', json(iif(s.",
            $name,
            " IS NULL, coalesce(",
            $defaults,
            " -> '",
            $name,
            "', 'null'), iif(s.",
            $name,
            ", 'true', 'false')))"
        )
    };
}

/// Which subscription records of a user are wanted, and how they are to look.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// Whose, and which of the channels they have left they may still know of; archived
    /// channels only if it says so.
    pub visible: Visible,
    /// True: subscribed now, whatever [`Wanted::visible`] says. False: was subscribed.
    pub active: bool,
    /// Whether the ids of the subscribers are included.
    pub subscribers: SubscriberLists,
    /// Replaces null notification settings: JSON object with the user's defaults by name of
    /// the property, or `{}` where null is understood.
    pub defaults: &'a str,
}

/// Subscription records of the wire as a JSON list, by channel id (spec: Subscription record).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, wanted: &Wanted<'_>) -> Result<String, DbError> {
    let mut params = wanted.visible.params().to_vec();
    params.extend(params![wanted.active]);
    params.push(wanted.subscribers.into());
    params.extend(params![wanted.defaults]);
    db.execute(
        concat!(
            with_lively!("?11", "?3"),
            "SELECT '[' || coalesce(group_concat(",
            channel_object_open!(),
            " || ",
            personal_members!("?12"),
            " || ",
            subscriber_member!("?11"),
            " || '}', ',' ORDER BY ch.id), '') || ']' \
             FROM subscriptions s JOIN channels ch ON ch.id = s.channel_id \
             WHERE s.user_id = ?2 AND s.active = ?10 AND (?7 OR ch.is_archived = 0) \
             AND (s.active = 1 OR ",
            visible_condition!(),
            ")"
        ),
        &params,
    )?
    .read_one(|row| row.text())
}

/// The visible channels that the user was never subscribed to, as a JSON list of channel
/// objects by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn never_subscribed(
    db: &dyn Db,
    visible: &Visible,
    subscribers: SubscriberLists,
) -> Result<String, DbError> {
    let mut params = visible.params().to_vec();
    params.push(subscribers.into());
    db.execute(
        concat!(
            with_lively!("?10", "?3"),
            "SELECT '[' || coalesce(group_concat(",
            channel_object_open!(),
            " || ",
            subscriber_member!("?10"),
            " || '}', ',' ORDER BY ch.id), '') || ']' FROM channels ch WHERE ",
            visible_condition!(),
            " AND NOT EXISTS (SELECT 1 FROM subscriptions ns WHERE ns.user_id = ?2 \
             AND ns.channel_id = ch.id)"
        ),
        &params,
    )?
    .read_one(|row| row.text())
}

/// The personal half of one subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalRow {
    /// Whose.
    pub user_id: i64,
    /// The channel.
    pub channel_id: i64,
    /// JSON object: colour, muting, pinning and notification settings, null where the user's
    /// default applies.
    pub settings: String,
    /// JSON object of the user's own settings that differ from their defaults.
    pub user_settings: String,
}

/// The personal halves of the active subscriptions of users in channels (JSON lists of ids),
/// by user and channel.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn personal(
    db: &dyn Db,
    user_ids: &str,
    channel_ids: &str,
) -> Result<Vec<PersonalRow>, DbError> {
    db.execute(
        concat!(
            "SELECT s.user_id, s.channel_id, '{' || substr(",
            personal_members!("'{}'"),
            ", 2) || '}', u.settings FROM subscriptions s JOIN users u ON u.id = s.user_id \
             WHERE s.user_id IN (SELECT value FROM json_each(?1)) \
             AND s.channel_id IN (SELECT value FROM json_each(?2)) AND s.active = 1 \
             ORDER BY s.user_id, s.channel_id"
        ),
        &params![user_ids, channel_ids],
    )?
    .read_all(|row| {
        Ok(PersonalRow {
            user_id: row.integer()?,
            channel_id: row.integer()?,
            settings: row.text()?,
            user_settings: row.text()?,
        })
    })
}

/// Ids of the channels that `user_id` is subscribed to and the viewer may know of, as a JSON
/// list.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn visible_channels_of(
    db: &dyn Db,
    visible: &Visible,
    user_id: i64,
) -> Result<String, DbError> {
    let mut params = visible.params().to_vec();
    params.push(user_id.into());
    db.execute(
        concat!(
            // The time of the listing is of no use here, but the parameters are the same.
            "SELECT json_group_array(ch.id ORDER BY ch.id) FROM subscriptions s \
             JOIN channels ch ON ch.id = s.channel_id JOIN users u ON u.id = s.user_id \
             WHERE s.user_id = ?10 AND s.active = 1 AND u.is_active = 1 AND ?3 IS NOT NULL AND ",
            visible_condition!()
        ),
        &params,
    )?
    .read_one(|row| row.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::{self, NewChannel};
    use crate::subscriptions::{channels_of, join, leave, peers_of};
    use crate::testing::{self, TestDatabase};
    use crate::{conversations, group_settings, groups};

    fn channel(db: &dyn Db, name: &str, invite_only: bool) -> i64 {
        let conversation_id = conversations::insert_channel(db, 1).unwrap();
        let new = NewChannel {
            realm_id: 1,
            conversation_id,
            name,
            name_folded: name,
            description: "",
            rendered_description: "",
            date_created: 0,
            creator_id: None,
            invite_only,
            history_public_to_subscribers: true,
            is_web_public: false,
            message_retention_days: None,
            topics_policy: "inherit",
            folder_id: None,
        };
        channels::insert(db, &new).unwrap()
    }

    fn visible(user_id: i64) -> Visible {
        Visible {
            realm_id: 1,
            user_id,
            now: 10_000_000,
            public: true,
            web_public: true,
            private: false,
            archived: false,
            subscribed: true,
            granted: true,
        }
    }

    fn subscribe(db: &dyn Db, user_id: i64, channel_id: i64, color: &str) -> bool {
        let joining = format!("[[{user_id},{channel_id},\"{color}\"]]");
        !join(db, &joining).unwrap().is_empty()
    }

    fn listed(text: &str) -> Vec<serde_json::Value> {
        serde_json::from_str(text).unwrap()
    }

    fn wanted(user_id: i64) -> Wanted<'static> {
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
        let db = database.db();
        let (ann, bob) = (testing::add_user(&db, "a@x"), testing::add_user(&db, "b@x"));
        let (open, private) = (channel(&db, "open", false), channel(&db, "private", true));
        let everyone =
            groups::insert(&db, 1, Some("role:administrators"), "", true, None, None).unwrap();
        group_settings::set(&db, 1, "channel", open, "can_send_message_group", everyone).unwrap();
        assert!(subscribe(&db, ann, open, "#aabbcc"));
        assert!(subscribe(&db, ann, private, "#ddeeff"));
        assert!(!subscribe(&db, ann, open, "#123456"));
        assert!(subscribe(&db, bob, open, "#000000"));
        let records = listed(&records(&db, &wanted(ann)).unwrap());
        assert_eq!(records.len(), 2);
        assert_eq!(records[0]["subscribers"], serde_json::json!([ann, bob]));
        assert_eq!(records[0]["subscriber_count"], 2);
        assert_eq!(records[0]["stream_weekly_traffic"], serde_json::Value::Null);
        assert_eq!(records[0]["can_send_message_group"], everyone);
        assert_eq!(records[0]["stream_post_policy"], 2);
        assert_eq!(records[0]["is_announcement_only"], true);
        assert_eq!(records[0]["push_notifications"], true);
        assert_eq!(records[0]["email_notifications"], serde_json::Value::Null);
        assert_eq!(records[1]["color"], "#ddeeff");
        assert_eq!(records[1]["in_home_view"], true);
        assert_eq!(channels_of(&db, ann), Ok(vec![open, private]));
        let peers = peers_of(&db, bob).unwrap();
        assert_eq!(peers[0].subscribers, [ann, bob]);
        let facts = channels::facts_by_name(&db, 1, bob, "", "private")
            .unwrap()
            .unwrap();
        assert!(facts.invite_only && !facts.is_subscribed && !facts.topic_exists);
    }

    #[test]
    fn visible_channels() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let ann = testing::add_user(&db, "a@x");
        let (open, private) = (channel(&db, "open", false), channel(&db, "private", true));
        let seen = |public, private, subscribed| {
            let visible = Visible {
                public,
                private,
                subscribed,
                ..visible(ann)
            };
            let ids = |text: String| -> Vec<i64> {
                let list = listed(&text);
                let id = |channel: &serde_json::Value| channel["stream_id"].as_i64();
                list.iter().filter_map(id).collect()
            };
            (
                ids(channels::objects(&db, &visible).unwrap()),
                ids(never_subscribed(&db, &visible, SubscriberLists::Complete).unwrap()),
            )
        };
        assert_eq!(seen(true, false, true), (vec![open], vec![open]));
        assert_eq!(seen(false, false, true), (vec![], vec![]));
        assert_eq!(
            seen(true, true, true),
            (vec![open, private], vec![open, private])
        );
        subscribe(&db, ann, private, "#000000");
        assert_eq!(seen(true, false, true), (vec![open, private], vec![open]));
        leave(&db, &crate::id_list([ann]), &crate::id_list([private])).unwrap();
        assert_eq!(seen(true, false, true), (vec![open], vec![open]));
        let former = Wanted {
            active: false,
            ..wanted(ann)
        };
        assert_eq!(records(&db, &former).unwrap(), "[]");
        // A permission of the channel lets them know of it again.
        let group = groups::insert(&db, 1, None, "", false, None, None).unwrap();
        groups::add_member(&db, group, ann).unwrap();
        group_settings::set(&db, 1, "channel", private, "can_subscribe_group", group).unwrap();
        assert_eq!(seen(true, false, true), (vec![open, private], vec![open]));
        assert_eq!(listed(&records(&db, &former).unwrap()).len(), 1);
        let found = visible_channels_of(&db, &visible(ann), ann).unwrap();
        assert_eq!(found, "[]");
    }

    #[test]
    fn large_channels_list_those_who_matter() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let ann = testing::add_user(&db, "a@x");
        let (small, large) = (channel(&db, "small", false), channel(&db, "large", false));
        let people: Vec<i64> = (0..249)
            .map(|number| testing::add_user(&db, &format!("p{number}@x")))
            .collect();
        for (index, user_id) in people.iter().enumerate() {
            subscribe(&db, *user_id, large, "#000000");
            if index > 0 {
                subscribe(&db, *user_id, small, "#000000");
            }
        }
        subscribe(&db, ann, small, "#000000");
        let lists = || {
            let text = never_subscribed(&db, &visible(0), SubscriberLists::Partial).unwrap();
            let list = listed(&text);
            let count = |channel: usize, name: &str| {
                list[channel]
                    .get(name)
                    .map(|ids| ids.as_array().unwrap().len())
            };
            (
                (count(0, "subscribers"), count(0, "partial_subscribers")),
                (count(1, "subscribers"), count(1, "partial_subscribers")),
            )
        };
        let complete = ((Some(249), None), (Some(249), None));
        assert_eq!(lists(), complete);
        subscribe(&db, ann, large, "#000000");
        assert_eq!(lists(), ((Some(249), None), (None, Some(0))));
        db.execute(
            "UPDATE users SET is_bot = 1, bot_type = 1 WHERE id = ?1",
            &params![people[3]],
        )
        .unwrap();
        db.execute(
            "INSERT INTO user_activity (user_id, last_active) VALUES (?1, 10000000 - 1209600)",
            &params![people[4]],
        )
        .unwrap();
        db.execute(
            "INSERT INTO user_activity (user_id, last_active) VALUES (?1, 10000000 - 1209601)",
            &params![people[5]],
        )
        .unwrap();
        assert_eq!(lists(), ((Some(249), None), (None, Some(2))));
        db.execute(
            "UPDATE users SET date_joined = 9999999 WHERE id = ?1",
            &params![ann],
        )
        .unwrap();
        assert_eq!(lists().1, (None, Some(3)));
    }

    #[test]
    fn personal_halves_keep_null() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let ann = testing::add_user(&db, "a@x");
        let open = channel(&db, "open", false);
        subscribe(&db, ann, open, "#aabbcc");
        let rows = personal(&db, &crate::id_list([ann]), &crate::id_list([open])).unwrap();
        let settings: serde_json::Value = serde_json::from_str(&rows[0].settings).unwrap();
        assert_eq!(settings["color"], "#aabbcc");
        assert_eq!(settings["push_notifications"], serde_json::Value::Null);
        assert_eq!(settings.as_object().unwrap().len(), 9);
    }
}
