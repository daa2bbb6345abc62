//! The audit log as a whole: reading it, its chain of digests, and the removal of old entries.
//!
//! Actions append their entries themselves, with `spindle_store::audit::append`.

mod chain;
mod list;
mod prune;
mod verify;

pub use chain::chain_audit_log;
pub use list::{AuditPage, list_audit_log};
pub use prune::prune_audit_log;
pub use spindle_store::audit::AuditFilter;
pub use verify::{BrokenEntry, Verified, verify_audit_log};
