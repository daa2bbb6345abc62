//! Marks the messages that a client names (docs/protocol/flags.md#update_message_flags).

use std::collections::{BTreeMap, BTreeSet};

use spindle_domain::limits::MAX_FLAGGED_MESSAGES;
use spindle_domain::message_flag::EditableFlag;
use spindle_domain::policy::{ChannelFacts, MessageAccessFacts, may_read_message};
use spindle_domain::{ChannelId, MessageId};
use spindle_store::message_flags::{self, MarkedRow};
use spindle_store::{Connection, Db, channel_facts, id_list};

use super::mark::mark;
use crate::access::access_channel::facts;
use crate::{ActionError, Actor, change};

/// A flag, and whether it is set or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlagChange {
    /// Which.
    pub flag: EditableFlag,
    /// Set or removed.
    pub add: bool,
}

/// The result of a change of flags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlagsChanged {
    /// The messages that have the flag as asked for; ascending.
    pub message_ids: BTreeSet<MessageId>,
    /// Channels whose messages stay read because the caller is not subscribed; ascending.
    pub ignored_channels: BTreeSet<ChannelId>,
}

/// Marks those messages that the caller may read. Others are skipped silently, since clients mark messages that they
/// displayed a moment ago.
///
/// # Errors
/// [`ActionError::BadRequest`] for too many.
pub fn change_flags(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_ids: &[MessageId],
    change: &FlagChange,
) -> Result<FlagsChanged, ActionError> {
    if message_ids.len() > MAX_FLAGGED_MESSAGES {
        let text = format!("At most {MAX_FLAGGED_MESSAGES} messages are marked at once");
        return Err(ActionError::BadRequest(text));
    }
    let asked: BTreeSet<MessageId> = message_ids.iter().copied().collect();
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::if_needed(db, realm_id, now, |tx| {
        let rows = message_flags::marked(tx, realm_id, user_id, &id_list(asked.iter().copied()))?;
        let rows = readable(tx, actor, rows)?;
        let marked = mark(tx, actor, change, &rows)?;
        let changed = FlagsChanged {
            message_ids: rows.iter().map(|row| row.id).collect(),
            ignored_channels: marked.ignored_channels,
        };
        Ok(change::outcome(changed, marked.event))
    })
}

/// The messages that the caller may read.
fn readable(
    db: &dyn Db,
    actor: &Actor,
    rows: Vec<MarkedRow>,
) -> Result<Vec<MarkedRow>, ActionError> {
    let channels: BTreeSet<ChannelId> = rows.iter().filter_map(|row| row.channel_id).collect();
    let ids = id_list(channels);
    let channels: BTreeMap<ChannelId, ChannelFacts> =
        channel_facts::by_ids(db, actor.realm_id, actor.member(), &ids)?
            .iter()
            .map(|row| (row.id, facts(row, actor.role)))
            .collect();
    let mut readable = Vec::with_capacity(rows.len());
    for row in rows {
        let channel = row.channel_id.map(|id| channels.get(&id));
        let facts = MessageAccessFacts {
            role: actor.role,
            is_recipient: row.flags.is_some(),
            channel: channel.flatten().copied(),
        };
        // A channel that is not found is not a direct conversation.
        let is_lost = channel == Some(None);
        if !is_lost && may_read_message(&facts).is_allowed() {
            readable.push(row);
        }
    }
    Ok(readable)
}
