//! The memory of rows that are being passed to an instance, as the budget counts it.
//!
//! The host does not notice when a guest has received the rows of a statement, so they count until
//! the instance runs its next statement or until a request in it has ended.

use spindle_admission::memory::Held;
use std::sync::{Arc, Mutex, PoisonError};

/// The rows that are being passed to one instance. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct RowsHeld(Arc<Mutex<Option<Held>>>);

/// Releases the memory when it is dropped.
pub(super) struct UntilDropped(RowsHeld);

impl RowsHeld {
    /// Reserves the memory of a statement's rows, and releases the reservation for earlier ones.
    pub(crate) fn replace(&self, held: Option<Held>) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *current = held;
    }

    /// Releases the reservation when the result is dropped, at the latest.
    pub(super) fn until_dropped(&self) -> UntilDropped {
        UntilDropped(self.clone())
    }
}

impl Drop for UntilDropped {
    fn drop(&mut self) {
        self.0.replace(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_admission::memory::{Memory, Purpose};

    #[test]
    fn rows_count_until_the_next_ones_or_the_end_of_a_request() {
        let memory = Memory::of(1 << 20);
        let held = |bytes| {
            let mut held = memory.hold_nothing(Purpose::Results);
            assert!(held.grow(bytes));
            Some(held)
        };
        let rows = RowsHeld::default();
        let request = rows.until_dropped();
        rows.replace(held(1000));
        assert_eq!(memory.held(), 1000);
        rows.replace(held(500));
        assert_eq!(memory.held(), 500);
        rows.replace(None);
        assert_eq!(memory.held(), 0);
        rows.replace(held(200));
        drop(request);
        assert_eq!(memory.held(), 0);
    }
}
