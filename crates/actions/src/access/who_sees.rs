//! The audience of a change of a user: all who may see them.
//!
//! Applies the domain's policy to every guest to whom users may be hidden. While the organization
//! lets all users see each other, there is none, and it costs one statement.

use spindle_domain::policy::{SeeUserFacts, may_see_delivery_email, may_see_user};
use spindle_domain::{RealmId, Role, UserId, user_setting};
use spindle_events::Audience;
use spindle_store::user_lists::{self, RoleRow};
use spindle_store::users::UserRow;
use spindle_store::{Db, user_access};

use crate::{ActionError, Settings};

/// Guests who may not see the user, ascending.
pub(crate) fn guests_without(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    is_bot: bool,
) -> Result<Vec<UserId>, ActionError> {
    let mut guests = user_access::restricted_guests(db, realm_id)?;
    if guests.is_empty() {
        return Ok(guests);
    }
    let ids = spindle_store::id_list(guests.iter().copied());
    let partners = user_access::partners_among(db, user_id, &ids)?;
    guests.retain(|guest| {
        let facts = SeeUserFacts {
            is_self: *guest == user_id,
            sees_all_users: false,
            shares_conversation: partners.binary_search(guest).is_ok(),
            target_is_bot: is_bot,
        };
        !may_see_user(&facts).is_allowed()
    });
    Ok(guests)
}

/// All who may see the user.
pub(crate) fn who_sees_user(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    is_bot: bool,
) -> Result<Audience, ActionError> {
    let hidden_from = guests_without(db, realm_id, user_id, is_bot)?;
    Ok(all_except(hidden_from))
}

fn all_except(users: Vec<UserId>) -> Audience {
    if users.is_empty() {
        Audience::realm()
    } else {
        Audience::realm_except(users)
    }
}

/// All who may see the user, divided by whether they may see the real address.
pub(crate) struct AddressAudience {
    /// They see the address.
    pub(crate) seeing: Audience,
    /// They see the user, but not the address; `None` when there is no such user.
    pub(crate) others: Option<Audience>,
}

/// Who may see the real address of the user, by their `email_address_visibility`.
pub(crate) fn who_sees_address(
    db: &dyn Db,
    realm_id: RealmId,
    user: &UserRow,
) -> Result<AddressAudience, ActionError> {
    let hidden_from = guests_without(db, realm_id, user.id, user.is_bot)?;
    let visibility =
        Settings::of_user(&user.settings).integer(user_setting!("email_address_visibility"));
    let sees = |id: Option<UserId>, role: Role| {
        may_see_delivery_email(visibility, role, id == Some(user.id)).is_allowed()
    };
    if Role::ALL.iter().all(|role| sees(None, *role)) {
        return Ok(AddressAudience {
            seeing: all_except(hidden_from),
            others: None,
        });
    }
    let (mut seeing, mut others) = (Vec::new(), Vec::new());
    for RoleRow { user_id: id, role } in user_lists::active_roles(db, realm_id)? {
        if hidden_from.binary_search(&id).is_err() {
            let list = if sees(Some(id), role) {
                &mut seeing
            } else {
                &mut others
            };
            list.push(id);
        }
    }
    Ok(AddressAudience {
        seeing: Audience::users(seeing),
        others: (!others.is_empty()).then(|| Audience::users(others)),
    })
}
