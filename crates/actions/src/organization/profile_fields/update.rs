//! Changes a custom profile field; its type stays.

use serde_json::{Value, json};
use spindle_domain::ProfileFieldId;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::policy::Reason;
use spindle_domain::profile_field::{FieldData, FieldType};
use spindle_store::profile_fields::{self, FieldRow};
use spindle_store::{Connection, DbError, profile_values, users};

use super::{
    check_field_label, check_summary_has_room, check_uses, clash, name_taken, parse_data, values,
};
use crate::account::manage_account::Change;
use crate::quota::Meter;
use crate::{ActionError, Actor};

/// The parameters of the operation; `None` leaves a value unchanged (FL 252).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProfileFieldUpdate {
    /// Trimmed here.
    pub name: Option<String>,
    /// Help text.
    pub hint: Option<String>,
    /// Choices, or the site of an account.
    pub field_data: Option<Value>,
    /// Whether it stands in the summary of profiles.
    pub display_in_profile_summary: Option<bool>,
    /// Whether people are asked for a value.
    pub required: Option<bool>,
    /// Whether people change their own value.
    pub editable_by_user: Option<bool>,
    /// Whether people are found by it.
    pub use_for_user_matching: Option<bool>,
}

/// Changes the field `field_id` at `now` (UNIX seconds). Values of choices that are no more go
/// with them. See docs/protocol/profile-fields.md#update_profile_field.
///
/// # Errors
/// [`ActionError::BadRequest`] for the first rule that is broken, [`ActionError::Denied`] when
/// there is no such field.
pub fn update_profile_field(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    field_id: ProfileFieldId,
    update: &ProfileFieldUpdate,
) -> Result<(), ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let fields = profile_fields::list(change.tx, change.realm_id)?;
        let field = fields
            .iter()
            .find(|field| field.id == field_id)
            .ok_or(Reason::NoAccess)?;
        if update.display_in_profile_summary == Some(true) && !field.in_summary {
            check_summary_has_room(&fields)?;
        }
        let kind = FieldType::from_i64(field.kind)
            .ok_or_else(|| DbError::Failed(format!("profile field {field_id} has no type")))?;
        let new = changed(kind, field, update)?;
        if new == *field {
            return Ok(());
        }
        check_uses(kind, &new)?;
        let is_taken = |other: &FieldRow| other.id != field_id && other.name == new.name;
        if fields.iter().any(is_taken) {
            return Err(name_taken());
        }
        let texts = Meter::start(change.tx, Quota::ProfileFieldText, change.realm_id)?;
        profile_fields::update(change.tx, &new).map_err(clash)?;
        texts.check(change.tx)?;
        if kind == FieldType::Dropdown && new.field_data != field.field_data {
            drop_removed_choices(change, &new)?;
        }
        super::emit_list(change)?;
        change.audit(None, "profile_field_changed", &json!({"id": field_id}))?;
        Ok(())
    })
}

/// The field after the change.
fn changed(
    kind: FieldType,
    field: &FieldRow,
    update: &ProfileFieldUpdate,
) -> Result<FieldRow, ActionError> {
    let mut new = FieldRow {
        required: update.required.unwrap_or(field.required),
        editable_by_user: update.editable_by_user.unwrap_or(field.editable_by_user),
        in_summary: update
            .display_in_profile_summary
            .unwrap_or(field.in_summary),
        matches_users: update.use_for_user_matching.unwrap_or(field.matches_users),
        ..field.clone()
    };
    if let Some(data) = &update.field_data {
        new.field_data = parse_data(kind, Some(data))?.to_text();
    }
    if let Some(name) = &update.name {
        name.trim().clone_into(&mut new.name);
    }
    if let Some(hint) = &update.hint {
        new.hint.clone_from(hint);
    }
    let describes = |field: &FieldRow| {
        (
            field.name.clone(),
            field.hint.clone(),
            field.field_data.clone(),
        )
    };
    let is_built_in = |field: &FieldRow| {
        matches!(
            FieldData::from_text(kind, &field.field_data),
            FieldData::BuiltIn(_)
        )
    };
    if is_built_in(field) {
        if describes(&new) != describes(field) {
            let text = "Name, hint and data of a built-in account are the server's";
            return Err(ActionError::bad_request(text));
        }
    } else if is_built_in(&new) {
        let text = "A field cannot become one of the built-in accounts";
        return Err(ActionError::bad_request(text));
    } else if update.name.is_some() || update.hint.is_some() {
        (new.name, new.hint) = check_field_label(&new.name, &new.hint)?;
    }
    Ok(new)
}

fn drop_removed_choices(change: &mut Change<'_, '_>, field: &FieldRow) -> Result<(), ActionError> {
    let kept: Vec<String> = match FieldData::from_text(FieldType::Dropdown, &field.field_data) {
        FieldData::Choices(choices) => choices.into_keys().collect(),
        _ => Vec::new(),
    };
    let losers = profile_values::remove_others(change.tx, field.id, &json!(kept).to_string())?;
    for user_id in losers {
        let user = users::by_id(change.tx, change.realm_id, user_id)?.ok_or(DbError::NoRow)?;
        values::emit_value(change, &user, field.id, None, None)?;
    }
    Ok(())
}
