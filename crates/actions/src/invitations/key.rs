//! Links of invitations.

use spindle_store::invitations::NONCE_LENGTH;

use crate::ActionError;
use crate::account::link_keys::{self, Purpose};
use crate::account::secrets;

/// The parts of links.
#[derive(Clone, Copy)]
pub struct InvitationLinks<'a> {
    /// The server's address, without a slash at its end.
    pub site: &'a str,
    /// The secret of the server, which is not in its database.
    pub secret: &'a [u8],
}

impl InvitationLinks<'_> {
    /// The address at which a person joins.
    pub(crate) fn link(&self, nonce: &[u8]) -> Result<String, ActionError> {
        let key = link_keys::key(self.secret, Purpose::Invitation, nonce)?;
        Ok(format!("{}/join/{key}", self.site))
    }
}

/// A new nonce.
pub(super) fn new_nonce() -> Result<[u8; NONCE_LENGTH], ActionError> {
    secrets::new_nonce()
}

/// The nonce of a key that was signed with this secret; `None` for any other text.
pub(super) fn nonce_of(secret: &[u8], key: &str) -> Result<Option<Vec<u8>>, ActionError> {
    link_keys::nonce_of(secret, Purpose::Invitation, key)
}
