//! Who is in which channel, with personal settings; the subscription record of the wire.
//!
//! A user who leaves keeps the row with `active` 0, for the day they return.

use crate::channels::channel_object_open;
use crate::{Db, DbError, Row, params};

/// Ids of the active subscribers of a channel as JSON list text.
macro_rules! subscriber_ids {
    ($channel:literal) => {
        concat!(
            "(SELECT json_group_array(ss.user_id ORDER BY ss.user_id) FROM subscriptions ss \
             JOIN users su ON su.id = ss.user_id WHERE ss.channel_id = ",
            $channel,
            " AND ss.active = 1 AND su.is_active = 1)"
        )
    };
}
pub(crate) use subscriber_ids;

/// Subscribes a user to channels: JSON object from channel id to colour (`#rrggbb`). Returns
/// the ids of those that they were not subscribed to.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn subscribe(db: &dyn Db, user_id: i64, colors: &str) -> Result<Vec<i64>, DbError> {
    let mut ids = db
        .execute(
            "INSERT INTO subscriptions (user_id, channel_id, color) \
             SELECT ?1, CAST(key AS INTEGER), value FROM json_each(?2) WHERE true \
             ON CONFLICT (user_id, channel_id) DO UPDATE SET active = 1 WHERE active = 0 \
             RETURNING channel_id",
            &params![user_id, colors],
        )?
        .read_all(|row| row.integer())?;
    ids.sort_unstable();
    Ok(ids)
}

/// Ids of the channels that a user is subscribed to, archived ones included.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn channels_of(db: &dyn Db, user_id: i64) -> Result<Vec<i64>, DbError> {
    db.execute(
        "SELECT channel_id FROM subscriptions WHERE user_id = ?1 AND active = 1 ORDER BY channel_id",
        &params![user_id],
    )?
    .read_all(|row| row.integer())
}

/// A channel of a user, with the people who may see who is subscribed to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelPeers {
    /// The channel.
    pub channel_id: i64,
    /// Private channel.
    pub invite_only: bool,
    /// Web-public channel.
    pub is_web_public: bool,
    /// Ids of its active subscribers.
    pub subscribers: Vec<i64>,
}

/// The channels of a user with their subscribers, for those who are to be told.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn peers_of(db: &dyn Db, user_id: i64) -> Result<Vec<ChannelPeers>, DbError> {
    db.execute(
        concat!(
            "SELECT ch.id, ch.invite_only, ch.is_web_public, ",
            subscriber_ids!("ch.id"),
            " FROM subscriptions s JOIN channels ch ON ch.id = s.channel_id \
             WHERE s.user_id = ?1 AND s.active = 1 ORDER BY ch.id"
        ),
        &params![user_id],
    )?
    .read_all(read_peers)
}

/// One channel with its subscribers.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn peers(db: &dyn Db, channel_id: i64) -> Result<Option<ChannelPeers>, DbError> {
    db.execute(
        concat!(
            "SELECT ch.id, ch.invite_only, ch.is_web_public, ",
            subscriber_ids!("ch.id"),
            " FROM channels ch WHERE ch.id = ?1"
        ),
        &params![channel_id],
    )?
    .read_first(read_peers)
}

fn read_peers(row: &mut Row<'_>) -> Result<ChannelPeers, DbError> {
    Ok(ChannelPeers {
        channel_id: row.integer()?,
        invite_only: row.flag()?,
        is_web_public: row.flag()?,
        subscribers: row.json()?,
    })
}

/// Ids of the muted channels of a user.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn muted(db: &dyn Db, user_id: i64) -> Result<Vec<i64>, DbError> {
    db.execute(
        "SELECT channel_id FROM subscriptions WHERE user_id = ?1 AND active = 1 AND is_muted = 1 \
         ORDER BY channel_id",
        &params![user_id],
    )?
    .read_all(|row| row.integer())
}

/// Number of active subscribers of a channel.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn count(db: &dyn Db, channel_id: i64) -> Result<i64, DbError> {
    db.execute(
        "SELECT count(*) FROM subscriptions s JOIN users u ON u.id = s.user_id \
         WHERE s.channel_id = ?1 AND s.active = 1 AND u.is_active = 1",
        &params![channel_id],
    )?
    .read_one(|row| row.integer())
}

/// Which subscription records of a user are wanted, and how they are to look.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// Whose.
    pub user_id: i64,
    /// UNIX seconds.
    pub now: i64,
    /// True: subscribed now. False: was subscribed.
    pub active: bool,
    /// Whether archived channels are included.
    pub archived: bool,
    /// Whether the ids of the subscribers are included.
    pub subscribers: bool,
    /// JSON list of channel ids that confines the records; none for all.
    pub only: Option<&'a str>,
    /// Replaces null notification settings: JSON object with the user's defaults by name of
    /// the property, or `{}` where null is understood.
    pub defaults: &'a str,
    /// Whether a former subscriber may still see who is in private channels (administrators).
    pub sees_private: bool,
    /// Whether a former subscriber may see who is in public channels (not for guests).
    pub sees_public: bool,
}

/// Subscription records of the wire as a JSON list, by channel id (spec: Subscription record).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, wanted: &Wanted<'_>) -> Result<String, DbError> {
    db.execute(
        concat!(
            "SELECT '[' || coalesce(group_concat(",
            channel_object_open!(),
            " || ',' || substr(rtrim(json_object('color', s.color, \
             'is_muted', json(iif(s.is_muted, 'true', 'false')), \
             'in_home_view', json(iif(s.is_muted, 'false', 'true')), \
             'pin_to_top', json(iif(s.pin_to_top, 'true', 'false')), \
             'audible_notifications', json(iif(s.audible_notifications IS NULL, \
                 coalesce(?7 -> 'audible_notifications', 'null'), iif(s.audible_notifications, 'true', 'false'))), \
             'desktop_notifications', json(iif(s.desktop_notifications IS NULL, \
                 coalesce(?7 -> 'desktop_notifications', 'null'), iif(s.desktop_notifications, 'true', 'false'))), \
             'email_notifications', json(iif(s.email_notifications IS NULL, \
                 coalesce(?7 -> 'email_notifications', 'null'), iif(s.email_notifications, 'true', 'false'))), \
             'push_notifications', json(iif(s.push_notifications IS NULL, \
                 coalesce(?7 -> 'push_notifications', 'null'), iif(s.push_notifications, 'true', 'false'))), \
             'wildcard_mentions_notify', json(iif(s.wildcard_mentions_notify IS NULL, \
                 coalesce(?7 -> 'wildcard_mentions_notify', 'null'), iif(s.wildcard_mentions_notify, 'true', 'false'))) \
             ), '}'), 2) || iif(?5, ',\"subscribers\":' || iif(s.active = 1 OR ?9 AND ch.invite_only = 0 \
                 OR ?8 AND ch.invite_only = 1 OR ch.is_web_public = 1, ",
            subscriber_ids!("ch.id"),
            ", '[]'), '') || '}', ',' ORDER BY ch.id), '') || ']' \
             FROM subscriptions s JOIN channels ch ON ch.id = s.channel_id \
             WHERE s.user_id = ?1 AND s.active = ?2 AND (?4 OR ch.is_archived = 0) \
             AND (?6 IS NULL OR ch.id IN (SELECT value FROM json_each(?6)))"
        ),
        &params![
            wanted.user_id,
            wanted.active,
            wanted.now,
            wanted.archived,
            wanted.subscribers,
            wanted.only,
            wanted.defaults,
            wanted.sees_private,
            wanted.sees_public,
        ],
    )?
    .read_one(|row| row.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::{self, NewChannel, Visible};
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
        };
        channels::insert(db, &new).unwrap()
    }

    fn wanted(user_id: i64) -> Wanted<'static> {
        Wanted {
            user_id,
            now: 10_000_000,
            active: true,
            archived: false,
            subscribers: true,
            only: None,
            defaults: r#"{"push_notifications":true}"#,
            sees_private: false,
            sees_public: true,
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
        let colors = format!(r##"{{"{open}":"#aabbcc","{private}":"#ddeeff"}}"##);
        assert_eq!(subscribe(&db, ann, &colors), Ok(vec![open, private]));
        assert_eq!(subscribe(&db, ann, &colors), Ok(vec![]));
        subscribe(&db, bob, &format!(r##"{{"{open}":"#000000"}}"##)).unwrap();
        let records: Vec<serde_json::Value> =
            serde_json::from_str(&records(&db, &wanted(ann)).unwrap()).unwrap();
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
                realm_id: 1,
                user_id: ann,
                now: 0,
                public,
                web_public: true,
                private,
                archived: false,
                subscribed,
            };
            let ids = |text: String| -> Vec<i64> {
                let list: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
                list.iter()
                    .map(|c| c["stream_id"].as_i64().unwrap())
                    .collect()
            };
            (
                ids(channels::objects(&db, &visible).unwrap()),
                ids(channels::never_subscribed(&db, &visible, true).unwrap()),
            )
        };
        assert_eq!(seen(true, false, true), (vec![open], vec![open]));
        assert_eq!(seen(false, false, true), (vec![], vec![]));
        assert_eq!(
            seen(true, true, true),
            (vec![open, private], vec![open, private])
        );
        subscribe(&db, ann, &format!(r##"{{"{private}":"#000000"}}"##)).unwrap();
        assert_eq!(seen(true, false, true), (vec![open, private], vec![open]));
    }
}
