//! Whether the file of a database has turned out to be damaged.
//!
//! SQLite says so with the statement that meets the damage. From then on the server does not count as
//! ready: what else is damaged nobody knows, and no write makes it better. Owns that answer, and what
//! the log says of it, once.

use super::error::DatabaseError;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is known of the damage of one file.
#[derive(Debug, Default)]
pub struct Damage(Mutex<Option<String>>);

impl Damage {
    /// Notes the failure of a statement, if it is one of a damaged file.
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

    /// For `/health/ready`.
    ///
    /// # Errors
    /// What SQLite has said.
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
