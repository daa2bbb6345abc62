//! Values of custom profile fields: all checked before one is written, rendered and emitted.
//!
//! Owns the steps that every way of changing a profile shares. What fits a field is decided by
//! the domain.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use spindle_domain::limits::quotas::Quota;
use spindle_domain::policy::may_edit_profile_field;
use spindle_domain::profile_field::{
    FieldData, FieldType, ProfileValue, ValueProblem, check_value,
};
use spindle_domain::{ProfileFieldId, UserId};
use spindle_events::Record;
use spindle_events::kinds::{self, UserChange};
use spindle_markup::{Context, Directory};
use spindle_store::profile_fields::{self, FieldRow};
use spindle_store::users::UserRow;
use spindle_store::{DbError, profile_values, user_access, user_lists};

use crate::access::view::sees_all_users;
use crate::account::manage_account::Change;
use crate::quota::Meter;
use crate::{ActionError, Actor};

/// A value for one profile field, as a client sends it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ProfileEntry {
    /// The field.
    pub id: ProfileFieldId,
    /// A text, or ids for a field of people; null, "" and [] take the stored value away.
    pub value: Value,
}

/// A value that will be written; `None` removes the stored one.
struct Checked {
    field_id: ProfileFieldId,
    value: Option<String>,
    rendered: Option<String>,
}

/// Writes values of one person in their order; unchanged values are not emitted.
pub(crate) fn write_values(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    entries: &[ProfileEntry],
    editor: &Actor,
    realm_url: &str,
) -> Result<(), ActionError> {
    if entries.is_empty() {
        return Ok(());
    }
    if user.is_bot {
        return Err(ActionError::bad_request("A bot has no profile"));
    }
    let fields = read_fields(change)?;
    let mut checked = Vec::with_capacity(entries.len());
    for entry in entries {
        let field = editable(&fields, entry.id, editor)?;
        checked.push(check(change, field, &entry.value, editor, realm_url)?);
    }
    let all = Meter::start(change.tx, Quota::ProfileText, change.realm_id)?;
    let start = |quota| Meter::of_share(change.tx, quota, editor, Some(user.id));
    let own = start(Quota::ProfileTextOfPerson)?;
    let share = start(Quota::ProfileTextOfShare)?;
    store(change, user, checked)?;
    for growth in [Some(all), own, share].into_iter().flatten() {
        growth.check(change.tx)?;
    }
    Ok(())
}

/// Takes values of one person away; a value that is not there is no mistake.
pub(crate) fn remove_values(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    field_ids: &[ProfileFieldId],
    editor: &Actor,
) -> Result<(), ActionError> {
    let fields = read_fields(change)?;
    let mut checked = Vec::with_capacity(field_ids.len());
    for id in field_ids {
        checked.push(Checked {
            field_id: editable(&fields, *id, editor)?.id,
            value: None,
            rendered: None,
        });
    }
    store(change, user, checked)
}

fn read_fields(change: &Change<'_, '_>) -> Result<BTreeMap<ProfileFieldId, FieldRow>, ActionError> {
    let fields = profile_fields::list(change.tx, change.realm_id)?;
    Ok(fields.into_iter().map(|field| (field.id, field)).collect())
}

fn editable<'f>(
    fields: &'f BTreeMap<ProfileFieldId, FieldRow>,
    id: ProfileFieldId,
    editor: &Actor,
) -> Result<&'f FieldRow, ActionError> {
    let field = fields
        .get(&id)
        .ok_or_else(|| ActionError::BadRequest(format!("There is no profile field {id}")))?;
    may_edit_profile_field(editor.role, field.editable_by_user).check()?;
    Ok(field)
}

fn check(
    change: &Change<'_, '_>,
    field: &FieldRow,
    value: &Value,
    editor: &Actor,
    realm_url: &str,
) -> Result<Checked, ActionError> {
    let kind = FieldType::from_i64(field.kind)
        .ok_or_else(|| DbError::Failed(format!("profile field {} has no type", field.id)))?;
    let data = FieldData::from_text(kind, &field.field_data);
    let value = match check_value(kind, &data, value).map_err(|why| refused(field, why))? {
        Some(ProfileValue::Text(text)) => Some(text),
        Some(ProfileValue::Users(ids)) => Some(check_people(change, field, ids, editor)?),
        None => None,
    };
    let rendered = value
        .as_deref()
        .filter(|_| kind.is_rendered())
        .map(|text| render_value(text, realm_url));
    Ok(Checked {
        field_id: field.id,
        value,
        rendered,
    })
}

/// The text that is stored for users: all of them exist, are active, and are visible to the
/// editor.
fn check_people(
    change: &Change<'_, '_>,
    field: &FieldRow,
    mut ids: Vec<UserId>,
    editor: &Actor,
) -> Result<String, ActionError> {
    ids.sort_unstable();
    ids.dedup();
    let text = spindle_store::id_list(ids.iter().copied());
    let mut found = user_lists::active_people_among(change.tx, change.realm_id, &text)?;
    if !sees_all_users(change.tx, editor)? {
        let own_id = editor.user_id;
        let partners = user_access::partners_among(change.tx, own_id, &text)?;
        found.retain(|id| *id == own_id || partners.binary_search(id).is_ok());
    }
    if found == ids {
        return Ok(text);
    }
    let name = &field.name;
    let text = format!("The field {name:?} takes active people of the organization");
    Err(ActionError::BadRequest(text))
}

/// Markdown of a profile as HTML. Names in it are not looked up: a profile mentions no user.
pub(crate) fn render_value(text: &str, realm_url: &str) -> String {
    let directory = Directory::new();
    let context = Context {
        inline_image_preview: false,
        ..Context::new(&directory, realm_url)
    };
    spindle_markup::render(text, &context).html
}

fn refused(field: &FieldRow, problem: ValueProblem) -> ActionError {
    let name = &field.name;
    ActionError::BadRequest(match problem {
        ValueProblem::WrongType => format!("The field {name:?} takes another kind of value"),
        ValueProblem::TooLong(limit) => {
            format!("The field {name:?} holds at most {limit} characters")
        }
        ValueProblem::Unprintable(position) => {
            format!("Character {position} of the value for {name:?} cannot be printed")
        }
        ValueProblem::UnknownChoice => format!("The field {name:?} has no such choice"),
        ValueProblem::BadDate => format!("The field {name:?} takes a date as YYYY-MM-DD"),
        ValueProblem::BadAddress => format!("The field {name:?} takes an address on the web"),
    })
}

fn store(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    values: Vec<Checked>,
) -> Result<(), ActionError> {
    let mut changed = Vec::new();
    for new in values {
        let (id, field_id) = (user.id, new.field_id);
        let differs = match new.value.as_deref() {
            Some(value) => {
                let rendered = new.rendered.as_deref();
                profile_values::set(change.tx, id, field_id, value, rendered)?
            }
            None => profile_values::remove(change.tx, id, field_id)?,
        };
        if differs {
            changed.push(field_id);
            emit_value(change, user, field_id, new.value, new.rendered)?;
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let data = json!({"fields": changed});
    change.audit(Some(user.id), "user_profile_changed", &data)
}

/// Adds the event about one value of one person; `None` means that it was removed.
pub(crate) fn emit_value(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    field_id: ProfileFieldId,
    value: Option<String>,
    rendered: Option<String>,
) -> Result<(), ActionError> {
    let mut field: Record = Map::new();
    field.insert("id".to_owned(), field_id.get().into());
    field.insert("value".to_owned(), value.into());
    if let Some(html) = rendered {
        field.insert("rendered_value".to_owned(), html.into());
    }
    let audience = change.who_sees(user)?;
    let update = UserChange::CustomProfileField(field);
    change
        .events
        .push(kinds::realm_user_update(user.id, update, audience));
    Ok(())
}
