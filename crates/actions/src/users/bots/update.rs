//! Changes a bot (docs/protocol/bots.md#update_bot), all of it or nothing.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use spindle_domain::limits::quotas::Quota;
use spindle_domain::policy::Reason;
use spindle_domain::{Role, UserId};
use spindle_events::kinds::{self, UserChange};
use spindle_events::{Audience, Record};
use spindle_store::bots::BotRow;
use spindle_store::users::UserRow;
use spindle_store::{Connection, DbError, apps, bots, users};

use super::create::{check_name, with_defaults};
use super::service::{embedded_service, with_new_tokens};
use super::{BotDefaults, BotService, access_bot, bot_email};
use crate::access::bot_managers::who_manages;
use crate::account::manage_account::{Change, ManagedAccount};
use crate::account::revoke::revoke_all;
use crate::bots::webhook_service;
use crate::json_record::parse_record;
use crate::users::set_role::{change_role, lower_to};
use crate::users::update_user::{change_full_name, write_email};
use crate::{ActionError, Actor, quota};

/// The parameters of the operation; none leaves a value as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BotUpdate {
    pub full_name: Option<String>,
    /// First part of the address (FL 447).
    pub short_name: Option<String>,
    /// See [`super::bot_domain`].
    pub domain: String,
    /// Role as its integer.
    pub role: Option<i64>,
    /// The new owner: an active person.
    pub bot_owner_id: Option<UserId>,
    pub defaults: BotDefaults,
    /// Address of the service of an outgoing bot.
    pub service_payload_url: Option<String>,
    /// Form of the calls to it.
    pub service_interface: Option<i64>,
    /// Options of an embedded bot that get another value.
    pub config_data: Option<BTreeMap<String, String>>,
}

/// Changes a bot at `now` (UNIX seconds) and returns name, avatar and defaults as JSON.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such bot for the caller, or they may not give it the
/// role; [`ActionError::BadRequest`] for values that are not valid or are taken;
/// `ClientError::StreamDoesNotExist` for a default channel.
pub fn update_bot(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    bot_id: UserId,
    update: &BotUpdate,
) -> Result<Box<RawValue>, ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let mut target = access_bot(change, bot_id)?;
        if let Some(name) = update.full_name.as_deref().map(str::trim)
            && name != target.row.full_name
        {
            check_name(change, name, Some(target.row.id))?;
            change_full_name(change, &target.row, name)?;
        }
        if let Some(short_name) = &update.short_name {
            change_address(change, &target.row, short_name, &update.domain)?;
        }
        target = read(change, target)?;
        if let Some(owner_id) = update.bot_owner_id {
            change_owner(change, &target.row, owner_id)?;
            target = read(change, target)?;
        }
        if let Some(role) = update.role {
            let role = Role::from_i64(role)
                .ok_or_else(|| ActionError::bad_request("There is no such role"))?;
            change_role(change, &target, role)?;
            target = read(change, target)?;
        }
        change_record(change, actor, &target.row, update)?;
        super::raw(bots::profile(change.tx, target.row.id)?)
    })
}

/// The bot after the steps so far.
fn read(change: &Change<'_, '_>, target: ManagedAccount) -> Result<ManagedAccount, ActionError> {
    let row = users::by_id(change.tx, change.realm_id, target.row.id)?.ok_or(DbError::NoRow)?;
    let role = row.role;
    Ok(ManagedAccount { row, role })
}

fn change_address(
    change: &mut Change<'_, '_>,
    bot: &UserRow,
    short_name: &str,
    domain: &str,
) -> Result<(), ActionError> {
    if short_name.trim().is_empty() {
        return Err(ActionError::bad_request("short_name is blank"));
    }
    let email = bot_email(short_name, domain);
    if email == bot.delivery_email {
        return Ok(());
    }
    write_email(change, bot, &email)
}

/// Gives a bot a new owner and revokes its keys. Only administrators may.
pub(crate) fn change_owner(
    change: &mut Change<'_, '_>,
    bot: &UserRow,
    owner_id: UserId,
) -> Result<(), ActionError> {
    if bot.bot_owner_id == Some(owner_id) {
        return Ok(());
    }
    if !change.acting_role().is_admin() {
        return Err(Reason::AdministratorRequired.into());
    }
    let owner = users::by_id(change.tx, change.realm_id, owner_id)?
        .filter(|owner| owner.is_active && !owner.is_bot)
        .ok_or_else(|| ActionError::bad_request("The new owner is not an active person"))?;
    bots::set_owner(change.tx, bot.id, owner.id)?;
    // An app and its account have one owner.
    apps::set_owner(change.tx, bot.id, owner.id)?;
    quota::check(change.tx, Quota::Bots, owner.id)?;
    let ended = revoke_all(change.tx, bot.id)?;
    change.events.push(ended);
    reset(change, bot)?;
    let record = parse_record(&bots::record(change.tx, bot.id)?)?;
    let audience = change.who_sees(bot)?;
    let update = UserChange::BotOwner(owner.id);
    change
        .events
        .push(kinds::realm_user_update(bot.id, update, audience));
    // Administrators see the bots of all owners.
    if let Some(old) = bot.bot_owner_id
        && let Some(old) = users::by_id(change.tx, change.realm_id, old)?
        && !old.role.is_admin()
    {
        let event = kinds::realm_bot_delete(bot.id, Audience::user(old.id));
        change.events.push(event);
    }
    if !owner.role.is_admin() {
        let event = kinds::realm_bot_add(record, Audience::user(owner.id));
        change.events.push(event);
    }
    lower_to(change, bot, owner.role)?;
    let data = json!({"old": bot.bot_owner_id, "new": owner.id});
    change.audit(Some(bot.id), "bot_owner_changed", &data)
}

/// Replaces the tokens of a bot's services, and removes the channels that its old owner chose; administrators receive
/// the change.
fn reset(change: &mut Change<'_, '_>, bot: &UserRow) -> Result<(), ActionError> {
    let before = bots::by_id(change.tx, bot.id)?;
    let after = BotRow {
        services: with_new_tokens(&before.services)?,
        default_sending_channel_id: None,
        default_events_register_channel_id: None,
        ..before.clone()
    };
    if after == before {
        return Ok(());
    }
    bots::set(change.tx, bot.id, &after)?;
    let mut record = parse_record(&bots::record(change.tx, bot.id)?)?;
    record.retain(|name, _| match name.as_str() {
        "services" => after.services != before.services,
        "default_sending_stream" => before.default_sending_channel_id.is_some(),
        "default_events_register_stream" => before.default_events_register_channel_id.is_some(),
        _ => false,
    });
    if !record.is_empty() {
        let audience = who_manages(change.tx, change.realm_id, None)?;
        change
            .events
            .push(kinds::realm_bot_update(bot.id, record, audience));
    }
    Ok(())
}

/// Channels and service: what the small object shows.
fn change_record(
    change: &mut Change<'_, '_>,
    actor: &Actor,
    bot: &UserRow,
    update: &BotUpdate,
) -> Result<(), ActionError> {
    let before = bots::by_id(change.tx, bot.id)?;
    let shown_before = parse_record(&bots::record(change.tx, bot.id)?)?;
    let mut after = with_defaults(change, actor, before.clone(), &update.defaults)?;
    if update.service_payload_url.is_some() || update.service_interface.is_some() {
        after.services = new_services(change, bot, shown_before.get("services"), update)?;
    }
    if let Some(config) = &update.config_data {
        after.services = new_config(change, bot, shown_before.get("services"), config)?;
    }
    if after == before {
        return Ok(());
    }
    bots::set(change.tx, bot.id, &after)?;
    let shown = parse_record(&bots::record(change.tx, bot.id)?)?;
    let changed: Record = shown
        .into_iter()
        .filter(|(name, value)| shown_before.get(name) != Some(value))
        .collect();
    // A default channel that the bot could not be shown with may go without a visible change.
    if !changed.is_empty() {
        let audience = who_manages(change.tx, change.realm_id, bot.bot_owner_id)?;
        change
            .events
            .push(kinds::realm_bot_update(bot.id, changed, audience));
    }
    change.audit(Some(bot.id), "bot_changed", &json!({}))
}

/// The one service of an embedded bot or an incoming webhook, with the new parts of its configuration.
fn new_config(
    change: &Change<'_, '_>,
    bot: &UserRow,
    services: Option<&Value>,
    changed: &BTreeMap<String, String>,
) -> Result<String, ActionError> {
    let service = services.and_then(|list| list.get(0));
    let name = service.and_then(|service| service.get("service_name")?.as_str());
    let (Some(service), Some(name)) = (service, name) else {
        return Err(ActionError::bad_request(
            "Only an embedded bot or one of an integration has a configuration",
        ));
    };
    let old = service.get("config_data").cloned().unwrap_or_default();
    let mut config: BTreeMap<String, String> = serde_json::from_value(old).unwrap_or_default();
    config.extend(changed.clone());
    match bots::bot_type(change.tx, bot.id)? {
        Some(2) => webhook_service(name, &config),
        _ => embedded_service(name, &config),
    }
}

/// The one service of an outgoing bot, with its new properties; its token stays.
fn new_services(
    change: &Change<'_, '_>,
    bot: &UserRow,
    services: Option<&Value>,
    update: &BotUpdate,
) -> Result<String, ActionError> {
    let old = services.and_then(|list| list.get(0));
    let (Some(3), Some(old)) = (bots::bot_type(change.tx, bot.id)?, old) else {
        return Err(ActionError::bad_request(
            "Only an outgoing bot calls a service",
        ));
    };
    let text = |name: &str| old.get(name).and_then(Value::as_str);
    let url = update.service_payload_url.as_deref().or(text("base_url"));
    let interface = old.get("interface").and_then(Value::as_i64);
    let service = BotService {
        base_url: url.unwrap_or_default().to_owned(),
        interface: update.service_interface.or(interface).unwrap_or_default(),
    };
    service.check()?;
    service.to_json(text("token"))
}
