//! What the rows of a result take while the host holds them: within the limit of one result, and within
//! the memory budget of all.
//!
//! Rows are counted as they are read, and for as long as the session, or who takes them from there, holds
//! them for the guest. Must not wait for room: a statement may hold the writer.

use super::error::DatabaseError;
use super::options::DatabaseOptions;
use spindle_admission::memory::{Held, Memory, Purpose};
use std::sync::Arc;

/// Results up to this size are not counted: each request has one at most.
const SMALL: usize = 64 << 10;
/// Bytes that are reserved at a time.
const STEP: usize = 64 << 10;

/// The room of one result.
pub(super) struct ResultMemory<'o> {
    memory: &'o Arc<Memory>,
    most: usize,
    bytes: usize,
    counted: usize,
    held: Option<Held>,
}

impl<'o> ResultMemory<'o> {
    /// Of a result that has no row yet.
    pub(super) fn new(options: &'o DatabaseOptions) -> Self {
        Self {
            memory: &options.memory,
            most: options.max_result_bytes,
            bytes: 0,
            counted: 0,
            held: None,
        }
    }

    /// Takes what a row needs.
    ///
    /// # Errors
    ///
    /// `ResultTooLarge` and `NoMemory`.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), DatabaseError> {
        self.bytes += bytes;
        if self.bytes > self.most {
            return Err(DatabaseError::ResultTooLarge(self.most));
        }
        if self.bytes <= SMALL || self.bytes <= self.counted {
            return Ok(());
        }
        let size = self.bytes.div_ceil(STEP) * STEP;
        let memory = self.memory;
        let held = self
            .held
            .get_or_insert_with(|| memory.hold_nothing(Purpose::Results));
        if !held.grow((size - self.counted) as u64) {
            return Err(DatabaseError::NoMemory);
        }
        self.counted = size;
        Ok(())
    }

    /// The reservation to keep as long as the rows.
    pub(super) fn held(self) -> Option<Held> {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(memory: &Arc<Memory>) -> DatabaseOptions {
        DatabaseOptions {
            max_result_bytes: 10 * STEP,
            memory: Arc::clone(memory),
            ..DatabaseOptions::new("unused")
        }
    }

    #[test]
    fn large_results_count_in_steps_until_they_are_dropped() {
        let memory = Memory::of(8 * STEP as u64);
        let options = options(&memory);
        let mut room = ResultMemory::new(&options);
        room.take(SMALL).unwrap();
        assert_eq!(memory.held(), 0);
        room.take(1).unwrap();
        assert_eq!(memory.held_for(Purpose::Results), 2 * STEP as u64);
        room.take(STEP - 1).unwrap();
        assert_eq!(memory.held(), 2 * STEP as u64);
        let held = room.held();
        assert_eq!(memory.held(), 2 * STEP as u64);
        drop(held);
        assert_eq!(memory.held(), 0);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let memory = Memory::of(8 * STEP as u64);
        let options = options(&memory);
        let mut room = ResultMemory::new(&options);
        room.take(6 * STEP).unwrap();
        // A quarter is for small ones.
        assert!(matches!(room.take(1), Err(DatabaseError::NoMemory)));
        drop(room);
        assert_eq!(memory.held(), 0);
        let mut room = ResultMemory::new(&options);
        let too_large = room.take(10 * STEP + 1);
        assert!(matches!(too_large, Err(DatabaseError::ResultTooLarge(_))));
    }
}
