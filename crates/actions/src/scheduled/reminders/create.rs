//! Asks for a reminder (docs/protocol/scheduled.md#create_reminder).

use spindle_domain::limits::MAX_REMINDER_NOTE_LENGTH;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::text::{cut_content, is_longer_than};
use spindle_domain::{MessageId, ReminderId};
use spindle_events::kinds;
use spindle_store::Connection;
use spindle_store::messages::MessageRow;
use spindle_store::reminders::{self, NewReminder};

use super::super::check_time;
use crate::access::access_message::access_message;
use crate::access::hidden_senders::hide_senders;
use crate::json_record::parse_record;
use crate::messages::content::format;
use crate::messages::send_message::{mention, quoted, topic_link};
use crate::{ActionError, Actor, change, quota};

/// A reminder to be delivered later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderInput {
    /// The message that it is about.
    pub message_id: MessageId,
    /// UNIX seconds.
    pub deliver_at: i64,
    /// The caller's own text, which the reminder repeats.
    pub note: Option<String>,
    /// Base URL of the organization without trailing slash.
    pub realm_url: String,
}

/// Stores a reminder of the caller's at `now` (UNIX seconds); returns its id. It quotes the message
/// in its current form.
///
/// # Errors
/// [`ActionError::BadRequest`] for a note that is too long, a time that has passed and one
/// reminder too many; [`ActionError::Denied`] when there is no such message for the caller.
pub fn create_reminder(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &ReminderInput,
) -> Result<ReminderId, ActionError> {
    let note = input.note.as_deref().unwrap_or_default().trim();
    if is_longer_than(note, MAX_REMINDER_NOTE_LENGTH) {
        return Err(ActionError::BadRequest(format!(
            "note is longer than {MAX_REMINDER_NOTE_LENGTH} characters"
        )));
    }
    check_time(input.deliver_at, now)?;
    let content = {
        let mut message = access_message(db, actor, input.message_id)?;
        hide_senders(db, actor, std::slice::from_mut(&mut message))?;
        cut_content(&wording(&message, note)?)
    };
    let rendered = format(db, actor, &content, &input.realm_url)?.rendered.html;
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::emitting(db, realm_id, now, |tx| {
        // It may have been deleted or moved out of reach in between.
        access_message(tx, actor, input.message_id)?;
        let reminder = NewReminder {
            message_id: input.message_id,
            content: &content,
            rendered_content: &rendered,
            deliver_at: input.deliver_at,
            realm_url: &input.realm_url,
        };
        let new = reminders::insert(tx, realm_id, user_id, &reminder)?;
        quota::check(tx, Quota::Reminders, user_id)?;
        quota::check(tx, Quota::ReminderText, user_id)?;
        let event = kinds::reminders_add(user_id, vec![parse_record(&new.object)?]);
        Ok(change::made(new.id, event))
    })
}

/// The text that the notification bot will send.
fn wording(message: &MessageRow, note: &str) -> Result<String, ActionError> {
    let id = message.id;
    let sender = mention(&message.sender_full_name, message.sender_id);
    let place = if message.channel_id.is_some() {
        let channel: String = serde_json::from_str(&message.display_recipient)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        topic_link(&channel, &message.topic, Some(id))
    } else {
        format!("[a conversation](/#narrow/near/{id})")
    };
    let note = if note.is_empty() {
        String::new()
    } else {
        format!("\n\n{note}")
    };
    Ok(format!(
        "You asked to be reminded of a message of {sender} in {place}.{note}\n\n{}",
        quoted(&message.content)
    ))
}
