//! One message (docs/protocol/messages.md#get_message).

use spindle_domain::MessageId;
use spindle_domain::policy::Reason;
use spindle_events::Record;
use spindle_store::Db;

use crate::access::access_message::access_whole_message;
use crate::access::hidden_senders::hide_senders;
use crate::messages::edit_history::Visibility;
use crate::messages::message_object::{MessageForm, message_object};
use crate::organization::linkifiers::TopicLinks;
use crate::{ActionError, Actor};

/// A message and its Markdown source.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleMessage {
    /// The message object with flags.
    pub message: Record,
    /// `raw_content`, deprecated.
    pub raw_content: String,
}

/// Reads a message that the caller may read.
///
/// # Errors
/// [`ActionError::Denied`] when it does not exist or may not be read.
pub fn get_message(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
    form: &MessageForm<'_>,
) -> Result<SingleMessage, ActionError> {
    let row = access_whole_message(db, actor, message_id)?;
    let mut rows = Visibility::of(actor).shown(db, actor, vec![row], form.empty_topic)?;
    hide_senders(db, actor, &mut rows)?;
    let row = rows.into_iter().next().ok_or(Reason::NoAccess)?;
    let message = message_object(&row, form, &TopicLinks::new(db, actor)?)?;
    Ok(SingleMessage {
        message,
        raw_content: row.content,
    })
}
