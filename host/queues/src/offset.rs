//! An offset in the contents of a queue.
//!
//! Contents are derived from the log, so an offset is an id together with the log position where the
//! scan continues after it. Offsets are compared by id, and only within one queue.

/// The offset after the event `id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    /// The last id before the offset; -1 at the beginning.
    pub(super) id: i64,
    /// The log row to scan next.
    pub(super) next_seq: i64,
    /// How many events of that row lie before the offset.
    pub(super) skip: u32,
    /// Bytes of all events before the offset, counted from where this process began to read.
    pub(super) bytes: u64,
}

impl Offset {
    /// The beginning of a queue whose events come after `base_seq`.
    pub(super) fn beginning(base_seq: i64) -> Self {
        Self {
            id: -1,
            next_seq: base_seq.saturating_add(1),
            skip: 0,
            bytes: 0,
        }
    }

    /// The number of events between `earlier` and this offset.
    pub(super) fn events_since(&self, earlier: &Self) -> u64 {
        u64::try_from(self.id.saturating_sub(earlier.id)).unwrap_or(0)
    }
}
