//! Creates a bot (docs/protocol/bots.md#create_bot).

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{Reason, may_create_bot};
use spindle_domain::{ChannelId, UserId, permission};
use spindle_store::bots::BotRow;
use spindle_store::group_settings::{self, Owner};
use spindle_store::{Connection, Db, bots};

use super::service::embedded_service;
use super::{BotService, bot_email};
use crate::access::access_channel::access_channel;
use crate::access::permissions::holds;
use crate::account::manage_account::Change;
use crate::bots::webhook_service;
use crate::text::{check_name_is_free, fold_name};
use crate::users::create_user::{NewAccount, Prepared, write_bot_account};
use crate::{ActionError, Actor, quota};

/// Default channels of a bot; none leaves a value as it is, an empty name means no channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BotDefaults {
    /// Name of a channel.
    pub default_sending_stream: Option<String>,
    /// Name of a channel.
    pub default_events_register_stream: Option<String>,
    /// All public channels.
    pub default_all_public_streams: Option<bool>,
}

/// The parameters of the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBot {
    pub full_name: String,
    /// First part of the address, without its ending.
    pub short_name: String,
    /// Domain of its address, see [`super::bot_domain`].
    pub domain: String,
    /// 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded.
    pub bot_type: i64,
    pub defaults: BotDefaults,
    /// The service of an outgoing bot.
    pub service: Option<BotService>,
    /// The embedded bot that it is, or the integration that it belongs to.
    pub service_name: Option<String>,
    /// Configuration of an embedded bot or an integration.
    pub config_data: BTreeMap<String, String>,
}

/// A new bot; the key cannot be read again.
#[derive(Debug)]
pub struct CreatedBot {
    pub user_id: UserId,
    /// Key.
    pub api_key: String,
    /// Name, avatar and defaults: a JSON object.
    pub profile: Box<RawValue>,
}

/// Creates a bot of the caller's at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] for bots and for people without `can_create_bots_group` (for incoming
/// webhooks `can_create_write_only_bots_group` is enough); [`ActionError::BadRequest`] for an
/// unknown type, a bad or taken name or address, a service that does not go with the type, and one
/// bot too many;
/// `ClientError::StreamDoesNotExist` for a default channel.
pub fn create_bot(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    new: &NewBot,
) -> Result<CreatedBot, ActionError> {
    check_permission(db, actor, new.bot_type)?;
    let services = services(new)?;
    let account = NewAccount {
        email: bot_email(&new.short_name, &new.domain),
        full_name: new.full_name.clone(),
        is_bot: true,
        bot_owner_id: Some(actor.user_id),
        ..NewAccount::default()
    };
    if new.short_name.trim().is_empty() {
        return Err(ActionError::bad_request("short_name is blank"));
    }
    let mut prepared = Prepared::new(&account)?;
    prepared.bot_type = Some(new.bot_type);
    let (user_id, profile) = Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        check_name(change, &prepared.full_name, None)?;
        check_name_is_free(change.tx, actor.realm_id, &prepared.full_name, None)?;
        let row = with_defaults(
            change,
            actor,
            BotRow {
                services: services.clone(),
                ..BotRow::default()
            },
            &new.defaults,
        )?;
        let user_id = write_bot_account(change, &prepared, &row)?;
        quota::check(change.tx, Quota::Bots, actor.user_id)?;
        quota::check(change.tx, Quota::AllBots, change.realm_id)?;
        Ok((user_id, super::raw(bots::profile(change.tx, user_id)?)?))
    })?;
    Ok(CreatedBot {
        user_id,
        api_key: prepared.api_key,
        profile,
    })
}

/// Whether the caller may create a bot of this type.
pub(crate) fn check_permission(
    db: &dyn Db,
    actor: &Actor,
    bot_type: i64,
) -> Result<(), ActionError> {
    if actor.is_bot {
        return Err(Reason::BotsExcluded.into());
    }
    let held = group_settings::held_by(db, Owner::Realm(actor.realm_id), actor.member())?;
    let holds = |permission| holds(permission, &held, actor.role);
    let may_write_only = holds(permission!(REALM, "can_create_write_only_bots_group"));
    may_create_bot(
        actor.role,
        bot_type,
        holds(permission!(REALM, "can_create_bots_group")),
        may_write_only,
    )
    .check()?;
    Ok(())
}

/// The services of a bot of this type, as stored.
fn services(new: &NewBot) -> Result<String, ActionError> {
    let unknown = || ActionError::bad_request("There is no service with this name");
    match (new.bot_type, &new.service) {
        (1 | 3, _) if new.service_name.is_some() => Err(unknown()),
        (3, Some(service)) => {
            service.check()?;
            service.to_json(None)
        }
        (3, None) => Err(ActionError::bad_request(
            "An outgoing bot needs a payload_url",
        )),
        (2, None) => {
            let name = new.service_name.as_deref();
            name.map_or(Ok("[]".to_owned()), |name| {
                webhook_service(name, &new.config_data)
            })
        }
        (1, None) => Ok("[]".to_owned()),
        (1 | 2, Some(_)) => Err(ActionError::bad_request(
            "Only an outgoing bot calls a service",
        )),
        (4, Some(_)) => Err(ActionError::bad_request(
            "Only an outgoing bot calls a service",
        )),
        (4, None) => {
            let name = new
                .service_name
                .as_deref()
                .ok_or_else(|| ActionError::bad_request("An embedded bot needs a service_name"))?;
            embedded_service(name, &new.config_data)
        }
        _ => Err(ActionError::bad_request("There is no such bot_type")),
    }
}

/// No two active bots have the same name.
pub(super) fn check_name(
    change: &Change<'_, '_>,
    name: &str,
    bot_id: Option<UserId>,
) -> Result<(), ActionError> {
    if bots::is_name_taken(change.tx, change.realm_id, &fold_name(name), bot_id)? {
        return Err(ActionError::bad_request(
            "Another bot already has this name",
        ));
    }
    Ok(())
}

/// `row` with the defaults that are given; channels that the caller may see.
pub(super) fn with_defaults(
    change: &Change<'_, '_>,
    actor: &Actor,
    mut row: BotRow,
    defaults: &BotDefaults,
) -> Result<BotRow, ActionError> {
    let channel = |name: &str| -> Result<Option<ChannelId>, ActionError> {
        if name.is_empty() {
            return Ok(None);
        }
        let reference = ChannelReference::Name(name.to_owned());
        Ok(Some(access_channel(change.tx, actor, &reference, "")?.id))
    };
    if let Some(name) = &defaults.default_sending_stream {
        row.default_sending_channel_id = channel(name)?;
    }
    if let Some(name) = &defaults.default_events_register_stream {
        row.default_events_register_channel_id = channel(name)?;
    }
    if let Some(all) = defaults.default_all_public_streams {
        row.default_all_public_streams = all;
    }
    Ok(row)
}
