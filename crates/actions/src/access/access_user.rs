//! Finds another account that a client has named, and checks that the caller may see it. Every action
//! finds accounts here, so that a hidden one answers like a missing one.

use std::collections::HashSet;

use spindle_domain::policy::{Reason, SeeUserFacts, may_see_delivery_email, may_see_user};
use spindle_domain::{UserId, user_setting};
use spindle_store::users::UserRow;
use spindle_store::{Db, id_list, user_access, users};

use crate::access::view::sees_all_users;
use crate::text::fold_name;
use crate::{ActionError, Actor, Settings};

/// Finds the account `user_id` (docs/protocol/permissions.md#of-the-organization,
/// `realm_can_access_all_users_group`). Costs further statements for guests only.
///
/// # Errors
/// [`ActionError::Denied`] with the same reason whether it does not exist or is hidden.
pub(crate) fn access_user(
    db: &dyn Db,
    actor: &Actor,
    user_id: UserId,
) -> Result<UserRow, ActionError> {
    let row = users::by_id(db, actor.realm_id, user_id)?.ok_or(Reason::NoAccess)?;
    may_see_user(&facts(db, actor, row.id, row.is_bot)?).check()?;
    Ok(row)
}

/// Finds an account by its API email, or by its real address where the caller may see that.
///
/// # Errors
/// [`ActionError::Denied`] with the same reason whether it does not exist or is hidden.
pub(crate) fn access_user_by_email(
    db: &dyn Db,
    actor: &Actor,
    email: &str,
) -> Result<UserRow, ActionError> {
    let folded = fold_name(email);
    let row = users::by_email(db, actor.realm_id, &folded)?.ok_or(Reason::NoAccess)?;
    if fold_name(&row.email) != folded {
        let level =
            Settings::of_user(&row.settings).integer(user_setting!("email_address_visibility"));
        let is_self = row.id == actor.user_id;
        let sees_address = may_see_delivery_email(level, actor.role, is_self);
        if !sees_address.is_allowed() {
            return Err(Reason::NoAccess.into());
        }
    }
    may_see_user(&facts(db, actor, row.id, row.is_bot)?).check()?;
    Ok(row)
}

/// The accounts that the caller may see, each as an id and whether it is a bot. Costs two statements, for guests only,
/// regardless of the number of accounts.
pub(crate) fn visible_among(
    db: &dyn Db,
    actor: &Actor,
    accounts: &[(UserId, bool)],
) -> Result<HashSet<UserId>, ActionError> {
    let sees_all_users = accounts.is_empty() || sees_all_users(db, actor)?;
    let partners = if sees_all_users {
        Vec::new()
    } else {
        let ids = id_list(accounts.iter().map(|(id, _)| *id));
        user_access::partners_among(db, actor.user_id, &ids)?
    };
    let may_see = |(id, is_bot): &&(UserId, bool)| {
        let facts = SeeUserFacts {
            is_self: *id == actor.user_id,
            sees_all_users,
            shares_conversation: partners.binary_search(id).is_ok(),
            target_is_bot: *is_bot,
        };
        may_see_user(&facts).is_allowed()
    };
    Ok(accounts.iter().filter(may_see).map(|(id, _)| *id).collect())
}

/// What the rule about seeing a user asks for.
pub(crate) fn facts(
    db: &dyn Db,
    actor: &Actor,
    user_id: UserId,
    target_is_bot: bool,
) -> Result<SeeUserFacts, ActionError> {
    let own_id = actor.user_id;
    let sees_all_users = sees_all_users(db, actor)?;
    Ok(SeeUserFacts {
        is_self: own_id == user_id,
        sees_all_users,
        shares_conversation: !sees_all_users
            && user_access::share_conversation(db, own_id, user_id)?,
        target_is_bot,
    })
}
