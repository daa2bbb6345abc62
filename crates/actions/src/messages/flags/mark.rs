//! Marks one part of the messages of a call, inside the transaction of its caller.
//!
//! A flag that is set already counts as done and emits nothing. A message that was never delivered to
//! the caller is delivered, as `historical`, when a flag of it is set.

use std::collections::BTreeSet;

use spindle_domain::ChannelId;
use spindle_domain::message_flag::EditableFlag;
use spindle_events::{Event, kinds};
use spindle_store::message_flags::{self, MarkedRow};
use spindle_store::messages::flag;
use spindle_store::{WriteTx, id_list};

use super::FlagChange;
use crate::json_record::parse_record;
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME};

/// The result of a part.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// How many messages have changed.
    pub(super) updated: i64,
    /// Channels whose messages cannot be unread, because the caller is not subscribed.
    pub(super) ignored_channels: BTreeSet<ChannelId>,
    /// The event for the caller's clients; `None` when nothing has changed.
    pub(super) event: Option<Event>,
}

/// The bit of a flag.
const fn bit(flag: EditableFlag) -> i64 {
    match flag {
        EditableFlag::Read => flag::READ,
        EditableFlag::Starred => flag::STARRED,
        EditableFlag::Collapsed => flag::COLLAPSED,
    }
}

/// Changes a flag on messages that the caller may mark, in at most four statements.
pub(super) fn mark(
    tx: &WriteTx<'_>,
    actor: &Actor,
    change: &FlagChange,
    rows: &[MarkedRow],
) -> Result<Marked, ActionError> {
    let user_id = actor.user_id;
    let mut marked = Marked::default();
    let (mut ids, mut late) = (Vec::new(), Vec::new());
    let becomes_unread = change.flag == EditableFlag::Read && !change.add;
    for row in rows {
        if becomes_unread && !row.is_subscribed {
            marked.ignored_channels.extend(row.channel_id);
            continue;
        }
        let flags = row.flags.unwrap_or(flag::READ | flag::HISTORICAL);
        if (flags & bit(change.flag) != 0) == change.add {
            continue;
        }
        ids.push(row.id);
        if row.flags.is_none() {
            late.push(row.id);
        }
    }
    if ids.is_empty() {
        return Ok(marked);
    }
    if !late.is_empty() {
        message_flags::deliver_late(tx, user_id, &id_list(late))?;
    }
    let list = id_list(ids.iter().copied());
    let (add, remove) = if change.add {
        (bit(change.flag), 0)
    } else {
        (0, bit(change.flag))
    };
    message_flags::change(tx, user_id, &list, add, remove)?;
    let name = change.flag.name();
    marked.event = Some(if change.add {
        kinds::update_message_flags_add(user_id, name, &ids)
    } else if becomes_unread {
        let details = parse_record(&message_flags::details(tx, user_id, &list)?)?;
        kinds::update_message_flags_unread(user_id, &ids, details, EMPTY_TOPIC_DISPLAY_NAME)
    } else {
        kinds::update_message_flags_remove(user_id, name, &ids)
    });
    marked.updated = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    Ok(marked)
}
