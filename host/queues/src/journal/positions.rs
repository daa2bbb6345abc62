//! The records of the journal, and the batch that is still to be written.

use std::collections::HashMap;
use std::sync::Arc;

use spindle_domain::UserId;
use spindle_store::queue_positions::QueuePosition;

/// The position of a queue's client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) acked_id: i64,
    pub(crate) next_seq: i64,
    pub(crate) skip: u32,
    pub(crate) active_ms: i64,
}

/// Everything stored of one queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) position: Option<Position>,
    /// Ascending.
    pub(crate) heartbeats: Vec<i64>,
    pub(crate) ended: bool,
}

impl From<QueuePosition> for Stored {
    fn from(found: QueuePosition) -> Self {
        Self {
            position: Some(Position {
                acked_id: found.acked_id,
                next_seq: found.next_seq,
                skip: u32::try_from(found.skip).unwrap_or(0),
                active_ms: found.active_ms,
            }),
            heartbeats: Vec::new(),
            ended: found.ended == 1,
        }
    }
}

/// A heartbeat that is to be recorded.
#[derive(Debug, Clone)]
pub(crate) struct Heartbeat {
    pub(crate) queue_id: Arc<str>,
    pub(crate) user_id: UserId,
    /// Its id; a heartbeat in the log gets one from its position.
    pub(crate) id: i64,
}

/// Records that are still to be written.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) positions: HashMap<Arc<str>, Position>,
    pub(super) ended: Vec<Arc<str>>,
    pub(super) forgotten: Vec<Arc<str>>,
    pub(super) running_ms: Option<i64>,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty()
            && self.ended.is_empty()
            && self.forgotten.is_empty()
            && self.running_ms.is_none()
    }

    /// Puts back records whose write failed; newer records win.
    pub(super) fn restore(&mut self, older: Self) {
        for (id, position) in older.positions {
            self.positions.entry(id).or_insert(position);
        }
        self.ended.extend(older.ended);
        self.forgotten.extend(older.forgotten);
        self.running_ms = self.running_ms.or(older.running_ms);
    }
}
