//! What the changes of an account share: finding it, and who may change it.

use spindle_domain::policy::{AdministerFacts, Reason, Verdict};
use spindle_domain::{Role, UserId};
use spindle_store::users::UserRow;
use spindle_store::{Db, DbError, users};

use crate::{ActionError, Actor};

/// An account that may be changed.
pub(crate) struct Target {
    pub(crate) row: UserRow,
    pub(crate) role: Role,
}

/// A rule of the domain about changing an account.
pub(crate) type Rule = fn(&AdministerFacts) -> Verdict;

/// Finds an account and asks `rule` whether `acting` may change it. The operator (none) may
/// do what an owner may.
pub(crate) fn access_account(
    db: &dyn Db,
    acting: Option<&Actor>,
    realm_id: i64,
    user_id: UserId,
    rule: Rule,
) -> Result<Target, ActionError> {
    let row = users::by_id(db, realm_id, user_id.get())?.ok_or(Reason::NoAccess)?;
    let role = Role::from_i64(row.role)
        .ok_or_else(|| DbError::Failed(format!("user {user_id} has no role")))?;
    let target = Target { row, role };
    let facts = AdministerFacts {
        actor_role: acting.map_or(Role::Owner, |actor| actor.role),
        target_role: role,
        actor_owns_target: acting
            .is_some_and(|actor| target.row.bot_owner_id == Some(actor.user_id.get())),
        target_is_privileged_bot: target.row.is_bot
            && users::has_permission(db, target.row.id, "can_create_users")?,
        target_is_last_owner: is_last_owner(db, realm_id, &target)?,
    };
    rule(&facts).check()?;
    Ok(target)
}

/// Whether the account is the only active human owner.
pub(crate) fn is_last_owner(
    db: &dyn Db,
    realm_id: i64,
    target: &Target,
) -> Result<bool, ActionError> {
    let counts = target.role.is_owner() && target.row.is_active && !target.row.is_bot;
    Ok(counts && users::count_other_owners(db, realm_id, target.row.id)? == 0)
}

/// The acting account as the audit log has it.
pub(crate) fn acting_id(acting: Option<&Actor>) -> Option<i64> {
    acting.map(|actor| actor.user_id.get())
}
