//! The checks before anything changes, in the order of their errors.

use sha2::{Digest, Sha256};
use spindle_domain::errors::ClientError;
use spindle_domain::policy::{Age, EditContentFacts, may_edit_content};
use spindle_domain::realm_setting;
use spindle_store::{Db, submessages};

use super::relocate::{Relocation, relocation};
use super::{MessageUpdate, PropagateMode};
use crate::access::access_message::AccessedMessage;
use crate::text::check_printable_topic;
use crate::{ActionError, Actor};

/// Checks the whole change but the new text itself; returns where messages go, if they do.
pub(super) fn check(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    accessed: &AccessedMessage,
    update: &MessageUpdate,
) -> Result<Option<Relocation>, ActionError> {
    check_sense(db, accessed, update)?;
    if update.content.is_some() {
        check_edit(actor, now, accessed, update)?;
    }
    relocation(db, actor, now, accessed, update)
}

/// What can be said without asking who wants it.
fn check_sense(
    db: &dyn Db,
    accessed: &AccessedMessage,
    update: &MessageUpdate,
) -> Result<(), ActionError> {
    let moves = update.topic.is_some() || update.channel_id.is_some();
    let problem = if !moves && update.content.is_none() {
        Some("Nothing to change: send content, topic or stream_id")
    } else if moves && accessed.channel.is_none() {
        Some("A direct message has no topic and stays in its conversation")
    } else if !moves && update.propagate_mode != PropagateMode::One {
        Some("propagate_mode is for moves only")
    } else {
        None
    };
    if let Some(text) = problem {
        return Err(ActionError::bad_request(text));
    }
    let topic = update.topic.as_deref().unwrap_or_default();
    check_printable_topic(topic.trim())?;
    if update.content.is_some() && update.channel_id.is_some() {
        return Err(ActionError::bad_request(
            "content and stream_id cannot be changed at once",
        ));
    }
    // What people have voted for would be something else.
    if update.content.is_some() && submessages::first(db, accessed.message.id)?.is_some() {
        return Err(ActionError::bad_request(
            "The text of a poll or to-do list cannot be changed",
        ));
    }
    Ok(())
}

fn check_edit(
    actor: &Actor,
    now: i64,
    accessed: &AccessedMessage,
    update: &MessageUpdate,
) -> Result<(), ActionError> {
    let realm = actor.realm_settings();
    let message = &accessed.message;
    let facts = EditContentFacts {
        is_archived: accessed.is_archived(),
        is_editing_allowed: realm.is_on(realm_setting!("allow_message_editing")),
        is_own: message.sender_id == actor.user_id,
        age: Age {
            seconds: now - message.date_sent,
            limit: realm
                .get(realm_setting!("message_content_edit_limit_seconds"))
                .as_i64(),
        },
    };
    may_edit_content(&facts).check()?;
    let expected = update.prev_content_sha256.as_deref();
    if expected.is_some_and(|expected| !expected.eq_ignore_ascii_case(&sha256(&message.content))) {
        return Err(ClientError::ExpectationMismatch.into());
    }
    Ok(())
}

/// Hexadecimal, lower case.
fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(
            sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
