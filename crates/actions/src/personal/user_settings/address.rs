//! Shows or hides the real address of a person (`email_address_visibility`).
//!
//! Users who begin to see the address receive it, users who cease to see it an event without it.
//! The API email is the real address only where all users may see it; else it is one that reveals
//! nothing (docs/protocol/users.md#user-object).

use std::collections::BTreeSet;

use spindle_domain::policy::may_see_delivery_email;
use spindle_domain::{RealmId, UserId, user_setting};
use spindle_events::Audience;
use spindle_events::kinds::{self, UserChange};
use spindle_store::user_lists::{self, RoleRow};
use spindle_store::users::UserRow;
use spindle_store::{Db, user_settings};

use crate::access::who_sees::guests_without;
use crate::account::hidden_email::{EVERYBODY, StandIn};
use crate::account::manage_account::Change;
use crate::text::fold_name;
use crate::{ActionError, Settings};

/// Emits the difference between `before` and its later state `after` for the users who see the
/// address.
pub(super) fn change_address_visibility(
    change: &mut Change<'_, '_>,
    before: &UserRow,
    after: &mut UserRow,
) -> Result<(), ActionError> {
    let saw = viewers(change.tx, change.realm_id, before)?;
    let sees = viewers(change.tx, change.realm_id, after)?;
    let address = after.delivery_email.clone();
    for (users, shown) in [(&sees - &saw, Some(address)), (&saw - &sees, None)] {
        if !users.is_empty() {
            let update = UserChange::DeliveryEmail(shown);
            let event = kinds::realm_user_update(after.id, update, Audience::users(users));
            change.events.push(event);
        }
    }
    if after.is_bot {
        return Ok(());
    }
    let email = match visibility(after) {
        EVERYBODY => after.delivery_email.clone(),
        _ => StandIn::Hidden.free(change.tx, change.realm_id, after.id)?,
    };
    if email != after.email {
        user_settings::set_api_email(change.tx, after.id, &email, &fold_name(&email))?;
        let audience = change.who_sees(after)?;
        let update = UserChange::NewEmail(email.clone());
        change
            .events
            .push(kinds::realm_user_update(after.id, update, audience));
        after.email = email;
    }
    Ok(())
}

fn visibility(user: &UserRow) -> i64 {
    Settings::of_user(&user.settings).integer(user_setting!("email_address_visibility"))
}

/// Active accounts that may see the address.
fn viewers(
    db: &dyn Db,
    realm_id: RealmId,
    user: &UserRow,
) -> Result<BTreeSet<UserId>, ActionError> {
    let hidden_from = guests_without(db, realm_id, user.id, user.is_bot)?;
    let level = visibility(user);
    let roles = user_lists::active_roles(db, realm_id)?.into_iter();
    Ok(roles
        .filter(|RoleRow { user_id, role }| {
            hidden_from.binary_search(user_id).is_err()
                && may_see_delivery_email(level, *role, *user_id == user.id).is_allowed()
        })
        .map(|account| account.user_id)
        .collect())
}
