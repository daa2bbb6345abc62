//! Push notifications: phones are notified of messages through a service that the operator
//! configures, encrypted so that only the phone can read them (ADR 0026).
//!
//! Nothing of it is part of sending a message. A job of the host searches the event log
//! (`collect`), takes the calls that are due (`claim`), makes them, and reports the outcome (`finish`).
//! Whom a message concerns is decided when it is collected, by the rule in the domain; what a
//! notification says is decided when it is sent, so that it never shows what its reader may no
//! longer see. What users register is in `personal::push`.

mod answer;
mod claim;
mod collect;
mod configure;
mod finish;
mod payload;
mod registered;
mod request;
mod seal;
mod test_notification;

pub use claim::{ClaimedPush, claim_push_calls};
pub use collect::collect_pushes;
pub use configure::configure_push_service;
pub use finish::{FinishedPush, finish_push_call};
pub(crate) use registered::{PassedOn, changes};
pub(crate) use seal::SealingKey;
pub use test_notification::{TestTarget, send_test_notification, test_plain_notification};

/// Why a registration failed: there is no push service to pass it on to.
pub(crate) const NOT_CONFIGURED: &str = "PUSH_SERVICE_NOT_CONFIGURED";

/// Why a registration failed that could not be passed on to the push service for too long.
const EXPIRED: &str = "REQUEST_EXPIRED";

/// Registrations with an id of the server's choice (feature level 468).
pub(crate) const DEVICE: &str = "device";

/// Registrations with an id of the client's choice (feature levels 406 to 467).
pub(crate) const ACCOUNT: &str = "account";
