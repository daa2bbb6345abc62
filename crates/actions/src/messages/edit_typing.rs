//! Typing notifications for a message that is being edited
//! (docs/protocol/presence.md#set_message_edit_typing_status).

use spindle_domain::policy::{Age, EditContentFacts, may_edit_content};
use spindle_domain::{MessageId, UserId, realm_setting};
use spindle_events::kinds::{self, TypingTo, TypingUser};
use spindle_store::messages::MessageRow;
use spindle_store::{Connection, id_list};

use super::typing::{
    TypingOperation, check_channel_notices, check_direct_notices, emit, listeners_among,
    listeners_in,
};
use crate::access::access_message::{AccessedMessage, access_message_in_place};
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME};

/// Emits a typing notification at `now` (UNIX seconds), if the caller may change the message; none in
/// channels with more than a hundred subscribers.
///
/// # Errors
/// [`ActionError::Denied`] for a message that does not exist, may not be read, or may not be
/// changed by the caller now; [`ActionError::BadRequest`] when the caller has switched such
/// notices off.
pub fn set_message_edit_typing_status(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    operation: TypingOperation,
    message_id: MessageId,
) -> Result<(), ActionError> {
    let accessed = access_message_in_place(db, actor, message_id)?;
    may_edit_content(&facts(actor, now, &accessed)).check()?;
    let message = accessed.message;
    let (to, listeners) = match message.channel_id {
        Some(stream_id) => {
            check_channel_notices(actor)?;
            let to = TypingTo::Channel {
                stream_id,
                topic: message.topic,
                empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
            };
            (to, listeners_in(db, stream_id)?)
        }
        None => {
            check_direct_notices(actor)?;
            let people = participants(&message)?;
            let ids = id_list(people.iter().map(|person| person.user_id));
            let listeners = listeners_among(db, &ids)?;
            (TypingTo::Direct(people), listeners)
        }
    };
    let (sender_id, message_id) = (actor.user_id, message.id);
    emit(db, actor, now, listeners, |audience| {
        kinds::typing_edit_message(operation.name(), sender_id, message_id, to, audience)
    })
}

fn facts(actor: &Actor, now: i64, accessed: &AccessedMessage) -> EditContentFacts {
    let settings = actor.realm_settings();
    let limit = settings
        .get(realm_setting!("message_content_edit_limit_seconds"))
        .as_i64();
    EditContentFacts {
        is_archived: accessed.is_archived(),
        is_editing_allowed: settings.is_on(realm_setting!("allow_message_editing")),
        is_own: accessed.message.sender_id == actor.user_id,
        age: Age {
            seconds: now.saturating_sub(accessed.message.date_sent),
            limit,
        },
    }
}

/// The people of a direct message, from its `display_recipient`.
fn participants(message: &MessageRow) -> Result<Vec<TypingUser>, ActionError> {
    #[derive(serde::Deserialize)]
    struct Person {
        id: UserId,
        email: String,
    }
    let people: Vec<Person> = serde_json::from_str(&message.display_recipient)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    let people = people.into_iter().map(|person| TypingUser {
        user_id: person.id,
        email: person.email,
    });
    Ok(people.collect())
}
