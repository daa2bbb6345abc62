//! Changes the role of an account and with it the system groups it is in.

use serde_json::json;
use spindle_domain::policy::{Reason, RoleChangeFacts, may_administer_user, may_change_role};
use spindle_domain::{Role, UserId};
use spindle_events::kinds::UserChange;
use spindle_events::{Audience, kinds};
use spindle_store::{Db, Emitted, WriteTx, audit, groups, queues, realms, users};

use crate::manage_account::{access_account, acting_id, is_last_owner};
use crate::system_groups::{SystemGroups, has_waited};
use crate::{ActionError, Actor, Settings, emit};

/// Changes the role at `now` (UNIX seconds); nothing happens when it is the same. The queues
/// of an account that becomes or ceases to be a guest end: what they may hold has changed.
/// Spec: PATCH /users/{user_id}; protocol-facts 2.10.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account, or `acting` (none: the operator)
/// may not make this change, or the organization would lose its last owner.
pub fn set_role(
    db: &dyn Db,
    acting: Option<&Actor>,
    realm_id: i64,
    now: i64,
    user_id: UserId,
    role: Role,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    let target = access_account(&tx, acting, realm_id, user_id, may_administer_user)?;
    let (id, from) = (target.row.id, target.role);
    if from == role {
        tx.commit(realm_id, now, Emitted::Nothing("the role is the same"))?;
        return Ok(());
    }
    let facts = RoleChangeFacts {
        // The operator may do what an owner may.
        actor_role: acting.map_or(Role::Owner, |actor| actor.role),
        from,
        to: role,
        is_last_owner: is_last_owner(&tx, realm_id, &target)?,
    };
    may_change_role(&facts).check()?;
    users::set_role(&tx, id, role.as_i64())?;
    if from.is_guest() != role.is_guest() {
        queues::delete_of_user(&tx, id)?;
    }
    let realm = realms::by_id(&tx, realm_id)?.ok_or(Reason::NoAccess)?;
    let settings = Settings::of_realm(&realm.settings);
    let groups = SystemGroups::read(&tx, realm_id)?;
    // What is left is what the rows say: who has waited long enough may be found out late.
    let old: Vec<i64> = groups::direct_groups_of(&tx, id)?
        .into_iter()
        .filter_map(|row| row.is_system_group.then_some(row.group_id))
        .collect();
    let new = groups.of(
        role,
        has_waited(&settings, role, target.row.date_joined, now),
    )?;
    let mut events = vec![kinds::realm_user_update(
        id,
        UserChange::Role(role.as_i64()),
        Audience::realm(),
    )];
    let is_listed = target.row.is_active;
    for group_id in old.iter().filter(|group| !new.contains(group)) {
        groups::remove_member(&tx, *group_id, id)?;
        events.extend(
            is_listed
                .then(|| kinds::user_group_remove_members(*group_id, &[id], Audience::realm())),
        );
    }
    for group_id in new.iter().filter(|group| !old.contains(group)) {
        groups::add_member(&tx, *group_id, id)?;
        events.extend(
            is_listed.then(|| kinds::user_group_add_members(*group_id, &[id], Audience::realm())),
        );
    }
    let data = json!({"old": from, "new": role}).to_string();
    let acting = acting_id(acting);
    audit::append(
        &tx,
        realm_id,
        now,
        acting,
        Some(id),
        "user_role_changed",
        &data,
    )?;
    tx.commit(realm_id, now, emit::events(events))?;
    Ok(())
}
