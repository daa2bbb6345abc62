//! The form of codes: those of an app (RFC 6238, with the parameters that every app supports), and recovery codes.

use data_encoding::BASE32_NOPAD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use spindle_domain::limits::RECOVERY_CODES;
use totp_rs::{Algorithm, Builder, Secret, Totp};

use crate::ActionError;
use crate::account::secrets;

/// Bytes of the secret of an app: the length of its hash.
pub(super) const SECRET_LENGTH: usize = 20;
const DIGITS: u8 = 6;
/// Seconds for which a code is shown.
const STEP_SECONDS: u64 = 30;
/// Codes before and after the current one that are accepted: clocks differ, and typing takes time.
const SKEW: u16 = 1;
/// Random bytes of a recovery code: 80 bits, so that the stored hash needs no salt and no slowness.
const RECOVERY_LENGTH: usize = 10;
/// Letters between two hyphens of a recovery code.
const GROUP: usize = 4;

/// A code as a person sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Code {
    /// Six digits of an app.
    Totp(String),
    /// The letters and digits of a recovery code.
    Recovery(String),
    /// The answer of a passkey, which is JSON.
    Passkey,
}

impl Code {
    /// Reads a code, with whatever separates its groups.
    pub(super) fn read(text: &str) -> Self {
        if text.trim_start().starts_with('{') {
            return Self::Passkey;
        }
        let is_kept = |letter: &char| !letter.is_whitespace() && *letter != '-';
        let text: String = text.chars().filter(is_kept).collect();
        let is_totp =
            text.len() == usize::from(DIGITS) && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_totp {
            Self::Totp(text)
        } else {
            Self::Recovery(text.to_ascii_uppercase())
        }
    }
}

fn totp(secret: &[u8]) -> Result<Totp, ActionError> {
    let secret: [u8; SECRET_LENGTH] = secret
        .try_into()
        .map_err(|_| ActionError::Internal("the secret of an app has another length".to_owned()))?;
    Builder::new()
        .with_algorithm(Algorithm::SHA1)
        .with_digits(DIGITS)
        .with_skew(SKEW)
        .with_step_duration(STEP_SECONDS)
        .with_secret(Secret::new_stack(secret))
        .build()
        .map_err(|error| ActionError::Internal(format!("wrong parameters of TOTP: {error}")))
}

/// The step whose code this is at `now` (UNIX seconds), if it is one of the accepted ones.
pub(super) fn step_of(secret: &[u8], code: &str, now: i64) -> Result<Option<i64>, ActionError> {
    let now = u64::try_from(now).unwrap_or_default();
    let step = totp(secret)?.check(code, now);
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// The secret as a person types it into an app.
pub(super) fn shown(secret: &[u8]) -> String {
    BASE32_NOPAD.encode(secret)
}

/// The address that an app reads from a picture.
pub(super) fn address(secret: &[u8], organization: &str, account: &str) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    // A colon separates the two.
    let organization = encoded(&organization.replace(':', " "));
    format!(
        "otpauth://totp/{organization}:{}?secret={}&issuer={organization}&algorithm=SHA1&digits={DIGITS}&period={STEP_SECONDS}",
        encoded(account),
        shown(secret)
    )
}

/// New recovery codes: as the person keeps them, and their hashes.
pub(super) fn recovery_codes() -> Result<(Vec<String>, Vec<[u8; 32]>), ActionError> {
    let (mut shown, mut hashes) = (Vec::new(), Vec::new());
    for _ in 0..RECOVERY_CODES {
        let letters = BASE32_NOPAD.encode(&secrets::new_nonce::<RECOVERY_LENGTH>()?);
        hashes.push(hash(&letters));
        let mut code = String::new();
        for (place, letter) in letters.chars().enumerate() {
            if place > 0 && place % GROUP == 0 {
                code.push('-');
            }
            code.push(letter);
        }
        shown.push(code);
    }
    Ok((shown, hashes))
}

/// The stored hash of a recovery code.
pub(super) fn hash(letters: &str) -> [u8; 32] {
    secrets::hash_api_key(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of RFC 6238, appendix B, cut to six digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = b"12345678901234567890";
        for (time, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
        ] {
            let found = |now| step_of(secret, code, now).unwrap();
            assert_eq!(found(time), Some(time / 30));
            assert_eq!(found(time + 30), Some(time / 30));
            assert_eq!(found(time - 30), Some(time / 30));
            assert_eq!(found(time + 60), None);
            // Times before 1970 count as 1970.
            assert!(time < 60 || found(time - 60).is_none());
        }
        assert_eq!(step_of(secret, "+87082", 59).unwrap(), None);
        assert!(step_of(b"short", "287082", 59).is_err());
    }

    #[test]
    fn codes_are_read_with_separators() {
        assert_eq!(Code::read(" 287 082 "), Code::Totp("287082".to_owned()));
        for text in ["abcd-ef23", "ABCD EF23", "abcdef23"] {
            assert_eq!(Code::read(text), Code::Recovery("ABCDEF23".to_owned()));
        }
        assert_eq!(Code::read("28708"), Code::Recovery("28708".to_owned()));
    }

    #[test]
    fn recovery_codes_are_read_back() {
        let (shown, hashes) = recovery_codes().unwrap();
        assert_eq!(
            (shown.len(), hashes.len()),
            (RECOVERY_CODES, RECOVERY_CODES)
        );
        for (code, stored) in shown.iter().zip(&hashes) {
            assert_eq!(code.len(), 19);
            let Code::Recovery(letters) = Code::read(&code.to_lowercase()) else {
                panic!("{code}");
            };
            assert_eq!(hash(&letters), *stored);
        }
        assert_ne!(shown.first(), shown.last());
    }

    #[test]
    fn addresses_name_the_organization_and_the_account() {
        let address = address(b"12345678901234567890", "A: B", "ann@x.org");
        assert_eq!(
            address,
            "otpauth://totp/A%20%20B:ann%40x%2Eorg?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=A%20%20B&algorithm=SHA1&digits=6&period=30"
        );
    }
}
