//! Limits the growth of an instance's linear memory, and retires instances that have grown too large.
//!
//! Memory is reserved in the budget before it is allocated and released when the instance has ended:
//! linear memory never shrinks. Must not wait; a denied growth fails in the guest, which usually
//! traps.

use super::state::ComponentContext;
use crate::memory::Purpose;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wasmtime::ResourceLimiter;

/// An instance with more memory accepts no further requests and ends after its current ones.
pub(crate) const RETIRED_ABOVE: usize = 16 << 20;
/// The first instances of a component may grow to this even when the budget is used up, so that the
/// server can always answer.
const ALWAYS: usize = 3 << 20;

/// The linear memory of one instance.
pub(super) struct Growth {
    component: Arc<ComponentContext>,
    is_first: bool,
    size: Size,
    /// The last growth granted, to be released if the allocation fails.
    granted: usize,
}

/// The size of an instance's memory in bytes, readable from outside of its store.
#[derive(Clone, Default)]
pub(super) struct Size(Arc<AtomicUsize>);

impl Size {
    /// Whether the instance must end after its current requests.
    pub(super) fn is_too_large(&self) -> bool {
        self.0.load(Ordering::Relaxed) > RETIRED_ABOVE
    }
}

impl Growth {
    /// For a new instance without memory; `is_first`: its component has hardly any other instance.
    pub(super) fn new(component: &Arc<ComponentContext>, is_first: bool) -> Self {
        Self {
            component: Arc::clone(component),
            is_first,
            size: Size::default(),
            granted: 0,
        }
    }

    pub(super) fn size(&self) -> Size {
        self.size.clone()
    }

    /// Reserves `bytes` in the budget, if they fit.
    fn take(&self, size: usize, bytes: usize) -> bool {
        let memory = &self.component.memory;
        let (size, bytes) = (size as u64, bytes as u64);
        if self.is_first && size <= ALWAYS as u64 {
            memory.add(Purpose::Instances, bytes);
            return true;
        }
        memory.take_for_instance(size, bytes)
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
            self.component.denied.fetch_add(1, Ordering::Relaxed);
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
            self.size.0.fetch_sub(bytes, Ordering::Relaxed);
            let memory = &self.component.memory;
            memory.give_back(Purpose::Instances, bytes as u64);
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
        let bytes = self.size.0.load(Ordering::Relaxed);
        if bytes > 0 {
            let memory = &self.component.memory;
            memory.give_back(Purpose::Instances, bytes as u64);
        }
    }
}
