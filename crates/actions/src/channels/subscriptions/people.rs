//! The people whose subscriptions a request is about (`principals`).

use std::collections::BTreeSet;

use serde_json::json;
use spindle_domain::UserId;
use spindle_domain::narrow::UserReference;
use spindle_domain::policy::{Reason, may_see_user};
use spindle_store::user_lists::RecipientRow;
use spindle_store::{Db, id_list, user_lists, users};

use crate::access::access_user;
use crate::text::fold_name;
use crate::{ActionError, Actor};

/// The active accounts that `principals` names, by id; the caller when it names none.
///
/// # Errors
/// [`ActionError::Denied`], the same for accounts that do not exist, are deactivated, or that
/// the caller may not know of.
pub(crate) fn access_principals(
    db: &dyn Db,
    actor: &Actor,
    principals: &[UserReference],
) -> Result<Vec<UserId>, ActionError> {
    if principals.is_empty() {
        return Ok(vec![actor.user_id]);
    }
    let mut ids = BTreeSet::new();
    let mut emails = BTreeSet::new();
    for principal in principals {
        match principal {
            UserReference::Id(id) => ids.insert(*id),
            UserReference::Email(email) => emails.insert(fold_name(email)),
        };
    }
    let found: Vec<RecipientRow> = user_lists::recipients(
        db,
        actor.realm_id,
        &id_list(ids.iter().copied()),
        &json!(emails).to_string(),
    )?
    .into_iter()
    .filter(|row| row.is_active)
    .collect();
    let found_ids: BTreeSet<UserId> = found.iter().map(|row| row.id).collect();
    let found_emails: BTreeSet<String> = found.iter().map(|row| row.email_folded.clone()).collect();
    if !ids.is_subset(&found_ids) || !emails.is_subset(&found_emails) {
        return Err(Reason::NoAccess.into());
    }
    if actor.role.is_guest() {
        for row in &found {
            may_see_user(&access_user::facts(db, actor, row.id, row.is_bot)?).check()?;
        }
    }
    Ok(found_ids.into_iter().collect())
}

/// Whether every one of these accounts is the actor's own, or a bot of theirs.
pub(crate) fn owns_all(
    db: &dyn Db,
    actor: &Actor,
    user_ids: &[UserId],
) -> Result<bool, ActionError> {
    let own_id = actor.user_id;
    for user_id in user_ids.iter().filter(|user_id| **user_id != own_id) {
        let row = users::by_id(db, actor.realm_id, *user_id)?;
        if row.is_none_or(|row| row.bot_owner_id != Some(own_id)) {
            return Ok(false);
        }
    }
    Ok(true)
}
