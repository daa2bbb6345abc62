//! Signatures of components: an operator lists public keys, and only components that are signed with one of them are installed.
//!
//! The signature is a custom section at the end of the component, and covers all bytes before it. Runs on files that people
//! upload.

use data_encoding::HEXLOWER_PERMISSIVE;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use spindle_domain::apps::{section, with_section};
use spindle_domain::limits::apps::SIGNATURE_KEYS;

use crate::ActionError;
use crate::account::secrets;
use crate::text::hexadecimal;

/// The name of the custom section: a public key, then the signature.
const SECTION: &str = "spindle-signature";
const CONTENT: usize = 32 + 64;
/// The bytes of the section before its content: the id, the length, the name with its own length.
const HEADER: &[u8; 20] = b"\0\x72\x11spindle-signature";
/// Letters of the name of a key.
const LONGEST_NAME: usize = 30;

/// The public keys that an operator trusts. Without any, components need no signature.
#[derive(Debug, Clone, Default)]
pub struct AppKeys(Vec<TrustedKey>);

#[derive(Debug, Clone)]
struct TrustedKey {
    name: String,
    key: VerifyingKey,
}

impl AppKeys {
    /// Reads keys, separated by commas: each 64 hexadecimal digits, perhaps with a name before it, `build=…`.
    ///
    /// # Errors
    /// Which part is wrong, without the name of an option.
    pub fn parse(list: &str) -> Result<Self, String> {
        let parts = list.split(',').map(str::trim);
        let keys = parts.filter(|part| !part.is_empty()).map(trusted);
        let keys: Vec<TrustedKey> = keys.collect::<Result<_, _>>()?;
        if keys.len() > SIGNATURE_KEYS {
            return Err(format!("there can be {SIGNATURE_KEYS} keys at most"));
        }
        Ok(Self(keys))
    }

    /// The name of the key that has signed a component, or its first digits; `None` where no key is listed.
    ///
    /// # Errors
    /// [`ActionError::BadRequest`] when no listed key has signed it.
    pub(super) fn check(&self, component: &[u8]) -> Result<Option<String>, ActionError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let Some((signed, key, signature)) = split(component) else {
            return Err(ActionError::bad_request(
                "The component is not signed, and this server installs only signed apps",
            ));
        };
        let trusted = self.0.iter().find(|trusted| trusted.key.as_bytes() == key);
        let trusted = trusted.ok_or_else(|| {
            ActionError::BadRequest(format!(
                "The component is signed with the key {}, which this server does not trust",
                short(key)
            ))
        })?;
        let signature = Signature::from_bytes(signature);
        match trusted.key.verify_strict(&message(signed), &signature) {
            Ok(()) => Ok(Some(trusted.name.clone())),
            Err(_) => Err(ActionError::bad_request(
                "The signature of the component is wrong: the component was changed after it was signed",
            )),
        }
    }
}

fn trusted(part: &str) -> Result<TrustedKey, String> {
    let (name, digits) = match part.split_once('=') {
        Some((name, digits)) => (Some(name.trim()), digits.trim()),
        None => (None, part),
    };
    if !name.is_none_or(is_name) {
        return Err(format!(
            "`{part}` has no name of {LONGEST_NAME} letters, digits, dots and hyphens at most before the sign ="
        ));
    }
    let bytes = bytes_of(digits)
        .ok_or_else(|| format!("`{digits}` is not a key of 64 hexadecimal digits"))?;
    let key = VerifyingKey::from_bytes(&bytes)
        .ok()
        .filter(|key| !key.is_weak())
        .ok_or_else(|| format!("`{digits}` is not a public key of Ed25519"))?;
    Ok(TrustedKey {
        name: name.map_or_else(|| short(&bytes), str::to_owned),
        key,
    })
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// The first digits of a key, enough to tell a few keys apart.
fn short(key: &[u8; 32]) -> String {
    hexadecimal(&key[..4])
}

fn bytes_of(digits: &str) -> Option<[u8; 32]> {
    let bytes = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()?;
    bytes.try_into().ok()
}

/// The signed bytes, the public key and the signature of a component whose last section is a signature.
fn split(component: &[u8]) -> Option<(&[u8], &[u8; 32], &[u8; 64])> {
    let (before, content) = component.split_last_chunk::<CONTENT>()?;
    let signed = before.strip_suffix(HEADER)?;
    let (key, signature) = content.split_first_chunk::<32>()?;
    Some((signed, key, signature.try_into().ok()?))
}

/// What is signed of a component: a text of its own form, so that a signature never means anything else.
fn message(component: &[u8]) -> Vec<u8> {
    let hash = hexadecimal(&Sha256::digest(component));
    format!("spindle-app-signature 1 {hash}").into_bytes()
}

/// The private key of an author of apps.
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// A new key.
    ///
    /// # Errors
    /// [`ActionError::Internal`] when the system has no random numbers.
    pub fn new() -> Result<Self, ActionError> {
        Ok(Self(SigningKey::from_bytes(&secrets::new_secret()?)))
    }

    /// Reads the text of a key, as [`Self::to_text`] writes it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = bytes_of(text.trim())?;
        Some(Self(SigningKey::from_bytes(&bytes)))
    }

    /// 64 hexadecimal digits. Secret.
    #[must_use]
    pub fn to_text(&self) -> String {
        hexadecimal(self.0.as_bytes())
    }

    /// The public key, as operators list it.
    #[must_use]
    pub fn public(&self) -> String {
        hexadecimal(self.0.verifying_key().as_bytes())
    }

    /// The component with a signature, in place of an earlier one. `None` means that the bytes are no component, or too
    /// long.
    #[must_use]
    pub fn sign(&self, component: &[u8]) -> Option<Vec<u8>> {
        let unsigned = section::without(component, SECTION)?;
        let mut content = self.0.verifying_key().to_bytes().to_vec();
        content.extend(self.0.sign(&message(&unsigned)).to_bytes());
        with_section(&unsigned, SECTION, &content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn key(number: u8) -> PrivateKey {
        PrivateKey(SigningKey::from_bytes(&[number; 32]))
    }

    fn trusting(list: &str) -> AppKeys {
        AppKeys::parse(list).unwrap()
    }

    fn refusal(keys: &AppKeys, component: &[u8]) -> String {
        match keys.check(component) {
            Err(ActionError::BadRequest(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_signed_component_names_its_key() {
        let component = with_section(EMPTY, "other", b"content").unwrap();
        let signed = key(1).sign(&component).unwrap();
        let listed = format!("{}, build={}", key(2).public(), key(1).public());
        let checked = trusting(&listed).check(&signed).unwrap();
        assert_eq!(checked.as_deref(), Some("build"));
        let keys = trusting(&key(1).public().to_uppercase());
        let checked = keys.check(&signed).unwrap();
        assert_eq!(checked.unwrap(), key(1).public()[..8]);
        // Another signature replaces the first one, and the same key gives the same bytes.
        let again = key(2).sign(&signed).unwrap();
        assert_eq!(again, key(2).sign(&component).unwrap());
        assert!(refusal(&keys, &again).contains(&key(2).public()[..8]));
        assert_eq!(key(1).sign(&again).unwrap(), signed);
    }

    #[test]
    fn no_other_byte_may_change() {
        let component = with_section(EMPTY, "other", b"content").unwrap();
        let signed = key(1).sign(&component).unwrap();
        let keys = trusting(&key(1).public());
        for index in 0..signed.len() {
            let mut changed = signed.clone();
            changed[index] ^= 1;
            refusal(&keys, &changed);
        }
        for end in 0..signed.len() {
            refusal(&keys, &signed[..end]);
        }
        // What follows the signature is not signed.
        let longer = with_section(&signed, "later", b"").unwrap();
        assert!(refusal(&keys, &longer).contains("not signed"));
        refusal(&keys, &[&signed[..], &signed[component.len()..]].concat());
    }

    #[test]
    fn without_keys_nothing_needs_a_signature() {
        let none = trusting("");
        assert_eq!(none.check(EMPTY).unwrap(), None);
        assert_eq!(none.check(&key(1).sign(EMPTY).unwrap()).unwrap(), None);
        let keys = trusting(&key(1).public());
        assert!(refusal(&keys, EMPTY).contains("not signed"));
        assert_eq!(key(1).sign(b"no component"), None);
    }

    #[test]
    fn keys_have_one_form() {
        let public = key(1).public();
        for wrong in [
            "x",
            &public[1..],
            &format!("={public}"),
            &format!("a b={public}"),
            &format!("{}={public}", "n".repeat(31)),
            // The neutral element verifies signatures of everything.
            &format!("01{}", "00".repeat(31)),
            &vec![public.clone(); SIGNATURE_KEYS + 1].join(","),
        ] {
            assert!(AppKeys::parse(wrong).is_err(), "{wrong}");
        }
        trusting(&vec![public; SIGNATURE_KEYS].join(","));
        let read = PrivateKey::parse(&format!("{}\n", key(7).to_text())).unwrap();
        assert_eq!(read.public(), key(7).public());
        assert!(PrivateKey::parse("a key").is_none());
        let (one, other) = (PrivateKey::new().unwrap(), PrivateKey::new().unwrap());
        assert_ne!(one.public(), other.public());
    }
}
