//! Calls to external services: those of outgoing bots, whose addresses members of the organization
//! have chosen, so that each address is checked first; and the push service and identity providers,
//! whose addresses the operator has chosen.
//!
//! Owns a single call (name resolution, address rule, time and size limits) and the limit on
//! concurrent calls. The components decide what is sent, how an answer is handled and when a call is
//! retried.

mod call_limiter;
mod guard;
mod push;
mod send;

pub use call_limiter::{CallLimiter, CallPermit, Verdict, service_of};
pub use guard::AddressGuard;
pub use push::{PushCall, PushService};
pub use send::{Answer, CallRules, Failure, ServiceCall, call, send};
pub use send::{tls, trusting};
pub use tokio_rustls::rustls::ClientConfig as TlsConfig;
