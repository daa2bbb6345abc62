//! Takes a deactivated account back, with the groups and channels it had.

use spindle_domain::UserId;
use spindle_domain::policy::may_administer_user;
use spindle_events::kinds::{ChangedGroup, UserChange};
use spindle_events::{Audience, kinds};
use spindle_store::{Db, Emitted, WriteTx, audit, groups, subscriptions, users};

use crate::create_user::tell_peers;
use crate::group_setting::changed_values;
use crate::manage_account::{access_account, acting_id};
use crate::{ActionError, Actor, emit};

/// Reactivates an account at `now` (UNIX seconds); nothing happens when it is active.
/// Spec: protocol-facts 5.6, POST /users/{id}/reactivate.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account or `acting` (none: the operator) may
/// not administer it.
pub fn reactivate_user(
    db: &dyn Db,
    acting: Option<&Actor>,
    realm_id: i64,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    let id = access_account(&tx, acting, realm_id, user_id, may_administer_user)?.row;
    if id.is_active {
        tx.commit(
            realm_id,
            now,
            Emitted::Nothing("the account was active before"),
        )?;
        return Ok(());
    }
    let id = id.id;
    users::set_active(&tx, id, true)?;
    let change = UserChange::IsActive(true);
    let mut events = vec![kinds::realm_user_update(id, change, Audience::realm())];
    for row in groups::direct_groups_of(&tx, id)? {
        let group = ChangedGroup {
            id: row.group_id,
            deactivated: row.deactivated,
        };
        events.push(kinds::user_group_add_members(
            group,
            &[id],
            Audience::realm(),
        ));
    }
    events.extend(changed_values(&tx, realm_id, id)?);
    let channel_ids = subscriptions::channels_of(&tx, id)?;
    let peers = kinds::subscription_peer_add;
    events.extend(tell_peers(&tx, realm_id, id, &channel_ids, peers)?);
    let acting = acting_id(acting);
    audit::append(
        &tx,
        realm_id,
        now,
        acting,
        Some(id),
        "user_reactivated",
        "{}",
    )?;
    tx.commit(realm_id, now, emit::events(events))?;
    Ok(())
}
