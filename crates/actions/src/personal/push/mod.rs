//! Push notifications: what clients register so that a phone can be woken.
//!
//! No push service can be configured yet. Registrations are kept, and one that would have to
//! be passed on ends as failed, at once and with the code [`NOT_CONFIGURED`], so that a client
//! never waits for what cannot come. (docs/OPERATIONS.md, Push notifications)

mod devices;
mod registration;
mod tokens;

pub use devices::{register_client_device, remove_client_device};
pub use registration::{PushKey, PushRegistration, PushToken, register_push_device};
pub use tokens::{add_push_token, remove_push_token};

/// Why a registration failed: there is no push service to pass it on to.
pub(crate) const NOT_CONFIGURED: &str = "PUSH_SERVICE_NOT_CONFIGURED";

/// Which platform a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// iOS.
    Apns,
    /// Android.
    Fcm,
}

impl TokenKind {
    /// The name on the wire and in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apns => "apns",
            Self::Fcm => "fcm",
        }
    }
}
