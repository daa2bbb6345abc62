//! Limits the growth of an instance's linear memory, and retires instances that have grown too large.
//!
//! Memory is reserved in the budget before it is allocated and released when the instance has ended:
//! linear memory never shrinks. Must not wait; a denied growth fails in the guest, which usually
//! traps.

use super::component::ComponentContext;
use spindle_admission::memory::Purpose;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wasmtime::ResourceLimiter;

/// An instance with more memory accepts no further requests and ends after its current ones.
pub const RETIRED_ABOVE: usize = 16 << 20;
/// The first instances of a component may grow to this even when the budget is used up, so that the
/// server can always answer.
const ALWAYS: usize = 3 << 20;
/// An exclusive instance may grow to this in any case: it hashes a password, which takes 7 MiB, and there
/// are few. Otherwise clients could use up the memory with which others sign in.
const ALWAYS_EXCLUSIVE: usize = 12 << 20;
/// An idle instance with more memory is ended, since its memory would be unused.
const KEPT_UP_TO: usize = 4 << 20;

/// The linear memory of one instance.
pub(super) struct Growth {
    component: Arc<ComponentContext>,
    /// The size to which it may grow even when the budget is used up.
    always: usize,
    size: Size,
    /// The last growth granted, to be released if the allocation fails.
    granted: usize,
    was_denied: bool,
}

/// The size of an instance's memory in bytes, readable from outside of its store.
#[derive(Clone, Default)]
pub(super) struct Size(Arc<AtomicUsize>);

impl Size {
    /// A size in bytes.
    #[cfg(test)]
    pub(super) fn of(bytes: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Whether an idle instance may be kept for the next request.
    pub(super) fn is_worth_keeping(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= KEPT_UP_TO
    }

    /// Whether the instance must end after its current requests.
    pub(super) fn is_too_large(&self) -> bool {
        self.0.load(Ordering::Relaxed) > RETIRED_ABOVE
    }
}

impl Growth {
    /// For a new instance without memory; `is_first`: its component has hardly any other instance.
    pub(super) fn new(
        component: &Arc<ComponentContext>,
        is_first: bool,
        is_exclusive: bool,
    ) -> Self {
        Self {
            component: Arc::clone(component),
            always: match (is_exclusive, is_first) {
                (true, _) => ALWAYS_EXCLUSIVE,
                (false, true) => ALWAYS,
                (false, false) => 0,
            },
            size: Size::default(),
            granted: 0,
            was_denied: false,
        }
    }

    pub(super) fn size(&self) -> Size {
        self.size.clone()
    }

    /// Reserves `bytes` in the budget, if they fit.
    fn take(&self, size: usize, bytes: usize) -> bool {
        let (size, bytes) = (size as u64, bytes as u64);
        let memory = &self.component.memory;
        if size <= self.always as u64 {
            memory.add(Purpose::Instances, bytes);
            return true;
        }
        memory.take(Purpose::Instances, size, bytes)
    }

    /// Whether it was not allowed to grow, for lack of memory.
    pub(super) fn was_denied(&self) -> bool {
        self.was_denied
    }

    /// Releases it to the budget.
    fn give_back(&self, bytes: usize) {
        if bytes > 0 {
            let memory = &self.component.memory;
            memory.give_back(Purpose::Instances, bytes as u64);
        }
    }
}

impl ResourceLimiter for Growth {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.granted = 0;
        let bytes = desired.saturating_sub(current);
        if desired > self.component.memory_bytes || maximum.is_some_and(|most| desired > most) {
            return Ok(false);
        }
        let size = self.size.0.load(Ordering::Relaxed).saturating_add(bytes);
        if !self.take(size, bytes) {
            self.was_denied = true;
            return Ok(false);
        }
        self.granted = bytes;
        self.size.0.store(size, Ordering::Relaxed);
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        let bytes = std::mem::take(&mut self.granted);
        if bytes > 0 {
            tracing::warn!(%error, bytes, "an instance cannot grow");
            let size = self.size.0.load(Ordering::Relaxed);
            let size = size.saturating_sub(bytes);
            self.size.0.store(size, Ordering::Relaxed);
            self.give_back(bytes);
        }
        Ok(())
    }

    fn table_growing(
        &mut self,
        _current: usize,
        _desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // The pool of tables has a limit of its own.
        Ok(true)
    }
}

impl Drop for Growth {
    fn drop(&mut self) {
        self.give_back(self.size.0.load(Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::super::component::testing::component;
    use super::*;
    use spindle_admission::memory::Memory;

    const MIB: usize = 1 << 20;

    fn grow(growth: &mut Growth, from: usize, to: usize) -> bool {
        growth.memory_growing(from * MIB, to * MIB, None).unwrap()
    }

    #[test]
    fn the_memory_of_an_instance_is_counted_and_given_back() {
        let memory = Memory::of(40 << 20);
        let component = component(Arc::clone(&memory), 64 * MIB);
        let mut growth = Growth::new(&component, true, false);
        assert!(grow(&mut growth, 0, 3) && grow(&mut growth, 3, 10));
        assert_eq!(memory.held_for(Purpose::Instances), 10 << 20);
        // Larger ones leave a quarter free.
        assert!(!growth.was_denied());
        assert!(!grow(&mut growth, 10, 31));
        assert!(growth.was_denied());
        assert_eq!(memory.held(), 10 << 20);
        assert!(!growth.size().is_worth_keeping() && !growth.size().is_too_large());
        drop(growth);
        assert_eq!(memory.held(), 0);
    }

    #[test]
    fn first_and_exclusive_instances_grow_beyond_the_budget() {
        let component = component(Memory::of(0), 64 * MIB);
        let grows_to = |is_first, is_exclusive, to| {
            grow(&mut Growth::new(&component, is_first, is_exclusive), 0, to)
        };
        assert!(!grows_to(false, false, 1));
        assert!(grows_to(true, false, 3) && !grows_to(true, false, 4));
        assert!(grows_to(false, true, 12) && !grows_to(false, true, 13));
    }

    #[test]
    fn a_growth_that_the_system_refuses_is_given_back() {
        let memory = Memory::of(40 << 20);
        let component = component(Arc::clone(&memory), 64 * MIB);
        let mut growth = Growth::new(&component, false, false);
        assert!(grow(&mut growth, 0, 2) && grow(&mut growth, 2, 4));
        let error = wasmtime::format_err!("no memory");
        growth.memory_grow_failed(error).unwrap();
        assert_eq!(memory.held(), 2 << 20);
        assert!(growth.size().is_worth_keeping());
    }
}
