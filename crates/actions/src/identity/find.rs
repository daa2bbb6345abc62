//! The account of a person of a provider, before it is decided what they may do.

use spindle_domain::identity::{Claims, KnownAccount, MAX_ISSUER_LENGTH, MAX_SUBJECT_LENGTH};
use spindle_domain::{IdentityId, RealmId};
use spindle_store::users::UserRow;
use spindle_store::{Db, identities, users};

use crate::ActionError;
use crate::text::fold_name;

/// What the database knows of a person.
pub(super) struct Found {
    /// The connection with the account that they have signed in to before.
    pub(super) identity_id: Option<IdentityId>,
    pub(super) bound: Option<KnownAccount>,
    pub(super) by_address: Option<KnownAccount>,
}

/// Looks for the account of a person.
///
/// # Errors
/// [`ActionError::BadRequest`] for an issuer or subject that is empty or too long.
pub(super) fn find(db: &dyn Db, realm_id: RealmId, claims: &Claims) -> Result<Found, ActionError> {
    let has_length = |text: &str, most| (1..=most).contains(&text.len());
    if !has_length(&claims.issuer, MAX_ISSUER_LENGTH)
        || !has_length(&claims.subject, MAX_SUBJECT_LENGTH)
    {
        return Err(ActionError::bad_request(
            "The provider's id of the person is empty or too long",
        ));
    }
    let known = |user: UserRow| known(db, &user, &claims.issuer);
    let identity = identities::find(db, &claims.issuer, &claims.subject)?;
    let bound = match identity {
        Some(identity) => users::by_id(db, realm_id, identity.user_id)?,
        None => None,
    };
    let folded = claims.email.as_deref().map(fold_name);
    // Only the real address counts: a hidden one, which the server makes, reaches no person.
    let has_address = |user: &UserRow| Some(fold_name(&user.delivery_email)) == folded;
    let by_address = match &folded {
        Some(folded) => users::by_email(db, realm_id, folded)?.filter(has_address),
        None => None,
    };
    Ok(Found {
        identity_id: identity.map(|identity| identity.id),
        bound: bound.map(known).transpose()?,
        by_address: by_address.map(known).transpose()?,
    })
}

fn known(db: &dyn Db, user: &UserRow, issuer: &str) -> Result<KnownAccount, ActionError> {
    let people = identities::list(db, user.id)?;
    Ok(KnownAccount {
        user_id: user.id,
        is_active: user.is_active,
        is_bot: user.is_bot,
        has_confirmed_address: users::has_confirmed_email(db, user.id)?,
        is_bound_to_issuer: people.iter().any(|one| one.issuer == issuer),
    })
}
