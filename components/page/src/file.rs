//! Answers with a file: its headers, and whether the browser has it already.
//!
//! Browsers may keep a file but ask each time, so that a new version of the server is a new
//! page at once. The policy is the same for all files: nothing from elsewhere, no script or
//! style inside the markup, no frames, no forms that lead anywhere.

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};
use spindle_guest::{Call, Reply};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The media type of a page.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Sends `content`, or 304 when it is what the browser has.
pub(crate) fn send(call: &Call<'_>, media_type: &'static str, content: Bytes) -> Reply {
    let tag = tag(&content);
    let is_known = call
        .header(IF_NONE_MATCH.as_str())
        .is_some_and(|known| known.split(',').any(|one| matches(one, &tag)));
    let mut response = Response::new(if is_known { Bytes::new() } else { content });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, media_type),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-cache"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    Reply::Whole(response)
}

/// A proxy that compresses makes a tag weak; the content is the same.
fn matches(known: &str, tag: &str) -> bool {
    let known = known.trim();
    known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
}

/// A tag that changes with the content: FNV-1a, since nobody gains from a collision.
fn tag(content: &[u8]) -> String {
    let hash = content.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("\"{hash:016x}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_that_of_one_content() {
        assert_eq!(tag(b"a"), tag(b"a"));
        assert_ne!(tag(b"a"), tag(b"b"));
        let known = tag(b"a");
        assert!(matches(&format!(" W/{known}"), &known));
        assert!(!matches("\"x\"", &known));
    }
}
