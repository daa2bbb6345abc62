//! Bots as their owners and administrators see them: default channels and services.
//!
//! Owns the rows of `bots`. A bot without a row has no default channels and no services.

use spindle_domain::{ChannelId, RealmId, UserId};

use crate::channels::granted_to;
use crate::users::avatar_url;
use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Whether the owner `o` of a bot `u` may know the channel `ch`: `may_see_channel` of the domain as a condition, since
/// a list has bots of many owners.
macro_rules! owner_knows {
    () => {
        concat!(
            "(o.id IS NULL OR o.role <= 200 OR ch.is_web_public = 1 \
             OR EXISTS (SELECT 1 FROM subscriptions os WHERE os.user_id = o.id \
                 AND os.channel_id = ch.id AND os.active = 1) \
             OR o.role < 600 AND (ch.invite_only = 0 OR ",
            granted_to!("o.id"),
            "))"
        )
    };
}

/// The name of a default channel, null where the owner may not know it.
macro_rules! default_name {
    ($column:literal) => {
        concat!(
            "(SELECT ch.name FROM channels ch LEFT JOIN users o ON o.id = u.bot_owner_id \
             WHERE ch.id = b.",
            $column,
            " AND ",
            owner_knows!(),
            ")"
        )
    };
}

/// A bot's default channels as members of a JSON object. Expects `users u` and `bots b`.
macro_rules! defaults {
    () => {
        concat!(
            "'default_sending_stream', ",
            default_name!("default_sending_channel_id"),
            ", 'default_events_register_stream', ",
            default_name!("default_events_register_channel_id"),
            ", 'default_all_public_streams', \
             json(iif(coalesce(b.default_all_public_streams, 0), 'true', 'false'))"
        )
    };
}

macro_rules! from_bots {
    () => {
        " FROM users u LEFT JOIN bots b ON b.user_id = u.id "
    };
}

macro_rules! record {
    () => {
        concat!(
            "json_object('user_id', u.id, ",
            defaults!(),
            ", 'services', json(coalesce(b.services, '[]')))"
        )
    };
}

/// The active bots of one owner, or of all owners, as a JSON list by id (fetch type
/// `realm_bot`; the small object since feature level 474).
pub fn records(
    db: &dyn Db,
    realm_id: RealmId,
    owner_id: UserId,
    all: bool,
) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            record!(),
            " ORDER BY u.id)",
            from_bots!(),
            "WHERE u.realm_id = ?1 AND u.is_bot = 1 AND u.is_active = 1 \
             AND (?3:bigint = 1 OR u.bot_owner_id = ?2)"
        ),
        &params![realm_id, owner_id, all],
    )?
    .one_value()
}

/// The active bots that this user does not own, by id; at most `most`.
pub fn ids_of_others(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    most: i64,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT id FROM users WHERE realm_id = ?1 AND is_bot = 1 AND is_active = 1 \
             AND bot_owner_id IS DISTINCT FROM ?2 ORDER BY id LIMIT ?3"
        ),
        &params![realm_id, user_id, most],
    )?
    .values()
}

/// The same object of one bot.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such account.
pub fn record(db: &dyn Db, bot_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!("SELECT ", record!(), from_bots!(), "WHERE u.id = ?1"),
        &params![bot_id],
    )?
    .one_value()
}

/// The active bots of one owner as GET /bots lists them, by id.
pub fn listed(db: &dyn Db, owner_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json_object('user_id', u.id, 'username', u.email, \
             'full_name', u.full_name, 'avatar_url', ",
            avatar_url!("u"),
            ", ",
            defaults!(),
            ") ORDER BY u.id)",
            from_bots!(),
            "WHERE u.bot_owner_id = ?1 AND u.is_bot = 1 AND u.is_active = 1"
        ),
        &params![owner_id],
    )?
    .one_value()
}

/// Name, avatar and defaults of one bot as a JSON object: what its operations answer with.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such account.
pub fn profile(db: &dyn Db, bot_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_object('full_name', u.full_name, 'avatar_url', ",
            avatar_url!("u"),
            ", ",
            defaults!(),
            ")",
            from_bots!(),
            "WHERE u.id = ?1"
        ),
        &params![bot_id],
    )?
    .one_value()
}

row_struct! {
    /// The stored properties of a bot.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BotRow {
        /// The channel that it writes to unless a request names another.
        pub default_sending_channel_id: Option<ChannelId>,
        /// The channel whose events its queues receive unless a registration names others.
        pub default_events_register_channel_id: Option<ChannelId>,
        /// Whether those queues receive the messages of all public channels.
        pub default_all_public_streams: bool,
        /// JSON list of service objects.
        pub services: String,
    }
}

impl Default for BotRow {
    fn default() -> Self {
        Self {
            default_sending_channel_id: None,
            default_events_register_channel_id: None,
            default_all_public_streams: false,
            services: "[]".to_owned(),
        }
    }
}

/// The properties of a bot; the defaults when none are stored.
pub fn by_id(db: &dyn Db, bot_id: UserId) -> Result<BotRow, DbError> {
    let row = db
        .query(
            sql!(
                "SELECT default_sending_channel_id, default_events_register_channel_id, \
                 default_all_public_streams, services FROM bots WHERE user_id = ?1"
            ),
            &params![bot_id],
        )?
        .first()?;
    Ok(row.unwrap_or_default())
}

/// Stores the properties of a bot.
pub fn set(tx: &WriteTx<'_>, bot_id: UserId, row: &BotRow) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO bots (user_id, default_sending_channel_id, \
             default_events_register_channel_id, default_all_public_streams, services) \
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (user_id) DO UPDATE SET \
             default_sending_channel_id = ?2, default_events_register_channel_id = ?3, \
             default_all_public_streams = ?4, services = ?5"
        ),
        &params![
            bot_id,
            row.default_sending_channel_id,
            row.default_events_register_channel_id,
            row.default_all_public_streams,
            &row.services
        ],
    )?;
    Ok(())
}

row_struct! {
    /// What a bot's queue receives when its registration names nothing.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct DefaultQueue {
        /// Name of the channel whose messages it receives.
        pub channel: Option<String>,
        /// Whether it receives the messages of all public channels.
        pub all_public_streams: bool,
    }
}

/// The default queue of a bot; empty for other accounts.
pub fn default_queue(db: &dyn Db, bot_id: UserId) -> Result<DefaultQueue, DbError> {
    let row = db
        .query(
            sql!(
                "SELECT e.name AS channel, b.default_all_public_streams AS all_public_streams FROM bots b \
                 LEFT JOIN channels e ON e.id = b.default_events_register_channel_id \
                 WHERE b.user_id = ?1"
            ),
            &params![bot_id],
        )?
        .first()?;
    Ok(row.unwrap_or_default())
}

row_struct! {
    /// A bot that names a channel among its defaults.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NamingBot {
        pub id: UserId,
        pub owner_id: Option<UserId>,
        /// Whether it is the default for sending.
        pub sends: bool,
        /// Whether it is the default for queues.
        pub registers: bool,
    }
}

/// The active bots that name a channel among their defaults, and whose owners may know it, by id.
pub fn naming_channel(db: &dyn Db, channel_id: ChannelId) -> Result<Vec<NamingBot>, DbError> {
    db.query(
        sql!(
            "SELECT u.id, u.bot_owner_id AS owner_id, \
             coalesce(b.default_sending_channel_id = ?1, FALSE) AS sends, \
             coalesce(b.default_events_register_channel_id = ?1, FALSE) AS registers \
             FROM bots b JOIN users u ON u.id = b.user_id JOIN channels ch ON ch.id = ?1 \
             LEFT JOIN users o ON o.id = u.bot_owner_id WHERE u.is_active = 1 \
             AND (b.default_sending_channel_id = ?1 OR b.default_events_register_channel_id = ?1) \
             AND ",
            owner_knows!(),
            " ORDER BY u.id"
        ),
        &params![channel_id],
    )?
    .all()
}

/// 1 to 4 for a bot, `None` for a person.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such account.
pub fn bot_type(db: &dyn Db, user_id: UserId) -> Result<Option<i64>, DbError> {
    db.query(
        sql!("SELECT bot_type FROM users WHERE id = ?1"),
        &params![user_id],
    )?
    .one_value()
}

/// Changes the owner of a bot.
pub fn set_owner(tx: &WriteTx<'_>, bot_id: UserId, owner_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE users SET bot_owner_id = ?2 WHERE id = ?1"),
        &params![bot_id, owner_id],
    )?;
    Ok(())
}

/// Whether an active bot, other than `except_id`, has this name, folded.
pub fn is_name_taken(
    db: &dyn Db,
    realm_id: RealmId,
    name_folded: &str,
    except_id: Option<UserId>,
) -> Result<bool, DbError> {
    let rows = db.query(
        sql!(
            "SELECT 1 FROM users WHERE realm_id = ?1 AND full_name_folded = ?2 AND id <> ?3 \
             AND is_bot = 1 AND is_active = 1"
        ),
        &params![realm_id, name_folded, except_id.map_or(0, UserId::get)],
    )?;
    Ok(!rows.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn owners_see_their_own() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bot = testing::bot(&tx, "bot@x.org");
        assert_eq!(records(&tx, RealmId::ONLY, ann, false), Ok("[]".to_owned()));
        let all = records(&tx, RealmId::ONLY, ann, true).unwrap();
        assert_eq!(all, format!("[{}]", record(&tx, bot).unwrap()));
        let all: serde_json::Value = serde_json::from_str(&all).unwrap();
        assert_eq!(all[0]["user_id"], bot.get());
        assert_eq!(all[0]["default_all_public_streams"], false);
        assert_eq!(listed(&tx, ann), Ok("[]".to_owned()));
        set_owner(&tx, bot, ann).unwrap();
        assert_ne!(records(&tx, RealmId::ONLY, ann, false), Ok("[]".to_owned()));
        let own: serde_json::Value = serde_json::from_str(&listed(&tx, ann).unwrap()).unwrap();
        assert_eq!(own[0]["username"], "bot@x.org");
        assert_eq!(own[0]["avatar_url"], format!("/avatar/{bot}?version=1"));
    }

    #[test]
    fn properties_are_read_back() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let bot = testing::bot(&tx, "bot@x.org");
        assert_eq!(by_id(&tx, bot), Ok(BotRow::default()));
        let row = BotRow {
            default_all_public_streams: true,
            services: r#"[{"base_url":"x"}]"#.to_owned(),
            ..BotRow::default()
        };
        set(&tx, bot, &row).unwrap();
        set(&tx, bot, &row).unwrap();
        assert_eq!(by_id(&tx, bot), Ok(row));
        let shown: serde_json::Value = serde_json::from_str(&record(&tx, bot).unwrap()).unwrap();
        assert_eq!(shown["services"][0]["base_url"], "x");
        assert!(
            profile(&tx, bot)
                .unwrap()
                .contains("\"default_all_public_streams\":true")
        );
        assert_eq!(bot_type(&tx, bot), Ok(Some(1)));
        assert_eq!(
            is_name_taken(&tx, RealmId::ONLY, "bot@x.org", None),
            Ok(true)
        );
        assert_eq!(
            is_name_taken(&tx, RealmId::ONLY, "bot@x.org", Some(bot)),
            Ok(false)
        );
    }
}
