//! Deactivates an account: it can no longer log in, and its queues end. Rows that name it
//! stay, since old messages refer to it.

use spindle_domain::UserId;
use spindle_domain::policy::{Reason, may_deactivate_user};
use spindle_events::kinds::{ChangedGroup, UserChange};
use spindle_events::{Audience, kinds};
use spindle_store::{Db, Emitted, WriteTx, audit, groups, queues, subscriptions, users};

use crate::create_user::tell_peers;
use crate::group_setting::changed_values;
use crate::manage_account::{access_account, acting_id};
use crate::{ActionError, Actor, emit};

/// Deactivates an account at `now` (UNIX seconds); nothing happens when it is already.
/// Spec: Events 8; protocol-facts 5.6, DELETE /users/{id}.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account or `acting` (none: the operator) may
/// not administer it; [`ActionError::CannotDeactivateLastOwner`].
pub fn deactivate_user(
    db: &dyn Db,
    acting: Option<&Actor>,
    realm_id: i64,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    let target =
        access_account(&tx, acting, realm_id, user_id, may_deactivate_user).map_err(|error| {
            match error {
                ActionError::Denied(Reason::LastOwner) => ActionError::CannotDeactivateLastOwner,
                other => other,
            }
        })?;
    let id = target.row.id;
    if !target.row.is_active {
        tx.commit(
            realm_id,
            now,
            Emitted::Nothing("the account was deactivated before"),
        )?;
        return Ok(());
    }
    let channel_ids = subscriptions::channels_of(&tx, id)?;
    // Those who are to hear are found while the account still counts as a subscriber.
    let peers = kinds::subscription_peer_remove;
    let mut events = tell_peers(&tx, realm_id, id, &channel_ids, peers)?;
    users::set_active(&tx, id, false)?;
    queues::delete_of_user(&tx, id)?;
    let change = UserChange::IsActive(false);
    events.push(kinds::realm_user_update(id, change, Audience::realm()));
    for row in groups::direct_groups_of(&tx, id)? {
        let group = ChangedGroup {
            id: row.group_id,
            deactivated: row.deactivated,
        };
        events.push(kinds::user_group_remove_members(
            group,
            &[id],
            Audience::realm(),
        ));
    }
    events.extend(changed_values(&tx, realm_id, id)?);
    let acting = acting_id(acting);
    audit::append(
        &tx,
        realm_id,
        now,
        acting,
        Some(id),
        "user_deactivated",
        "{}",
    )?;
    tx.commit(realm_id, now, emit::events(events))?;
    Ok(())
}
