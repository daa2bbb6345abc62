//! Reactivates an account with its groups and channels. Its old keys are deleted.

use serde_json::json;
use spindle_domain::policy::may_administer_user;
use spindle_domain::{RealmId, UserId, user_setting};
use spindle_events::Audience;
use spindle_events::kinds::{self, UserChange};
use spindle_store::users::UserRow;
use spindle_store::{Connection, bots, keys, subscriptions, users};

use crate::account::manage_account::Change;
use crate::audience::administrators;
use crate::permissions::group_setting::changed_values;
use crate::text::check_name_is_free;
use crate::users::bot_events::added;
use crate::users::bots::check_permission;
use crate::users::create_user::peer_events;
use crate::users::group_events::group_events;
use crate::{ActionError, Actor, Settings};

/// Reactivates an account at `now` (UNIX seconds); nothing happens when it is active.
/// See docs/protocol/users.md#reactivate_user.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account or `acting` (`None`: the operator) may not administer it, and
/// for a bot that they may not create; [`ActionError::BadRequest`] where names are unique, and another account has the
/// name or one that looks like it.
pub fn reactivate_user(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    Change::if_needed(db, acting, realm_id, now, |change| {
        let user = change.access(user_id, may_administer_user)?.row;
        if user.is_active {
            return Ok(());
        }
        if user.is_bot
            && let Some(acting) = acting
        {
            let bot_type = bots::bot_type(change.tx, user.id)?.unwrap_or(1);
            check_permission(change.tx, acting, bot_type)?;
        }
        reactivate(change, &user)
    })
}

/// The step that reactivates an account.
pub(crate) fn reactivate(change: &mut Change<'_, '_>, user: &UserRow) -> Result<(), ActionError> {
    let (tx, id, realm_id) = (change.tx, user.id, change.realm_id);
    // Where names became unique after this one was given, another account may have it.
    check_name_is_free(tx, realm_id, &user.full_name, Some(id))?;
    users::set_active(tx, id, true)?;
    // Old keys may have leaked while the account was deactivated.
    keys::delete_all(tx, id)?;
    let update = UserChange::IsActive(true);
    let mut events = vec![kinds::realm_user_update(id, update, change.who_sees(user)?)];
    if !user.is_bot {
        let setting = user_setting!("allow_private_data_export");
        let consents = Settings::of_user(&user.settings).is_on(setting);
        let admins = administrators(tx, realm_id)?;
        events.push(kinds::realm_export_consent(id, consents, admins));
    }
    let everyone = Audience::realm();
    events.extend(group_events(
        tx,
        id,
        kinds::user_group_add_members,
        &everyone,
    )?);
    events.extend(changed_values(tx, change.realm_id, &[id])?);
    if user.is_bot {
        events.push(added(tx, realm_id, id, user.bot_owner_id)?);
    }
    let channel_ids = subscriptions::channels_of(tx, id)?;
    let peers = kinds::subscription_peer_add;
    events.extend(peer_events(tx, realm_id, id, &channel_ids, peers)?);
    change.events.extend(events);
    change.audit(Some(id), "user_reactivated", &json!({}))
}
