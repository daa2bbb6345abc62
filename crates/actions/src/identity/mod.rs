//! Company accounts.

use spindle_domain::RealmId;
use spindle_domain::identity::{Claims, ListedProvider, Rules};
use spindle_store::Connection;

use crate::ActionError;
use crate::account::SignInOrigin;

/// Why a person of a provider is not signed in.
#[derive(Debug)]
pub enum IdentityRefusal {
    /// A fault of the server.
    Failed(ActionError),
}

impl IdentityRefusal {
    /// The word for it in the address of the page that explains it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
        }
    }
}

/// Notes at `now` (UNIX seconds) which providers the operator has configured.
pub fn configure(
    _db: &dyn Connection,
    _realm_id: RealmId,
    _now: i64,
    _providers: &[ListedProvider],
) -> Result<(), ActionError> {
    Ok(())
}

/// Signs in the person whom a provider has identified; returns the token of a sign-in link.
///
/// # Errors
/// [`IdentityRefusal`] if the person may not sign in.
pub fn sign_in_by_identity(
    _db: &dyn Connection,
    _realm_id: RealmId,
    _now: i64,
    _rules: &Rules,
    _claims: &Claims,
    _origin: SignInOrigin<'_>,
) -> Result<String, IdentityRefusal> {
    Err(IdentityRefusal::Failed(ActionError::Internal(
        "there are no company accounts yet".to_owned(),
    )))
}
