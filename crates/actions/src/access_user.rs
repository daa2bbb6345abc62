//! The one way to another account that a client names: it exists, and the caller may see it.

use spindle_domain::UserId;
use spindle_domain::policy::{Reason, SeeUserFacts, may_see_user};
use spindle_store::users::UserRow;
use spindle_store::{Db, group_settings, users};

use crate::{ActionError, Actor};

/// Finds the account `user_id` (spec: `realm_can_access_all_users_group`). Costs further
/// statements for guests only.
///
/// # Errors
/// [`ActionError::Denied`] with the same reason whether it does not exist or is hidden.
pub(crate) fn access_user(
    db: &dyn Db,
    actor: &Actor,
    user_id: UserId,
) -> Result<UserRow, ActionError> {
    let row = users::by_id(db, actor.realm_id.get(), user_id.get())?.ok_or(Reason::NoAccess)?;
    may_see_user(&facts(db, actor, row.id, row.is_bot)?).check()?;
    Ok(row)
}

/// What the rule about seeing a user asks for.
pub(crate) fn facts(
    db: &dyn Db,
    actor: &Actor,
    user_id: i64,
    target_is_bot: bool,
) -> Result<SeeUserFacts, ActionError> {
    let (realm_id, own_id) = (actor.realm_id.get(), actor.user_id.get());
    let sees_all_users = !actor.role.is_guest()
        || group_settings::held_by(db, "realm", realm_id, own_id)?
            .iter()
            .any(|name| name == "can_access_all_users_group");
    Ok(SeeUserFacts {
        is_self: own_id == user_id,
        sees_all_users,
        shares_conversation: !sees_all_users && users::share_conversation(db, own_id, user_id)?,
        target_is_bot,
    })
}
