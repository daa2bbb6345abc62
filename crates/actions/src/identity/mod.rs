//! Company accounts: signing in by an identity provider that the operator has configured (docs/protocol/identity.md).
//!
//! The host speaks to providers and verifies what they say. Here the person gets an account, and a link with which the
//! browser begins a session.

mod attempt;
mod configure;
mod find;
mod groups;
mod new_account;
mod offered;
mod refusal;
mod sign_in;

pub use crate::account::company_accounts::{Connection, connections, disconnect, signs_out_at};
pub use attempt::{
    ATTEMPT_SECONDS, Attempt, AttemptProblem, Flow, Proofs, begin_attempt, read_attempt,
};
pub use configure::configure;
pub use offered::is_offered;
pub use refusal::IdentityRefusal;
pub use sign_in::sign_in_by_identity;
