//! The memory and tables of one call, all modules of a component together.
//!
//! A component in Rust is one module with one memory. Interpreters come as several that share a memory, with small ones
//! next to it, so the number of memories says nothing about what a call takes.

use spindle_domain::apps::limits::MEMORY_BYTES;
use wasmtime::{ResourceLimiter, Result, bail};

/// Instances of modules; Python has some thirty.
const INSTANCES: usize = 100;
const MEMORIES: usize = 10;
const TABLES: usize = 20;
/// Elements of all tables: references of eight bytes to functions.
const ELEMENTS: usize = 200_000;

/// The message of an error for an app that needs more memory.
pub(crate) const NEEDS_MEMORY: &str = "the memories of the app exceed their limit";

/// What the instances of a call have so far. Memories and tables never shrink.
#[derive(Default)]
pub(crate) struct Limits {
    bytes: usize,
    elements: usize,
}

impl ResourceLimiter for Limits {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        if grow(&mut self.bytes, current, desired, MEMORY_BYTES) {
            return Ok(true);
        }
        // An error ends the call, where `false` would leave it to the app.
        bail!("{NEEDS_MEMORY}")
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        if grow(&mut self.elements, current, desired, ELEMENTS) {
            return Ok(true);
        }
        bail!("the tables of the app have more than {ELEMENTS} elements")
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn tables(&self) -> usize {
        TABLES
    }

    fn memories(&self) -> usize {
        MEMORIES
    }
}

/// Adds what one memory or table grows by, if the sum stays within its limit.
const fn grow(sum: &mut usize, current: usize, desired: usize, most: usize) -> bool {
    let grown = sum.saturating_add(desired.saturating_sub(current));
    if grown > most {
        return false;
    }
    *sum = grown;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_bounded_together() {
        let mut limits = Limits::default();
        let half = MEMORY_BYTES / 2;
        assert!(limits.memory_growing(0, half, None).is_ok());
        assert!(limits.memory_growing(0, half - 1, None).is_ok());
        assert!(limits.memory_growing(half - 1, half, None).is_ok());
        let error = limits.memory_growing(half, half + 1, None).unwrap_err();
        assert_eq!(error.to_string(), NEEDS_MEMORY);
        assert!(limits.memory_growing(0, 0, None).is_ok());
    }

    #[test]
    fn tables_are_bounded_together() {
        let mut limits = Limits::default();
        assert!(limits.table_growing(0, ELEMENTS, None).is_ok());
        assert!(limits.table_growing(0, 1, None).is_err());
    }
}
