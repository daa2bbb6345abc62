//! Edits a message, moves it and others of its topic (protocol-facts 5.2, PATCH /messages/{id}).
//!
//! A new text is rendered before the write transaction, so that nobody waits for it; what is
//! permitted is asked before that, and again inside the transaction, which is what counts.

mod apply;
mod change;
mod check;
mod edit;
mod notices;
mod relocate;
mod tell;
mod topics;

use spindle_domain::MessageId;
use spindle_events::Record;
use spindle_store::{Db, Emitted, WriteTx};

use super::content::Content;
use crate::access::access_message::access_message_in_place;
use crate::{ActionError, Actor, emit};

/// Which messages of the topic go along with the one that is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropagateMode {
    /// None.
    One,
    /// Those that are newer.
    Later,
    /// All.
    All,
}

impl PropagateMode {
    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "change_one",
            Self::Later => "change_later",
            Self::All => "change_all",
        }
    }
}

/// Where the notification bot tells of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notify {
    /// In the topic that the messages leave.
    pub old_thread: bool,
    /// In the topic that they go to.
    pub new_thread: bool,
}

/// What is to become of a message; what is none stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageUpdate {
    /// Markdown.
    pub content: Option<String>,
    /// Hexadecimal SHA-256 of the Markdown that the client believes to change.
    pub prev_content_sha256: Option<String>,
    /// As the client sent it.
    pub topic: Option<String>,
    /// `stream_id` of the channel that it goes to.
    pub channel_id: Option<i64>,
    /// Which other messages go along.
    pub propagate_mode: PropagateMode,
    /// Where a move is told.
    pub notify: Notify,
    /// Base URL of the organization without trailing slash.
    pub realm_url: String,
}

/// Changes a message at `now` (UNIX seconds). Returns the records of the actor's uploaded files
/// that no message names any more (`detached_uploads`).
///
/// # Errors
/// [`ActionError::Denied`] when it does not exist, is hidden, is too old or may not be changed;
/// [`ActionError::BadRequest`] for what makes no sense;
/// [`ActionError::ExpectationMismatch`] when the text is not the one that the client expects;
/// [`ActionError::StreamDoesNotExist`] for the channel it should go to;
/// [`ActionError::MoveMessagesTimeLimitExceeded`] when only a part of the topic may be moved;
/// and the two errors about mentions of everybody.
pub fn update_message(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    update: &MessageUpdate,
) -> Result<Vec<Record>, ActionError> {
    let content = match &update.content {
        Some(text) => {
            let accessed = access_message_in_place(db, actor, message_id)?;
            check::check(db, actor, now, &accessed, update)?;
            Some(Content::prepare(db, actor, text, &update.realm_url)?)
        }
        None => None,
    };
    let tx = WriteTx::begin(db)?;
    let accessed = access_message_in_place(&tx, actor, message_id)?;
    let relocation = check::check(&tx, actor, now, &accessed, update)?;
    let content = content.filter(|content| content.markdown != accessed.message.content);
    if relocation.is_none() && content.is_none() {
        let nothing = Emitted::Nothing("the message is already as it should become");
        tx.commit(actor.realm_id.get(), now, nothing)?;
        return Ok(Vec::new());
    }
    let change = change::Change {
        actor,
        now,
        accessed: &accessed,
        propagate_mode: update.propagate_mode,
        notify: update.notify,
        content: content.as_ref(),
        relocation: relocation.as_ref(),
    };
    let (events, detached) = change.apply(&tx)?;
    tx.commit(actor.realm_id.get(), now, emit::events(events))?;
    Ok(detached)
}
