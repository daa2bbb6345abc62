//! Deletes a message for good (docs/protocol/messages.md#delete_message).

use serde_json::json;
use spindle_domain::policy::{Age, DeleteMessageFacts, may_delete_message};
use spindle_domain::{MessageId, UserId, permission, realm_setting};
use spindle_store::{Connection, Db, Freeing, audit, users};

use super::erase::{Erased, erase};
use crate::access::access_message::{AccessedMessage, access_message_in_place};
use crate::access::permissions::holds;
use crate::{ActionError, Actor, change};

/// Deletes a message at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] with the same reason whether it does not exist (any more) or is
/// hidden, and when the actor may not delete it.
pub fn delete_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let accessed = access_message_in_place(tx, actor, message_id)?;
        check(tx, actor, now, &accessed)?;
        let message = &accessed.message;
        let channel_id = message.channel_id;
        let erased = Erased {
            message_ids: &[message.id],
            place: channel_id.map(|channel_id| (channel_id, message.topic.as_str())),
        };
        let events = erase(tx, actor, now, &erased)?;
        audit::append(
            tx,
            realm_id,
            now,
            Some(actor.user_id),
            Some(message.sender_id),
            "message_deleted",
            &json!({"message_id": message.id, "stream_id": channel_id}).to_string(),
        )?;
        Ok(change::outcome((), events))
    })
}

fn check(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    accessed: &AccessedMessage,
) -> Result<(), ActionError> {
    let realm_held = accessed.realm_held(db, actor)?;
    let holds_either = |of_realm, of_channel| {
        let channel = accessed.channel.as_ref();
        holds(of_realm, &realm_held, actor.role)
            || channel.is_some_and(|channel| holds(of_channel, &channel.held, actor.role))
    };
    let holds_delete_any = holds_either(
        permission!(REALM, "can_delete_any_message_group"),
        permission!(CHANNEL, "can_delete_any_message_group"),
    );
    let limit = actor
        .realm_settings()
        .get(realm_setting!("message_content_delete_limit_seconds"))
        .as_i64();
    let facts = DeleteMessageFacts {
        is_archived: accessed.is_archived(),
        holds_delete_any,
        is_own: holds_delete_any || is_own(db, actor, accessed.message.sender_id)?,
        holds_delete_own: holds_either(
            permission!(REALM, "can_delete_own_message_group"),
            permission!(CHANNEL, "can_delete_own_message_group"),
        ),
        age: Age {
            seconds: now - accessed.message.date_sent,
            limit,
        },
    };
    may_delete_message(&facts).check()?;
    Ok(())
}

/// Whether the actor, or a bot of theirs, is the sender.
fn is_own(db: &dyn Db, actor: &Actor, sender_id: UserId) -> Result<bool, ActionError> {
    let own_id = actor.user_id;
    if sender_id == own_id {
        return Ok(true);
    }
    let sender = users::by_id(db, actor.realm_id, sender_id)?;
    Ok(sender.is_some_and(|sender| sender.is_bot && sender.bot_owner_id == Some(own_id)))
}
