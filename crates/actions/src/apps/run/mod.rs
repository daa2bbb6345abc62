//! Runs of apps: an event is claimed, computed by the host, and its effects are committed.

mod claim;
mod commit;
mod effects;
mod fail;
mod making;
mod messages;
mod values;

pub use claim::{ClaimedRun, claim_app_event, prolong_app_run};
pub use commit::{Committed, commit_app_effects};
pub use fail::fail_app_event;
