//! Why an action did not happen: the one error type of this crate.
//!
//! An error with a code of its own is a [`ClientError`], whose table says how it is answered; the other variants are
//! put into words and statuses by the guest.
//! Nothing was changed when an action returns an error. Texts of [`ActionError::Store`] and
//! [`ActionError::Internal`] are for the log only.

use serde::Serialize;
use spindle_domain::errors::ClientError;
use spindle_domain::policy::Reason;
use spindle_store::DbError;

/// The error of every action.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
    /// Another fault of the server.
    #[error("internal error: {0}")]
    Internal(String),
    /// A rule refuses.
    #[error("refused: {0:?}")]
    Denied(Reason),
    /// The request is not valid; the text is for the client.
    #[error("{0}")]
    BadRequest(String),
    /// Fields of an object that cannot be stored: name (or `__all__`) and text of each problem.
    #[error("invalid fields: {0:?}")]
    Invalid(Vec<(&'static str, String)>),
    /// An object of the caller's own is missing (404); the text is for the client.
    #[error("{0}")]
    NotFound(String),
    /// An error with a code of its own.
    #[error("{}", .0.text())]
    Client(ClientError),
    /// A file is larger than the organization allows (413); with the most bytes that it allows.
    #[error("a file can have {0} bytes at most")]
    FileTooLarge(i64),
    /// INVITATION_FAILED: no invitation was created, because of these addresses.
    #[error("no invitation was created: {0:?}")]
    InvitationFailed(Vec<RefusedAddress>),
    /// Missing or wrong credentials (401 UNAUTHORIZED).
    #[error("wrong credentials")]
    WrongCredentials,
    /// A sign-in link that was never made, was used, or is too old (401 AUTHENTICATION_FAILED).
    #[error("no such sign-in link")]
    BadSignInLink,
    /// The password that a new one is to replace is another one (400).
    #[error("wrong old password")]
    WrongOldPassword,
    /// The password that a caller proves themselves with is another one (400).
    #[error("wrong password")]
    WrongPassword,
    /// The organization does not admit anonymous visitors (401 UNAUTHORIZED).
    #[error("anonymous access is switched off")]
    SpectatorAccessDisabled,
}

/// An address that was not invited. On the wire: a list of the three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedAddress(
    /// As it was sent.
    pub String,
    /// Why it is invalid.
    pub String,
    /// Whether it is the error for a deactivated account.
    pub bool,
);

impl From<ClientError> for ActionError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<Reason> for ActionError {
    fn from(reason: Reason) -> Self {
        Self::Denied(reason)
    }
}

impl ActionError {
    /// A [`ActionError::BadRequest`].
    pub(crate) fn bad_request(text: impl Into<String>) -> Self {
        Self::BadRequest(text.into())
    }

    /// A [`ActionError::Invalid`] about one field.
    pub(crate) fn invalid(field: &'static str, text: impl Into<String>) -> Self {
        Self::Invalid(vec![(field, text.into())])
    }
}
