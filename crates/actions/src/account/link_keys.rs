//! Keys in links: a nonce, which is in the database, and a signature over it by a secret that is not.
//!
//! So a link can be shown or mailed again and again, while a copy of the database opens no account. A signature is for one
//! purpose: a key of one kind of link is worth nothing in another.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::ActionError;

/// Bytes of a nonce.
const NONCE_LENGTH: usize = 16;
/// Bytes of a signature.
pub(crate) const SIGNATURE_LENGTH: usize = 32;

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Invitation,
    PasswordReset,
    AddressConfirmation,
    Unsubscription,
    IdentityAttempt,
    IdentityState,
    IdentityNonce,
    IdentityVerifier,
    PasskeyEnrolment,
    PasskeyAnswer,
}

impl Purpose {
    /// The text that is signed with the nonce, so that a signature serves one purpose.
    const fn prefix(self) -> &'static [u8] {
        match self {
            Self::Invitation => b"invitation ",
            Self::PasswordReset => b"password reset ",
            Self::AddressConfirmation => b"address confirmation ",
            Self::Unsubscription => b"unsubscription ",
            Self::IdentityAttempt => b"identity attempt ",
            Self::IdentityState => b"identity state ",
            Self::IdentityNonce => b"identity nonce ",
            Self::IdentityVerifier => b"identity verifier ",
            Self::PasskeyEnrolment => b"passkey enrolment ",
            Self::PasskeyAnswer => b"passkey answer ",
        }
    }
}

/// The key of a link.
pub(crate) fn key(secret: &[u8], purpose: Purpose, nonce: &[u8]) -> Result<String, ActionError> {
    let mut key = nonce.to_vec();
    key.extend(sign(secret, purpose, nonce)?.finalize().into_bytes());
    Ok(URL_SAFE_NO_PAD.encode(key))
}

/// The nonce of a key that was signed with this secret for this purpose; `None` for any other text.
pub(crate) fn nonce_of(
    secret: &[u8],
    purpose: Purpose,
    key: &str,
) -> Result<Option<Vec<u8>>, ActionError> {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(key.trim()) else {
        return Ok(None);
    };
    let Some((nonce, signature)) = bytes.split_at_checked(NONCE_LENGTH) else {
        return Ok(None);
    };
    // Compared in constant time.
    let is_genuine = signature.len() == SIGNATURE_LENGTH
        && sign(secret, purpose, nonce)?
            .verify_slice(signature)
            .is_ok();
    Ok(is_genuine.then(|| nonce.to_vec()))
}

/// The signature over a text, for this purpose.
pub(crate) fn signature(
    secret: &[u8],
    purpose: Purpose,
    text: &[u8],
) -> Result<[u8; SIGNATURE_LENGTH], ActionError> {
    Ok(sign(secret, purpose, text)?.finalize().into_bytes().into())
}

/// Whether it is the signature over a text, compared in constant time.
pub(crate) fn is_signature(
    secret: &[u8],
    purpose: Purpose,
    text: &[u8],
    signature: &[u8],
) -> Result<bool, ActionError> {
    Ok(sign(secret, purpose, text)?.verify_slice(signature).is_ok())
}

fn sign(secret: &[u8], purpose: Purpose, nonce: &[u8]) -> Result<Hmac<Sha256>, ActionError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret)
        .map_err(|error| ActionError::Internal(format!("the secret is no key: {error}")))?;
    mac.update(purpose.prefix());
    mac.update(nonce);
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"secret";
    const PURPOSE: Purpose = Purpose::Invitation;

    #[test]
    fn a_key_is_sixty_four_letters_and_gives_its_nonce_back() {
        let nonce = [9; NONCE_LENGTH];
        let key = key(SECRET, PURPOSE, &nonce).unwrap();
        assert_eq!(key.len(), 64);
        assert!(
            key.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );
        let found = nonce_of(SECRET, PURPOSE, &key).unwrap();
        assert_eq!(found.as_deref(), Some(nonce.as_slice()));
    }

    #[test]
    fn without_the_secret_or_for_another_purpose_no_key_is_valid() {
        let nonce = [7; NONCE_LENGTH];
        let key = key(SECRET, PURPOSE, &nonce).unwrap();
        assert_eq!(nonce_of(b"another", PURPOSE, &key).unwrap(), None);
        let other = Purpose::AddressConfirmation;
        assert_eq!(nonce_of(SECRET, other, &key).unwrap(), None);
        let nonce_alone = URL_SAFE_NO_PAD.encode(nonce);
        let forged = URL_SAFE_NO_PAD.encode([7; 48]);
        let cut = key.get(..63).unwrap();
        let longer = format!("{key}AAAA");
        for wrong in ["", "x", "\u{e4}", &nonce_alone, &forged, cut, &longer] {
            assert_eq!(nonce_of(SECRET, PURPOSE, wrong).unwrap(), None, "{wrong}");
        }
    }
}
