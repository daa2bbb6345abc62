//! Credentials of a request: the Basic scheme with an email and an API key.
//!
//! Owns the shape of the header only. Actions find the account of the pair; the key must never be
//! logged, so Debug does not print it.

use crate::ApiError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use std::fmt;

pub const API_KEY_LENGTH: usize = 32;

/// The credentials that a client sends (docs/protocol/conventions.md#authentication).
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// API email or real email, as sent.
    pub user: String,
    /// API key: 32 letters and digits.
    pub key: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Credentials")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Reads the credentials of a request that must have some.
///
/// # Errors
/// 401 UNAUTHORIZED when there are none or the header is empty, when they are not exactly one
/// `user:key` pair, or the key cannot be one; 400 BAD_REQUEST for another scheme
/// (docs/protocol/errors.md#statuses).
pub fn parse(headers: &HeaderMap) -> Result<Credentials, ApiError> {
    parse_optional(headers)?.ok_or_else(ApiError::missing_credentials)
}

/// Reads the credentials of a request that may have none.
///
/// # Errors
/// As [`parse`], except that the absence of the header is no error.
pub fn parse_optional(headers: &HeaderMap) -> Result<Option<Credentials>, ApiError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(ApiError::bad_request(
            "The request has two Authorization headers",
        ));
    }
    parse_value(value).map(Some)
}

/// Reads the value of one `Authorization` header.
///
/// # Errors
/// As [`parse`].
pub fn parse_value(value: &HeaderValue) -> Result<Credentials, ApiError> {
    let text = value
        .to_str()
        .map_err(|_| ApiError::wrong_credentials())?
        .trim();
    if text.is_empty() {
        return Err(ApiError::missing_credentials());
    }
    let (scheme, encoded) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(ApiError::bad_request(
            "Only Basic authentication is understood",
        ));
    }
    decode_pair(encoded.trim()).ok_or_else(ApiError::wrong_credentials)
}

fn decode_pair(encoded: &str) -> Option<Credentials> {
    let pair = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (user, key) = pair.split_once(':')?;
    let key = key.trim();
    let is_key =
        key.len() == API_KEY_LENGTH && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_key && !user.is_empty() && !user.contains('\0')).then(|| Credentials {
        user: user.to_owned(),
        key: key.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "abcdefghijklmnopqrstuvwxyz012345";

    fn headers(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        headers
    }

    fn basic(pair: &str) -> HeaderMap {
        headers(&format!("Basic {}", STANDARD.encode(pair)))
    }

    #[test]
    fn the_scheme_ignores_case_and_the_key_is_trimmed() {
        let encoded = STANDARD.encode(format!("zoe@example.com:{KEY} "));
        let found = parse(&headers(&format!("bAsIc {encoded}"))).unwrap();
        assert_eq!(found.user, "zoe@example.com");
        assert_eq!(found.key, KEY);
        assert!(!format!("{found:?}").contains(KEY));
    }

    #[test]
    fn no_header_is_none_or_401() {
        assert_eq!(parse_optional(&HeaderMap::new()).unwrap(), None);
        assert_eq!(parse(&HeaderMap::new()).unwrap_err().status(), 401);
    }

    #[test]
    fn another_scheme_is_400_and_a_broken_pair_is_401() {
        assert_eq!(parse(&headers("Bearer abc")).unwrap_err().status(), 400);
        for broken in [
            headers(""),
            headers("  "),
            headers("Basic"),
            headers("Basic !!!"),
            basic("no colon"),
            basic(&format!(":{KEY}")),
            basic("a@b.c:short"),
            basic(&format!("a@b.c:{KEY}:more")),
            basic(&format!("a@b.c:{}", KEY.replace('a', "-"))),
        ] {
            assert_eq!(parse(&broken).unwrap_err().status(), 401, "{broken:?}");
        }
        let mut two = basic(&format!("a@b.c:{KEY}"));
        two.append(AUTHORIZATION, HeaderValue::from_static("Basic x"));
        assert_eq!(parse(&two).unwrap_err().status(), 400);
    }
}
