//! Direct messages: who the people are, and whether the sender may write to them.

use serde_json::json;
use spindle_domain::narrow::UserReference;
use spindle_domain::policy::{DirectFacts, may_send_direct};
use spindle_domain::{ConversationId, permission};
use spindle_store::user_lists::RecipientRow;
use spindle_store::{Db, WriteTx, conversations, group_settings};

use super::{ReadBy, Recipient};
use crate::access::guest_views::GuestViews;
use crate::access::permissions::holds;
use crate::messages::recipients::access_recipients;
use crate::{ActionError, Actor};

/// Finds the people and their conversation, creating it when it is their first.
pub(super) fn access_recipient(
    tx: &WriteTx<'_>,
    actor: &Actor,
    people: &[UserReference],
) -> Result<Recipient, ActionError> {
    let realm_id = actor.realm_id;
    let (found, existing) = check(tx, actor, people)?;
    let (conversation_id, newly_visible) = match existing {
        Some(id) => (id, Vec::new()),
        None => {
            let guests = GuestViews::read(tx, realm_id)?;
            let id = conversations::insert_direct(tx, realm_id, &key(&found))?;
            (id, guests.changes(tx)?.0)
        }
    };
    Ok(Recipient {
        read_by: ReadBy::Senders,
        conversation_id,
        channel: None,
        newly_visible,
        display_recipient: display_recipient(&found),
    })
}

/// Finds the people, the sender among them, and their conversation, if there is one already;
/// changes nothing.
pub(crate) fn check(
    db: &dyn Db,
    actor: &Actor,
    people: &[UserReference],
) -> Result<(Vec<RecipientRow>, Option<ConversationId>), ActionError> {
    let found = access_recipients(db, actor, people)?;
    let existing = conversations::direct_with_use(db, actor.realm_id, &key(&found))?;
    let is_in_use = existing.is_some_and(|found| found.has_messages);
    check_policy(db, actor, &found, is_in_use)?;
    Ok((found, existing.map(|found| found.id)))
}

/// How conversations are found by their people.
fn key(people: &[RecipientRow]) -> String {
    let ids: Vec<String> = people.iter().map(|person| person.id.to_string()).collect();
    ids.join(",")
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

fn check_policy(
    db: &dyn Db,
    actor: &Actor,
    found: &[RecipientRow],
    conversation_exists: bool,
) -> Result<(), ActionError> {
    let own_id = actor.user_id;
    let others = || found.iter().filter(|person| own_id != person.id);
    let holds_initiator_permission = conversation_exists || {
        let held = group_settings::held_by(
            db,
            group_settings::Owner::Realm(actor.realm_id),
            actor.member(),
        )?;
        holds(
            permission!(REALM, "direct_message_initiator_group"),
            &held,
            actor.role,
        )
    };
    let facts = DirectFacts {
        is_exempt: others().all(|person| person.is_bot),
        participant_holds_permission: found.iter().any(|person| person.holds_permission),
        conversation_exists,
        holds_initiator_permission,
    };
    may_send_direct(&facts).check()?;
    Ok(())
}
