//! Calls to services outside: those of outgoing bots, whose addresses people of the organization
//! have chosen, so each is looked at before anything is sent there; and the push service, whose
//! address the operator has chosen.
//!
//! Owns the one call: resolving, the rule about addresses, time and size limits, and how many are
//! made at once. What is sent, what an answer means and when a call is made again is decided by the
//! components.

mod guard;
mod places;
mod push;
mod send;

pub use guard::AddressGuard;
pub use places::{Place, Places, Verdict, service_of};
pub use push::{PushCall, PushService};
pub(crate) use send::tls;
pub use send::{Answer, Failure, ServiceCall, call};
