//! An app edits a message of its own, as one of several effects (docs/protocol/apps.md#effects).

use spindle_domain::MessageId;
use spindle_domain::policy::{Age, EditContentFacts, may_edit_content};
use spindle_domain::realm_setting;
use spindle_events::Event;
use spindle_store::{WriteTx, submessages};

use super::change::{Change, Edit};
use super::{Notify, PropagateMode};
use crate::access::access_message::access_message_in_place;
use crate::messages::content::Content;
use crate::{ActionError, Actor};

/// Replaces text and buttons of a message of the actor's own at `now` (UNIX seconds), within the caller's transaction.
/// There is no limit on the age of the message, since its buttons may be clicked at any time. An error occurs before
/// anything changes.
///
/// # Errors
/// As `update_message`.
pub(crate) fn edit_in(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    content: &Content,
) -> Result<Vec<Event>, ActionError> {
    let accessed = access_message_in_place(tx, actor, message_id)?;
    let message = &accessed.message;
    let realm = actor.realm_settings();
    let facts = EditContentFacts {
        is_archived: accessed.is_archived(),
        is_editing_allowed: realm.is_on(realm_setting!("allow_message_editing")),
        is_own: message.sender_id == actor.user_id,
        age: Age {
            seconds: now - message.date_sent,
            limit: None,
        },
    };
    may_edit_content(&facts).check()?;
    if submessages::first(tx, message.id)?.is_some() {
        return Err(ActionError::bad_request(
            "The text of a poll or to-do list cannot be changed",
        ));
    }
    let old_buttons = message.buttons.as_deref().unwrap_or("[]");
    let is_same = content.markdown == message.content
        && content
            .buttons
            .as_deref()
            .is_none_or(|new| new == old_buttons);
    if is_same {
        return Ok(Vec::new());
    }
    let change = Change {
        actor,
        now,
        started: now,
        message_id: message.id,
        sender_id: message.sender_id,
        old_topic: &message.topic,
        channel: accessed.channel.as_ref(),
        propagate_mode: PropagateMode::One,
        notify: Notify {
            old_thread: false,
            new_thread: false,
        },
        edit: Some(Edit { message, content }),
        content_changed: true,
        relocation: None,
    };
    Ok(change.apply(tx)?.0)
}
