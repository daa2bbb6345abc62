//! Encryption of notifications to the key of one phone, as libsodium's `crypto_secretbox` does it:
//! XSalsa20 and Poly1305, the nonce in front.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_secretbox::aead::{Aead, KeyInit};
use crypto_secretbox::{Key, Nonce, XSalsa20Poly1305};

use crate::ActionError;

/// The first byte of a key says how it is used; this is the only way.
const SECRETBOX: u8 = 0x31;
const NONCE_BYTES: usize = 24;

/// The key of a phone.
pub(crate) struct SealingKey(XSalsa20Poly1305);

impl SealingKey {
    /// Reads a key as clients send it: Base64 of the kind and 32 bytes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text).ok()?;
        let (kind, secret) = bytes.split_first()?;
        let secret: [u8; 32] = secret.try_into().ok()?;
        (*kind == SECRETBOX).then(|| Self(XSalsa20Poly1305::new(&Key::from(secret))))
    }

    /// Encrypts a text with a nonce of its own; Base64.
    ///
    /// # Errors
    /// [`ActionError::Internal`] when there is no source of random numbers.
    pub(crate) fn seal(&self, text: &str) -> Result<String, ActionError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|error| ActionError::Internal(error.to_string()))?;
        let sealed = self.seal_with(nonce, text.as_bytes())?;
        Ok(STANDARD.encode([&nonce[..], &sealed].concat()))
    }

    fn seal_with(&self, nonce: [u8; NONCE_BYTES], text: &[u8]) -> Result<Vec<u8>, ActionError> {
        let sealed = self.0.encrypt(&Nonce::from(nonce), text);
        sealed.map_err(|_| ActionError::Internal("a notification cannot be encrypted".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hexadecimal: &str) -> Vec<u8> {
        let digits: Vec<u32> = hexadecimal
            .chars()
            .map(|digit| digit.to_digit(16).unwrap())
            .collect();
        let pairs = digits.chunks(2);
        pairs
            .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap())
            .collect()
    }

    fn key(secret: &[u8]) -> String {
        STANDARD.encode([&[SECRETBOX], secret].concat())
    }

    #[test]
    fn it_is_the_secretbox_of_nacl() {
        let secret = bytes("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
        let nonce = bytes("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
        let text = bytes(
            "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a\
             1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057\
             e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040\
             e082f937763848645e0705",
        );
        let sealed = "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4\
             476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738\
             b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de\
             56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5";
        let key = SealingKey::parse(&key(&secret)).unwrap();
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().unwrap();
        assert_eq!(key.seal_with(nonce, &text).unwrap(), bytes(sealed));
    }

    #[test]
    fn no_two_notifications_look_alike() {
        let key = SealingKey::parse(&key(&[7; 32])).unwrap();
        let (one, other) = (key.seal("hello").unwrap(), key.seal("hello").unwrap());
        assert_ne!(one, other);
        let length = STANDARD.decode(one).unwrap().len();
        assert_eq!(length, NONCE_BYTES + 16 + "hello".len());
    }

    #[test]
    fn keys_have_a_kind_and_a_length() {
        assert!(SealingKey::parse("MTaUDJDMWypQ1WufZ1NRTHSSvgYtXh1qVNSjN3aBiEFt").is_some());
        let other_kind = STANDARD.encode([0x32; 33]);
        for wrong in [
            "",
            "MTaU",
            "no Base64!",
            other_kind.as_str(),
            &key(&[0; 31]),
        ] {
            assert!(SealingKey::parse(wrong).is_none(), "{wrong}");
        }
    }
}
