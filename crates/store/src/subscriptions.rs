//! Subscriptions: the users of each channel, with their personal settings.
//!
//! A user who leaves keeps the row with `active` 0, for the day they return. The subscription
//! record of the wire is in [`crate::subscription_records`].

use spindle_domain::{ChannelId, UserId};

use crate::{Db, DbError, Json, WriteTx, params, row_struct, sql, statement};

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

row_struct! {
    /// A user and a channel: the key of a subscription.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub struct SubscriptionKey {
        /// The subscriber.
        pub user_id: UserId,
        pub channel_id: ChannelId,
    }
}

/// Subscribes users to channels: JSON list of `[user, channel, colour]`; a user who returns to
/// a channel keeps the earlier colour. Returns the subscriptions that were not active before,
/// ascending.
pub fn join(tx: &WriteTx<'_>, joining: &str) -> Result<Vec<SubscriptionKey>, DbError> {
    let mut pairs = tx
        .execute(
            statement!(
                "INSERT INTO subscriptions (user_id, channel_id, color) \
             SELECT CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT), value ->> 2 FROM json_texts(?1) WHERE true \
             ON CONFLICT (user_id, channel_id) DO UPDATE SET active = 1 WHERE subscriptions.active = 0 \
             RETURNING user_id, channel_id"
            ),
            &params![joining],
        )?
        .all::<SubscriptionKey>()?;
    pairs.sort_unstable();
    Ok(pairs)
}

/// Stores colours: JSON list of `[user, channel, colour]`.
pub fn set_colors(tx: &WriteTx<'_>, colors: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE subscriptions SET color = chosen.value ->> 2 FROM json_texts(?1) AS chosen \
         WHERE subscriptions.user_id = CAST(chosen.value ->> 0 AS BIGINT) \
         AND subscriptions.channel_id = CAST(chosen.value ->> 1 AS BIGINT)"
        ),
        &params![colors],
    )?;
    Ok(())
}

/// Unsubscribes every user in a JSON list of ids from every channel in another. Returns the
/// subscriptions that have ended, ascending.
pub fn leave(
    tx: &WriteTx<'_>,
    user_ids: &str,
    channel_ids: &str,
) -> Result<Vec<SubscriptionKey>, DbError> {
    let mut pairs = tx
        .execute(
            statement!(
                "UPDATE subscriptions SET active = 0 WHERE active = 1 \
             AND user_id IN (SELECT value FROM json_ids(?1)) \
             AND channel_id IN (SELECT value FROM json_ids(?2)) RETURNING user_id, channel_id"
            ),
            &params![user_ids, channel_ids],
        )?
        .all::<SubscriptionKey>()?;
    pairs.sort_unstable();
    Ok(pairs)
}

/// Pairs of user and channel as JSON, the form in which they travel into a statement.
pub(crate) fn pair_list(pairs: &[SubscriptionKey]) -> String {
    let mut text = String::from("[");
    for (index, pair) in pairs.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&format!("[{},{}]", pair.user_id, pair.channel_id));
    }
    text.push(']');
    text
}

row_struct! {
    /// A colour of a user's subscriptions.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct UsedColor {
        pub user_id: UserId,
        /// The colour.
        pub color: String,
    }
}

/// Colours that users (JSON list of ids) have given to channels they are in, in no order.
pub fn used_colors(db: &dyn Db, user_ids: &str) -> Result<Vec<UsedColor>, DbError> {
    db.query(
        sql!(
            "SELECT DISTINCT user_id, color FROM subscriptions \
             WHERE user_id IN (SELECT value FROM json_ids(?1)) AND active = 1"
        ),
        &params![user_ids],
    )?
    .all()
}

/// The active subscriptions of the users of a JSON list of ids to the channels of another; ascending.
pub fn active_pairs(
    db: &dyn Db,
    user_ids: &str,
    channel_ids: &str,
) -> Result<Vec<SubscriptionKey>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, channel_id FROM subscriptions \
             WHERE user_id IN (SELECT value FROM json_ids(?1)) \
             AND channel_id IN (SELECT value FROM json_ids(?2)) AND active = 1 \
             ORDER BY user_id, channel_id"
        ),
        &params![user_ids, channel_ids],
    )?
    .all()
}

/// A personal setting of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// `color`
    Color,
    /// `is_muted`
    IsMuted,
    /// `pin_to_top`
    PinToTop,
    /// `desktop_notifications`
    DesktopNotifications,
    /// `email_notifications`
    EmailNotifications,
    /// `push_notifications`
    PushNotifications,
    /// `audible_notifications`
    AudibleNotifications,
    /// `wildcard_mentions_notify`
    WildcardMentionsNotify,
}

/// Stores one personal setting of an active subscription; a colour is text, the others are
/// flags. Returns whether there is such a subscription.
pub fn set_property(
    tx: &WriteTx<'_>,
    user_id: UserId,
    channel_id: ChannelId,
    property: Property,
    value: crate::Value,
) -> Result<bool, DbError> {
    macro_rules! update {
        ($column:literal) => {
            statement!(
                "UPDATE subscriptions SET ",
                $column,
                " = ?3 WHERE user_id = ?1 AND channel_id = ?2 AND active = 1 RETURNING 1"
            )
        };
    }
    let sql = match property {
        Property::Color => update!("color"),
        Property::IsMuted => update!("is_muted"),
        Property::PinToTop => update!("pin_to_top"),
        Property::DesktopNotifications => update!("desktop_notifications"),
        Property::EmailNotifications => update!("email_notifications"),
        Property::PushNotifications => update!("push_notifications"),
        Property::AudibleNotifications => update!("audible_notifications"),
        Property::WildcardMentionsNotify => update!("wildcard_mentions_notify"),
    };
    let [user_id, channel_id] = params![user_id, channel_id];
    let rows = tx.execute(sql, &[user_id, channel_id, value])?;
    Ok(!rows.rows.is_empty())
}

/// Ids of the channels that a user is subscribed to, archived ones included.
pub fn channels_of(db: &dyn Db, user_id: UserId) -> Result<Vec<ChannelId>, DbError> {
    db.query(
        sql!("SELECT channel_id FROM subscriptions WHERE user_id = ?1 AND active = 1 ORDER BY channel_id"),
        &params![user_id],
    )?
    .values()
}

row_struct! {
    /// A channel, with the users who may see its subscribers.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChannelPeers {
        pub channel_id: ChannelId,
        /// Private channel.
        pub invite_only: bool,
        /// Web-public channel.
        pub is_web_public: bool,
        /// Archived channel.
        pub is_archived: bool,
        /// Ids of its active subscribers, ascending.
        pub subscribers: Json<Vec<UserId>>,
        /// Of a private channel: ids of active users who hold one of its permissions to subscribe,
        /// to add subscribers or to administer it, ascending.
        pub grantees: Json<Vec<UserId>>,
        /// Of a private channel: those of them who may subscribe themselves.
        pub may_enter: Json<Vec<UserId>>,
    }
}

row_struct! {
    /// A channel with its subscribers.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChannelSubscribers {
        pub channel_id: ChannelId,
        pub is_archived: bool,
        /// Ids of its active subscribers, ascending.
        pub subscribers: Json<Vec<UserId>>,
    }
}

/// The channels in a JSON list of ids with their subscribers, by id. Other users who may see the channels are not
/// included.
pub fn subscriber_lists(
    db: &dyn Db,
    channel_ids: &str,
) -> Result<Vec<ChannelSubscribers>, DbError> {
    db.query(
        sql!(
            "SELECT ch.id AS channel_id, ch.is_archived, ",
            subscriber_ids!("ch.id"),
            " AS subscribers FROM channels ch WHERE ch.id IN (SELECT value FROM json_ids(?1)) ORDER BY ch.id"
        ),
        &params![channel_ids],
    )?
    .all()
}

/// How many subscribers the channels in a JSON list of ids have together.
pub fn count_all(db: &dyn Db, channel_ids: &str) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT CAST(coalesce(sum(subscriber_count), 0) AS BIGINT) FROM channels \
             WHERE id IN (SELECT value FROM json_ids(?1))"
        ),
        &params![channel_ids],
    )?
    .one_value()
}

/// Ids of the active holders of permissions of the private channel `ch`; `[]` of others.
macro_rules! holders_of_private {
    ($names:literal) => {
        concat!(
            "iif(ch.invite_only, (SELECT json_group_array(DISTINCT hu.id ORDER BY hu.id) \
             FROM group_settings hs JOIN user_group_closure hc ON hc.supergroup_id = hs.group_id \
             JOIN user_group_members hm ON hm.group_id = hc.subgroup_id \
             JOIN users hu ON hu.id = hm.user_id AND hu.is_active = 1 AND hu.role <> 600 \
             WHERE hs.owner_type = 'channel' AND hs.owner_id = ch.id AND hs.name IN (",
            $names,
            ")), '[]')"
        )
    };
}

macro_rules! peers_columns {
    () => {
        concat!(
            "SELECT ch.id AS channel_id, ch.invite_only, ch.is_web_public, ch.is_archived, ",
            subscriber_ids!("ch.id"),
            " AS subscribers, ",
            holders_of_private!(
                "'can_add_subscribers_group', 'can_administer_channel_group', 'can_subscribe_group'"
            ),
            " AS grantees, ",
            holders_of_private!("'can_add_subscribers_group', 'can_subscribe_group'"),
            " AS may_enter"
        )
    };
}

/// The channels of a user with their subscribers, to find the audience of an event.
pub fn peers_of(db: &dyn Db, user_id: UserId) -> Result<Vec<ChannelPeers>, DbError> {
    db.query(
        sql!(
            peers_columns!(),
            " FROM subscriptions s JOIN channels ch ON ch.id = s.channel_id \
             WHERE s.user_id = ?1 AND s.active = 1 ORDER BY ch.id"
        ),
        &params![user_id],
    )?
    .all()
}

/// One channel with its subscribers.
pub fn peers(db: &dyn Db, channel_id: ChannelId) -> Result<Option<ChannelPeers>, DbError> {
    db.query(
        sql!(peers_columns!(), " FROM channels ch WHERE ch.id = ?1"),
        &params![channel_id],
    )?
    .first()
}

/// The channels in a JSON list of ids with their subscribers, by id.
pub fn peers_among(db: &dyn Db, channel_ids: &str) -> Result<Vec<ChannelPeers>, DbError> {
    db.query(
        sql!(
            peers_columns!(),
            " FROM channels ch WHERE ch.id IN (SELECT value FROM json_ids(?1)) ORDER BY ch.id"
        ),
        &params![channel_ids],
    )?
    .all()
}

/// Ids of the muted channels of a user.
pub fn muted(db: &dyn Db, user_id: UserId) -> Result<Vec<ChannelId>, DbError> {
    db.query(
        sql!("SELECT channel_id FROM subscriptions WHERE user_id = ?1 AND active = 1 AND is_muted = 1 \
         ORDER BY channel_id"),
        &params![user_id],
    )?
    .values()
}

/// Number of active subscribers of a channel.
pub fn count(db: &dyn Db, channel_id: ChannelId) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT count(*) FROM subscriptions s JOIN users u ON u.id = s.user_id \
             WHERE s.channel_id = ?1 AND s.active = 1 AND u.is_active = 1"
        ),
        &params![channel_id],
    )?
    .one_value()
}
