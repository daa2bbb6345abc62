//! Adds and removes the members and subgroups of a group
//! (docs/protocol/user-groups.md#update_user_group_subgroups).

use serde_json::json;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::policy::{may_add_to_group, may_remove_from_group};
use spindle_domain::{GroupId, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Connection, Db, WriteTx, audit, group_nesting, groups, id_list, user_lists};

use super::access::{ManagedGroup, access_managed_group};
use super::membership_notices::notify_members;
use crate::access::channel_sight::ChannelSight;
use crate::quota::Meter;
use crate::{ActionError, Actor, change, quota};

/// Members to add and to remove, in this order; ids in any order, repetitions count once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupLists {
    /// Users who become direct members.
    pub add: Vec<UserId>,
    /// Users who are no longer direct members.
    pub delete: Vec<UserId>,
    /// Groups that become direct subgroups.
    pub add_subgroups: Vec<GroupId>,
    /// Groups that are no longer direct subgroups.
    pub delete_subgroups: Vec<GroupId>,
}

/// Changes the lists of a group at `now` (UNIX seconds): all of it or nothing. Deactivated
/// groups have lists too.
///
/// # Errors
/// [`ActionError::BadRequest`] when nothing is passed; for users who are not active ones, and
/// groups that do not exist, or cannot be added because they are deactivated or would contain
/// themselves; for additions that are in the group already, and removals that are not; for more
/// members of groups than the organization may have. [`ActionError::Denied`] when there is no such
/// group, or the caller may not make one of the changes.
pub fn change_group_lists(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    group_id: GroupId,
    lists: &GroupLists,
) -> Result<(), ActionError> {
    if *lists == GroupLists::default() {
        return Err(ActionError::bad_request(
            "Name at least one person or group",
        ));
    }
    let realm_id = actor.realm_id;
    let lists = &sorted(lists);
    change::emitting(db, realm_id, now, |tx| {
        let target = access_managed_group(tx, actor, group_id)?;
        let members = lists.add.iter().chain(&lists.delete).copied();
        let subgroups = lists.add_subgroups.iter().chain(&lists.delete_subgroups);
        let subgroups = subgroups.copied();
        let id = target.row.id;
        let sight = ChannelSight::before(tx, realm_id, now, id, members, subgroups)?;
        let creator = groups::creator(tx, target.row.id)?;
        let share = Meter::of_share(tx, Quota::GroupMembersOfCreator, actor, creator)?;
        let mut events = Vec::new();
        if !lists.add.is_empty() {
            events.push(add_members(tx, actor, &target, &lists.add)?);
        }
        if !lists.delete.is_empty() {
            events.push(remove_members(tx, actor, &target, &lists.delete)?);
        }
        if !lists.add_subgroups.is_empty() {
            events.push(add_subgroups(tx, actor, &target, &lists.add_subgroups)?);
        }
        if !lists.delete_subgroups.is_empty() {
            events.push(remove_subgroups(
                tx,
                actor,
                &target,
                &lists.delete_subgroups,
            )?);
        }
        if !(lists.add.is_empty() && lists.add_subgroups.is_empty()) {
            let is_self = is_self(actor, &lists.add) && lists.add_subgroups.is_empty();
            quota::check_people(tx, Quota::GroupMembers, actor, is_self)?;
            if let Some(share) = share.filter(|_| !is_self) {
                share.check(tx)?;
            }
        }
        events.extend(sight.after(tx)?);
        events.extend(notify_members(
            tx,
            actor,
            now,
            &target,
            &lists.add,
            &lists.delete,
        )?);
        let data = json!({"group_id": target.row.id, "add": lists.add, "delete": lists.delete,
        "add_subgroups": lists.add_subgroups, "delete_subgroups": lists.delete_subgroups});
        let (acting, data) = (Some(actor.user_id), data.to_string());
        audit::append(
            tx,
            realm_id,
            now,
            acting,
            None,
            "user_group_lists_changed",
            &data,
        )?;
        change::made_in_steps((), events)
    })
}

fn sorted(lists: &GroupLists) -> GroupLists {
    GroupLists {
        add: distinct(&lists.add),
        delete: distinct(&lists.delete),
        add_subgroups: distinct(&lists.add_subgroups),
        delete_subgroups: distinct(&lists.delete_subgroups),
    }
}

fn distinct<Id: Ord + Copy>(ids: &[Id]) -> Vec<Id> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn is_self(actor: &Actor, ids: &[UserId]) -> bool {
    ids == [actor.user_id]
}

fn add_members(
    tx: &WriteTx<'_>,
    actor: &Actor,
    target: &ManagedGroup,
    ids: &[UserId],
) -> Result<Event, ActionError> {
    may_add_to_group(&target.facts, is_self(actor, ids)).check()?;
    check_users(tx, actor, ids)?;
    let (group_id, list) = (target.row.id, id_list(ids.iter().copied()));
    if let Some(id) = groups::members_among(tx, group_id, &list)?.first() {
        return Err(refused(format!("User {id} is in this group already")));
    }
    groups::add_members(tx, group_id, &list)?;
    Ok(kinds::user_group_add_members(
        target.changed(),
        ids,
        Audience::realm(),
    ))
}

fn remove_members(
    tx: &WriteTx<'_>,
    actor: &Actor,
    target: &ManagedGroup,
    ids: &[UserId],
) -> Result<Event, ActionError> {
    may_remove_from_group(&target.facts, is_self(actor, ids)).check()?;
    check_users(tx, actor, ids)?;
    let (group_id, list) = (target.row.id, id_list(ids.iter().copied()));
    let found = groups::members_among(tx, group_id, &list)?;
    if let Some(id) = ids.iter().find(|id| !found.contains(id)) {
        return Err(refused(format!("User {id} is not in this group")));
    }
    groups::remove_members(tx, group_id, &list)?;
    Ok(kinds::user_group_remove_members(
        target.changed(),
        ids,
        Audience::realm(),
    ))
}

fn add_subgroups(
    tx: &WriteTx<'_>,
    actor: &Actor,
    target: &ManagedGroup,
    ids: &[GroupId],
) -> Result<Event, ActionError> {
    may_add_to_group(&target.facts, false).check()?;
    check_groups(tx, actor, ids)?;
    let (group_id, list) = (target.row.id, id_list(ids.iter().copied()));
    if let Some(id) = group_nesting::subgroups_among(tx, group_id, &list)?.first() {
        return Err(refused(format!("Group {id} is a subgroup already")));
    }
    if let Some(id) = group_nesting::containing(tx, group_id, &list)?.first() {
        let text = format!("Group {id} contains this group, and would then contain itself");
        return Err(refused(text));
    }
    quota::nest(tx, group_id, &list)?;
    Ok(kinds::user_group_add_subgroups(
        target.changed(),
        ids,
        Audience::realm(),
    ))
}

fn remove_subgroups(
    tx: &WriteTx<'_>,
    actor: &Actor,
    target: &ManagedGroup,
    ids: &[GroupId],
) -> Result<Event, ActionError> {
    may_remove_from_group(&target.facts, false).check()?;
    let (group_id, list) = (target.row.id, id_list(ids.iter().copied()));
    let known = groups::named(tx, actor.realm_id, &list)?;
    if let Some(id) = ids.iter().find(|id| known.iter().all(|row| row.id != **id)) {
        return Err(refused(format!("There is no group {id}")));
    }
    let found = group_nesting::subgroups_among(tx, group_id, &list)?;
    if let Some(id) = ids.iter().find(|id| !found.contains(id)) {
        return Err(refused(format!(
            "Group {id} is not a subgroup of this group"
        )));
    }
    for id in ids {
        group_nesting::remove_subgroup(tx, group_id, *id)?;
    }
    Ok(kinds::user_group_remove_subgroups(
        target.changed(),
        ids,
        Audience::realm(),
    ))
}

/// All of the users exist and are active.
pub(super) fn check_users(db: &dyn Db, actor: &Actor, ids: &[UserId]) -> Result<(), ActionError> {
    let list = id_list(ids.iter().copied());
    let active = user_lists::active_among(db, actor.realm_id, &list)?;
    match ids.iter().find(|id| !active.contains(id)) {
        Some(id) => Err(refused(format!("There is no active user {id}"))),
        None => Ok(()),
    }
}

/// All of the groups exist and are not deactivated; system groups count as well.
pub(super) fn check_groups(db: &dyn Db, actor: &Actor, ids: &[GroupId]) -> Result<(), ActionError> {
    let list = id_list(ids.iter().copied());
    let rows = groups::named(db, actor.realm_id, &list)?;
    if let Some(id) = ids.iter().find(|id| rows.iter().all(|row| row.id != **id)) {
        return Err(refused(format!("There is no group {id}")));
    }
    match rows.iter().find(|row| row.deactivated) {
        Some(row) => Err(refused(format!("Group {} is deactivated", row.id))),
        None => Ok(()),
    }
}

fn refused(text: String) -> ActionError {
    ActionError::BadRequest(text)
}
