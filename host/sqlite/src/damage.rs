//! Whether the database file is known to be corrupt.
//!
//! SQLite reports corruption with the statement that meets it. Then the server is no longer ready:
//! the extent of the damage is unknown, and further writes cannot repair it. This module owns that
//! readiness check and logs the corruption once.

use super::error::DatabaseError;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The corruption found in one database file, if any.
#[derive(Debug, Default)]
pub struct Damage(Mutex<Option<String>>);

impl Damage {
    /// Records the failure of a statement, if corruption caused it.
    pub(super) fn note(&self, error: &DatabaseError) {
        if !error.is_damage() {
            return;
        }
        let mut reason = self.reason();
        if reason.is_none() {
            tracing::error!(
                %error,
                "the database is damaged: stop the server, run spindle admin check, and restore the last sound backup"
            );
            *reason = Some(error.to_string());
        }
    }

    /// The readiness check for `/health/ready`.
    ///
    /// # Errors
    /// SQLite's message, once the file is known to be corrupt.
    pub fn check(&self) -> Result<(), String> {
        match &*self.reason() {
            None => Ok(()),
            Some(reason) => Err(format!("the file is damaged: {reason}")),
        }
    }

    fn reason(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
