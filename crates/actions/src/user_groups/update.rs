//! Changes name, description and permissions of a group, and reactivates a group
//! (docs/protocol/user-groups.md#update_user_group).

use serde_json::{Map, json};
use spindle_domain::GroupId;
use spindle_domain::group_setting::GroupSettingUpdate;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::permission::PermissionSetting;
use spindle_domain::policy::may_manage_group;
use spindle_events::{Audience, Event, Record, kinds};
use spindle_store::group_settings::Owner;
use spindle_store::{Connection, DbError, Outcome, WriteTx, audit, group_records, groups};

use super::access::{ManagedGroup, access_managed_group};
use super::create::{check_description, check_name, name_taken};
use crate::json_record::parse_record;
use crate::permissions::group_setting::GroupSettings;
use crate::quota::Meter;
use crate::{ActionError, Actor, change};

/// The parameters of the operation; none leaves a value as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupChanges {
    /// Permissions, in the order of `spindle_domain::permission::GROUP`.
    pub permissions: Vec<(&'static PermissionSetting, GroupSettingUpdate)>,
    /// False reactivates a group; true does nothing.
    pub deactivated: Option<bool>,
    /// At most 1024 code points.
    pub description: Option<String>,
    /// Unique in the organization, deactivated groups included.
    pub name: Option<String>,
}

/// Changes a group at `now` (UNIX seconds), in the order of
/// docs/protocol/user-groups.md#update_user_group: all of it or nothing. A value that is unchanged
/// emits no event.
///
/// # Errors
/// [`ActionError::BadRequest`] when nothing is passed, for a bad or taken name, a description
/// that is too long, and for values
/// that a permission may not have; `ClientError::SystemGroupRequired`;
/// `ClientError::ExpectationMismatch`; [`ActionError::Denied`] when there is no such group
/// or the caller does not manage it.
pub fn update_group(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    group_id: GroupId,
    changes: &GroupChanges,
) -> Result<(), ActionError> {
    if *changes == GroupChanges::default() {
        return Err(ActionError::bad_request("No new value was passed"));
    }
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let mut target = access_managed_group(tx, actor, group_id)?;
        may_manage_group(&target.facts).check()?;
        let mut changed = Record::new();
        let mut events = Vec::new();
        set_texts(tx, actor, &target, changes, &mut changed, &mut events)?;
        if changes.deactivated == Some(false) && target.row.deactivated {
            target.row.deactivated = false;
            groups::set_deactivated(tx, target.row.id, false)?;
            let record = group_records::one(tx, realm_id, target.row.id)?.ok_or(DbError::NoRow)?;
            let record = parse_record(&record)?;
            events.push(kinds::user_group_reactivated(
                target.row.id,
                record,
                Audience::realm(),
            ));
            changed.insert("deactivated".to_owned(), json!(false));
        }
        set_permissions(tx, actor, &target, changes, &mut changed, &mut events)?;
        if changed.is_empty() {
            return Ok(Outcome::Unchanged(()));
        }
        let data = json!({"group_id": target.row.id, "changed": changed}).to_string();
        let acting = Some(actor.user_id);
        audit::append(tx, realm_id, now, acting, None, "user_group_updated", &data)?;
        Ok(change::outcome((), events))
    })
}

fn set_texts(
    tx: &WriteTx<'_>,
    actor: &Actor,
    target: &ManagedGroup,
    changes: &GroupChanges,
    changed: &mut Record,
    events: &mut Vec<Event>,
) -> Result<(), ActionError> {
    let (row, realm_id) = (&target.row, actor.realm_id);
    let name = changes.name.as_deref().filter(|name| *name != row.name);
    let description = changes.description.as_deref();
    let description = description.filter(|text| *text != row.description);
    let name = name.map(check_name).transpose()?;
    let description = description.map(check_description).transpose()?;
    let name = name.as_deref().filter(|name| *name != row.name);
    let description = description
        .as_deref()
        .filter(|text| *text != row.description);
    if name.is_some() || description.is_some() {
        let growth = Meter::start(tx, Quota::GroupText, realm_id)?;
        let creator = groups::creator(tx, row.id)?;
        let share = Meter::of_share(tx, Quota::GroupTextOfCreator, actor, creator)?;
        groups::set_texts(tx, row.id, name, description).map_err(name_taken)?;
        for growth in [Some(growth), share].into_iter().flatten() {
            growth.check(tx)?;
        }
    }
    for (property, text) in [("name", name), ("description", description)] {
        if let Some(text) = text {
            changed.insert(property.to_owned(), json!(text));
            events.push(update_event(target, property, json!(text)));
        }
    }
    Ok(())
}

fn set_permissions(
    tx: &WriteTx<'_>,
    actor: &Actor,
    target: &ManagedGroup,
    changes: &GroupChanges,
    changed: &mut Record,
    events: &mut Vec<Event>,
) -> Result<(), ActionError> {
    if changes.permissions.is_empty() {
        return Ok(());
    }
    let settings = GroupSettings::new(tx, actor)?;
    let creator = groups::creator(tx, target.row.id)?;
    let share = Meter::of_share(tx, Quota::GroupMembersOfCreator, actor, creator)?;
    let owner = Owner::UserGroup(target.row.id);
    for (setting, update) in &changes.permissions {
        if let Some(value) = settings.apply_update(owner, setting, update)? {
            changed.insert(setting.name.to_owned(), json!(value));
            events.push(update_event(target, setting.name, json!(value)));
        }
    }
    settings.check_growth()?;
    share.map_or(Ok(()), |share| share.check(tx))
}

fn update_event(target: &ManagedGroup, property: &str, value: serde_json::Value) -> Event {
    let data = Map::from_iter([(property.to_owned(), value)]);
    kinds::user_group_update(target.changed(), data, Audience::realm())
}
