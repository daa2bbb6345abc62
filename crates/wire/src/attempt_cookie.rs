//! The cookie in which a browser keeps an attempt to sign in by an identity provider.
//!
//! Owns the name and the attributes of the cookie; what it says, and its signature, are those of the actions. It is sent
//! when the provider leads the browser back, which is a navigation from another site: hence `SameSite=Lax`.

use crate::session_cookie::values;
use http::HeaderMap;
use http::header::{HeaderValue, InvalidHeaderValue};

const PLAIN: &str = "spindle_identity";
/// As of sessions: over TLS, no other host of the same domain can set it.
const HOST_ONLY: &str = "__Host-spindle_identity";

const fn name(is_secure: bool) -> &'static str {
    match is_secure {
        true => HOST_ONLY,
        false => PLAIN,
    }
}

/// The content of the request's cookie.
pub fn find(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    values(headers, name(is_secure)).next()
}

/// `Set-Cookie` for an attempt that takes up to `seconds`.
///
/// # Errors
/// The content has characters that a cookie cannot have.
pub fn set(
    content: &str,
    seconds: i64,
    is_secure: bool,
) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value = HeaderValue::try_from(text(content, seconds, is_secure))?;
    value.set_sensitive(true);
    Ok(value)
}

/// `Set-Cookie` that makes a browser forget the cookie.
///
/// # Errors
/// None in practice.
pub fn forget(is_secure: bool) -> Result<HeaderValue, InvalidHeaderValue> {
    HeaderValue::try_from(text("", 0, is_secure))
}

fn text(content: &str, seconds: i64, is_secure: bool) -> String {
    let end = if is_secure { "; Secure" } else { "" };
    let name = name(is_secure);
    format!("{name}={content}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::COOKIE;

    #[test]
    fn its_name_and_attributes() {
        let plain = set("a!b", 600, false).unwrap();
        let expected = "spindle_identity=a!b; Path=/; Max-Age=600; HttpOnly; SameSite=Lax";
        assert_eq!(plain, expected);
        let secure = set("a!b", 600, true).unwrap();
        assert_eq!(secure, &*format!("__Host-{expected}; Secure"));
        assert!(set("a\nb", 600, true).is_err());
        let forgotten = forget(true).unwrap();
        assert!(forgotten.to_str().unwrap().contains("=; Path=/; Max-Age=0"));
    }

    #[test]
    fn over_tls_only_the_name_counts_that_no_other_host_can_set() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "x=y; spindle_identity=one".parse().unwrap());
        assert_eq!(find(&headers, false), Some("one"));
        assert_eq!(find(&headers, true), None);
        headers.append(COOKIE, "__Host-spindle_identity=two".parse().unwrap());
        assert_eq!(find(&headers, true), Some("two"));
    }
}
