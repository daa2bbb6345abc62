//! Creates the organization: system groups, permissions, an owner and the first channels.
//!
//! Everything or nothing. No events: there are no queues before there is an organization.

use serde_json::json;
use spindle_domain::permission::{CHANNEL, DefaultHolder, GROUP, PermissionSetting, REALM};
use spindle_domain::text::Form;
use spindle_domain::{
    ChannelId, GroupId, RealmId, Role, SYSTEM_REALM, SystemBot, SystemGroup, UserId,
};
use spindle_store::channels::{self, NewChannel};
use spindle_store::group_settings::{self, Owner};
use spindle_store::users::NewUser;
use spindle_store::{
    Connection, SilentReason, WriteTx, audit, conversations, default_channels, group_nesting,
    groups, realms, users,
};

use crate::account::secrets;
use crate::permissions::system_groups::SystemGroups;
use crate::text::{accept, fold_name};
use crate::users::create_user::{CreatedUser, NewAccount, Prepared, insert_account, join_channels};
use crate::{ActionError, change};

/// Channels of a new organization: name and description.
const FIRST_CHANNELS: [(&str, &str); 3] = [
    ("general", "Everything that concerns everybody."),
    ("random", "Small talk and whatever has no other place."),
    ("sandbox", "Try things out here; nobody minds."),
];

/// The properties of a new organization.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRealm {
    pub name: String,
    /// The first owner; role and kind of account are ignored.
    pub owner: NewAccount,
}

/// The new organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedRealm {
    /// Row id.
    pub realm_id: RealmId,
    /// The first owner, with their key.
    pub owner: CreatedUser,
}

/// Creates the organization at `now` (UNIX seconds). A server has one.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is one already, for a bad name, or for an owner who
/// cannot be created.
pub fn create_realm(
    db: &dyn Connection,
    now: i64,
    new: &NewRealm,
) -> Result<CreatedRealm, ActionError> {
    let (name, owner) = prepare(new)?;
    let uuid = secrets::new_uuid()?;
    let (realm_id, user_id) = change::silently(db, SilentReason::NoClients, |tx| {
        if realms::by_id(tx, RealmId::ONLY)?.is_some() {
            return Err(ActionError::bad_request("The organization already exists"));
        }
        let realm_id = realms::insert(tx, "", &uuid, &name, now)?;
        let groups = create_system_groups(tx, realm_id, now)?;
        let user_id = insert_account(tx, realm_id, now, &owner)?;
        for group_id in groups.of(Role::Owner, true)? {
            groups::add_member(tx, group_id, user_id)?;
        }
        create_system_bots(tx, now)?;
        let mut channel_ids = Vec::new();
        for (name, description) in FIRST_CHANNELS {
            let id = create_channel(tx, realm_id, now, &groups, user_id, name, description)?;
            default_channels::add(tx, id)?;
            channel_ids.push(id);
        }
        join_channels(tx, realm_id, user_id, &json!(channel_ids).to_string(), now)?;
        audit::append(
            tx,
            realm_id,
            now,
            None,
            Some(user_id),
            "realm_created",
            "{}",
        )?;
        Ok((realm_id, user_id))
    })?;
    let owner = CreatedUser {
        user_id,
        email: owner.email,
        api_key: owner.api_key,
    };
    Ok(CreatedRealm { realm_id, owner })
}

/// Whether an organization of this name, with this owner, can be created at all.
///
/// # Errors
/// As [`create_realm`].
pub fn check_new_realm(new: &NewRealm) -> Result<(), ActionError> {
    prepare(new).map(|_| ())
}

/// The name and the owner, checked.
fn prepare(new: &NewRealm) -> Result<(String, Prepared), ActionError> {
    let name = accept(Form::Name, "the organization's name", &new.name)?;
    if !(1..=40).contains(&spindle_domain::text::length(&name)) {
        return Err(ActionError::bad_request(
            "The name of an organization has 1 to 40 printable characters",
        ));
    }
    let owner = Prepared::new(&NewAccount {
        role: Some(Role::Owner),
        is_bot: false,
        is_imported_stub: false,
        ..new.owner.clone()
    })?;
    Ok((name, owner))
}

/// The bots that speak for the server. They have no key and no password, so no client logs in as
/// one, and being of another organization they are out of the reach of every operation.
pub(crate) fn create_system_bots(tx: &WriteTx<'_>, now: i64) -> Result<(), ActionError> {
    for bot in SystemBot::ALL {
        let row = NewUser {
            realm_id: SYSTEM_REALM,
            email: bot.email(),
            email_folded: bot.email(),
            delivery_email: bot.email(),
            delivery_email_folded: bot.email(),
            full_name: bot.full_name(),
            full_name_folded: &fold_name(bot.full_name()),
            role: Role::Member,
            bot_type: Some(1),
            date_joined: now,
            ..NewUser::default()
        };
        users::insert(tx, &row)?;
    }
    Ok(())
}

fn create_system_groups(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
) -> Result<SystemGroups, ActionError> {
    for group in SystemGroup::ALL {
        let name = Some(group.name());
        groups::insert(
            tx,
            realm_id,
            name,
            group.description(),
            true,
            None,
            Some(now),
        )?;
    }
    let ids = SystemGroups::read(tx, realm_id)?;
    for group in SystemGroup::ALL {
        if let Some(subgroup) = group.subgroup() {
            group_nesting::add_subgroup(tx, ids.id(group)?, ids.id(subgroup)?)?;
        }
        let holder = |setting: &PermissionSetting| setting.default_for_system_groups;
        let holders = holders(GROUP, &ids, None, holder)?;
        group_settings::set_all(tx, realm_id, Owner::UserGroup(ids.id(group)?), &holders)?;
    }
    let holders = holders(REALM, &ids, None, |_| None)?;
    group_settings::set_all(tx, realm_id, Owner::Realm(realm_id), &holders)?;
    Ok(ids)
}

/// JSON object from permission to group: what `special` says, else the default of the table;
/// `creator` is the group that stands for the creator of the object.
fn holders(
    table: &[PermissionSetting],
    ids: &SystemGroups,
    creator: Option<GroupId>,
    special: impl Fn(&PermissionSetting) -> Option<SystemGroup>,
) -> Result<String, ActionError> {
    let mut holders = serde_json::Map::new();
    for setting in table {
        let group_id = match (special(setting), setting.default_holder, creator) {
            (Some(group), _, _) | (None, DefaultHolder::System(group), _) => ids.id(group)?,
            (None, _, Some(creator)) => creator,
            (None, _, None) => ids.id(SystemGroup::Nobody)?,
        };
        holders.insert(setting.name.to_owned(), json!(group_id));
    }
    Ok(json!(holders).to_string())
}

/// A public channel with the default permissions.
fn create_channel(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    groups: &SystemGroups,
    creator_id: UserId,
    name: &str,
    description: &str,
) -> Result<ChannelId, ActionError> {
    let directory = spindle_markup::Directory::new();
    let context = spindle_markup::Context::new(&directory, "");
    let new = NewChannel {
        id: None,
        realm_id,
        conversation_id: conversations::insert_channel(tx, realm_id)?,
        name,
        name_folded: &fold_name(name),
        description,
        rendered_description: &spindle_markup::render(description, &context).html,
        date_created: now,
        creator_id: Some(creator_id),
        invite_only: false,
        history_public_to_subscribers: true,
        is_web_public: false,
        is_archived: false,
        message_retention_days: None,
        topics_policy: "inherit",
        folder_id: None,
    };
    let channel_id = channels::insert(tx, &new)?;
    let creator = groups::insert(tx, realm_id, None, "", false, None, None)?;
    groups::add_member(tx, creator, creator_id)?;
    let holders = holders(CHANNEL, groups, Some(creator), |_| None)?;
    group_settings::set_all(tx, realm_id, Owner::Channel(channel_id), &holders)?;
    Ok(channel_id)
}
