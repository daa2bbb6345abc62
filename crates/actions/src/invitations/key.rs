//! Links of invitations and the keys in them.
//!
//! A key is a nonce, which is in the database, and a signature over it by a secret that is not.
//! So a link can be shown again and again, while a copy of the database opens no account.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use spindle_store::invitations::NONCE_LENGTH;

use crate::ActionError;
use crate::account::secrets;

/// Bytes of a signature.
const SIGNATURE_LENGTH: usize = 32;

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
    pub(super) fn link(&self, nonce: &[u8]) -> Result<String, ActionError> {
        Ok(format!("{}/join/{}", self.site, self.key(nonce)?))
    }

    fn key(&self, nonce: &[u8]) -> Result<String, ActionError> {
        let mut key = nonce.to_vec();
        key.extend(sign(self.secret, nonce)?.finalize().into_bytes());
        Ok(URL_SAFE_NO_PAD.encode(key))
    }
}

/// A new nonce.
pub(super) fn new_nonce() -> Result<[u8; NONCE_LENGTH], ActionError> {
    secrets::new_nonce()
}

/// The nonce of a key that was signed with this secret; `None` for any other text.
pub(super) fn nonce_of(secret: &[u8], key: &str) -> Result<Option<Vec<u8>>, ActionError> {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(key.trim()) else {
        return Ok(None);
    };
    let Some((nonce, signature)) = bytes.split_at_checked(NONCE_LENGTH) else {
        return Ok(None);
    };
    // Compared in constant time.
    let is_genuine =
        signature.len() == SIGNATURE_LENGTH && sign(secret, nonce)?.verify_slice(signature).is_ok();
    Ok(is_genuine.then(|| nonce.to_vec()))
}

fn sign(secret: &[u8], nonce: &[u8]) -> Result<Hmac<Sha256>, ActionError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret)
        .map_err(|error| ActionError::Internal(format!("the secret is no key: {error}")))?;
    mac.update(b"invitation ");
    mac.update(nonce);
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: InvitationLinks<'_> = InvitationLinks {
        site: "https://chat.example",
        secret: b"secret",
    };

    #[test]
    fn a_key_is_sixty_four_letters_and_gives_its_nonce_back() {
        let nonce = new_nonce().unwrap();
        let link = LINKS.link(&nonce).unwrap();
        let key = link.strip_prefix("https://chat.example/join/").unwrap();
        assert_eq!(key.len(), 64);
        assert!(
            key.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );
        let found = nonce_of(LINKS.secret, key).unwrap();
        assert_eq!(found.as_deref(), Some(nonce.as_slice()));
    }

    #[test]
    fn without_the_secret_no_key_is_valid() {
        let nonce = [7; 16];
        let key = LINKS.key(&nonce).unwrap();
        assert_eq!(nonce_of(b"another", &key).unwrap(), None);
        let nonce_alone = URL_SAFE_NO_PAD.encode(nonce);
        let forged = URL_SAFE_NO_PAD.encode([7; 48]);
        let cut = key.get(..63).unwrap();
        let longer = format!("{key}AAAA");
        for wrong in ["", "x", "ä", &nonce_alone, &forged, cut, &longer] {
            assert_eq!(nonce_of(LINKS.secret, wrong).unwrap(), None, "{wrong}");
        }
    }
}
