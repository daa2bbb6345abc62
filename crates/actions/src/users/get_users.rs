//! Reads other accounts: all of them, or one.

use spindle_domain::UserId;
use spindle_domain::narrow::UserReference;
use spindle_domain::policy::Reason;
use spindle_store::{Db, user_objects};

use crate::access::access_user::{access_user, access_user_by_email};
use crate::access::view::View;
use crate::{ActionError, Actor};

/// The form of user objects (docs/protocol/users.md#get_users).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserForm {
    /// Whether the client computes the addresses of gravatars itself.
    pub client_gravatar: bool,
    /// Whether the values of profile fields are included.
    pub include_custom_profile_fields: bool,
}

/// The user objects of all accounts that the caller may see, deactivated ones included, as a JSON
/// list by id; `only` limits it to some ids; ids without an account are skipped. See
/// docs/protocol/users.md#get_users.
pub fn list_users(
    db: &dyn Db,
    actor: &Actor,
    form: UserForm,
    only: Option<&[UserId]>,
) -> Result<String, ActionError> {
    let view = View::of(db, actor)?;
    let viewer = view.viewer(form.client_gravatar, form.include_custom_profile_fields);
    let only = only.map(|ids| spindle_store::id_list(ids.iter().copied()));
    Ok(user_objects::members(db, &viewer, only.as_deref())?)
}

/// The user object of one account as JSON. See docs/protocol/users.md#get_user_by_email.
///
/// # Errors
/// [`ActionError::Denied`] with the same reason whether it does not exist or is hidden.
pub fn get_user(
    db: &dyn Db,
    actor: &Actor,
    user: &UserReference,
    form: UserForm,
) -> Result<String, ActionError> {
    let user_id = match user {
        UserReference::Id(id) => access_user(db, actor, *id)?.id,
        UserReference::Email(email) => access_user_by_email(db, actor, email)?.id,
    };
    let view = View::of(db, actor)?;
    let viewer = view.viewer(form.client_gravatar, form.include_custom_profile_fields);
    let object = user_objects::member(db, &viewer, user_id)?;
    Ok(object.ok_or(Reason::NoAccess)?)
}
