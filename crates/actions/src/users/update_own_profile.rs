//! Changes the caller's own values of profile fields.

use spindle_domain::ProfileFieldId;
use spindle_domain::policy::Reason;
use spindle_store::users::UserRow;
use spindle_store::{Connection, users};

use crate::account::manage_account::Change;
use crate::organization::profile_fields::values::ProfileEntry;
use crate::organization::profile_fields::values::{remove_values, write_values};
use crate::{ActionError, Actor};

/// Writes values at `now` (UNIX seconds); null, "" and [] take one away. `realm_url` is the
/// address of the organization, for links in rendered values.
/// See docs/protocol/users.md#update_own_profile.
///
/// # Errors
/// [`ActionError::BadRequest`] for a field that does not exist and for a value that does not
/// fit; [`ActionError::Denied`] for a field that only administrators change. All values are
/// checked before one is written.
pub fn update_own_profile(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    entries: &[ProfileEntry],
    realm_url: &str,
) -> Result<(), ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let user = own_row(change, actor)?;
        write_values(change, &user, entries, actor, realm_url)?;
        Ok(())
    })
}

/// Takes the values of these fields away at `now` (UNIX seconds).
/// See docs/protocol/users.md#remove_own_profile.
///
/// # Errors
/// As [`update_own_profile`].
pub fn remove_own_profile(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    field_ids: &[ProfileFieldId],
) -> Result<(), ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let user = own_row(change, actor)?;
        remove_values(change, &user, field_ids, actor)?;
        Ok(())
    })
}

fn own_row(change: &Change<'_, '_>, actor: &Actor) -> Result<UserRow, ActionError> {
    let row = users::by_id(change.tx, change.realm_id, actor.user_id)?;
    Ok(row.ok_or(Reason::NoAccess)?)
}
