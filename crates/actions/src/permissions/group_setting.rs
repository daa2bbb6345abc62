//! Values of permissions: checked, brought into canonical form, stored and compared.
//!
//! Owns the two ways in which a permission gets its value
//! (docs/protocol/permissions.md#group-setting-value): with its owner
//! ([`GroupSettings::for_creation`]) and by the update form ([`GroupSettings::apply_update`]). Both
//! work inside the caller's [`WriteTx`] and leave audit row and events to it; a value is put into
//! an event with `serde_json::json!(value)`. How parameters are read is in
//! `spindle_wire::permissions`. Whether the caller may change the permission at all is not checked
//! here.
//!
//! A value without a name is a group without a name that belongs to one permission; a new one is created for each value
//! and removed with the last permission that uses it.

use std::cell::Cell;

use serde_json::{Map, Value, json};
use spindle_domain::errors::ClientError;
use spindle_domain::group_setting::GroupSettingUpdate;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::permission::{DefaultHolder, PermissionSetting};
use spindle_domain::{GroupId, GroupSettingValue, NamelessGroup, RealmId, SystemGroup, UserId};
use spindle_events::kinds::{self, ChangedGroup, StreamChange};
use spindle_events::{Audience, Event};
use spindle_store::group_settings::{self, Owner, SettingRow};
use spindle_store::groups::GroupRow;
use spindle_store::{WriteTx, groups, id_list, user_lists};

use crate::access::channel_audience::who_sees_channel;
use crate::permissions::system_groups::SystemGroups;
use crate::{ActionError, Actor, quota};

/// Permissions of one organization, within one change by `actor`.
pub(crate) struct GroupSettings<'t, 'd> {
    tx: &'t WriteTx<'d>,
    actor: &'t Actor,
    realm_id: RealmId,
    /// Whether a value that lists several was stored.
    has_grown: Cell<bool>,
    /// The system groups, which callers may want as well.
    pub(crate) system: SystemGroups,
}

impl<'t, 'd> GroupSettings<'t, 'd> {
    /// Reads the system groups.
    pub(crate) fn new(tx: &'t WriteTx<'d>, actor: &'t Actor) -> Result<Self, ActionError> {
        let realm_id = actor.realm_id;
        Ok(Self {
            tx,
            actor,
            realm_id,
            has_grown: Cell::new(false),
            system: SystemGroups::read(tx, realm_id)?,
        })
    }

    /// Stores every permission of a new `owner`: what was sent, else the default of the table.
    /// `creator` is the user who creates the owner (`channel_creator`, `group_creator`); without one
    /// such a permission begins as `role:nobody`.
    ///
    /// # Errors
    /// As [`GroupSettings::check`].
    pub(crate) fn for_creation(
        &self,
        owner: Owner,
        table: &'static [PermissionSetting],
        sent: &[(&'static PermissionSetting, GroupSettingValue)],
        creator: Option<UserId>,
    ) -> Result<(), ActionError> {
        let mut holders = Map::new();
        for setting in table {
            let value = match sent.iter().find(|(known, _)| known.name == setting.name) {
                Some((_, value)) => self.check(setting, value.clone())?,
                None => self.default_of(setting, creator)?,
            };
            holders.insert(setting.name.to_owned(), json!(self.group_of(&value)?));
        }
        group_settings::set_all(self.tx, self.realm_id, owner, &json!(holders).to_string())?;
        Ok(())
    }

    /// Checks the quota of memberships after all values were stored.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] for one too many.
    pub(crate) fn check_growth(&self) -> Result<(), ActionError> {
        match self.has_grown.get() {
            true => quota::check_people(self.tx, Quota::GroupMembers, self.actor, false),
            false => Ok(()),
        }
    }

    /// Refuses values that `owners` new objects cannot all be given, before the first one is stored: storing them may
    /// take a second of the writer.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] when they exceed a quota.
    pub(crate) fn check_room(
        &self,
        owners: usize,
        sent: &[(&'static PermissionSetting, GroupSettingValue)],
    ) -> Result<(), ActionError> {
        let each: usize = sent
            .iter()
            .map(|(_, value)| match value {
                GroupSettingValue::Group(_) => 0,
                GroupSettingValue::Nameless(nameless) => listed(nameless),
            })
            .sum();
        match owners.saturating_mul(each) {
            0 => Ok(()),
            more => quota::check_room(self.tx, self.actor, more),
        }
    }

    /// Changes one permission of `owner`, and returns its new value in the form of events; `None` when it is unchanged
    /// and needs no event.
    ///
    /// # Errors
    /// [`ClientError::ExpectationMismatch`] when `old` is not the current value, which is
    /// checked first, even for a new value that is not valid; else as [`GroupSettings::check`].
    pub(crate) fn apply_update(
        &self,
        owner: Owner,
        setting: &'static PermissionSetting,
        update: &GroupSettingUpdate,
    ) -> Result<Option<GroupSettingValue>, ActionError> {
        let stored = group_settings::value(self.tx, owner, setting.name)?;
        let current = self.value_of(stored.as_ref())?;
        if update
            .old
            .as_ref()
            .is_some_and(|old| !old.matches(&current))
        {
            return Err(ClientError::ExpectationMismatch.into());
        }
        let nobody = self.system.id(SystemGroup::Nobody)?;
        if update.new.clone().normalised(nobody) == current {
            return Ok(None);
        }
        let value = self.check(setting, update.new.clone())?;
        let group_id = self.group_of(&value)?;
        group_settings::set(self.tx, self.realm_id, owner, setting.name, group_id)?;
        if let Some(row) = stored.filter(|row| !row.is_named) {
            groups::remove_unused_nameless(self.tx, row.group_id)?;
        }
        Ok(Some(value))
    }

    /// The value of one permission of `owner`.
    pub(crate) fn current(
        &self,
        owner: Owner,
        setting: &'static PermissionSetting,
    ) -> Result<GroupSettingValue, ActionError> {
        let stored = group_settings::value(self.tx, owner, setting.name)?;
        self.value_of(stored.as_ref())
    }

    fn value_of(&self, stored: Option<&SettingRow>) -> Result<GroupSettingValue, ActionError> {
        match stored {
            Some(row) => serde_json::from_str(&row.value)
                .map_err(|error| ActionError::Internal(error.to_string())),
            None => self.nobody(),
        }
    }

    /// The canonical form of a value that `setting` may be given.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] for groups that do not exist (nameless ones and those of
    /// others included) or are deactivated, for users who do not exist or are deactivated, and
    /// for a system group that may not hold it; [`ClientError::SystemGroupRequired`].
    pub(crate) fn check(
        &self,
        setting: &'static PermissionSetting,
        value: GroupSettingValue,
    ) -> Result<GroupSettingValue, ActionError> {
        let value = value.normalised(self.system.id(SystemGroup::Nobody)?);
        match &value {
            GroupSettingValue::Group(id) => {
                for group in self.active_groups(setting, &[*id])? {
                    check_group(setting, &group)?;
                }
            }
            GroupSettingValue::Nameless(_) if setting.require_system_group => {
                return Err(ClientError::SystemGroupRequired {
                    setting_name: setting.name,
                }
                .into());
            }
            GroupSettingValue::Nameless(nameless) => {
                for group in self.active_groups(setting, &nameless.direct_subgroups)? {
                    check_subgroup(setting, &group)?;
                }
                self.check_members(setting, &nameless.direct_members)?;
            }
        }
        Ok(value)
    }

    fn active_groups(
        &self,
        setting: &PermissionSetting,
        ids: &[GroupId],
    ) -> Result<Vec<GroupRow>, ActionError> {
        let rows = groups::named(self.tx, self.realm_id, &id_list(ids.iter().copied()))?;
        let missing = ids.iter().find(|id| rows.iter().all(|row| row.id != **id));
        if let Some(id) = missing {
            return Err(refused(setting, format!("there is no group {id}")));
        }
        if let Some(row) = rows.iter().find(|row| row.deactivated) {
            return Err(refused(setting, format!("group {} is deactivated", row.id)));
        }
        Ok(rows)
    }

    fn check_members(
        &self,
        setting: &PermissionSetting,
        ids: &[UserId],
    ) -> Result<(), ActionError> {
        let list = id_list(ids.iter().copied());
        let active = user_lists::active_among(self.tx, self.realm_id, &list)?;
        match ids.iter().find(|id| !active.contains(id)) {
            Some(id) => Err(refused(setting, format!("there is no active user {id}"))),
            None => Ok(()),
        }
    }

    fn default_of(
        &self,
        setting: &PermissionSetting,
        creator: Option<UserId>,
    ) -> Result<GroupSettingValue, ActionError> {
        match (setting.default_holder, creator) {
            (DefaultHolder::System(group), _) => {
                Ok(GroupSettingValue::Group(self.system.id(group)?))
            }
            (DefaultHolder::ChannelCreator | DefaultHolder::GroupCreator, Some(creator)) => {
                Ok(GroupSettingValue::Nameless(NamelessGroup {
                    direct_members: vec![creator],
                    direct_subgroups: Vec::new(),
                }))
            }
            (DefaultHolder::ChannelCreator | DefaultHolder::GroupCreator, None) => self.nobody(),
        }
    }

    /// Whether a value is the one that `setting` begins with when `creator` makes its owner.
    pub(crate) fn is_default(
        &self,
        setting: &PermissionSetting,
        value: &GroupSettingValue,
        creator: UserId,
    ) -> Result<bool, ActionError> {
        let nobody = self.system.id(SystemGroup::Nobody)?;
        let default = self.default_of(setting, Some(creator))?;
        Ok(value.clone().normalised(nobody) == default)
    }

    fn nobody(&self) -> Result<GroupSettingValue, ActionError> {
        Ok(GroupSettingValue::Group(
            self.system.id(SystemGroup::Nobody)?,
        ))
    }

    /// The group that represents a value in the store.
    fn group_of(&self, value: &GroupSettingValue) -> Result<GroupId, ActionError> {
        Ok(match value {
            GroupSettingValue::Group(id) => *id,
            GroupSettingValue::Nameless(nameless) => {
                let members = id_list(nameless.direct_members.iter().copied());
                let subgroups = id_list(nameless.direct_subgroups.iter().copied());
                quota::check_subgroups(self.tx, &subgroups)?;
                let id = groups::insert_nameless(self.tx, self.realm_id, &members, &subgroups)?;
                if listed(nameless) > 0 {
                    self.has_grown.set(true);
                }
                id
            }
        })
    }
}

/// The number of memberships that count; those of one are bounded by the channels and groups that they belong to.
const fn listed(value: &NamelessGroup) -> usize {
    match value.direct_members.len() + value.direct_subgroups.len() {
        1 => 0,
        listed => listed,
    }
}

/// One event about every permission whose value lists one of these users: deactivated users are not shown,
/// so values change for clients when an account goes or returns. Called after the accounts have
/// changed.
pub(crate) fn changed_values(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    users: &[UserId],
) -> Result<Vec<Event>, ActionError> {
    let mut events = Vec::new();
    let mut of_realm = Map::new();
    let users = id_list(users.iter().copied());
    for usage in group_settings::uses_of_users(tx, realm_id, &users)? {
        let value: Value = serde_json::from_str(&usage.value)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        match usage.owner {
            Owner::Realm(_) => {
                of_realm.insert(usage.name, value);
            }
            Owner::UserGroup(id) => {
                let group = ChangedGroup {
                    id,
                    deactivated: usage.is_owner_inactive,
                };
                let data = Map::from_iter([(usage.name, value)]);
                events.push(kinds::user_group_update(group, data, Audience::realm()));
            }
            Owner::Channel(id) => {
                let audience = who_sees_channel(tx, realm_id, id)?;
                let change = StreamChange {
                    stream_id: id,
                    name: usage.channel_name.unwrap_or_default(),
                    property: usage.name,
                    value,
                    extra: Map::new(),
                    is_archived: usage.is_owner_inactive,
                };
                events.push(kinds::stream_update(change, audience));
            }
        }
    }
    if !of_realm.is_empty() {
        events.push(kinds::realm_update_dict(
            "default",
            of_realm,
            Audience::realm(),
        ));
    }
    Ok(events)
}

fn refused(setting: &PermissionSetting, problem: impl std::fmt::Display) -> ActionError {
    ActionError::BadRequest(format!("Parameter {}: {problem}", setting.name))
}

/// Whether a named group may be the whole value.
fn check_group(setting: &'static PermissionSetting, group: &GroupRow) -> Result<(), ActionError> {
    match system_group(group) {
        Some(system) if setting.admits(system) => Ok(()),
        None if !setting.require_system_group => Ok(()),
        None => Err(ClientError::SystemGroupRequired {
            setting_name: setting.name,
        }
        .into()),
        Some(system) => Err(refused(
            setting,
            format!("{} is not allowed", system.name()),
        )),
    }
}

/// Whether a named group may be part of a value. The two groups that reach beyond members stay
/// out where they may not be the whole; `role:nobody` and `role:owners` do no harm as a part.
fn check_subgroup(setting: &PermissionSetting, group: &GroupRow) -> Result<(), ActionError> {
    match system_group(group) {
        Some(system @ (SystemGroup::Internet | SystemGroup::Everyone))
            if !setting.admits(system) =>
        {
            Err(refused(
                setting,
                format!("{} is not allowed", system.name()),
            ))
        }
        _ => Ok(()),
    }
}

fn system_group(group: &GroupRow) -> Option<SystemGroup> {
    group
        .is_system_group
        .then(|| SystemGroup::from_name(&group.name))
        .flatten()
}
