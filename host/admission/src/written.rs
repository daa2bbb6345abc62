//! Bytes that a request writes to the database, charged when its ticket is returned.
//!
//! A component finishes a request whose client has gone, so the ticket charges for it, not the connection.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Charges for a number of bytes.
pub type Charge = Box<dyn FnOnce(u64) + Send>;

/// Bytes that a request has written, charged when this is dropped.
#[derive(Default)]
pub(super) struct Written {
    bytes: AtomicU64,
    charge: Mutex<Option<Charge>>,
}

impl Written {
    pub(super) fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn charge_with(&self, charge: Charge) {
        *self.charge.lock().unwrap_or_else(PoisonError::into_inner) = Some(charge);
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let charge = self.charge.get_mut();
        if let Some(charge) = charge.unwrap_or_else(PoisonError::into_inner).take() {
            charge(*self.bytes.get_mut());
        }
    }
}
