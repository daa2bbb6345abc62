//! Marks the messages that a client names (protocol-facts 5.2, POST /messages/flags).

use std::collections::BTreeSet;

use spindle_domain::MessageId;
use spindle_domain::limits::MAX_FLAGGED_MESSAGES;
use spindle_domain::message_flag::EditableFlag;
use spindle_domain::policy::{MessageAccessFacts, Reason, may_read_message};
use spindle_store::message_flags::{self, MarkedRow};
use spindle_store::{Db, Emitted, WriteTx, channel_facts, id_list};

use super::mark::mark;
use crate::access::access_channel::facts;
use crate::{ActionError, Actor, emit};

/// A flag and what is to become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlagChange {
    /// Which.
    pub flag: EditableFlag,
    /// Set, or taken away.
    pub add: bool,
}

/// What could not be done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlagsChanged {
    /// Channels whose messages stay read because the caller is not subscribed; ascending.
    pub ignored_channels: BTreeSet<i64>,
}

/// Marks messages that the caller received or may read, all of them or none.
///
/// # Errors
/// [`ActionError::Denied`] if there is no such message among them, or it is hidden;
/// [`ActionError::BadRequest`] for too many.
pub fn change_flags(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    message_ids: &[MessageId],
    change: &FlagChange,
) -> Result<FlagsChanged, ActionError> {
    if message_ids.len() > MAX_FLAGGED_MESSAGES {
        let text = format!("At most {MAX_FLAGGED_MESSAGES} messages are marked at once");
        return Err(ActionError::BadRequest(text));
    }
    let asked: BTreeSet<i64> = message_ids.iter().map(|id| id.get()).collect();
    let (realm_id, user_id) = (actor.realm_id.get(), actor.user_id.get());
    let tx = WriteTx::begin(db)?;
    let rows = message_flags::marked(&tx, realm_id, user_id, &id_list(asked.iter().copied()))?;
    if rows.len() != asked.len() {
        return Err(Reason::NoAccess.into());
    }
    check_access(&tx, actor, &rows)?;
    let marked = mark(&tx, actor, change, &rows)?;
    let emitted = marked.event.map_or(
        Emitted::Nothing("every message was marked like this before"),
        |event| emit::events([event]),
    );
    tx.commit(realm_id, now, emitted)?;
    Ok(FlagsChanged {
        ignored_channels: marked.ignored_channels,
    })
}

/// What was delivered to somebody is theirs to mark; anything else they have to be able to read.
fn check_access(db: &dyn Db, actor: &Actor, rows: &[MarkedRow]) -> Result<(), ActionError> {
    let others: Vec<&MarkedRow> = rows.iter().filter(|row| row.flags.is_none()).collect();
    let channels: BTreeSet<Option<i64>> = others.iter().map(|row| row.channel_id).collect();
    let (realm_id, user_id) = (actor.realm_id.get(), actor.user_id.get());
    for channel_id in channels {
        let channel_id = channel_id.ok_or(Reason::NoAccess)?;
        let row =
            channel_facts::by_id(db, realm_id, user_id, "", channel_id)?.ok_or(Reason::NoAccess)?;
        let facts = MessageAccessFacts {
            role: actor.role,
            is_recipient: false,
            channel: Some(facts(&row, actor.role)),
        };
        may_read_message(&facts).check()?;
    }
    Ok(())
}
