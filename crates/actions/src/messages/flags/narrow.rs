//! Marks the messages around an anchor that pass a narrow
//! (docs/protocol/flags.md#update_message_flags_for_narrow).
//!
//! The messages are found in a snapshot and marked in parts; what has vanished in between is left
//! out.

use std::collections::BTreeSet;

use spindle_domain::limits::MAX_MESSAGES_PER_FETCH;
use spindle_domain::narrow::NarrowTerm;
use spindle_domain::{ChannelId, MessageId};
use spindle_store::{Connection, ReadTx, id_list, message_flags};

use super::mark::mark;
use super::{FlagChange, PART};
use crate::messages::narrow::{Anchor, History, Window, window};
use crate::{ActionError, Actor, change};

/// Which messages are meant.
#[derive(Debug, Clone, PartialEq)]
pub struct NarrowSelection {
    /// Where to look.
    pub anchor: Anchor,
    /// Whether the message at the anchor is meant.
    pub include_anchor: bool,
    /// Messages before the anchor.
    pub num_before: i64,
    /// Messages after the anchor; both sides are lowered to 5000 together.
    pub num_after: i64,
    /// All terms must hold.
    pub narrow: Vec<NarrowTerm>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NarrowFlagsChanged {
    /// Messages that the narrow let through.
    pub processed: i64,
    /// Messages among them that were not marked like this before.
    pub updated: i64,
    /// The lowest and the highest id among them.
    pub first_and_last: Option<(MessageId, MessageId)>,
    /// Where the messages lie.
    pub window: Window,
    /// See [`super::FlagsChanged`].
    pub ignored_channels: BTreeSet<ChannelId>,
}

/// Marks the messages.
///
/// # Errors
/// [`ActionError::BadRequest`] for negative numbers and an anchor that is left out in the middle;
/// `ClientError::BadNarrow`.
pub fn change_flags_in_narrow(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    selection: &NarrowSelection,
    change: &FlagChange,
) -> Result<NarrowFlagsChanged, ActionError> {
    let (ids, window) = find(db, actor, selection)?;
    let mut done = NarrowFlagsChanged {
        processed: i64::try_from(ids.len()).unwrap_or(i64::MAX),
        updated: 0,
        first_and_last: ids.first().copied().zip(ids.last().copied()),
        window,
        ignored_channels: BTreeSet::new(),
    };
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    let part = usize::try_from(PART).unwrap_or(usize::MAX);
    for ids in ids.chunks(part) {
        let list = id_list(ids.iter().copied());
        let (updated, ignored_channels) = change::part(db, realm_id, now, |tx| {
            let rows = message_flags::marked(tx, realm_id, user_id, &list)?;
            let marked = mark(tx, actor, change, &rows)?;
            let counts = (marked.updated, marked.ignored_channels);
            Ok(change::outcome(counts, marked.event))
        })?;
        done.updated += updated;
        done.ignored_channels.extend(ignored_channels);
    }
    Ok(done)
}

fn find(
    db: &dyn Connection,
    actor: &Actor,
    selection: &NarrowSelection,
) -> Result<(Vec<MessageId>, Window), ActionError> {
    let (before, after) = (selection.num_before, selection.num_after);
    if before < 0 || after < 0 {
        let text = "num_before and num_after are numbers of messages, 0 or more";
        return Err(ActionError::bad_request(text));
    }
    if !selection.include_anchor && before > 0 && after > 0 {
        let text = "The anchor can only be left out at the end of what is marked";
        return Err(ActionError::bad_request(text));
    }
    // Each side may have what the other leaves, and half of it in any case.
    let rest = MAX_MESSAGES_PER_FETCH.saturating_sub(after);
    let before = before.min(rest.max(MAX_MESSAGES_PER_FETCH / 2));
    let after = after.min(MAX_MESSAGES_PER_FETCH - before);
    let tx = ReadTx::begin(db)?;
    let history = History::new(&tx, actor, &selection.narrow)?;
    let include_anchor = selection.include_anchor;
    window(
        &tx,
        &history,
        selection.anchor,
        include_anchor,
        before,
        after,
    )
}
