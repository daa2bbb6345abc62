//! Groups and the permissions that they hold.
//!
//! The system groups are this server's own, with the ids that they had, and their members follow
//! from the roles; others keep members and subgroups. A permission whose value cannot be kept
//! has its default.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, json};
use spindle_domain::limits::{MAX_USER_GROUP_DESCRIPTION_LENGTH, MAX_USER_GROUP_NAME_LENGTH};
use spindle_domain::permission::{DefaultHolder, GROUP, PermissionSetting, REALM as REALM_TABLE};
use spindle_domain::{ChannelId, GroupId, SystemGroup, UserId};
use spindle_store::import::{self, ImportedGroup};
use spindle_store::{WriteTx, group_nesting, group_settings, groups, id_list};

use super::nesting::{MOST_PAIRS, Nesting};
use super::row::{Columns, ImportError, Row};
use super::{Import, REALM};
use crate::Settings;
use crate::permissions::system_groups::{SystemGroups, has_waited};

/// What permissions belong to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner {
    object: group_settings::Owner,
    /// Who holds what its creator should hold.
    creator: Option<UserId>,
    is_system: bool,
}

impl Owner {
    pub(super) const fn channel(id: ChannelId, creator: Option<UserId>) -> Self {
        Self {
            object: group_settings::Owner::Channel(id),
            creator,
            is_system: false,
        }
    }
}

/// The value of a permission elsewhere.
#[derive(Debug, Clone, Copy)]
enum Held {
    Group(GroupId),
    System(SystemGroup),
}

/// An owner of permissions with the values that it had.
struct Permissions {
    owner: Owner,
    table: &'static [PermissionSetting],
    held: HashMap<&'static str, Held>,
}

/// The known data of groups until all of them exist.
#[derive(Default)]
pub(super) struct Groups {
    /// All ids, those of groups without a name too.
    ids: BTreeSet<GroupId>,
    named: BTreeMap<GroupId, Columns>,
    /// Name of each group that texts can mention, and whether it is in use.
    mentioned: BTreeMap<GroupId, (String, bool)>,
    /// Ids elsewhere of the groups that are here, with the id here.
    here: HashMap<GroupId, GroupId>,
    system: HashMap<GroupId, SystemGroup>,
    deactivated: BTreeSet<GroupId>,
    owners: Vec<Permissions>,
    nesting: Nesting,
}

impl Groups {
    /// Notes the permissions of an owner.
    pub(super) fn owner(
        &mut self,
        owner: Owner,
        table: &'static [PermissionSetting],
        row: &Row<'_>,
    ) -> Result<(), ImportError> {
        let mut held = HashMap::new();
        for setting in table {
            if let Some(group) = row.reference(setting.name)? {
                held.insert(setting.name, Held::Group(group));
            }
        }
        // How channels said it before there were groups for it.
        if matches!(owner.object, group_settings::Owner::Channel(_))
            && !held.contains_key("can_send_message_group")
        {
            let group = match row.integer("stream_post_policy")? {
                Some(2) => Some(SystemGroup::Administrators),
                Some(3) => Some(SystemGroup::FullMembers),
                Some(4) => Some(SystemGroup::Moderators),
                _ => None,
            };
            held.extend(group.map(|group| ("can_send_message_group", Held::System(group))));
        }
        self.owners.push(Permissions { owner, table, held });
        Ok(())
    }

    /// Groups that texts can mention: id, name, and whether each is in use.
    pub(super) fn named(&self) -> impl Iterator<Item = (GroupId, &str, bool)> {
        let named = self.mentioned.iter();
        named.map(|(id, (name, is_active))| (*id, name.as_str(), *is_active))
    }
}

impl Import<'_> {
    pub(super) fn group_id(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["realm"]);
        self.keep(0)?;
        self.groups.ids.insert(row.id("id")?);
        Ok(())
    }

    pub(super) fn named_group(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        let id = row.id("usergroup_ptr")?;
        let own = [
            "id",
            "name",
            "description",
            "is_system_group",
            "creator",
            "date_created",
            "deactivated",
        ];
        let names = own
            .into_iter()
            .chain(GROUP.iter().map(|setting| setting.name));
        let columns = row.columns().only(names.clone());
        row.pass_over(
            &names
                .chain(["realm", "realm_for_sharding"])
                .collect::<Vec<_>>(),
        );
        // With its permissions.
        self.keep(columns.size() + 1024)?;
        self.groups.named.insert(id, columns);
        Ok(())
    }

    /// Creates all groups: first the ones that keep their ids, then the system groups that the
    /// archive does not have.
    pub(super) fn make_groups(&mut self) -> Result<(), ImportError> {
        let named = std::mem::take(&mut self.groups.named);
        let mut missing: BTreeSet<SystemGroup> = SystemGroup::ALL.into_iter().collect();
        for (id, columns) in &named {
            self.make_named(*id, columns, &mut missing)?;
        }
        for id in std::mem::take(&mut self.groups.ids) {
            if !named.contains_key(&id) {
                let here = import::insert_group(&self.tx, &ImportedGroup::nameless(REALM, id))?;
                self.groups.here.insert(id, here);
            }
        }
        for group in missing {
            let id = import::insert_group(
                &self.tx,
                &ImportedGroup::system(REALM, None, group, self.now),
            )?;
            let named = (group.name().to_owned(), true);
            self.groups.mentioned.insert(id, named);
            self.groups.system.insert(id, group);
        }
        self.fill_system_groups()
    }

    fn make_named(
        &mut self,
        id: GroupId,
        columns: &Columns,
        missing: &mut BTreeSet<SystemGroup>,
    ) -> Result<(), ImportError> {
        let row = Row::new(columns, None);
        let name = self.cut(
            "names of groups",
            row.required("name")?,
            MAX_USER_GROUP_NAME_LENGTH,
        );
        if row.flag("is_system_group")? == Some(true) {
            let group = SystemGroup::from_name(name).filter(|group| missing.remove(group));
            let Some(group) = group else {
                self.note(format!("the system group {name} is not known here"));
                return Ok(());
            };
            import::insert_group(
                &self.tx,
                &ImportedGroup::system(REALM, Some(id), group, self.now),
            )?;
            let named = (group.name().to_owned(), true);
            self.groups.mentioned.insert(id, named);
            self.groups.here.insert(id, id);
            self.groups.system.insert(id, group);
            return Ok(());
        }
        let name = self.unique("groups", name, str::to_owned);
        let description = row.text_or_empty("description")?;
        let limit = MAX_USER_GROUP_DESCRIPTION_LENGTH;
        let description = self.cut("descriptions of groups", description, limit);
        let deactivated = row.flag("deactivated")?.unwrap_or(false);
        let creator_id = self.known(row.reference("creator")?);
        let group = ImportedGroup {
            id: Some(id),
            realm_id: REALM,
            name: Some(&name),
            description,
            is_system_group: false,
            deactivated,
            creator_id,
            date_created: row.time("date_created")?,
        };
        import::insert_group(&self.tx, &group)?;
        self.groups.mentioned.insert(id, (name, !deactivated));
        self.groups.here.insert(id, id);
        if deactivated {
            self.groups.deactivated.insert(id);
        }
        let owner = Owner {
            object: group_settings::Owner::UserGroup(id),
            creator: creator_id,
            is_system: false,
        };
        self.groups.owner(owner, GROUP, &row)
    }

    /// Nesting and members of the system groups, which are the same everywhere.
    fn fill_system_groups(&mut self) -> Result<(), ImportError> {
        let system = SystemGroups::read(&self.tx, REALM)?;
        let settings = spindle_store::realms::by_id(&self.tx, REALM)?
            .map(|realm| realm.settings)
            .unwrap_or_default();
        let settings = Settings::of_realm(&settings);
        let mut members: BTreeMap<GroupId, Vec<UserId>> = BTreeMap::new();
        for (id, person) in &self.people {
            let waited = has_waited(&settings, person.role, person.date_joined, self.now);
            for group in system.of(person.role, waited)? {
                members.entry(group).or_default().push(*id);
            }
        }
        for (group, people) in members {
            groups::add_members(&self.tx, group, &id_list(people))?;
        }
        for group in SystemGroup::ALL {
            if let Some(subgroup) = group.subgroup() {
                group_nesting::add_subgroup(&self.tx, system.id(group)?, system.id(subgroup)?)?;
            }
            let owner = Owner {
                object: group_settings::Owner::UserGroup(system.id(group)?),
                creator: None,
                is_system: true,
            };
            self.groups.owners.push(Permissions {
                owner,
                table: GROUP,
                held: HashMap::new(),
            });
        }
        Ok(())
    }

    pub(super) fn subgroup(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let (above, below) = (row.id("supergroup")?, row.id("subgroup")?);
        let here = |id: GroupId| self.groups.here.get(&id).copied();
        let (Some(above), Some(below)) = (here(above), here(below)) else {
            self.note("subgroups that are not in the archive were left out");
            return Ok(());
        };
        if self.groups.system.contains_key(&above) {
            return Ok(());
        }
        self.keep(0)?;
        self.groups.nesting.add(above, below);
        Ok(())
    }

    pub(super) fn end_of_nesting(&mut self) -> Result<(), ImportError> {
        let nesting = std::mem::take(&mut self.groups.nesting);
        let within = |group| group_nesting::within(&self.tx, group);
        let closed = nesting.close(MOST_PAIRS, within)?;
        for (group, direct, all) in closed.groups {
            group_nesting::nest(&self.tx, group, &id_list(direct), &id_list(all))?;
        }
        for (count, text) in [
            (
                closed.in_cycles,
                "subgroups that contain their own group were left out",
            ),
            (
                closed.beyond,
                "subgroups were left out: the groups are nested too deeply",
            ),
        ] {
            if count > 0 {
                self.note_times(text, count);
            }
        }
        Ok(())
    }

    pub(super) fn group_member(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let here = self.groups.here.get(&row.id("user_group")?).copied();
        let Some(group) = here else {
            self.note("members of groups that are not in the archive were left out");
            return Ok(());
        };
        if self.groups.system.contains_key(&group) {
            row.pass_over(&["user_profile"]);
            return Ok(());
        }
        if let Some(user) = self.owner_of(row, "user_profile")? {
            groups::add_member(&self.tx, group, user)?;
        }
        Ok(())
    }

    /// Sets every permission.
    pub(super) fn permissions(&mut self) -> Result<(), ImportError> {
        if let Some(columns) = self.realm.take() {
            let owner = Owner {
                object: group_settings::Owner::Realm(REALM),
                creator: None,
                is_system: false,
            };
            self.groups
                .owner(owner, REALM_TABLE, &Row::new(&columns, None))
                .map_err(|error| error.at("zerver_realm", columns.key()))?;
        }
        let system = SystemGroups::read(&self.tx, REALM)?;
        for permissions in std::mem::take(&mut self.groups.owners) {
            let mut holders = Map::new();
            let mut creator = None;
            for setting in permissions.table {
                let held = permissions.held.get(setting.name).copied();
                let kept = match held {
                    Some(held) => self.kept(setting, held, &system)?,
                    None => None,
                };
                if held.is_some() && kept.is_none() {
                    self.note(format!(
                        "the permission {} had a value that is not known here, and is the default",
                        setting.name
                    ));
                }
                let group = match kept {
                    Some(group) => group,
                    None => {
                        default_of(&self.tx, setting, permissions.owner, &mut creator, &system)?
                    }
                };
                holders.insert(setting.name.to_owned(), json!(group));
            }
            let (owner, holders) = (permissions.owner, json!(holders).to_string());
            group_settings::set_all(&self.tx, REALM, owner.object, &holders)?;
        }
        Ok(import::remove_unused_groups(&self.tx)?)
    }

    /// The group that holds a permission as it did, if it may.
    fn kept(
        &self,
        setting: &PermissionSetting,
        held: Held,
        system: &SystemGroups,
    ) -> Result<Option<GroupId>, ImportError> {
        let group = match held {
            Held::System(group) => return Ok(Some(system.id(group)?)),
            Held::Group(id) => self.groups.here.get(&id).copied(),
        };
        Ok(group.filter(|id| match self.groups.system.get(id) {
            Some(group) => setting.admits(*group),
            None => !setting.require_system_group && !self.groups.deactivated.contains(id),
        }))
    }
}

/// What a permission starts as.
fn default_of(
    tx: &WriteTx<'_>,
    setting: &PermissionSetting,
    owner: Owner,
    creator: &mut Option<GroupId>,
    system: &SystemGroups,
) -> Result<GroupId, ImportError> {
    let of_system = setting.default_for_system_groups;
    let special = of_system.filter(|_| owner.is_system);
    match (special, setting.default_holder) {
        (Some(group), _) | (None, DefaultHolder::System(group)) => return Ok(system.id(group)?),
        (None, _) => {}
    }
    let Some(person) = owner.creator else {
        return Ok(system.id(SystemGroup::Nobody)?);
    };
    if let Some(group) = creator {
        return Ok(*group);
    }
    let group = groups::insert_nameless(tx, REALM, &id_list([person]), "[]")?;
    Ok(*creator.insert(group))
}
