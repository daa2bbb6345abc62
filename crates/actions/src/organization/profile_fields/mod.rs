//! Custom profile fields: what the changes of them share. A change a file.
//!
//! Clients replace the complete list after a change, so every event holds all of it.

mod create;
mod delete;
mod reorder;
mod update;
pub(crate) mod values;

pub use create::{NewProfileField, create_profile_field};
pub use delete::delete_profile_field;
pub use reorder::reorder_profile_fields;
pub use update::{ProfileFieldUpdate, update_profile_field};
pub use values::ProfileEntry;
pub(crate) use values::render_value;

use spindle_domain::limits::{
    MAX_PROFILE_FIELD_HINT_LENGTH, MAX_PROFILE_FIELD_NAME_LENGTH, MAX_PROFILE_SUMMARY_FIELDS,
};
use spindle_domain::profile_field::{
    FieldData, FieldDataProblem, FieldType, LabelProblem, check_label,
};
use spindle_events::kinds;
use spindle_store::profile_fields::{self, FieldRow};
use spindle_store::{Db, DbError};

use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// The field records as JSON text, in their order
/// (docs/protocol/profile-fields.md#get_profile_fields).
pub fn list_profile_fields(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(profile_fields::records(db, actor.realm_id)?)
}

/// Adds the event with all fields.
fn emit_list(change: &mut Change<'_, '_>) -> Result<(), ActionError> {
    let records = profile_fields::records(change.tx, change.realm_id)?;
    let records = serde_json::from_str(&records).map_err(|e| DbError::Json(e.to_string()))?;
    change.events.push(kinds::custom_profile_fields(records));
    Ok(())
}

/// One more field in the summary of profiles.
fn check_summary_has_room(fields: &[FieldRow]) -> Result<(), ActionError> {
    let shown = fields.iter().filter(|field| field.in_summary).count();
    if shown < MAX_PROFILE_SUMMARY_FIELDS {
        return Ok(());
    }
    Err(ActionError::BadRequest(format!(
        "The summary of a profile holds at most {MAX_PROFILE_SUMMARY_FIELDS} fields"
    )))
}

/// Whether the type allows these properties of the field.
fn check_uses(kind: FieldType, field: &FieldRow) -> Result<(), ActionError> {
    if field.in_summary && !kind.may_be_in_summary() {
        let text = "Fields of this type cannot be in the summary of a profile";
        return Err(ActionError::bad_request(text));
    }
    if field.matches_users && !kind.may_match_users() {
        let text = "Fields of this type cannot be used to find people";
        return Err(ActionError::bad_request(text));
    }
    Ok(())
}

fn check_field_label(name: &str, hint: &str) -> Result<(String, String), ActionError> {
    check_label(name, hint).map_err(|problem| {
        ActionError::BadRequest(match problem {
            LabelProblem::BlankName => "A profile field needs a name".to_owned(),
            LabelProblem::Unprintable => {
                "Name or hint has a character that cannot be printed".to_owned()
            }
            LabelProblem::HintTooLong => {
                format!("The hint has more than {MAX_PROFILE_FIELD_HINT_LENGTH} characters")
            }
            LabelProblem::NameTooLong => {
                format!("The name has more than {MAX_PROFILE_FIELD_NAME_LENGTH} characters")
            }
        })
    })
}

fn parse_data(kind: FieldType, data: Option<&serde_json::Value>) -> Result<FieldData, ActionError> {
    FieldData::parse(kind, data).map_err(|problem| {
        ActionError::bad_request(match problem {
            FieldDataProblem::NoChoice => "field_data: at least one choice is needed",
            FieldDataProblem::BadChoice => {
                "field_data: each choice has a key, a text and an order, printable and not blank"
            }
            FieldDataProblem::RepeatedChoice => "field_data: two choices have the same text",
            FieldDataProblem::BadAccount => {
                "field_data: an external account has a subtype, and a url_pattern or nothing more"
            }
            FieldDataProblem::UnknownAccount => "field_data: there is no such subtype",
            FieldDataProblem::BadPattern => {
                "field_data: url_pattern is an address with %(username)s in it once"
            }
        })
    })
}

fn name_taken() -> ActionError {
    ActionError::bad_request("A profile field with this name already exists")
}

/// The clash of a name is the caller's mistake.
fn clash(error: DbError) -> ActionError {
    match error {
        DbError::NotUnique(_) => name_taken(),
        other => other.into(),
    }
}
