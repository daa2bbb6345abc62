//! How far the linear memory of an instance may grow, and when it has grown too far to be used on.
//!
//! Memory is taken from the budget before it is there, and given back when the instance has ended:
//! the memory of an instance never shrinks. Must not wait; a growth that is denied ends the
//! instance, as the guest sees fit.

use super::state::ComponentContext;
use crate::memory::Purpose;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wasmtime::ResourceLimiter;

/// An instance with more memory takes no further request, and ends with those it has.
pub(crate) const RETIRED_ABOVE: usize = 16 << 20;
/// The first instances of a component may grow to this, whatever others hold: so the server can
/// always answer.
const ALWAYS: usize = 3 << 20;

/// The linear memory of one instance.
pub(super) struct Growth {
    component: Arc<ComponentContext>,
    is_first: bool,
    size: Size,
    /// What was granted last, in case that it cannot be had.
    granted: usize,
}

/// The bytes of an instance's memory, to be looked at from outside of it.
#[derive(Clone, Default)]
pub(super) struct Size(Arc<AtomicUsize>);

impl Size {
    /// Whether the instance is to end with the requests it has.
    pub(super) fn is_too_large(&self) -> bool {
        self.0.load(Ordering::Relaxed) > RETIRED_ABOVE
    }
}

impl Growth {
    /// Of an instance that has no memory yet; `is_first`: there is hardly another one of its
    /// component.
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

    /// Takes what is asked for from the budget, if there is room.
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
