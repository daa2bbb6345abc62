//! Why a provider does not identify a person.

use crate::http::HttpError;

/// Most characters of what another server says.
const MAX_REASON: usize = 300;

/// The reason, with words for the log: no secrets, and nothing that a person should read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no provider of this id.
    #[error("there is no such provider")]
    Unknown,
    /// The provider does not answer.
    #[error("{0}")]
    Unreachable(String),
    /// The provider answers, and it is not the answer that identifies this person here.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(shortened(reason.into()))
    }

    /// The word for it in the address of the page that explains it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Unknown => "off",
            Self::Unreachable(_) => "unreachable",
            Self::Refused(_) => "failed",
        }
    }
}

impl From<HttpError> for Error {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Address(_) => Self::refused(error.to_string()),
            HttpError::Failure(_) | HttpError::Status(_) | HttpError::Busy => {
                Self::Unreachable(shortened(error.to_string()))
            }
        }
    }
}

/// The beginning of a text, on one line.
pub(crate) fn shortened(text: String) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.chars().take(MAX_REASON).map(plain).collect()
}
