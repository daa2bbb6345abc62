//! Edits a message, moves it and others of its topic (docs/protocol/messages.md#update_message).
//!
//! A large topic is moved in parts; the first part commits the request to the whole move (ADR 0029). A new text is
//! rendered before the write transaction, so that the write lock is not held while it renders. Permissions are checked
//! before that, and again inside the transaction, which is what counts.

mod apply;
mod change;
mod check;
mod edit;
mod edit_in;
mod events;
mod notices;
mod parts;
mod relocate;
mod topics;

use spindle_domain::{ChannelId, MessageId, MoveId, RealmId};
use spindle_events::Record;
use spindle_store::messages::MessageRow;
use spindle_store::{Connection, Outcome, WriteTx};

use self::change::{Change, Edit};
pub(crate) use self::edit_in::edit_in;
pub use self::parts::move_next;
pub(super) use self::parts::move_part;
use self::relocate::Relocation;
use super::content::Content;
use crate::access::access_message::access_message_in_place;
use crate::{ActionError, Actor};

/// Further parts of moves that one request runs. A job runs the rest.
const PARTS: usize = 50;

/// Which messages of the topic move along with this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropagateMode {
    One,
    /// The newer messages.
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

    /// The mode of this name; all for a name that is none.
    fn of_name(name: &str) -> Self {
        let modes = [Self::One, Self::Later];
        let found = modes.into_iter().find(|mode| mode.name() == name);
        found.unwrap_or(Self::All)
    }
}

/// The text of a message that its sender has emptied.
const DELETED_TEXT: &str = "(deleted)";

/// The topics in which the notification bot posts a notice of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notify {
    /// In the topic that the messages leave.
    pub old_thread: bool,
    /// In the topic that they go to.
    pub new_thread: bool,
}

/// The changes of a message; `None` leaves a property unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageUpdate {
    /// Markdown.
    pub content: Option<String>,
    /// Hexadecimal SHA-256 of the Markdown that the client believes to change.
    pub prev_content_sha256: Option<String>,
    /// As the client sent it.
    pub topic: Option<String>,
    /// `stream_id` of the channel that it goes to.
    pub channel_id: Option<ChannelId>,
    /// Which other messages move along.
    pub propagate_mode: PropagateMode,
    /// Where notices of a move are posted.
    pub notify: Notify,
    /// Base URL of the organization without trailing slash.
    pub realm_url: String,
}

/// Changes a message at `now` (UNIX seconds). Returns the records of the actor's uploaded files
/// that no message names any more (`detached_uploads`).
///
/// # Errors
/// [`ActionError::Denied`] when it does not exist, is hidden, is too old or may not be changed;
/// [`ActionError::BadRequest`] for what makes no sense, and while an earlier move of the topic has
/// too many parts to go;
/// `ClientError::ExpectationMismatch` when the text is not the one that the client expects;
/// `ClientError::StreamDoesNotExist` for the channel it should go to;
/// `ClientError::MoveMessagesTimeLimitExceeded` when only a part of the topic may be moved;
/// and the two errors about wildcard mentions.
pub fn update_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    update: &MessageUpdate,
) -> Result<Vec<Record>, ActionError> {
    let content = match &update.content {
        Some(text) => {
            let accessed = access_message_in_place(db, actor, message_id)?;
            check::check(db, actor, now, &accessed, update)?;
            let text = if text.trim().is_empty() {
                DELETED_TEXT
            } else {
                text
            };
            Some(Content::prepare(db, actor, text, &update.realm_url)?)
        }
        None => None,
    };
    let mut parts = PARTS;
    let mut ages_are_checked = false;
    let (detached, left) = loop {
        let first = FirstPart {
            actor,
            now,
            message_id,
            update,
            content: content.as_ref(),
            ages_are_checked,
        };
        let realm_id = actor.realm_id;
        // A change of one message is short.
        let made = if update.propagate_mode == PropagateMode::One {
            crate::change::if_needed(db, realm_id, now, |tx| first.make(tx))
        } else {
            crate::change::part(db, realm_id, now, |tx| first.make(tx))
        };
        match made? {
            Step::Done { detached, left } => break (detached, left),
            Step::Contested { move_id } => {
                if !go_on(db, realm_id, now, move_id, &mut parts)? {
                    return Err(ActionError::bad_request(
                        "Messages of this topic are being moved; please try again in a moment",
                    ));
                }
            }
            Step::Unchecked(there, message) => {
                there.check_ages(db, &message)?;
                ages_are_checked = true;
            }
        }
    };
    if let Some(move_id) = left {
        // The move is certain now: a failure here is left to the job, which reports it.
        let _ = go_on(db, actor.realm_id, now, move_id, &mut parts);
    }
    Ok(detached)
}

/// What has become of an attempt to change a message.
enum Step {
    /// It is changed, or was like this already. `left`: the move that has further parts.
    Done {
        detached: Vec<Record>,
        left: Option<MoveId>,
    },
    /// Another move of the topic has to come to its end first.
    Contested { move_id: MoveId },
    /// The ages of all messages to move must be checked first, which takes long.
    Unchecked(Box<Relocation>, Box<MessageRow>),
}

/// The first part of a change, which is what the request promises.
struct FirstPart<'a> {
    actor: &'a Actor,
    now: i64,
    message_id: MessageId,
    update: &'a MessageUpdate,
    content: Option<&'a Content>,
    ages_are_checked: bool,
}

impl FirstPart<'_> {
    fn make(&self, tx: &WriteTx<'_>) -> Result<Outcome<Step>, ActionError> {
        let (actor, now, update) = (self.actor, self.now, self.update);
        let accessed = access_message_in_place(tx, actor, self.message_id)?;
        let relocation = check::check(tx, actor, now, &accessed, update)?;
        if let Some(move_id) = relocation.as_ref().and_then(|there| there.contested_by) {
            return Ok(Outcome::Unchanged(Step::Contested { move_id }));
        }
        let relocation = match relocation {
            Some(there) if self.is_unchecked(&there) => {
                let step = Step::Unchecked(Box::new(there), Box::new(accessed.message));
                return Ok(Outcome::Unchanged(step));
            }
            relocation => relocation,
        };
        let edit = self
            .content
            .filter(|content| content.markdown != accessed.message.content)
            .map(|content| Edit {
                message: &accessed.message,
                content,
            });
        if relocation.is_none() && edit.is_none() {
            return Ok(Outcome::Unchanged(Step::Done {
                detached: Vec::new(),
                left: None,
            }));
        }
        let change = Change {
            actor,
            now,
            started: now,
            message_id: accessed.message.id,
            sender_id: accessed.message.sender_id,
            old_topic: &accessed.message.topic,
            channel: accessed.channel.as_ref(),
            propagate_mode: update.propagate_mode,
            notify: update.notify,
            edit,
            content_changed: edit.is_some(),
            relocation: relocation.as_ref(),
        };
        let (events, detached) = change.apply(tx)?;
        let left = parts::keep(tx, &change)?;
        Ok(crate::change::outcome(
            Step::Done { detached, left },
            events,
        ))
    }

    /// Whether the ages of all messages to move still have to be checked.
    fn is_unchecked(&self, there: &Relocation) -> bool {
        !self.ages_are_checked && there.rest.is_some() && there.sent_since.is_some()
    }
}

/// Makes further parts of a move, at most `parts`; returns whether it is complete.
fn go_on(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    move_id: MoveId,
    parts: &mut usize,
) -> Result<bool, ActionError> {
    while *parts > 0 {
        *parts -= 1;
        if move_part(db, realm_id, now, move_id)? {
            return Ok(true);
        }
    }
    Ok(false)
}
