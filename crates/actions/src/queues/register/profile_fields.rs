//! Section about custom profile fields: the fields and their types. The values are in the user objects.

use spindle_store::profile_fields;

use super::fields::Fields;
use super::{Snapshot, constants};
use crate::ActionError;

/// Puts the fields; anonymous visitors see none, as they see no profile.
pub(super) fn put(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let list = match snapshot.actor {
        Some(_) => profile_fields::records(snapshot.db, snapshot.realm_id())?,
        None => "[]".to_owned(),
    };
    fields.raw("custom_profile_fields", &list);
    fields.raw("custom_profile_field_types", &constants::FIELD_TYPES);
    Ok(())
}
