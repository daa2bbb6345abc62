//! Calls to the services of outgoing bots: HTTP to addresses that people of the organization
//! have chosen, so each is looked at before anything is sent there.
//!
//! Owns the one call: resolving, the rule about addresses, time and size limits. What is sent,
//! what an answer means and when a call is made again is decided by the components.

mod guard;
mod send;

pub use guard::AddressGuard;
pub(crate) use send::tls;
pub use send::{Answer, Failure, ServiceCall, call};
