//! Messages around an anchor (protocol-facts 5.2, GET /messages).
//!
//! First the narrow is turned into a filter (whom and what the caller may see included), then
//! ids are found on both sides of the anchor, then the contents are read at once.

mod anchor;
mod filter;

use spindle_domain::MessageId;
use spindle_domain::limits::MAX_MESSAGES_PER_FETCH;
use spindle_domain::narrow::NarrowTerm;
use spindle_domain::policy::MessageAccessFacts;
use spindle_events::Record;
use spindle_store::messages::{self, MessageRow};
use spindle_store::{Db, ReadTx, id_list};

use crate::messages::edit_history::Visibility;
use crate::messages::message_object::{MessageForm, message_object};
use crate::organization::linkifiers::TopicLinks;
use crate::{ActionError, Actor};

pub use anchor::Anchor;

/// Which messages are wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// Messages around an anchor that pass a narrow.
    Around {
        /// Where to look.
        anchor: Anchor,
        /// Whether the message at the anchor is wanted.
        include_anchor: bool,
        /// Messages before the anchor.
        num_before: i64,
        /// Messages after the anchor.
        num_after: i64,
        /// All terms must hold.
        narrow: Vec<NarrowTerm>,
    },
    /// These messages, as far as the caller may read them (FL 300).
    Ids(Vec<MessageId>),
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchedMessages {
    /// Message objects, ascending by id.
    pub messages: Vec<Record>,
    /// What follows; none when ids were given.
    pub window: Option<Window>,
}

/// Where the messages lie in the history that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The anchor as an id.
    pub anchor: i64,
    /// Whether the message at the anchor is among the messages.
    pub found_anchor: bool,
    /// Whether the oldest message is among them.
    pub found_oldest: bool,
    /// Whether the newest message is among them.
    pub found_newest: bool,
    /// Whether older history is kept back; never here.
    pub history_limited: bool,
}

/// Reads messages in one snapshot.
///
/// # Errors
/// [`ActionError::BadRequest`] for numbers that are negative or too large, or an anchor that
/// is left out in the middle; [`ActionError::BadNarrow`].
pub fn fetch_messages(
    db: &dyn Db,
    actor: &Actor,
    selection: &Selection,
    form: &MessageForm<'_>,
) -> Result<FetchedMessages, ActionError> {
    let (ids, window) = match selection {
        Selection::Ids(ids) => {
            if i64::try_from(ids.len()).unwrap_or(i64::MAX) > MAX_MESSAGES_PER_FETCH {
                return Err(too_many());
            }
            (ids.iter().map(|id| id.get()).collect(), None)
        }
        Selection::Around { .. } => {
            check_numbers(selection)?;
            let tx = ReadTx::begin(db)?;
            let (ids, window) = find(&tx, actor, selection)?;
            return Ok(FetchedMessages {
                messages: read(&tx, actor, &ids, form)?,
                window: Some(window),
            });
        }
    };
    let tx = ReadTx::begin(db)?;
    let messages = read_allowed(&tx, actor, ids, form)?;
    Ok(FetchedMessages { messages, window })
}

fn too_many() -> ActionError {
    ActionError::BadRequest(format!(
        "At most {MAX_MESSAGES_PER_FETCH} messages are read at once"
    ))
}

fn check_numbers(selection: &Selection) -> Result<(), ActionError> {
    let Selection::Around {
        include_anchor,
        num_before,
        num_after,
        ..
    } = selection
    else {
        return Ok(());
    };
    let range = 0..=MAX_MESSAGES_PER_FETCH;
    if !range.contains(num_before) || !range.contains(num_after) {
        let text = "num_before and num_after are numbers of messages, 0 or more";
        return Err(if *num_before < 0 || *num_after < 0 {
            ActionError::bad_request(text)
        } else {
            too_many()
        });
    }
    if num_before + num_after > MAX_MESSAGES_PER_FETCH {
        return Err(too_many());
    }
    if !include_anchor && *num_before > 0 && *num_after > 0 {
        let text = "The anchor can only be left out at the end of what is read";
        return Err(ActionError::bad_request(text));
    }
    Ok(())
}

fn find(
    db: &dyn Db,
    actor: &Actor,
    selection: &Selection,
) -> Result<(Vec<i64>, Window), ActionError> {
    let Selection::Around {
        anchor,
        include_anchor,
        num_before,
        num_after,
        narrow,
    } = selection
    else {
        return Err(ActionError::Internal(
            "a selection without an anchor".into(),
        ));
    };
    let history = filter::history(db, actor, narrow)?;
    let anchor = anchor.resolve(db, &history)?;
    anchor::window(
        db,
        &history,
        anchor,
        *include_anchor,
        *num_before,
        *num_after,
    )
}

fn read(
    db: &dyn Db,
    actor: &Actor,
    ids: &[i64],
    form: &MessageForm<'_>,
) -> Result<Vec<Record>, ActionError> {
    let ids = id_list(ids.iter().copied());
    let links = TopicLinks::new(db, actor)?;
    let history = Visibility::of(actor);
    messages::by_ids(db, actor.realm_id.get(), actor.user_id.get(), &ids)?
        .into_iter()
        .map(|row| message_object(history.shown(row)?, form, &links))
        .collect()
}

/// Reads the messages among `ids` that the caller may read.
fn read_allowed(
    db: &dyn Db,
    actor: &Actor,
    ids: Vec<i64>,
    form: &MessageForm<'_>,
) -> Result<Vec<Record>, ActionError> {
    let rows = messages::by_ids(db, actor.realm_id.get(), actor.user_id.get(), &id_list(ids))?;
    let links = TopicLinks::new(db, actor)?;
    let history = Visibility::of(actor);
    let channels = filter::channel_facts(db, actor)?;
    let may_read = |row: &MessageRow| {
        let channel = match row.channel_id {
            None => None,
            Some(id) => match channels.get(&id) {
                Some(facts) => Some(*facts),
                None => return false,
            },
        };
        let facts = MessageAccessFacts {
            role: actor.role,
            is_recipient: row.flags.is_some(),
            channel,
        };
        spindle_domain::policy::may_read_message(&facts).is_allowed()
    };
    rows.into_iter()
        .filter(may_read)
        .map(|row| message_object(history.shown(row)?, form, &links))
        .collect()
}
