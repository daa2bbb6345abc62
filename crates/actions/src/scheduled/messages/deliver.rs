//! Sends the scheduled messages that are due (docs/protocol/scheduled.md#delivery).
//!
//! Each is sent and deleted in one transaction: neither a second call nor a crash in between sends it
//! twice or loses it. One that cannot be sent is kept, marked as failed, and the notification bot
//! notifies its writer; it is not tried again before it is edited.

use spindle_domain::UserId;
use spindle_domain::errors::ClientError;
use spindle_events::kinds;
use spindle_store::scheduled_messages::{self, DueRow};
use spindle_store::{Connection, Db, Outcome, keys};

use super::super::{DELIVERED_AT_ONCE, TOO_LATE_SECS};
use super::destination;
use crate::json_record::parse_record;
use crate::messages::MessageInput;
use crate::messages::content::Content;
use crate::messages::send_message::{Notice, Wording, literal, send_in, send_notice};
use crate::{ActionError, Actor, change};

/// Sends some of what is due at `now` (UNIX seconds), people taking turns; returns whether nothing was due. In each call
/// people with few messages come first again.
pub fn deliver_scheduled_messages(db: &dyn Connection, now: i64) -> Result<bool, ActionError> {
    // Most calls find nothing, and need not wait for the write lock.
    let due = scheduled_messages::due(db, now, DELIVERED_AT_ONCE)?;
    for message in &due {
        let Err(error) = deliver(db, now, message) else {
            continue;
        };
        match refusal(&error) {
            Some(text) => fail(db, now, message, &text)?,
            None => return Err(error),
        }
    }
    Ok(due.is_empty())
}

/// Why a message cannot be sent, in words for its writer; `None` when the server itself has failed, so that sending is
/// retried.
fn refusal(error: &ActionError) -> Option<String> {
    match error {
        ActionError::Store(_) | ActionError::Internal(_) => None,
        ActionError::BadRequest(text) | ActionError::NotFound(text) => Some(text.clone()),
        ActionError::Client(ClientError::StreamDoesNotExist { .. }) => {
            Some("The channel is not there any more".to_owned())
        }
        ActionError::Client(ClientError::UserDeactivated) => {
            Some("the account is deactivated".to_owned())
        }
        ActionError::Client(ClientError::RealmDeactivated) => {
            Some("the organization is deactivated".to_owned())
        }
        _ => Some("It may not be sent there any more".to_owned()),
    }
}

fn deliver(db: &dyn Connection, now: i64, message: &DueRow) -> Result<(), ActionError> {
    if now - message.deliver_at > TOO_LATE_SECS {
        return Err(ActionError::bad_request(
            "The server could not send it at its time",
        ));
    }
    let Some(row) = scheduled_messages::find(db, message.user_id, message.id)? else {
        return Ok(());
    };
    let actor = writer(db, message.user_id)?;
    let input = MessageInput {
        destination: destination(&row)?,
        content: row.content.clone(),
        client: row.client.clone(),
        read_by_sender: Some(row.read_by_sender),
        local: None,
        delivery: None,
        realm_url: row.realm_url.clone(),
    };
    let content = Content::prepare(db, &actor, &input.content, &input.realm_url)?;
    change::if_needed(db, actor.realm_id, now, |tx| {
        // It may have been sent, changed or deleted in between; the next call handles that.
        if scheduled_messages::find(tx, message.user_id, message.id)?.as_ref() != Some(&row) {
            return Ok(Outcome::Unchanged(()));
        }
        let (_, mut events) = send_in(tx, &actor, now, &input, &content)?;
        scheduled_messages::delete(tx, message.user_id, message.id)?;
        events.push(kinds::scheduled_messages_remove(
            message.user_id,
            message.id,
        ));
        Ok(change::outcome((), events))
    })
}

/// The current account of its writer.
fn writer(db: &dyn Db, user_id: UserId) -> Result<Actor, ActionError> {
    let row = keys::caller_by_id(db, user_id)?
        .ok_or_else(|| ActionError::Internal(format!("there is no user {user_id}")))?;
    if row.realm_deactivated {
        return Err(ClientError::RealmDeactivated.into());
    }
    if !row.is_active {
        return Err(ClientError::UserDeactivated.into());
    }
    Ok(Actor::from_row(row))
}

fn fail(db: &dyn Connection, now: i64, message: &DueRow, text: &str) -> Result<(), ActionError> {
    let Some(row) = keys::caller_by_id(db, message.user_id)? else {
        return Ok(());
    };
    change::if_needed(db, row.realm_id, now, |tx| {
        let Some(record) = scheduled_messages::set_failed(tx, message.id, text)? else {
            return Ok(Outcome::Unchanged(()));
        };
        let record = parse_record(&record)?;
        let content = record.get("content").and_then(serde_json::Value::as_str);
        let writer = Actor::from_row(row.clone());
        let mut wording = Wording::plain(format!(
            "Your scheduled message was not sent: {}.",
            literal(text)
        ));
        wording.quote(content.unwrap_or_default(), Some(&writer));
        let mut events = vec![kinds::scheduled_messages_update(message.user_id, record)];
        if row.is_active && !row.realm_deactivated {
            let notice = Notice::to_person(message.user_id, wording);
            events.extend(send_notice(tx, row.realm_id, now, &notice)?.1);
        }
        Ok(change::outcome((), events))
    })
}
