//! Creates a custom profile field.

use serde_json::{Value, json};
use spindle_domain::ProfileFieldId;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::profile_field::{FieldData, FieldType};
use spindle_store::Connection;
use spindle_store::profile_fields::{self, FieldRow};

use super::{check_field_label, check_summary_has_room, check_uses, clash, name_taken, parse_data};
use crate::account::manage_account::Change;
use crate::{ActionError, Actor, quota};

/// The parameters of the operation, with the defaults of the specification.
#[derive(Debug, Clone, PartialEq)]
pub struct NewProfileField {
    /// Trimmed here.
    pub name: String,
    /// Help text.
    pub hint: String,
    /// 1 to 8.
    pub field_type: i64,
    /// Choices, or the site of an account; what it holds for other types is dropped.
    pub field_data: Option<Value>,
    /// Whether it stands in the summary of profiles.
    pub display_in_profile_summary: bool,
    /// Whether people are asked for a value.
    pub required: bool,
    /// Whether people change their own value.
    pub editable_by_user: bool,
    /// Whether people are found by it.
    pub use_for_user_matching: bool,
}

/// Creates a field behind all others at `now` (UNIX seconds); returns its id. The caller has
/// been found to be an administrator. See docs/protocol/profile-fields.md#create_profile_field,
/// with the checks in that order.
///
/// # Errors
/// [`ActionError::BadRequest`] for the first rule that is broken.
pub fn create_profile_field(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    new: &NewProfileField,
) -> Result<ProfileFieldId, ActionError> {
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let fields = profile_fields::list(change.tx, change.realm_id)?;
        if new.display_in_profile_summary {
            check_summary_has_room(&fields)?;
        }
        let kind = FieldType::from_i64(new.field_type);
        let data = match kind {
            Some(kind) => parse_data(kind, new.field_data.as_ref())?,
            None => FieldData::Nothing,
        };
        let (name, hint) = label(new, &data)?;
        let kind = kind.ok_or_else(|| ActionError::bad_request("There is no such field_type"))?;
        let field = FieldRow {
            id: ProfileFieldId(0),
            name,
            hint,
            kind: kind.as_i64(),
            field_data: data.to_text(),
            required: new.required,
            editable_by_user: new.editable_by_user,
            in_summary: new.display_in_profile_summary,
            matches_users: new.use_for_user_matching,
        };
        check_uses(kind, &field)?;
        if fields.iter().any(|other| other.name == field.name) {
            return Err(name_taken());
        }
        let id = profile_fields::insert(change.tx, change.realm_id, &field).map_err(clash)?;
        quota::check(change.tx, Quota::ProfileFields, change.realm_id)?;
        quota::check(change.tx, Quota::ProfileFieldText, change.realm_id)?;
        super::emit_list(change)?;
        let data = json!({"id": id, "name": field.name, "type": field.kind});
        change.audit(None, "profile_field_created", &data)?;
        Ok(id)
    })
}

/// Name and hint: the table's for a built-in account, else what was sent.
fn label(new: &NewProfileField, data: &FieldData) -> Result<(String, String), ActionError> {
    if let FieldData::BuiltIn(account) = data {
        return Ok((account.name.to_owned(), account.hint.to_owned()));
    }
    check_field_label(&new.name, &new.hint)
}
