//! A log row in memory, with its serialized forms.
//!
//! Each form is serialized once, when a queue first needs it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use spindle_events::{LogRow, Registration, Variant, render, select};

/// The events of one row in one form, each without its id.
pub(super) type Tails = Arc<[Bytes]>;

/// Approximate memory of a row besides its texts, in bytes.
const OVERHEAD: usize = 400;

/// A row that can be shared between threads.
#[derive(Debug)]
pub(super) struct CachedRow {
    row: LogRow,
    forms: Mutex<Vec<(Variant, Tails)>>,
    /// Size of all serialized forms in memory, shared by all rows.
    total: Arc<AtomicUsize>,
    own: AtomicUsize,
}

impl CachedRow {
    pub(super) fn new(row: LogRow, total: &Arc<AtomicUsize>) -> Arc<Self> {
        Arc::new(Self {
            row,
            forms: Mutex::new(Vec::new()),
            total: Arc::clone(total),
            own: AtomicUsize::new(0),
        })
    }

    pub(super) fn row(&self) -> &LogRow {
        &self.row
    }

    /// Memory taken by the row itself, without its forms.
    pub(super) fn size(&self) -> usize {
        self.row.body_len() + OVERHEAD
    }

    /// The events of this row for a queue; `None` when it accepts none.
    pub(super) fn tails(&self, registration: &Registration) -> Option<Tails> {
        let variant = select(registration, &self.row)?;
        let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tails)) = forms.iter().find(|(known, _)| *known == variant) {
            return Some(Arc::clone(tails));
        }
        let tails: Tails = render(&self.row, variant)
            .into_iter()
            .map(|payload| Bytes::from(payload.into_tail()))
            .collect();
        let size: usize = tails.iter().map(|tail| tail.len() + 64).sum();
        self.own.fetch_add(size, Ordering::Relaxed);
        self.total.fetch_add(size, Ordering::Relaxed);
        forms.push((variant, Arc::clone(&tails)));
        Some(tails)
    }
}

impl Drop for CachedRow {
    fn drop(&mut self) {
        let own = self.own.load(Ordering::Relaxed);
        self.total.fetch_sub(own, Ordering::Relaxed);
    }
}
