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
/// An instance that grows beyond this takes all that it may have at once. If several large requests took their
/// memory little by little, each could end before the first has its answer.
const WHOLE_ABOVE: usize = 32 << 20;

/// The linear memory of one instance.
pub(super) struct Growth {
    component: Arc<ComponentContext>,
    is_first: bool,
    size: Size,
    /// What the budget counts; at least the size.
    taken: usize,
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
            taken: 0,
            granted: 0,
        }
    }

    pub(super) fn size(&self) -> Size {
        self.size.clone()
    }

    /// Takes from the budget what a size needs, if there is room.
    fn take(&mut self, size: usize) -> bool {
        let needed = if size > WHOLE_ABOVE {
            size.max(self.component.memory_bytes)
        } else {
            size
        };
        let more = needed.saturating_sub(self.taken) as u64;
        let memory = &self.component.memory;
        if more > 0 {
            if self.is_first && needed <= ALWAYS {
                memory.add(Purpose::Instances, more);
            } else if !memory.take_for_instance(needed as u64, more) {
                return false;
            }
            self.taken = needed;
        }
        true
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
        if !self.take(size) {
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
        if self.taken > 0 {
            let memory = &self.component.memory;
            memory.give_back(Purpose::Instances, self.taken as u64);
        }
    }
}
