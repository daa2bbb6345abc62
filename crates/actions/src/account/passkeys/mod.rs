//! Passkeys: credentials of WebAuthn that sign a person in alone, and count as a second factor.
//!
//! Each is discoverable and asks its person for a fingerprint, a PIN or the like, so it is two factors in itself. Nothing is
//! stored between the two requests of a ceremony: the browser keeps the state with a signature. A passkey is valid for one
//! host alone, which is stored with it.

mod challenge;
pub(super) mod check;
mod list;
pub(super) mod sealed;

pub use challenge::{PasskeyChallenge, begin_passkey_answer};
pub use list::ListedPasskey;

pub(crate) use check::check;
pub(super) use list::list;

use std::fmt;

use spindle_domain::passkey::passkey_host;
use webauthn_rs::WebauthnBuilder;
use webauthn_rs::prelude::{Url, Webauthn};

use crate::ActionError;

/// How long a ceremony may take, in seconds.
const CEREMONY_SECONDS: i64 = 5 * 60;

/// The address of the server, for which passkeys are made, and the secret that signs the states of ceremonies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PasskeyHost<'a> {
    /// Without a slash at its end.
    pub site: &'a str,
    pub secret: &'a [u8],
}

/// One of the values is a secret.
impl fmt::Debug for PasskeyHost<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.site)
    }
}

impl<'a> PasskeyHost<'a> {
    /// The host that new passkeys are for.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] where the address has no name or no TLS.
    pub(super) fn id(&self) -> Result<&'a str, ActionError> {
        passkey_host(self.site).ok_or_else(|| {
            ActionError::BadRequest(format!(
                "Passkeys need an address with a name and https; the one of this server is {}",
                self.site
            ))
        })
    }

    /// What runs the ceremonies for this host; `name` is shown by devices.
    pub(super) fn webauthn(&self, name: &str) -> Result<Webauthn, ActionError> {
        let failed = |error: &dyn fmt::Display| {
            ActionError::Internal(format!("passkeys for {}: {error}", self.site))
        };
        let origin = Url::parse(self.site).map_err(|error| failed(&error))?;
        let builder = WebauthnBuilder::new(self.id()?, &origin).map_err(|error| failed(&error))?;
        let built = builder.rp_name(name).build();
        built.map_err(|error| failed(&error))
    }
}
