//! Push notifications: what clients register so that a phone can be woken.
//!
//! Where a push service is configured, a registration is pending until the service has answered
//! (`crate::push`). Without one, it fails immediately with the code `PUSH_SERVICE_NOT_CONFIGURED`,
//! so that a client never waits in vain. (docs/OPERATIONS.md, Push notifications)

mod devices;
mod registration;
mod tokens;

pub use devices::{register_client_device, remove_client_device};
pub use registration::{PushKey, PushRegistration, PushToken, register_push_device};
pub use tokens::{add_push_token, remove_push_token};

/// The platform of a token.
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
