//! A click on a button of an app's message (docs/protocol/apps.md#click_button).

use serde::Deserialize;
use spindle_domain::MessageId;
use spindle_domain::policy::Reason;
use spindle_store::{Connection, SilentReason};

use crate::access::access_message::access_message_in_place;
use crate::app_events::note_click;
use crate::{ActionError, Actor, change};

/// Notes for the app of a message that `actor` has clicked one of its buttons, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when there is no such message or its channel is archived; [`ActionError::BadRequest`] when it has
/// no such button or its app does not run.
pub fn click_button(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    button: &str,
) -> Result<(), ActionError> {
    #[derive(Deserialize)]
    struct Button {
        id: String,
    }
    change::silently(db, SilentReason::Apps, |tx| {
        let accessed = access_message_in_place(tx, actor, message_id)?;
        if accessed.is_archived() {
            return Err(Reason::ChannelArchived.into());
        }
        let message = accessed.message;
        let buttons: Vec<Button> = serde_json::from_str(message.buttons.as_deref().unwrap_or("[]"))
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        if buttons.iter().all(|one| one.id != button) {
            return Err(ActionError::bad_request("The message has no such button"));
        }
        if note_click(tx, actor, now, &message, button)? {
            Ok(())
        } else {
            Err(ActionError::bad_request(
                "The app of this message takes no clicks now",
            ))
        }
    })
}
