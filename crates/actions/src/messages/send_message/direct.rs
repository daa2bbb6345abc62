//! Direct messages: who the people are, and whether the sender may write to them.

use serde_json::json;
use spindle_domain::narrow::UserReference;
use spindle_domain::permission::REALM;
use spindle_domain::policy::{DirectFacts, may_see_user, may_send_direct};
use spindle_store::user_lists::RecipientRow;
use spindle_store::{Db, conversations, group_settings, user_lists};

use super::Target;
use crate::access::access_user;
use crate::access::guest_views::GuestViews;
use crate::access::permissions::holds;
use crate::text::fold;
use crate::{ActionError, Actor};

/// Finds the people and their conversation, creating it when it is their first.
pub(super) fn access_target(
    db: &dyn Db,
    actor: &Actor,
    people: &[UserReference],
) -> Result<Target, ActionError> {
    if people.is_empty() {
        return Err(ActionError::bad_request(
            "A direct message needs a recipient",
        ));
    }
    let realm_id = actor.realm_id.get();
    let found = find(db, actor, people)?;
    check_found(people, &found)?;
    let key = found
        .iter()
        .map(|person| person.id.to_string())
        .collect::<Vec<_>>()
        .join(",");
    let existing = conversations::direct(db, realm_id, &key)?;
    check_policy(db, actor, &found, existing.is_some())?;
    let (conversation_id, come_into_view) = match existing {
        Some(id) => (id, Vec::new()),
        None => {
            let guests = GuestViews::read(db, realm_id)?;
            let id = conversations::insert_direct(db, realm_id, &key)?;
            (id, guests.changes(db)?.0)
        }
    };
    Ok(Target {
        conversation_id,
        channel: None,
        come_into_view,
        display_recipient: display_recipient(&found),
    })
}

/// The `display_recipient` of a conversation as JSON.
pub(super) fn display_recipient(people: &[RecipientRow]) -> String {
    let list: serde_json::Value = people
        .iter()
        .map(|person| {
            json!({"id": person.id, "email": person.email, "full_name": person.full_name,
                "is_mirror_dummy": false})
        })
        .collect();
    list.to_string()
}

/// The people and the sender, by id.
fn find(
    db: &dyn Db,
    actor: &Actor,
    people: &[UserReference],
) -> Result<Vec<RecipientRow>, ActionError> {
    let mut ids = vec![actor.user_id.get()];
    let mut emails = Vec::new();
    for person in people {
        match person {
            UserReference::Id(id) => ids.push(id.get()),
            UserReference::Email(email) => emails.push(fold(email)),
        }
    }
    let ids = spindle_store::id_list(ids);
    let emails = json!(emails).to_string();
    Ok(user_lists::recipients(
        db,
        actor.realm_id.get(),
        &ids,
        &emails,
    )?)
}

/// Everybody who was named exists and is active; the first who is not is named.
fn check_found(people: &[UserReference], found: &[RecipientRow]) -> Result<(), ActionError> {
    for person in people {
        let (row, name) = match person {
            UserReference::Id(id) => (
                found.iter().find(|row| row.id == id.get()),
                format!("with the id {id}"),
            ),
            UserReference::Email(email) => {
                let folded = fold(email);
                (
                    found.iter().find(|row| row.email_folded == folded),
                    format!("with the address {email:?}"),
                )
            }
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

fn check_policy(
    db: &dyn Db,
    actor: &Actor,
    found: &[RecipientRow],
    conversation_exists: bool,
) -> Result<(), ActionError> {
    let own_id = actor.user_id.get();
    let others = || found.iter().filter(|person| person.id != own_id);
    let mut sees_recipients = true;
    if actor.role.is_guest() {
        for person in others() {
            let facts = access_user::facts(db, actor, person.id, person.is_bot)?;
            sees_recipients &= may_see_user(&facts).is_allowed();
        }
    }
    let holds_initiator_permission = conversation_exists || {
        let held = group_settings::held_by(db, "realm", actor.realm_id.get(), own_id)?;
        holds(REALM, &held, "direct_message_initiator_group", actor.role)
    };
    let facts = DirectFacts {
        is_exempt: others().all(|person| person.is_bot),
        participant_holds_permission: found.iter().any(|person| person.holds_permission),
        conversation_exists,
        holds_initiator_permission,
        sees_recipients,
    };
    may_send_direct(&facts).check()?;
    Ok(())
}
