//! Bots as their owners and administrators see them, beyond their accounts.
//!
//! A bot without a row of its own has the defaults: no channels, no services.

use crate::users::avatar_url;
use crate::{Db, DbError, WriteTx, params, sql};

/// Names and values of what is kept about a bot, as members of a JSON object. Expects `users u`,
/// `bots b`, and `channels` as `s` and `e`.
macro_rules! defaults {
    () => {
        "'default_sending_stream', s.name, 'default_events_register_stream', e.name, \
         'default_all_public_streams', \
         json(iif(coalesce(b.default_all_public_streams, 0), 'true', 'false'))"
    };
}

macro_rules! from_bots {
    () => {
        " FROM users u LEFT JOIN bots b ON b.user_id = u.id \
         LEFT JOIN channels s ON s.id = b.default_sending_channel_id \
         LEFT JOIN channels e ON e.id = b.default_events_register_channel_id "
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

/// The active bots of one owner, or of everybody, as a JSON list by id (fetch type
/// `realm_bot`; the small object since feature level 474).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, realm_id: i64, owner_id: i64, all: bool) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            record!(),
            " ORDER BY u.id)",
            from_bots!(),
            "WHERE u.realm_id = ?1 AND u.is_bot = 1 AND u.is_active = 1 \
             AND (?3 OR u.bot_owner_id = ?2)"
        ),
        &params![realm_id, owner_id, all],
    )?
    .read_one(|row| row.text())
}

/// The same object of one bot.
///
/// # Errors
/// [`DbError`] when the statement fails, or when there is no such account.
pub fn record(db: &dyn Db, bot_id: i64) -> Result<String, DbError> {
    db.query(
        sql!("SELECT ", record!(), from_bots!(), "WHERE u.id = ?1"),
        &params![bot_id],
    )?
    .read_one(|row| row.text())
}

/// The active bots of one owner as GET /bots lists them, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn listed(db: &dyn Db, owner_id: i64) -> Result<String, DbError> {
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
    .read_one(|row| row.text())
}

/// Name, avatar and defaults of one bot as a JSON object: what its operations answer with.
///
/// # Errors
/// [`DbError`] when the statement fails, or when there is no such account.
pub fn profile(db: &dyn Db, bot_id: i64) -> Result<String, DbError> {
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
    .read_one(|row| row.text())
}

/// What is kept about a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotRow {
    /// Channel that it writes to by itself.
    pub default_sending_channel_id: Option<i64>,
    /// Channel whose events it registers for when it says nothing else.
    pub default_events_register_channel_id: Option<i64>,
    /// Whether it registers for the messages of all public channels then.
    pub default_all_public_streams: bool,
    /// JSON list.
    pub services: String,
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

/// Reads what is kept about a bot; the defaults when that is nothing.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_id(db: &dyn Db, bot_id: i64) -> Result<BotRow, DbError> {
    let row = db
        .query(
            sql!(
                "SELECT default_sending_channel_id, default_events_register_channel_id, \
                 default_all_public_streams, services FROM bots WHERE user_id = ?1"
            ),
            &params![bot_id],
        )?
        .read_first(|row| {
            Ok(BotRow {
                default_sending_channel_id: row.optional_integer()?,
                default_events_register_channel_id: row.optional_integer()?,
                default_all_public_streams: row.flag()?,
                services: row.text()?,
            })
        })?;
    Ok(row.unwrap_or_default())
}

/// Stores what is kept about a bot.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set(tx: &WriteTx<'_>, bot_id: i64, row: &BotRow) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO bots (user_id, default_sending_channel_id, \
             default_events_register_channel_id, default_all_public_streams, services) \
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (user_id) DO UPDATE SET \
             default_sending_channel_id = ?2, default_events_register_channel_id = ?3, \
             default_all_public_streams = ?4, services = ?5",
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

/// What a bot says and registers for when it says nothing else: the name of the channel whose
/// events it registers for, and whether it registers for those of all public channels.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn default_queue(db: &dyn Db, bot_id: i64) -> Result<(Option<String>, bool), DbError> {
    let row = db
        .query(
            sql!(
                "SELECT e.name, b.default_all_public_streams FROM bots b \
                 LEFT JOIN channels e ON e.id = b.default_events_register_channel_id \
                 WHERE b.user_id = ?1"
            ),
            &params![bot_id],
        )?
        .read_first(|row| Ok((row.optional_text()?, row.flag()?)))?;
    Ok(row.unwrap_or_default())
}

/// A bot that names a channel among its defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamingBot {
    /// Account.
    pub id: i64,
    /// Owner.
    pub owner_id: Option<i64>,
    /// Whether it writes there by itself.
    pub sends: bool,
    /// Whether it registers for its events.
    pub registers: bool,
}

/// The active bots that name a channel among their defaults, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn naming_channel(db: &dyn Db, channel_id: i64) -> Result<Vec<NamingBot>, DbError> {
    db.query(
        sql!(
            "SELECT u.id, u.bot_owner_id, coalesce(b.default_sending_channel_id = ?1, 0), \
             coalesce(b.default_events_register_channel_id = ?1, 0) \
             FROM bots b JOIN users u ON u.id = b.user_id WHERE u.is_active = 1 \
             AND (b.default_sending_channel_id = ?1 OR b.default_events_register_channel_id = ?1) \
             ORDER BY u.id"
        ),
        &params![channel_id],
    )?
    .read_all(|row| {
        Ok(NamingBot {
            id: row.integer()?,
            owner_id: row.optional_integer()?,
            sends: row.flag()?,
            registers: row.flag()?,
        })
    })
}

/// 1 to 4 for a bot, none for a person.
///
/// # Errors
/// [`DbError`] when the statement fails, or when there is no such account.
pub fn bot_type(db: &dyn Db, user_id: i64) -> Result<Option<i64>, DbError> {
    db.query(
        sql!("SELECT bot_type FROM users WHERE id = ?1"),
        &params![user_id],
    )?
    .read_one(|row| row.optional_integer())
}

/// Gives a bot to somebody.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_owner(tx: &WriteTx<'_>, bot_id: i64, owner_id: i64) -> Result<(), DbError> {
    tx.execute(
        "UPDATE users SET bot_owner_id = ?2 WHERE id = ?1",
        &params![bot_id, owner_id],
    )?;
    Ok(())
}

/// Whether another active bot than `except_id` has this name, folded.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn is_name_taken(
    db: &dyn Db,
    realm_id: i64,
    name_folded: &str,
    except_id: i64,
) -> Result<bool, DbError> {
    let rows = db.query(
        sql!(
            "SELECT 1 FROM users WHERE realm_id = ?1 AND full_name_folded = ?2 AND id <> ?3 \
             AND is_bot = 1 AND is_active = 1"
        ),
        &params![realm_id, name_folded, except_id],
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
        let ann = testing::add_user(&tx, "ann@x.org");
        let bot = testing::add_bot(&tx, "bot@x.org");
        assert_eq!(records(&tx, 1, ann, false), Ok("[]".to_owned()));
        let all = records(&tx, 1, ann, true).unwrap();
        assert_eq!(all, format!("[{}]", record(&tx, bot).unwrap()));
        let all: serde_json::Value = serde_json::from_str(&all).unwrap();
        assert_eq!(all[0]["user_id"], bot);
        assert_eq!(all[0]["default_all_public_streams"], false);
        assert_eq!(listed(&tx, ann), Ok("[]".to_owned()));
        set_owner(&tx, bot, ann).unwrap();
        assert_ne!(records(&tx, 1, ann, false), Ok("[]".to_owned()));
        let own: serde_json::Value = serde_json::from_str(&listed(&tx, ann).unwrap()).unwrap();
        assert_eq!(own[0]["username"], "bot@x.org");
        assert_eq!(own[0]["avatar_url"], format!("/avatar/{bot}?version=1"));
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let bot = testing::add_bot(&tx, "bot@x.org");
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
        assert_eq!(is_name_taken(&tx, 1, "bot@x.org", 0), Ok(true));
        assert_eq!(is_name_taken(&tx, 1, "bot@x.org", bot), Ok(false));
    }
}
