//! Creates an account: person, bot or imported stub.
//!
//! With the account come its API key, the system groups of its role and, for people who are
//! no guests, the channels that newcomers join. Other clients receive events about all of it.

use serde_json::json;
use spindle_domain::policy::may_create_users;
use spindle_domain::{ChannelId, GroupId, RealmId, Role, UserId, realm_setting, user_setting};
use spindle_events::{Audience, Event, kinds};
use spindle_store::bots::{self, BotRow};
use spindle_store::users::{self, NewUser};
use spindle_store::{
    Connection, DbError, WriteTx, default_channels, groups, id_list, keys, realms, subscriptions,
    user_lists, user_permissions, user_settings,
};

use crate::access::person_appears::{person_added, unknown_person};
use crate::access::who_sees::{guests_without, who_sees_address};
use crate::account::hidden_email::{EVERYBODY, StandIn};
use crate::account::manage_account::Change;
use crate::account::passwords::check_and_hash;
use crate::account::secrets;
use crate::audience::who_sees_subscribers;
use crate::channels::subscriptions::Change as SubscriptionChange;
use crate::invitations::settle_address;
use crate::organization::domains::check_address_admitted;
use crate::permissions::system_groups::{SystemGroups, has_waited};
use crate::text::{check_name_is_free, email_address, fold_name, full_name};
use crate::users::arrival::Arrival;
use crate::users::bot_events::added;
use crate::users::welcome::{announce_sign_up, welcome};
use crate::{ActionError, Actor, RealmSettings, Settings};

/// The properties of a new account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewAccount {
    /// Real address, which is also the API email.
    pub email: String,
    pub full_name: String,
    pub role: Option<Role>,
    /// A generic bot.
    pub is_bot: bool,
    /// Owner of a bot.
    pub bot_owner_id: Option<UserId>,
    /// Imported from another chat system; becomes a regular account at the first login.
    pub is_imported_stub: bool,
    /// Password; without one only the API key opens the account.
    pub password: Option<String>,
}

/// The new account and its key, which cannot be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedUser {
    pub user_id: UserId,
    /// API email.
    pub email: String,
    /// API key.
    pub api_key: String,
}

/// Creates an account in organization 1 at `now` (UNIX seconds). `acting` is none for the
/// operator. See docs/protocol/users.md#create_user.
///
/// # Errors
/// [`ActionError::BadRequest`] for an address that is malformed or taken, a bad name, a bad
/// password, or a stub that is a bot.
pub fn create_user(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    new: &NewAccount,
) -> Result<CreatedUser, ActionError> {
    let prepared = Prepared::new(new)?;
    let (user_id, email) = Change::emitting(db, acting, realm_id, now, |change| {
        check_address_admitted(change, &prepared.email)?;
        check_name_is_free(change.tx, realm_id, &prepared.full_name, None)?;
        write_account(change, &prepared, &Arrival::Made)
    })?;
    Ok(CreatedUser {
        user_id,
        email,
        api_key: prepared.api_key,
    })
}

/// The step that writes an account with its key, groups and channels. Returns the id and the API
/// email.
pub(crate) fn write_account(
    change: &mut Change<'_, '_>,
    account: &Prepared,
    arrival: &Arrival,
) -> Result<(UserId, String), ActionError> {
    let (tx, realm_id, now) = (change.tx, change.realm_id, change.now);
    let settings = settings_of_realm(change)?;
    let user_id = insert_account(tx, realm_id, now, account)?;
    let email = start_settings(tx, realm_id, user_id, account)?;
    let further: &[GroupId] = match arrival {
        Arrival::Joined(beginning) => &beginning.group_ids,
        Arrival::Made => &[],
    };
    let mut events = join_groups(change, &settings, user_id, account, further)?;
    let channels = match arrival {
        Arrival::Joined(beginning) => Some(id_list(beginning.channel_ids.iter().copied())),
        Arrival::Made if account.joins_defaults() => Some(default_channels::ids(tx, realm_id)?),
        Arrival::Made => None,
    };
    if let Some(channels) = channels {
        events.extend(join_channels(tx, realm_id, user_id, &channels, now)?);
    }
    if account.bot_type.is_none() && !account.is_imported_stub {
        let name = &account.full_name;
        events.extend(announce_sign_up(
            tx, realm_id, now, user_id, name, &settings,
        )?);
        let own_words = settings.text(realm_setting!("welcome_message_custom_text"));
        let words = match arrival {
            Arrival::Joined(beginning) => {
                Some(beginning.welcome_text.as_ref().unwrap_or(&own_words))
            }
            // The operator informs people whose accounts they create.
            Arrival::Made => change.acting.map(|_| &own_words),
        };
        if let Some(words) = words {
            events.extend(welcome(tx, realm_id, now, user_id, words)?);
        }
    }
    change.events.extend(events);
    if account.bot_type.is_none() {
        settle_address(change, &fold_name(&account.email))?;
    }
    note_creation(change, user_id, account)?;
    Ok((user_id, email))
}

/// The step that writes a bot with its key and groups. It writes less than [`write_account`], so components that create bots
/// alone need fewer rights.
pub(crate) fn write_bot_account(
    change: &mut Change<'_, '_>,
    account: &Prepared,
    bot: &BotRow,
) -> Result<UserId, ActionError> {
    let settings = settings_of_realm(change)?;
    let user_id = insert_account(change.tx, change.realm_id, change.now, account)?;
    bots::set(change.tx, user_id, bot)?;
    let events = join_groups(change, &settings, user_id, account, &[])?;
    change.events.extend(events);
    note_creation(change, user_id, account)?;
    Ok(user_id)
}

fn settings_of_realm(change: &Change<'_, '_>) -> Result<RealmSettings, ActionError> {
    let realm = realms::by_id(change.tx, change.realm_id)?
        .ok_or_else(|| ActionError::Internal("there is no organization yet".into()))?;
    Ok(Settings::of_realm(&realm.settings))
}

/// Adds a new account to the groups of its role and to further ones. Returns the events of that, and of the account itself.
fn join_groups(
    change: &Change<'_, '_>,
    settings: &RealmSettings,
    user_id: UserId,
    account: &Prepared,
    further: &[GroupId],
) -> Result<Vec<Event>, ActionError> {
    let (tx, realm_id, now) = (change.tx, change.realm_id, change.now);
    let groups = SystemGroups::read(tx, realm_id)?;
    let full_member = has_waited(settings, account.role, now, now);
    let mut joined = groups.of(account.role, full_member)?;
    joined.extend(further);
    for group_id in &joined {
        groups::add_member(tx, *group_id, user_id)?;
    }
    let mut events = user_added(tx, realm_id, user_id)?;
    for group_id in &joined {
        let audience = Audience::realm();
        events.push(kinds::user_group_add_members(
            *group_id,
            &[user_id],
            audience,
        ));
    }
    if account.bot_type.is_some() {
        events.push(added(tx, realm_id, user_id, account.bot_owner_id)?);
    }
    Ok(events)
}

fn note_creation(
    change: &Change<'_, '_>,
    user_id: UserId,
    account: &Prepared,
) -> Result<(), ActionError> {
    let data = json!({"role": account.role, "is_bot": account.bot_type.is_some(),
        "is_imported_stub": account.is_imported_stub});
    change.audit(Some(user_id), "user_created", &data)
}

/// Creates a person in the name of `actor` at `now` (UNIX seconds); returns the id.
/// See docs/protocol/users.md#create_user.
///
/// # Errors
/// [`ActionError::Denied`] without the special permission `can_create_users`, else as
/// [`create_user`].
pub fn create_person(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    new: &NewAccount,
) -> Result<UserId, ActionError> {
    let holds = user_permissions::has_permission(db, actor.user_id, "can_create_users")?;
    may_create_users(actor.role, holds).check()?;
    let created = create_user(db, Some(actor), actor.realm_id, now, new)?;
    Ok(created.user_id)
}

/// A checked account with its secrets made, which takes time that no lock should be held for.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) email: String,
    pub(crate) full_name: String,
    pub(crate) role: Role,
    pub(crate) bot_type: Option<i64>,
    pub(crate) bot_owner_id: Option<UserId>,
    pub(crate) is_imported_stub: bool,
    pub(crate) password_hash: Option<String>,
    pub(crate) api_key: String,
}

impl Prepared {
    pub(crate) fn new(new: &NewAccount) -> Result<Self, ActionError> {
        let email = email_address(&new.email)?;
        let full_name = full_name(&new.full_name)?;
        if new.is_bot && (new.is_imported_stub || new.password.is_some()) {
            let text = "A bot has no password and is no imported stub";
            return Err(ActionError::bad_request(text));
        }
        let hash = |password| check_and_hash(password, &[&full_name, &email]);
        let password_hash = new.password.as_deref().map(hash).transpose()?;
        Ok(Self {
            email,
            full_name,
            role: new.role.unwrap_or(Role::Member),
            bot_type: new.is_bot.then_some(1),
            bot_owner_id: new.bot_owner_id,
            is_imported_stub: new.is_imported_stub,
            password_hash,
            api_key: secrets::new_api_key()?,
        })
    }

    fn joins_defaults(&self) -> bool {
        self.bot_type.is_none() && !self.role.is_guest()
    }
}

/// Gives a new person the organization's default settings, and an API email that hides the real
/// address where these settings demand it. Returns the API email.
fn start_settings(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user_id: UserId,
    account: &Prepared,
) -> Result<String, ActionError> {
    if account.bot_type.is_some() {
        return Ok(account.email.clone());
    }
    user_settings::start_with_defaults(tx, user_id)?;
    let settings = Settings::of_user(&user_settings::defaults(tx, realm_id)?);
    if settings.integer(user_setting!("email_address_visibility")) == EVERYBODY {
        return Ok(account.email.clone());
    }
    let email = StandIn::Hidden.free(tx, realm_id, user_id)?;
    user_settings::set_api_email(tx, user_id, &email, &fold_name(&email))?;
    Ok(email)
}

/// Inserts the account and its key; an address that is taken is the caller's mistake.
pub(crate) fn insert_account(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    account: &Prepared,
) -> Result<UserId, ActionError> {
    let (email_folded, name_folded) = (fold_name(&account.email), fold_name(&account.full_name));
    let row = NewUser {
        realm_id,
        email: &account.email,
        email_folded: &email_folded,
        delivery_email: &account.email,
        delivery_email_folded: &email_folded,
        full_name: &account.full_name,
        full_name_folded: &name_folded,
        role: account.role,
        bot_type: account.bot_type,
        bot_owner_id: account.bot_owner_id,
        is_imported_stub: account.is_imported_stub,
        date_joined: now,
        password_hash: account.password_hash.as_deref(),
    };
    let user_id = users::insert(tx, &row).map_err(|error| match error {
        DbError::NotUnique(_) => ActionError::bad_request("This e-mail address is taken"),
        other => other.into(),
    })?;
    let hash = secrets::hash_api_key(&account.api_key);
    keys::insert(tx, user_id, &hash, now, "created with the account")?;
    Ok(user_id)
}

/// The events about a new account: one each for users who see its address, users who see only the
/// account, and guests who may not know whose it is.
fn user_added(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user_id: UserId,
) -> Result<Vec<Event>, ActionError> {
    let row = users::by_id(tx, realm_id, user_id)?.ok_or(DbError::NoRow)?;
    let audience = who_sees_address(tx, realm_id, &row)?;
    let mut events = vec![person_added(tx, realm_id, user_id, true, audience.seeing)?];
    if let Some(others) = audience.others {
        events.push(person_added(tx, realm_id, user_id, false, others)?);
    }
    let guests = guests_without(tx, realm_id, user_id, row.is_bot)?;
    if !guests.is_empty() {
        let stand_in = unknown_person(tx, realm_id, user_id)?;
        let audience = Audience::users(guests);
        events.push(kinds::realm_user_add_unknown(stand_in, audience));
    }
    Ok(events)
}

/// Subscribes a user to the channels in a JSON list of ids; emits events for the user and for the
/// users who may see the subscribers.
pub(crate) fn join_channels(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user_id: UserId,
    channel_ids: &str,
    now: i64,
) -> Result<Vec<Event>, ActionError> {
    let channel_ids: Vec<ChannelId> = serde_json::from_str(channel_ids)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    let channels: Vec<(ChannelId, Option<String>)> =
        channel_ids.into_iter().map(|id| (id, None)).collect();
    let joined = SubscriptionChange::new(tx, realm_id, now)?.join(&[user_id], &channels)?;
    Ok(joined.events)
}

type PeerEvent = fn(&[ChannelId], &[UserId], Audience) -> Event;

/// Events about a user who came to or left channels; one for every group of channels with
/// the same audience. The subscribers are those at this moment.
pub(crate) fn peer_events(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user_id: UserId,
    channel_ids: &[ChannelId],
    event: PeerEvent,
) -> Result<Vec<Event>, ActionError> {
    let roles = user_lists::active_roles(tx, realm_id)?;
    let mut groups: Vec<(Audience, Vec<ChannelId>)> = Vec::new();
    for channel in subscriptions::peers_of(tx, user_id)? {
        if channel_ids.binary_search(&channel.channel_id).is_err() {
            continue;
        }
        let audience = who_sees_subscribers(&channel, &roles);
        match groups.iter_mut().find(|(known, _)| *known == audience) {
            Some((_, ids)) => ids.push(channel.channel_id),
            None => groups.push((audience, vec![channel.channel_id])),
        }
    }
    Ok(groups
        .into_iter()
        .map(|(audience, ids)| event(&ids, &[user_id], audience))
        .collect())
}
