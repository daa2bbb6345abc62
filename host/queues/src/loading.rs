//! Loads the stored state of a queue into memory when it is first needed.
//!
//! Owns what decides whether a stored queue can be served: the version of its rules, its position, and
//! the memory for it. Which queues exist is known by `known_queues`.

use std::sync::Arc;

use spindle_events::Registration;
use spindle_store::Db;
use spindle_store::event_delivery;

use super::answer::PollOutcome;
use super::inner::Inner;
use super::offset::Offset;
use super::queue::{Cursor, Phase, Queue};
use spindle_admission::memory::Purpose;

/// Why a queue could not be loaded into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WarmUpError {
    /// It cannot be read; the error has been logged.
    Unreadable,
    /// The memory budget has no room for it.
    NoRoom,
}

/// Memory of a queue in bytes: without its registration, and for each stored byte of that.
const QUEUE_BYTES: u64 = 512;
const BYTES_PER_STORED: u64 = 2;

/// Loads the stored state of a queue, unless it is loaded. Blocks.
pub(super) fn warm_up(inner: &Inner, queue: &Arc<Queue>) -> Result<(), WarmUpError> {
    let mut state = queue.lock();
    if !matches!(state.phase, Phase::Cold) {
        return Ok(());
    }
    match read_cursor(inner, queue) {
        Ok(StoredQueue::Cursor(cursor)) => {
            state.phase = Phase::Open(cursor);
            Ok(())
        }
        Ok(StoredQueue::Over) => {
            inner.end(queue, &mut state);
            Ok(())
        }
        Ok(StoredQueue::Foreign) => {
            inner.release(queue, &mut state, PollOutcome::BadQueue);
            state.phase = Phase::Ended;
            Ok(())
        }
        Ok(StoredQueue::NoRoom) => Err(WarmUpError::NoRoom),
        Err(error) => {
            tracing::error!(queue = &*queue.id, %error, "a queue cannot be read");
            Err(WarmUpError::Unreadable)
        }
    }
}

/// The stored state of a queue.
enum StoredQueue {
    Cursor(Box<Cursor>),
    /// The queue has ended.
    Over,
    /// A program with other rules serves it, or its client registers again.
    Foreign,
    /// There is no memory for it.
    NoRoom,
}

fn read_cursor(inner: &Inner, queue: &Queue) -> Result<StoredQueue, anyhow::Error> {
    if queue.number <= inner.lost_up_to {
        return Ok(StoredQueue::Over);
    }
    let find = |db: &dyn Db| event_delivery::find_queue(db, &queue.id);
    let Some(found) = inner.follower.log.with_reader(find)? else {
        return Ok(StoredQueue::Over);
    };
    if found.accept_version != spindle_events::ACCEPT_VERSION {
        return Ok(match inner.is_shared() {
            true => StoredQueue::Foreign,
            false => StoredQueue::Over,
        });
    }
    let bytes = QUEUE_BYTES + BYTES_PER_STORED * found.registration.len() as u64;
    let Some(held) = inner.options.memory.try_hold(Purpose::Queues, bytes) else {
        return Ok(StoredQueue::NoRoom);
    };
    let stored = inner.stored(&queue.id)?;
    let registration: Registration = serde_json::from_str(&found.registration)?;
    let acked = stored.position.map_or_else(
        || Offset::beginning(queue.base_seq),
        |position| Offset {
            id: position.acked_id,
            next_seq: position.next_seq,
            skip: position.skip,
            bytes: 0,
        },
    );
    // A position beyond the end of the log stems from before the database was restored.
    if stored.ended || stored.position.is_some() && !inner.reaches(acked.next_seq)? {
        return Ok(StoredQueue::Over);
    }
    let passed_over = inner
        .follower
        .log
        .positions_of(queue.base_seq, &found.base_unordered)?;
    let cursor = Cursor::new(registration, passed_over, acked, stored.heartbeats, held);
    Ok(StoredQueue::Cursor(Box::new(cursor)))
}
