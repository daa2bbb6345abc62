//! Finds the users that a client names as the recipients of a direct message.

use std::collections::HashMap;

use serde_json::json;
use spindle_domain::UserId;
use spindle_domain::narrow::UserReference;
use spindle_store::Db;
use spindle_store::user_lists::{self, RecipientRow};

use crate::access::access_user::visible_among;
use crate::text::fold_name;
use crate::{ActionError, Actor};

/// Finds the people, with the caller among them, by id: one statement, for guests up to three.
///
/// # Errors
/// [`ActionError::BadRequest`] when no user is named, or one who does not exist, whom the caller
/// may not see, or who is deactivated.
pub(super) fn access_recipients(
    db: &dyn Db,
    actor: &Actor,
    people: &[UserReference],
) -> Result<Vec<RecipientRow>, ActionError> {
    if people.is_empty() {
        return Err(ActionError::bad_request(
            "A direct message needs a recipient",
        ));
    }
    let mut ids = vec![actor.user_id];
    let mut emails = Vec::new();
    for person in people {
        match person {
            UserReference::Id(id) => ids.push(*id),
            UserReference::Email(email) => emails.push(fold_name(email)),
        }
    }
    let found = find_people(db, actor, ids, &emails)?;
    check_found(people, &found)?;
    Ok(found)
}

/// Those among the people of these ids and folded API emails whom the caller may see, by id:
/// one statement, for guests up to three.
pub(crate) fn find_people(
    db: &dyn Db,
    actor: &Actor,
    ids: impl IntoIterator<Item = UserId>,
    emails: &[String],
) -> Result<Vec<RecipientRow>, ActionError> {
    let ids = spindle_store::id_list(ids);
    let emails = json!(emails).to_string();
    let mut found = user_lists::recipients(db, actor.realm_id, &ids, &emails)?;
    let accounts: Vec<_> = found.iter().map(|row| (row.id, row.is_bot)).collect();
    let visible = visible_among(db, actor, &accounts)?;
    found.retain(|row| visible.contains(&row.id));
    Ok(found)
}

/// Checks that all named users exist and are active; the error names the first who is not.
fn check_found(people: &[UserReference], found: &[RecipientRow]) -> Result<(), ActionError> {
    let by_id: HashMap<UserId, &RecipientRow> = found.iter().map(|row| (row.id, row)).collect();
    let by_email: HashMap<&str, &RecipientRow> = found
        .iter()
        .map(|row| (row.email_folded.as_str(), row))
        .collect();
    for person in people {
        let (row, name) = match person {
            UserReference::Id(id) => (by_id.get(id), format!("with the id {id}")),
            UserReference::Email(email) => (
                by_email.get(fold_name(email).as_str()),
                format!("with the email '{email}'"),
            ),
        };
        match row {
            Some(row) if row.is_active => {}
            Some(_) => {
                let text = format!("The user {name} is deactivated");
                return Err(ActionError::BadRequest(text));
            }
            None => return Err(ActionError::BadRequest(format!("There is no user {name}"))),
        }
    }
    Ok(())
}
