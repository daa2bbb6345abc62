//! Runs of apps: an event is claimed, computed by the host, and its effects are committed.

mod claim;
mod commit;
mod effects;
mod fail;
mod messages;
mod values;

pub use claim::{ClaimedRun, claim_app_event};
pub use commit::{Committed, commit_app_effects};
pub use fail::fail_app_event;
