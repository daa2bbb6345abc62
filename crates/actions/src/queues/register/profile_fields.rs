//! Section about custom profile fields: the fields, their types, and the sites that the server
//! knows. The values are in the user objects.

use serde_json::{Map, Value, json};
use spindle_domain::profile_field::{EXTERNAL_ACCOUNTS, FieldType};
use spindle_store::profile_fields;

use super::Snapshot;
use super::fields::Fields;
use crate::ActionError;

/// Puts the fields; anonymous visitors see none, as they see no profile.
pub(super) fn put(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let list = match snapshot.actor {
        Some(_) => profile_fields::records(snapshot.db, snapshot.realm_id())?,
        None => "[]".to_owned(),
    };
    fields.raw("custom_profile_fields", &list);
    let types: Map<String, Value> = FieldType::ALL
        .iter()
        .map(|(kind, keyword, name)| {
            let described = json!({"id": kind.as_i64(), "name": name});
            ((*keyword).to_owned(), described)
        })
        .collect();
    fields.put("custom_profile_field_types", &types)
}

/// The accounts elsewhere that a field can name without further description
/// (`realm_default_external_accounts`).
pub(super) fn external_accounts() -> Map<String, Value> {
    EXTERNAL_ACCOUNTS
        .iter()
        .map(|account| {
            let described = json!({"text": account.text, "name": account.name,
                "hint": account.hint, "url_pattern": account.url_pattern});
            (account.subtype.to_owned(), described)
        })
        .collect()
}
