//! A place in the contents of a queue.
//!
//! Contents are derived from the log, so a place is an id together with where the scan of the
//! log goes on after it. Marks are compared by id within one queue only.

/// The place after the event `id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// The last id before the place; -1 at the beginning.
    pub(super) id: i64,
    /// The log row to look at next.
    pub(super) next_seq: i64,
    /// How many events of that row lie before the place.
    pub(super) skip: u32,
    /// Size of everything before the place, counted from where this process began to read.
    pub(super) bytes: u64,
}

impl Mark {
    /// The beginning of a queue whose events come after `base_seq`.
    pub(super) fn beginning(base_seq: i64) -> Self {
        Self {
            id: -1,
            next_seq: base_seq.saturating_add(1),
            skip: 0,
            bytes: 0,
        }
    }

    /// How many events lie between `earlier` and here.
    pub(super) fn events_since(&self, earlier: &Self) -> u64 {
        u64::try_from(self.id.saturating_sub(earlier.id)).unwrap_or(0)
    }
}
