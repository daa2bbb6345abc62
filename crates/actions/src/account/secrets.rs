//! Passwords, API keys and other unguessable texts.
//!
//! Owns how secrets are created, hashed and compared. A password is hashed with argon2id, which
//! is slow on purpose; a key is random, so that one SHA-256 is enough (and a lookup by hash
//! possible). Secrets must never reach a log, an audit row or an error.

use argon2::password_hash::Error;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, Params, PasswordHasher as _, PasswordVerifier as _};
use sha2::{Digest as _, Sha256};
use spindle_store::DbError;
use subtle::ConstantTimeEq as _;

use crate::ActionError;
use crate::text::hexadecimal;

/// Characters of an API key: 62, so that 32 of them hold 190 bits.
const KEY_ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Length of an API key.
pub(crate) const API_KEY_LENGTH: usize = 32;

/// The cost of a new hash: one of the sets that OWASP's guideline for argon2id takes for equally
/// strong, the cheapest of them here ([ADR 0037](../../../../docs/adr/0037-passwords.md)).
const MEMORY_KIB: u32 = 7168;
const PASSES: u32 = 5;
const LANES: u32 = 1;

fn random<const N: usize>() -> Result<[u8; N], ActionError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| ActionError::Internal(format!("no randomness: {error}")))?;
    Ok(bytes)
}

/// A new API key.
pub(crate) fn new_api_key() -> Result<String, ActionError> {
    let mut key = String::with_capacity(API_KEY_LENGTH);
    while key.len() < API_KEY_LENGTH {
        // Bytes above the last multiple of 62 are thrown away, or some letters would be likelier.
        for byte in random::<48>()?.into_iter().filter(|byte| *byte < 248) {
            let letter = KEY_ALPHABET.get(usize::from(byte % 62));
            if let (Some(letter), true) = (letter, key.len() < API_KEY_LENGTH) {
                key.push(char::from(*letter));
            }
        }
    }
    Ok(key)
}

/// The stored hash of a key.
pub(crate) fn hash_api_key(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

/// The stored hash of a key that a client has sent; `None` when it cannot be a key.
pub(crate) fn hash_of_key(key: &str) -> Option<[u8; 32]> {
    let key = key.trim();
    let is_key =
        key.len() == API_KEY_LENGTH && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_key.then(|| hash_api_key(key))
}

/// Compares hashes in constant time.
pub(crate) fn is_equal(left: &[u8], right: &[u8]) -> bool {
    left.ct_eq(right).into()
}

/// A token of a session or a sign-in link: 256 random bits in hexadecimal. It is stored as a hash
/// made by [`hash_api_key`].
pub(crate) fn new_token() -> Result<String, ActionError> {
    Ok(hexadecimal(&random::<32>()?))
}

/// A random UUID as text.
pub(crate) fn new_uuid() -> Result<String, ActionError> {
    let uuid = uuid::Builder::from_random_bytes(random()?).into_uuid();
    Ok(uuid.to_string())
}

/// A random name of 128 bits in hexadecimal, for addresses that cannot be guessed.
pub(crate) fn new_name() -> Result<String, ActionError> {
    Ok(hexadecimal(&random::<16>()?))
}

/// Random bytes that are used once.
pub(crate) fn new_nonce<const N: usize>() -> Result<[u8; N], ActionError> {
    random()
}

/// A random key for signatures.
pub(crate) fn new_secret() -> Result<[u8; 32], ActionError> {
    random()
}

fn argon2() -> Result<Argon2<'static>, ActionError> {
    Params::new(MEMORY_KIB, PASSES, LANES, None)
        .map(Argon2::from)
        .map_err(|error| ActionError::Internal(format!("wrong parameters of argon2: {error}")))
}

/// Hashes a password; the result is a PHC string with its own salt and parameters.
pub(crate) fn hash_password(password: &str) -> Result<String, ActionError> {
    argon2()?
        .hash_password_with_salt(password.as_bytes(), &random::<16>()?)
        .map(|hash| hash.to_string())
        .map_err(|error| match error {
            Error::OutOfMemory => no_memory(),
            error => ActionError::Internal(format!("a password cannot be hashed: {error}")),
        })
}

/// Hashing takes memory on purpose; without it nothing is known of the password, right or wrong.
fn no_memory() -> ActionError {
    DbError::Overloaded("no memory to hash a password".to_owned()).into()
}

/// Whether the password is the one that was hashed, whatever parameters it was hashed with. Without
/// a stored hash it still hashes, so that the duration does not reveal whether an account exists.
pub(crate) fn is_password(password: &str, stored: Option<&str>) -> Result<bool, ActionError> {
    let Some(stored) = stored else {
        hash_password(password)?;
        return Ok(false);
    };
    match argon2()?.verify_password(password.as_bytes(), stored) {
        Ok(()) => Ok(true),
        Err(Error::OutOfMemory) => Err(no_memory()),
        Err(_) => Ok(false),
    }
}

/// Whether a hash was made with other parameters than a new one would be.
pub(crate) fn is_outdated(stored: &str) -> bool {
    let params = PasswordHash::new(stored)
        .ok()
        .and_then(|hash| Params::try_from(&hash).ok());
    params.is_none_or(|params| {
        (params.m_cost(), params.t_cost(), params.p_cost()) != (MEMORY_KIB, PASSES, LANES)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_long_plain_and_different() {
        let (one, other) = (new_api_key().unwrap(), new_api_key().unwrap());
        assert_eq!(one.len(), API_KEY_LENGTH);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(one, other);
        assert!(is_equal(&hash_api_key(&one), &hash_api_key(&one)));
        assert!(!is_equal(&hash_api_key(&one), &hash_api_key(&other)));
    }

    #[test]
    fn tokens_have_256_bits() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert_eq!(one.len(), 64);
        assert!(one.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one, other);
    }

    #[test]
    fn passwords_are_salted_and_verified() {
        let hash = hash_password("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert_ne!(hash, hash_password("correct horse").unwrap());
        assert!(is_password("correct horse", Some(&hash)).unwrap());
        assert!(!is_password("correct hors", Some(&hash)).unwrap());
        assert!(!is_password("", None).unwrap());
        assert!(!is_password("x", Some("no hash")).unwrap());
    }

    #[test]
    fn hashes_of_other_parameters_are_verified_and_outdated() {
        let hash = hash_password("correct horse").unwrap();
        assert!(!is_outdated(&hash));
        let params = Params::new(19_456, 2, 1, None).unwrap();
        let old = Argon2::from(params)
            .hash_password_with_salt(b"correct horse", b"sixteen bytes...")
            .unwrap()
            .to_string();
        assert!(old.contains("m=19456,t=2,p=1"), "{old}");
        assert!(is_outdated(&old) && is_outdated("no hash"));
        assert!(is_password("correct horse", Some(&old)).unwrap());
        assert!(!is_password("correct hors", Some(&old)).unwrap());
    }

    /// The parameter sets of OWASP's guideline; ours must reach at least one of them.
    #[test]
    fn parameters_are_within_the_guideline() {
        let guideline = [(47_104, 1), (19_456, 2), (12_288, 3), (9216, 4), (7168, 5)];
        let is_within = |(memory, passes)| MEMORY_KIB >= memory && PASSES >= passes;
        assert!(guideline.into_iter().any(is_within) && LANES == 1);
    }

    #[test]
    fn uuids_are_of_version_4() {
        let uuid = new_uuid().unwrap();
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid.get(14..15), Some("4"));
    }
}
