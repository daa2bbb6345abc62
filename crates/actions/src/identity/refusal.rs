//! Why a person of a provider was not signed in.

use spindle_domain::errors::ClientError;
use spindle_domain::identity::Refusal;
use spindle_store::DbError;

use crate::ActionError;

/// Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum IdentityRefusal {
    /// A rule refuses.
    #[error("refused: {}", .0.word())]
    Refused(Refusal),
    /// The server failed, or refuses what the provider has sent; the text is for the log.
    #[error(transparent)]
    Failed(ActionError),
}

impl IdentityRefusal {
    /// The word for it in the address of the page that explains it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.word(),
            Self::Failed(_) => "failed",
        }
    }
}

impl From<Refusal> for IdentityRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<DbError> for IdentityRefusal {
    fn from(error: DbError) -> Self {
        ActionError::from(error).into()
    }
}

impl From<ActionError> for IdentityRefusal {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::Store(DbError::Full(_)) => Refusal::Full.into(),
            ActionError::Client(ClientError::UserDeactivated) => Refusal::Deactivated.into(),
            ActionError::Client(ClientError::RealmDeactivated) => Refusal::RealmDeactivated.into(),
            other => Self::Failed(other),
        }
    }
}
