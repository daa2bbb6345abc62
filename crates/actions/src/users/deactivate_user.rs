//! Deactivates an account: it can no longer log in, and its sessions and queues end. Rows that name it
//! stay, since old messages refer to it. The bots of a person go with them.

use serde_json::json;
use spindle_domain::errors::ClientError;
use spindle_domain::policy::{Reason, may_deactivate_user};
use spindle_domain::{RealmId, UserId};
use spindle_events::kinds::{self, UserChange};
use spindle_events::{Audience, credentials_ended};
use spindle_store::users::UserRow;
use spindle_store::{Connection, DbError, Freeing, apps, queues, subscriptions, user_lists, users};

use crate::access::who_sees::guests_without;
use crate::account::manage_account::Change;
use crate::account::sessions;
use crate::app_events::pause_of_user;
use crate::invitations::revoke_of_inviter;
use crate::permissions::group_setting::changed_values;
use crate::users::bot_events::removed;
use crate::users::create_user::peer_events;
use crate::users::erase_traces::{DeactivationActions, erase_messages, erase_traces};
use crate::users::group_events::group_events;
use crate::users::paused_apps::notify_owners;
use crate::{ActionError, Actor};

/// Options of a deactivation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deactivation<'a> {
    /// A comment for the audit log.
    pub comment: Option<&'a str>,
    /// Data that is deleted with the account; its bots are treated alike.
    pub actions: DeactivationActions,
}

/// Deactivates an account at `now` (UNIX seconds); nothing happens when it is already.
/// See docs/protocol/subscriptions.md#appearing, docs/protocol/users.md#deactivate_user.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account or `acting` (`None`: the operator) may not administer it;
/// [`ClientError::CannotDeactivateLastUser`].
pub fn deactivate_user(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    Change::if_needed(db, acting, realm_id, now, |change| {
        let user = change
            .access(user_id, may_deactivate_user)
            .map_err(last_owner_stays)?
            .row;
        if user.is_active {
            deactivate(change, &user, Deactivation::default())?;
        }
        Ok(())
    })
}

/// Deactivates a person in the name of `actor` at `now` (UNIX seconds), with their bots. See
/// docs/protocol/users.md#deactivate_user.
///
/// # Errors
/// As [`deactivate_user`]; [`ActionError::BadRequest`] for a user who was deactivated before;
/// [`ActionError::Denied`] for bots, which have an operation of their own.
pub fn deactivate_person(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    user_id: UserId,
    deactivation: Deactivation<'_>,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let user = change
            .access(user_id, may_deactivate_user)
            .map_err(last_owner_stays)?
            .row;
        if user.is_bot {
            return Err(Reason::NoAccess.into());
        }
        if !user.is_active {
            return Err(ActionError::bad_request("This user is already deactivated"));
        }
        deactivate(change, &user, deactivation)?;
        Ok(())
    })?;
    // The account is deactivated, and its messages will go: what fails here is left to the job.
    let _ = erase_messages(db, actor.realm_id, now, deactivation.actions);
    Ok(())
}

/// Deactivates the caller's own account at `now` (UNIX seconds).
/// See docs/protocol/users.md#deactivate_own_user.
///
/// # Errors
/// [`ClientError::CannotDeactivateLastUser`] when no other person, or no other owner, is active.
pub fn deactivate_own_user(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let row = users::by_id(change.tx, change.realm_id, actor.user_id)?;
        let user = row.ok_or(Reason::NoAccess)?;
        if user_lists::count_others(change.tx, change.realm_id, user.id)? == 0 {
            return Err(ClientError::CannotDeactivateLastUser {
                is_last_owner: false,
            }
            .into());
        }
        let is_owner = user.role == spindle_domain::Role::Owner;
        if is_owner && user_lists::count_other_owners(change.tx, change.realm_id, user.id)? == 0 {
            return Err(ClientError::CannotDeactivateLastUser {
                is_last_owner: true,
            }
            .into());
        }
        deactivate(change, &user, Deactivation::default())?;
        Ok(())
    })
}

fn last_owner_stays(error: ActionError) -> ActionError {
    match error {
        ActionError::Denied(Reason::LastOwner) => ClientError::CannotDeactivateLastUser {
            is_last_owner: true,
        }
        .into(),
        other => other,
    }
}

/// The step that deactivates an active account, its bots first. Values of permissions that list several of them change
/// once: an owner and 250 bots may be in thousands.
fn deactivate(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    deactivation: Deactivation<'_>,
) -> Result<(), ActionError> {
    let mut gone = user_lists::active_bots_of(change.tx, user.id)?;
    let apps = apps::active_of_owner(change.tx, user.id)?;
    for bot_id in gone.iter().copied() {
        let bot = users::by_id(change.tx, change.realm_id, bot_id)?.ok_or(DbError::NoRow)?;
        let without_comment = Deactivation {
            comment: None,
            ..deactivation
        };
        deactivate_one(change, &bot, without_comment)?;
    }
    deactivate_one(change, user, deactivation)?;
    gone.push(user.id);
    let events = changed_values(change.tx, change.realm_id, &gone)?;
    change.events.extend(events);
    notify_owners(change, user, &apps)?;
    Ok(())
}

/// The step that deactivates an active bot, whose data stays. It writes less than [`deactivate`], so components that
/// deactivate bots alone need fewer rights.
pub(crate) fn end_bot(change: &mut Change<'_, '_>, bot: &UserRow) -> Result<(), ActionError> {
    end(change, bot, None)?;
    let events = changed_values(change.tx, change.realm_id, &[bot.id])?;
    change.events.extend(events);
    Ok(())
}

fn deactivate_one(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    deactivation: Deactivation<'_>,
) -> Result<(), ActionError> {
    if let Some(actor) = change.acting {
        erase_traces(change, actor, user, deactivation.actions)?;
    }
    end(change, user, deactivation.comment)
}

/// Ends an account, and what gives access to it.
fn end(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    comment: Option<&str>,
) -> Result<(), ActionError> {
    revoke_of_inviter(change, user.id)?;
    let (tx, id) = (change.tx, user.id);
    // Archived channels are among them (FL 428).
    let channel_ids = subscriptions::channels_of(tx, id)?;
    // The audience is read while the account still counts as a subscriber.
    let peers = kinds::subscription_peer_remove;
    let mut events = peer_events(tx, change.realm_id, id, &channel_ids, peers)?;
    let audience = change.who_sees(user)?;
    let without = guests_without(tx, change.realm_id, id, user.is_bot)?;
    users::set_active(tx, id, false)?;
    // Keys stay until reactivation, so that their refusal can give the reason.
    sessions::end_all(tx, id, None)?;
    queues::delete_of_user(tx, id)?;
    pause_of_user(tx, change.realm_id, change.now, id)?;
    events.push(credentials_ended(id));
    let update = UserChange::IsActive(false);
    events.push(kinds::realm_user_update(id, update, audience));
    // For all others it follows from `is_active`.
    if !without.is_empty() {
        let audience = Audience::users(without);
        let removed = kinds::user_group_remove_members;
        events.extend(group_events(tx, id, removed, &audience)?);
    }
    if user.is_bot {
        events.push(removed(tx, change.realm_id, id, user.bot_owner_id)?);
    }
    change.events.extend(events);
    let data = match comment.filter(|text| !text.is_empty()) {
        Some(comment) => json!({"comment": comment}),
        None => json!({}),
    };
    change.audit(Some(id), "user_deactivated", &data)
}
