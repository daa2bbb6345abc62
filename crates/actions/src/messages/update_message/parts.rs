//! The further parts of a move of more messages than one transaction takes (ADR 0029).
//!
//! Each part is a transaction of its own, with its own event. A row that was committed with the
//! first part says how much is left, so that anyone can run the next part: the request that began
//! the move, another one that has to wait for it, or the job.

use spindle_domain::{MoveId, RealmId};
use spindle_store::channel_facts::{self, ChannelFactsRow};
use spindle_store::message_moves::{self, MoveRow};
use spindle_store::{Connection, Db, DbError, Outcome, WriteTx, keys};

use super::change::Change;
use super::relocate::{Relocation, Rest, kind_of};
use super::{Notify, PropagateMode};
use crate::text::fold;
use crate::{ActionError, Actor, change};

/// Makes the next part of the oldest move at `now` (UNIX seconds); false when there is none.
/// Called by a job again and again until nothing is left.
///
/// # Errors
/// [`ActionError`] when the database fails; the part is then undone.
pub fn move_next(db: &dyn Connection, realm_id: RealmId, now: i64) -> Result<bool, ActionError> {
    // Most calls find nothing, and need not wait for the write lock.
    let Some(move_id) = message_moves::first(db, realm_id)? else {
        return Ok(false);
    };
    move_part(db, realm_id, now, move_id)?;
    Ok(true)
}

/// Makes the next part of a move at `now` (UNIX seconds); returns whether the move is complete.
pub(in crate::messages) fn move_part(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    move_id: MoveId,
) -> Result<bool, ActionError> {
    change::part(db, realm_id, now, |tx| {
        let Some(row) = message_moves::find(tx, move_id)? else {
            return Ok(Outcome::Unchanged(true));
        };
        let caller = keys::caller_by_id(tx, row.user_id)?.ok_or(DbError::NoRow)?;
        let actor = Actor::from_row(caller);
        let mut there = relocation(tx, &row)?;
        there.take_next(tx, &row.from_topic, row.message_id)?;
        let change = Change {
            actor: &actor,
            now,
            started: row.started,
            message_id: row.message_id,
            sender_id: row.sender_id,
            old_topic: &row.from_topic,
            channel: Some(&there.from),
            propagate_mode: PropagateMode::of_name(&row.propagate_mode),
            notify: Notify {
                old_thread: row.notify_old,
                new_thread: row.notify_new,
            },
            edit: None,
            content_changed: row.content_changed,
            relocation: Some(&there),
        };
        let (events, _) = change.apply(tx)?;
        match there.rest {
            Some(rest) => message_moves::advance(tx, move_id, rest.last_id, there.count)?,
            None => message_moves::finish(tx, move_id)?,
        }
        Ok(change::outcome(there.rest.is_none(), events))
    })
}

/// The state of the move before its next part.
fn relocation(db: &dyn Db, row: &MoveRow) -> Result<Relocation, ActionError> {
    let channel = |id, topic: &str| -> Result<ChannelFactsRow, DbError> {
        channel_facts::by_id(db, row.realm_id, row.user_id, topic, id)?.ok_or(DbError::NoRow)
    };
    let from = channel(row.from_channel_id, &row.from_topic_folded)?;
    let mut to = channel(row.to_channel_id, &row.to_topic_folded)?;
    // As it was before the first part.
    to.topic_exists = row.to_topic_existed;
    let kind = kind_of(&row.from_topic, &row.to_topic, from.id != to.id)
        .ok_or_else(|| ActionError::Internal("a move to where the messages are".to_owned()))?;
    Ok(Relocation {
        kind,
        from,
        to,
        topic: row.to_topic.clone(),
        message_ids: Vec::new(),
        count: row.moved,
        newest_id: row.newest_id,
        rest: Some(Rest {
            first_id: row.first_id,
            last_id: row.last_id,
            only_received_by: row.only_received.then_some(row.user_id),
        }),
        sent_since: None,
        contested_by: None,
    })
}

/// Stores the remainder of a move for further parts; returns the id of the move, `None` when
/// nothing is left.
pub(super) fn keep(tx: &WriteTx<'_>, change: &Change<'_>) -> Result<Option<MoveId>, ActionError> {
    let Some((there, rest)) = change
        .relocation
        .and_then(|there| there.rest.map(|rest| (there, rest)))
    else {
        return Ok(None);
    };
    let row = MoveRow {
        realm_id: change.actor.realm_id,
        user_id: change.actor.user_id,
        started: change.started,
        message_id: change.message_id,
        sender_id: change.sender_id,
        content_changed: change.content_changed,
        propagate_mode: change.propagate_mode.name().to_owned(),
        notify_old: change.notify.old_thread,
        notify_new: change.notify.new_thread,
        from_channel_id: there.from.id,
        from_topic: change.old_topic.to_owned(),
        from_topic_folded: fold(change.old_topic),
        to_channel_id: there.to.id,
        to_topic: there.topic.clone(),
        to_topic_folded: fold(&there.topic),
        to_topic_existed: there.to.topic_exists,
        only_received: rest.only_received_by.is_some(),
        first_id: rest.first_id,
        last_id: rest.last_id,
        newest_id: there.newest_id,
        moved: there.count,
    };
    Ok(Some(message_moves::insert(tx, &row)?))
}
