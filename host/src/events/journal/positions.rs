//! The records of the journal, and the batch that is still to be written.

use std::collections::HashMap;
use std::sync::Arc;

/// The position of a queue's client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::events) struct Position {
    pub(in crate::events) acked_id: i64,
    pub(in crate::events) next_seq: i64,
    pub(in crate::events) skip: u32,
    pub(in crate::events) active_ms: i64,
}

/// Everything stored of one queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::events) struct Stored {
    pub(in crate::events) position: Option<Position>,
    /// Ascending.
    pub(in crate::events) heartbeats: Vec<i64>,
    pub(in crate::events) ended: bool,
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
