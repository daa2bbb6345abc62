//! Role and user groups of a person, as the operator has mapped the groups of the provider.

use serde_json::json;
use spindle_domain::UserId;
use spindle_domain::identity::{Claims, Rules, memberships, role_of};
use spindle_events::Audience;
use spindle_events::kinds::{self, ChangedGroup};
use spindle_store::{DbError, groups, id_list, users};

use crate::ActionError;
use crate::access::channel_sight::ChannelSight;
use crate::account::manage_account::{Change, ManagedAccount};
use crate::users::set_role::change_role;

/// The step that gives an account the role and the user groups that the claims give.
pub(super) fn apply(
    change: &mut Change<'_, '_>,
    user_id: UserId,
    rules: &Rules,
    claims: &Claims,
) -> Result<(), ActionError> {
    let row = users::by_id(change.tx, change.realm_id, user_id)?.ok_or(DbError::NoRow)?;
    if let Some(role) = role_of(rules, claims, row.role) {
        let target = ManagedAccount {
            role: row.role,
            row,
        };
        change_role(change, &target, role)?;
    }
    apply_groups(change, user_id, rules, claims)
}

/// Names of groups that do not exist, or are deactivated, do nothing; neither do system groups, which follow from roles.
fn apply_groups(
    change: &mut Change<'_, '_>,
    user_id: UserId,
    rules: &Rules,
    claims: &Claims,
) -> Result<(), ActionError> {
    let wanted = memberships(rules, claims);
    if wanted.is_empty() {
        return Ok(());
    }
    let (tx, realm_id, now) = (change.tx, change.realm_id, change.now);
    let names: Vec<&str> = wanted.keys().copied().collect();
    for group in groups::of_names(tx, realm_id, &json!(names).to_string())? {
        if group.is_system_group || group.deactivated {
            continue;
        }
        let joins = wanted.get(group.name.as_str()).copied().unwrap_or_default();
        let user = id_list([user_id]);
        let is_member = groups::members_among(tx, group.id, &user)?.contains(&user_id);
        if joins == is_member {
            continue;
        }
        let sight = ChannelSight::before(tx, realm_id, now, group.id, [user_id], [])?;
        let changed = ChangedGroup {
            id: group.id,
            deactivated: false,
        };
        let event = match joins {
            true => {
                groups::add_members(tx, group.id, &user)?;
                kinds::user_group_add_members(changed, &[user_id], Audience::realm())
            }
            false => {
                groups::remove_members(tx, group.id, &user)?;
                kinds::user_group_remove_members(changed, &[user_id], Audience::realm())
            }
        };
        change.events.push(event);
        let seen = sight.after(tx)?;
        change.events.extend(seen);
        let (add, delete) = match joins {
            true => (vec![user_id], Vec::new()),
            false => (Vec::new(), vec![user_id]),
        };
        let data = json!({"group_id": group.id, "add": add, "delete": delete,
            "add_subgroups": [], "delete_subgroups": []});
        change.audit(None, "user_group_lists_changed", &data)?;
    }
    Ok(())
}
