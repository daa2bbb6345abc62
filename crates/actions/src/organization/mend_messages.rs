//! Replaces control characters in messages that older versions have stored, a hundred messages at a time.
//!
//! A message is not rendered again, since its HTML may name people and files that are gone; the HTML gets the same
//! replacement.

use serde_json::json;
use spindle_domain::{MessageId, RealmId};
use spindle_store::stored_texts::{self, MessageTexts};
use spindle_store::{Connection, SilentReason, audit};

use crate::stored_text::Stored;
use crate::{ActionError, change};

/// Fixes the next messages at `now` (UNIX seconds). Returns whether there may be more.
///
/// # Errors
/// [`ActionError::Store`].
pub fn mend_messages(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    if stored_texts::message_to_mend(db, realm_id)?.is_none() {
        return Ok(false);
    }
    change::silently(db, SilentReason::Housekeeping, |tx| {
        let Some(newest) = stored_texts::message_to_mend(tx, realm_id)? else {
            return Ok(false);
        };
        let messages = stored_texts::messages(tx, newest)?;
        let mut mended: Vec<MessageId> = Vec::new();
        for message in &messages {
            let clean = cleaned(message);
            if clean != *message {
                stored_texts::set_message(tx, &clean)?;
                mended.push(message.id);
            }
        }
        let oldest = messages.last().map(|message| message.id);
        stored_texts::note_mended_messages(tx, realm_id, oldest)?;
        if !mended.is_empty() {
            let data = json!({ "message_ids": mended }).to_string();
            audit::append(tx, realm_id, now, None, None, "messages_mended", &data)?;
        }
        Ok(oldest.is_some())
    })
}

fn cleaned(message: &MessageTexts) -> MessageTexts {
    let clean = |text: &str| Stored::Content.mend(text).0.into_owned();
    let history = |text: &String| {
        let (text, _) = Stored::Json(&Stored::Content).mend(text);
        text.into_owned()
    };
    MessageTexts {
        id: message.id,
        content: clean(&message.content),
        rendered_content: clean(&message.rendered_content),
        edit_history: message.edit_history.as_ref().map(history),
    }
}
