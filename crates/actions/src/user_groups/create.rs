//! Creates a user group (docs/protocol/user-groups.md#create_user_group).

use serde_json::json;
use spindle_domain::group_name::{GroupNameProblem, check_group_name};
use spindle_domain::limits::quotas::Quota;
use spindle_domain::limits::{MAX_USER_GROUP_DESCRIPTION_LENGTH, MAX_USER_GROUP_NAME_LENGTH};
use spindle_domain::permission::{GROUP, PermissionSetting};
use spindle_domain::policy::may_create_group;
use spindle_domain::text::{Form, is_longer_than};
use spindle_domain::{GroupId, GroupSettingValue, UserId, permission};
use spindle_events::{Audience, kinds};
use spindle_store::group_settings::Owner;
use spindle_store::{Connection, DbError, audit, group_records, groups, id_list};

use super::access::holds_realm_permission;
use super::lists::{check_groups, check_users};
use crate::json_record::parse_record;
use crate::permissions::group_setting::GroupSettings;
use crate::text::accept;
use crate::{ActionError, Actor, change, quota};

/// The properties of a new group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewGroup {
    /// Unique in the organization, deactivated groups included.
    pub name: String,
    /// At most 1024 code points.
    pub description: String,
    /// Ids of active users, in any order.
    pub members: Vec<UserId>,
    /// Ids of active groups, in any order.
    pub subgroups: Vec<GroupId>,
    /// Permissions of [`GROUP`] that were sent; the others get their defaults.
    pub permissions: Vec<(&'static PermissionSetting, GroupSettingValue)>,
}

/// Makes a group at `now` (UNIX seconds) and returns its id.
///
/// # Errors
/// [`ActionError::Denied`] without `realm_can_create_groups`; [`ActionError::BadRequest`] for
/// a bad or taken name, a description that is too long, more than quotas allow, members who are no active users, subgroups that are no active groups,
/// and, like `ClientError::SystemGroupRequired`, values that a permission may not have.
pub fn create_group(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    new: &NewGroup,
) -> Result<GroupId, ActionError> {
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        may_create_group(holds_realm_permission(
            tx,
            actor,
            permission!(REALM, "can_create_groups"),
        )?)
        .check()?;
        let name = check_name(&new.name)?;
        let description = check_description(&new.description)?;
        check_users(tx, actor, &new.members)?;
        check_groups(tx, actor, &new.subgroups)?;
        let creator = Some(actor.user_id);
        let (shown, text) = (Some(name.as_str()), description.as_str());
        let id = groups::insert(tx, realm_id, shown, text, false, creator, Some(now))
            .map_err(name_taken)?;
        quota::check_share(tx, Quota::GroupsOfCreator, actor)?;
        quota::check_share(tx, Quota::GroupTextOfCreator, actor)?;
        quota::check(tx, Quota::Groups, realm_id)?;
        quota::check(tx, Quota::GroupText, realm_id)?;
        let settings = GroupSettings::new(tx, actor)?;
        settings.check_room(1, &new.permissions)?;
        quota::check_room(tx, actor, new.members.len() + new.subgroups.len())?;
        let owner = Owner::UserGroup(id);
        settings.for_creation(owner, GROUP, &new.permissions, Some(actor.user_id))?;
        groups::add_members(tx, id, &id_list(new.members.iter().copied()))?;
        if !new.subgroups.is_empty() {
            quota::nest(tx, id, &id_list(new.subgroups.iter().copied()))?;
        }
        let is_self = new.members == [actor.user_id] && new.subgroups.is_empty();
        let adds_none = new.members.is_empty() && new.subgroups.is_empty();
        quota::check_people(tx, Quota::GroupMembers, actor, is_self || adds_none)?;
        quota::check_share(tx, Quota::GroupMembersOfCreator, actor)?;
        let data = json!({"group_id": id, "name": name}).to_string();
        audit::append(
            tx,
            realm_id,
            now,
            creator,
            None,
            "user_group_created",
            &data,
        )?;
        let record = group_records::one(tx, realm_id, id)?.ok_or(DbError::NoRow)?;
        let event = kinds::user_group_add(parse_record(&record)?, Audience::realm());
        Ok(change::made(id, event))
    })
}

/// A name as stored.
pub(super) fn check_name(name: &str) -> Result<String, ActionError> {
    check_group_name(name).map_err(|problem| {
        let problem = match problem {
            GroupNameProblem::Blank => "it must not be blank".to_owned(),
            GroupNameProblem::TooLong => {
                format!("at most {MAX_USER_GROUP_NAME_LENGTH} characters are allowed")
            }
            GroupNameProblem::Unprintable(position) => {
                format!("character {position} cannot be printed")
            }
            GroupNameProblem::ReservedPrefix(prefix) => {
                format!("it must not begin with '{prefix}'")
            }
        };
        ActionError::BadRequest(format!("Parameter name: {problem}"))
    })
}

/// A description as stored; it may be empty.
pub(super) fn check_description(description: &str) -> Result<String, ActionError> {
    let description = accept(Form::Block, "the description", description)?;
    let limit = MAX_USER_GROUP_DESCRIPTION_LENGTH;
    if is_longer_than(&description, limit) {
        return Err(ActionError::BadRequest(format!(
            "Parameter description: at most {limit} characters are allowed"
        )));
    }
    Ok(description)
}

/// The store's refusal of a name that is in use.
pub(super) fn name_taken(error: DbError) -> ActionError {
    match error {
        DbError::NotUnique(_) => {
            ActionError::bad_request("Parameter name: another group has this name")
        }
        other => other.into(),
    }
}
