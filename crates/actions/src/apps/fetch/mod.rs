//! Requests that apps want to have made. The host makes them and reports the answer, which becomes an event once.

mod check;
mod claim;
mod finish;

pub(super) use check::check_fetch;
pub use claim::{ClaimedFetch, FetchRequest, claim_app_fetches};
pub use finish::{FinishedFetch, finish_app_fetch};
