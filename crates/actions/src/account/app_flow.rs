//! Signs a person in to an app on their phone or computer, after they have signed in with a browser
//! (docs/protocol/second-factor.md#app-flow).
//!
//! The app has sent a random number with the browser. What goes back is encrypted with it, since another app on the device
//! may have registered the same addresses, and other programs read the clipboard.

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use form_urlencoded::Serializer;
use serde_json::json;
use spindle_store::{Connection, DbError, users};

use crate::account::fetch_api_key::{NewKey, write_key};
use crate::account::origin::SignInOrigin;
use crate::account::secrets;
use crate::account::sessions::{announce, make_proven_link};
use crate::text::hexadecimal;
use crate::{ActionError, Actor, change};

/// Bytes of the random number: as many as an API key has letters, and as a key of AES-256.
const PAD_LENGTH: usize = 32;
const IV_LENGTH: usize = 12;

/// The random number of an app, which is used once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OneTimePad([u8; PAD_LENGTH]);

/// The value is a secret.
impl std::fmt::Debug for OneTimePad {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OneTimePad")
    }
}

impl OneTimePad {
    /// Reads exactly 64 hexadecimal digits.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.len() != PAD_LENGTH * 2 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut pad = [0; PAD_LENGTH];
        for (place, byte) in pad.iter_mut().enumerate() {
            let digits = text.get(place * 2..place * 2 + 2)?;
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(pad))
    }

    /// An API key as hexadecimal digits of each letter, with this number over it.
    fn over(&self, api_key: &str) -> String {
        let bytes = api_key.bytes().zip(self.0);
        hexadecimal(&bytes.map(|(letter, pad)| letter ^ pad).collect::<Vec<u8>>())
    }

    /// A text, encrypted with this number as the key of AES-256-GCM: the initialization vector, the text and the tag.
    fn seal(&self, iv: [u8; IV_LENGTH], text: &str) -> Result<String, ActionError> {
        let failed = || ActionError::Internal("a text cannot be encrypted".to_owned());
        let cipher = Aes256Gcm::new_from_slice(&self.0).map_err(|_| failed())?;
        let sealed = cipher.encrypt(&Nonce::from(iv), text.as_bytes());
        let mut bytes = iv.to_vec();
        bytes.extend(sealed.map_err(|_| failed())?);
        Ok(hexadecimal(&bytes))
    }
}

/// The app that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppSignIn {
    /// Of a phone: gets an API key, in an address that opens the app.
    Phone(OneTimePad),
    /// Of a computer: gets the token of a sign-in link, which the person pastes.
    Desktop(OneTimePad),
}

/// Signs the caller in to an app at `now` (UNIX seconds). `site` is the address of this server, without a slash at its end.
/// Returns the address to open, or the text to paste.
///
/// # Errors
/// [`ActionError::BadRequest`] for a request with a key: only a person in a browser may do this.
pub fn sign_in_app(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    site: &str,
    app: AppSignIn,
    origin: SignInOrigin<'_>,
) -> Result<String, ActionError> {
    if actor.session_id.is_none() {
        return Err(ActionError::bad_request(
            "Only a person who is signed in with a browser can sign an app in",
        ));
    }
    let (realm_id, user_id, proves) = (actor.realm_id, actor.user_id, actor.has_second_factor);
    match app {
        AppSignIn::Phone(pad) => {
            let api_key = secrets::new_api_key()?;
            change::if_needed(db, realm_id, now, |tx| {
                let user = users::by_id(tx, realm_id, user_id)?.ok_or(DbError::NoRow)?;
                announce(tx, now, &user, origin.client)?;
                let key = NewKey {
                    api_key: &api_key,
                    proves_second_factor: proves,
                    further: Some(("by", json!("app_flow"))),
                };
                let ended = write_key(tx, realm_id, now, user_id, &key, origin)?;
                Ok(change::outcome((), ended))
            })?;
            let mut query = Serializer::new(String::new());
            query
                .append_pair("realm", site)
                .append_pair("email", &actor.delivery_email)
                .append_pair("user_id", &user_id.to_string())
                .append_pair("otp_encrypted_api_key", &pad.over(&api_key));
            Ok(format!("zulip://login?{}", query.finish()))
        }
        AppSignIn::Desktop(pad) => {
            let token = make_proven_link(db, realm_id, now, user_id, proves)?;
            pad.seal(secrets::new_nonce()?, &token)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pad_is_sixty_four_digits() {
        assert!(OneTimePad::read(&"0a".repeat(32)).is_some());
        assert!(OneTimePad::read(&"0A".repeat(32)).is_some());
        for wrong in [
            "",
            "0a",
            &"0a".repeat(31),
            &"0a".repeat(33),
            &"0g".repeat(32),
            &"+a".repeat(32),
            &"\u{e4}".repeat(32),
        ] {
            assert!(OneTimePad::read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_key_under_a_pad_is_read_back() {
        let pad = OneTimePad::read(&"a5".repeat(32)).unwrap();
        let key = "0123456789abcdefghijklmnopqrstuv";
        let sent = OneTimePad::read(&pad.over(key)).unwrap();
        let read: Vec<u8> = sent
            .0
            .iter()
            .zip(pad.0)
            .map(|(sent, pad)| sent ^ pad)
            .collect();
        assert_eq!(read, key.as_bytes());
    }

    /// Case 13 of the vectors in the specification of GCM: no text under a key of zeros.
    #[test]
    fn a_text_is_sealed_as_the_standard_says() {
        let pad = OneTimePad::read(&"00".repeat(32)).unwrap();
        let sealed = pad.seal([0; IV_LENGTH], "").unwrap();
        assert_eq!(
            sealed,
            format!("{}530f8afbc74536b9a963b4f1c4cb738b", "0".repeat(24))
        );
        let longer = pad.seal([0; IV_LENGTH], "token").unwrap();
        assert_eq!(longer.len(), (12 + 5 + 16) * 2);
    }
}
