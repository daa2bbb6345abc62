//! Schedules a message (docs/protocol/scheduled.md#create_scheduled_message).

use spindle_domain::ScheduledMessageId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::kinds;
use spindle_store::Connection;
use spindle_store::scheduled_messages::{self, ScheduledRow};

use super::super::check_time;
use super::checked;
use crate::json_record::parse_record;
use crate::messages::Destination;
use crate::messages::content::Content;
use crate::messages::send_message::reads_what_it_sends;
use crate::{ActionError, Actor, change, quota};

/// A message to be sent later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledInput {
    /// Whom it is for.
    pub destination: Destination,
    /// Markdown.
    pub content: String,
    /// UNIX seconds.
    pub deliver_at: i64,
    /// `None` means that the client's name decides.
    pub read_by_sender: Option<bool>,
    /// Name of the client.
    pub client: String,
    /// Base URL of the organization without trailing slash.
    pub realm_url: String,
}

/// Stores a message of the caller's at `now` (UNIX seconds); returns its id.
///
/// # Errors
/// [`ActionError::BadRequest`] for a time that has passed and one message too many; and all
/// errors of sending a message.
pub fn create_scheduled_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &ScheduledInput,
) -> Result<ScheduledMessageId, ActionError> {
    check_time(input.deliver_at, now)?;
    let content = Content::prepare(db, actor, &input.content, &input.realm_url)?;
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::emitting(db, realm_id, now, |tx| {
        let row = ScheduledRow {
            channel_id: None,
            recipients: None,
            topic: String::new(),
            content: String::new(),
            rendered_content: String::new(),
            deliver_at: input.deliver_at,
            read_by_sender: input
                .read_by_sender
                .unwrap_or_else(|| reads_what_it_sends(&input.client)),
            client: input.client.clone(),
            realm_url: input.realm_url.clone(),
            failed: false,
        };
        let row = checked(tx, actor, &input.destination, &content, row)?;
        let stored = scheduled_messages::insert(tx, realm_id, user_id, &row)?;
        quota::check(tx, Quota::ScheduledMessages, user_id)?;
        quota::check(tx, Quota::ScheduledText, user_id)?;
        let event = kinds::scheduled_messages_add(user_id, vec![parse_record(&stored.object)?]);
        Ok(change::made(stored.id, event))
    })
}
