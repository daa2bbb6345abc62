//! Permissions, the settings whose value is a group: their allowed values and defaults.
//!
//! The tables are data in one place because they are sent to clients as
//! `server_supported_permission_settings` and enforced with the same entries. Who holds a
//! permission at the moment is state, in the store.

mod channel;
mod group;
mod realm;

pub use channel::CHANNEL;
pub use group::GROUP;
pub use realm::REALM;

use crate::SystemGroup;
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

/// The holder of a permission when its channel, group or organization is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultHolder {
    /// A system group.
    System(SystemGroup),
    /// The creator of the channel (`channel_creator`).
    ChannelCreator,
    /// The creator of the group (`group_creator`).
    GroupCreator,
}

impl DefaultHolder {
    /// `default_group_name` of the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System(group) => group.name(),
            Self::ChannelCreator => "channel_creator",
            Self::GroupCreator => "group_creator",
        }
    }
}

/// One group-valued setting (docs/protocol/permissions.md,
/// docs/protocol/register.md#realm-permissions).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionSetting {
    /// Wire name; settings of the organization appear as `realm_<name>` in the register response.
    pub name: &'static str,
    /// Whether only a system group may hold it.
    pub require_system_group: bool,
    /// Whether `role:internet` may hold it.
    pub allow_internet_group: bool,
    /// Whether `role:nobody` may hold it.
    pub allow_nobody_group: bool,
    /// Whether `role:everyone` may hold it. Where it may not, guests never hold it.
    pub allow_everyone_group: bool,
    /// Value at creation.
    pub default_holder: DefaultHolder,
    /// Value at creation when the owner of the setting is a system group.
    pub default_for_system_groups: Option<SystemGroup>,
    /// When not empty, the only system groups that may hold it.
    pub allowed_system_groups: &'static [SystemGroup],
    /// A system group that may not hold it besides what the flags say. Not announced,
    /// because the announced record has no place for it.
    pub forbidden_system_group: Option<SystemGroup>,
    /// Of the organization: whether only owners change it. Not announced.
    pub needs_owner: bool,
}

impl PermissionSetting {
    const fn new(name: &'static str, default_holder: DefaultHolder) -> Self {
        Self {
            name,
            require_system_group: false,
            allow_internet_group: false,
            allow_nobody_group: true,
            allow_everyone_group: false,
            default_holder,
            default_for_system_groups: None,
            allowed_system_groups: &[],
            forbidden_system_group: None,
            needs_owner: false,
        }
    }

    const fn everyone_allowed(mut self) -> Self {
        self.allow_everyone_group = true;
        self
    }

    const fn nobody_refused(mut self) -> Self {
        self.allow_nobody_group = false;
        self
    }

    const fn for_owners(mut self) -> Self {
        self.needs_owner = true;
        self
    }

    const fn one_of(mut self, groups: &'static [SystemGroup]) -> Self {
        self.require_system_group = true;
        self.allowed_system_groups = groups;
        self
    }

    const fn refusing(mut self, group: SystemGroup) -> Self {
        self.forbidden_system_group = Some(group);
        self
    }

    /// Whether this system group may hold the permission.
    pub fn admits(&self, group: SystemGroup) -> bool {
        if !self.allowed_system_groups.is_empty() && !self.allowed_system_groups.contains(&group) {
            return false;
        }
        if self.forbidden_system_group == Some(group) {
            return false;
        }
        match group {
            SystemGroup::Internet => self.allow_internet_group,
            SystemGroup::Nobody => self.allow_nobody_group,
            SystemGroup::Everyone => self.allow_everyone_group,
            _ => true,
        }
    }

    /// Whether a guest who belongs to the holding group holds the permission: never when
    /// `role:everyone` may not hold it.
    pub const fn admits_guests(&self) -> bool {
        self.allow_everyone_group
    }
}

impl Serialize for PermissionSetting {
    /// The announced record, without the name that it is keyed by.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let allowed: Vec<_> = self
            .allowed_system_groups
            .iter()
            .map(|g| g.name())
            .collect();
        let mut record = serializer.serialize_struct("PermissionSetting", 7)?;
        record.serialize_field("require_system_group", &self.require_system_group)?;
        record.serialize_field("allow_internet_group", &self.allow_internet_group)?;
        record.serialize_field("allow_nobody_group", &self.allow_nobody_group)?;
        record.serialize_field("allow_everyone_group", &self.allow_everyone_group)?;
        record.serialize_field("default_group_name", self.default_holder.name())?;
        record.serialize_field(
            "default_for_system_groups",
            &self.default_for_system_groups.map(SystemGroup::name),
        )?;
        record.serialize_field("allowed_system_groups", &allowed)?;
        record.end()
    }
}

/// The register field `server_supported_permission_settings`: serializes to
/// `{realm: {name: record}, stream: {..}, group: {..}}`.
#[derive(Debug, Clone, Copy)]
pub struct SupportedPermissionSettings;

struct Table(&'static [PermissionSetting]);

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|setting| (setting.name, setting)))
    }
}

impl Serialize for SupportedPermissionSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("realm", &Table(REALM))?;
        map.serialize_entry("stream", &Table(CHANNEL))?;
        map.serialize_entry("group", &Table(GROUP))?;
        map.end()
    }
}

/// The entry of a table with this wire name.
pub fn by_name(
    table: &'static [PermissionSetting],
    name: &str,
) -> Option<&'static PermissionSetting> {
    table.iter().find(|setting| setting.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_default_is_allowed() {
        for (table, size) in [(REALM, 26), (CHANNEL, 11), (GROUP, 6)] {
            assert_eq!(table.len(), size);
            let mut names: Vec<_> = table.iter().map(|setting| setting.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.len());
            for setting in table {
                if let DefaultHolder::System(group) = setting.default_holder {
                    assert!(setting.admits(group), "{}", setting.name);
                }
                assert!(!setting.admits(SystemGroup::Internet), "{}", setting.name);
                let restricted = !setting.allowed_system_groups.is_empty();
                assert_eq!(setting.require_system_group, restricted, "{}", setting.name);
            }
        }
    }

    #[test]
    fn the_table_of_group_permissions_is_the_one_of_the_protocol() {
        // (name, `nobody` allowed, everyone allowed, default on creation)
        let expected = [
            ("can_add_members_group", true, false, "group_creator"),
            ("can_join_group", true, false, "role:nobody"),
            ("can_leave_group", true, true, "role:everyone"),
            ("can_manage_group", true, false, "group_creator"),
            ("can_mention_group", true, true, "role:everyone"),
            ("can_remove_members_group", true, false, "role:nobody"),
        ];
        for (setting, (name, nobody, everyone, default)) in GROUP.iter().zip(expected) {
            assert_eq!(setting.name, name);
            assert_eq!(setting.allow_nobody_group, nobody, "{name}");
            assert_eq!(setting.allow_everyone_group, everyone, "{name}");
            assert_eq!(setting.default_holder.name(), default, "{name}");
            assert_eq!(
                setting.default_for_system_groups,
                Some(SystemGroup::Nobody),
                "{name}"
            );
        }
        let mention = by_name(GROUP, "can_mention_group").unwrap();
        assert!(!mention.admits(SystemGroup::Owners));
        assert!(
            by_name(GROUP, "can_manage_group")
                .unwrap()
                .admits(SystemGroup::Owners)
        );
    }

    #[test]
    fn restricted_settings_admit_only_their_list() {
        let access = by_name(REALM, "can_access_all_users_group").unwrap();
        assert!(access.admits(SystemGroup::Members) && access.admits(SystemGroup::Everyone));
        assert!(!access.admits(SystemGroup::Nobody) && !access.admits(SystemGroup::Owners));
        let web = by_name(REALM, "can_create_web_public_channel_group").unwrap();
        assert!(web.admits(SystemGroup::Nobody) && !web.admits(SystemGroup::Members));
        assert!(
            !by_name(REALM, "can_manage_all_groups")
                .unwrap()
                .admits(SystemGroup::Nobody)
        );
    }

    #[test]
    fn the_announced_form_has_three_tables_and_seven_fields() {
        let value = serde_json::to_value(SupportedPermissionSettings).unwrap();
        let record = &value["realm"]["can_access_all_users_group"];
        assert_eq!(record.as_object().unwrap().len(), 7);
        assert_eq!(record["default_group_name"], "role:everyone");
        assert_eq!(
            record["allowed_system_groups"],
            serde_json::json!(["role:everyone", "role:members"])
        );
        assert_eq!(
            value["group"]["can_join_group"]["default_for_system_groups"],
            "role:nobody"
        );
        assert_eq!(value["stream"].as_object().unwrap().len(), CHANNEL.len());
    }
}
