//! The content of a mail about missed messages.

use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use spindle_domain::{ConversationId, MessageId};
use spindle_store::mails::MailRow;
use spindle_store::messages::flag;
use spindle_store::{Db, keys, missed_messages};

use super::content::{Content, Origin, shows_texts, values};
use crate::access::access_message::access_message;
use crate::access::hidden_senders::hide_senders;
use crate::text::hexadecimal;
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME};

/// Messages that one mail shows.
const MAX_MESSAGES: i64 = 20;
/// Characters of a message that are shown.
const MAX_CONTENT: usize = 2000;

#[derive(Deserialize)]
struct Batch {
    place: String,
    conversation_id: ConversationId,
    topic: String,
    first: MessageId,
}

/// The messages that the person has not read and may still read; none when there are none, or they no longer want mails.
pub(super) fn missed_messages(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &MailRow,
) -> Result<Option<Content>, ActionError> {
    let batch: Batch = serde_json::from_str(&row.detail)
        .map_err(|error| ActionError::Internal(format!("the detail of a mail: {error}")))?;
    let Some(user_id) = row.user_id else {
        return Ok(None);
    };
    let Some(actor) = keys::caller_by_id(db, user_id)?.map(Actor::from_row) else {
        return Ok(None);
    };
    let mut messages = Vec::new();
    let Batch {
        conversation_id,
        topic,
        first,
        ..
    } = &batch;
    for id in
        missed_messages::unread_in(db, user_id, *conversation_id, topic, *first, MAX_MESSAGES)?
    {
        match access_message(db, &actor, id) {
            Ok(message) if message.flags.is_some_and(|flags| flags & flag::READ == 0) => {
                messages.push(message);
            }
            Ok(_) | Err(ActionError::Denied(_)) => {}
            Err(error) => return Err(error),
        }
    }
    hide_senders(db, &actor, &mut messages)?;
    let Some(one) = messages.first() else {
        return Ok(None);
    };
    let place = match one.channel_id {
        Some(_) => {
            let channel: String = serde_json::from_str(&one.display_recipient)
                .map_err(|error| ActionError::Internal(error.to_string()))?;
            let topic = if one.topic.is_empty() {
                EMPTY_TOPIC_DISPLAY_NAME
            } else {
                &one.topic
            };
            format!("#{channel} > {topic}")
        }
        None => one.sender_full_name.to_string(),
    };
    let is_shown = shows_texts(&actor);
    let link = format!("{}/#narrow/near/{}", origin.links.site, one.id);
    let shown: Vec<Value> = messages
        .iter()
        .filter(|_| is_shown)
        .map(|message| {
            let text = spindle_markup::plain_text(&message.rendered_content);
            let text = spindle_domain::text::first_chars(&text, MAX_CONTENT);
            json!({"sender": &*message.sender_full_name, "at": message.date_sent, "text": text})
        })
        .collect();
    Ok(Some(Content {
        thread: Some(thread_of(row, &batch)),
        to: None,
        values: values(&json!({
            "place": if is_shown { place } else { String::new() },
            "number": messages.len(),
            "messages": shown,
            "link": link,
        })),
    }))
}

/// All mails to a person about one conversation belong together.
fn thread_of(row: &MailRow, batch: &Batch) -> String {
    let user = row.user_id.map_or(0, |user_id| user_id.get());
    let digest: [u8; 32] =
        Sha256::digest(format!("missed messages {user} {}", batch.place).as_bytes()).into();
    hexadecimal(&digest)
}
