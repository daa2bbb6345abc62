//! Changes the role of an account and with it the system groups it is in.

use serde_json::json;
use spindle_domain::policy::{Reason, RoleChangeFacts, may_administer_user, may_change_role};
use spindle_domain::{GroupId, RealmId, Role, UserId};
use spindle_events::kinds::UserChange;
use spindle_events::{Audience, credentials_ended, kinds};
use spindle_store::users::UserRow;
use spindle_store::{Connection, groups, queues, realms, sponsors, user_lists, users};

use crate::account::manage_account::{Change, ManagedAccount, is_last_owner};
use crate::permissions::system_groups::{SystemGroups, has_waited};
use crate::users::role_view::RoleView;
use crate::{ActionError, Actor, Settings};

/// Changes the role at `now` (UNIX seconds); nothing happens when it is the same.
/// See docs/protocol/users.md#update_user_by_email, docs/protocol/users.md#update_user.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account, or `acting` (`None`: the operator) may not make this change,
/// or the organization would lose its last owner.
pub fn set_role(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    role: Role,
) -> Result<(), ActionError> {
    Change::if_needed(db, acting, realm_id, now, |change| {
        let target = change.access(user_id, may_administer_user)?;
        change_role(change, &target, role)?;
        Ok(())
    })
}

/// The step of a change that sets the role of an account. The queues of an account that becomes or ceases to be a guest
/// end: what they may hold has changed. So do those of bots, of which one person may have hundreds. For any other change
/// its clients receive events about what they see from now on, and what they no longer see. Bots never have a higher role
/// than their owner, so they are lowered with it.
pub(crate) fn change_role(
    change: &mut Change<'_, '_>,
    target: &ManagedAccount,
    role: Role,
) -> Result<(), ActionError> {
    let (id, from) = (target.row.id, target.role);
    if from == role {
        return Ok(());
    }
    let facts = RoleChangeFacts {
        actor_role: change.acting_role(),
        from,
        to: role,
        is_last_owner: is_last_owner(change.tx, change.realm_id, target)?,
    };
    may_change_role(&facts).check()?;
    if let Some(owner_id) = target.row.bot_owner_id
        && let Some(owner) = users::by_id(change.tx, change.realm_id, owner_id)?
        && role < owner.role
    {
        return Err(ActionError::bad_request(
            "A bot cannot have a higher role than its owner",
        ));
    }
    write_role(change, &target.row, from, role)?;
    for bot_id in user_lists::bots_of(change.tx, id)? {
        if let Some(bot) = users::by_id(change.tx, change.realm_id, bot_id)? {
            lower_to(change, &bot, role)?;
        }
    }
    Ok(())
}

/// Lowers a bot to the role of its owner.
pub(crate) fn lower_to(
    change: &mut Change<'_, '_>,
    bot: &UserRow,
    owner_role: Role,
) -> Result<(), ActionError> {
    if bot.role < owner_role {
        write_role(change, bot, bot.role, owner_role)?;
    }
    Ok(())
}

fn write_role(
    change: &mut Change<'_, '_>,
    target: &UserRow,
    from: Role,
    role: Role,
) -> Result<(), ActionError> {
    let id = target.id;
    let ends_queues = from.is_guest() != role.is_guest() || target.is_bot;
    let before = (!ends_queues)
        .then(|| RoleView::read(change, id, from))
        .transpose()?;
    users::set_role(change.tx, id, role)?;
    if role.is_admin() {
        sponsors::end_of(change.tx, id)?;
    }
    if ends_queues {
        queues::delete_of_user(change.tx, id)?;
        // Before the change: the polls of these queues end before any later event is delivered.
        change.events.push(credentials_ended(id));
    }
    let audience = change.who_sees(target)?;
    let update = UserChange::Role(role.as_i64());
    change
        .events
        .push(kinds::realm_user_update(id, update, audience));
    change_groups(change, target, role)?;
    if let Some(before) = before {
        let after = RoleView::read(change, id, role)?;
        after.emit_differences(change, id, &before)?;
    }
    let data = json!({"old": from, "new": role});
    change.audit(Some(id), "user_role_changed", &data)
}

fn change_groups(
    change: &mut Change<'_, '_>,
    target: &UserRow,
    role: Role,
) -> Result<(), ActionError> {
    let id = target.id;
    let realm = realms::by_id(change.tx, change.realm_id)?.ok_or(Reason::NoAccess)?;
    let settings = Settings::of_realm(&realm.settings);
    let groups = SystemGroups::read(change.tx, change.realm_id)?;
    // The old groups are read from the rows: a user becomes a full member some time after they could.
    let old: Vec<GroupId> = groups::direct_groups_of(change.tx, id)?
        .into_iter()
        .filter_map(|row| row.is_system_group.then_some(row.group_id))
        .collect();
    let waited = has_waited(&settings, role, target.date_joined, change.now);
    let new = groups.of(role, waited)?;
    let is_listed = target.is_active;
    for group_id in old.iter().filter(|group| !new.contains(group)) {
        groups::remove_member(change.tx, *group_id, id)?;
        let event = kinds::user_group_remove_members(*group_id, &[id], Audience::realm());
        change.events.extend(is_listed.then_some(event));
    }
    for group_id in new.iter().filter(|group| !old.contains(group)) {
        groups::add_member(change.tx, *group_id, id)?;
        let event = kinds::user_group_add_members(*group_id, &[id], Audience::realm());
        change.events.extend(is_listed.then_some(event));
    }
    Ok(())
}
