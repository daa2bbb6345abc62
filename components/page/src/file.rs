//! Answers with a file: headers, and cache validation.
//!
//! Browsers may cache a page but must revalidate it, so that a new version of the server takes effect immediately;
//! files of the web client have a digest of their content in the URL and are cached. The content security policy is
//! nearly the same for all: no other origins, no inline scripts or styles, no frames, no form targets.

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderName, IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};
use spindle_guest::{Call, Reply};

use crate::client::ClientFile;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The web client creates markup from rendered messages through one trusted-types policy; it plays uploaded
/// media, and runs a shared worker for all its tabs.
const CLIENT_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data: blob:; \
    media-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types spindle; script-src 'self' ";

/// A worker uses the policy of its own file: it sends requests only to this server.
const WORKER_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The media type of a page.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Sends `content`, or 304 when the browser has it already.
pub(crate) fn send(call: &Call<'_>, media_type: &'static str, content: Bytes) -> Reply {
    let tag = tag(&content);
    send_under(
        call,
        HeaderValue::from_static(POLICY),
        media_type,
        content,
        &tag,
    )
}

/// Sends a service worker that may answer for every path of this address.
pub(crate) fn send_service_worker(
    call: &Call<'_>,
    media_type: &'static str,
    content: Bytes,
) -> Reply {
    let mut reply = send(call, media_type, content);
    if let Reply::Whole(response) = &mut reply {
        response.headers_mut().insert(
            HeaderName::from_static("service-worker-allowed"),
            HeaderValue::from_static("/"),
        );
    }
    reply
}

/// A page, plain and packed.
type Page = (&'static [u8], &'static [u8]);

/// Sends the page of the web client. `scripts` are the sources of scripts in addition to its own files.
pub(crate) fn send_client(call: &Call<'_>, scripts: &str, page: Page) -> Reply {
    let policy = HeaderValue::from_str(&format!("{CLIENT_POLICY}{scripts}"));
    let policy = policy.unwrap_or(HeaderValue::from_static(POLICY));
    send_packed_under(call, policy, page)
}

/// Sends another page that the build has packed.
pub(crate) fn send_packed(call: &Call<'_>, page: Page) -> Reply {
    send_packed_under(call, HeaderValue::from_static(POLICY), page)
}

fn send_packed_under(call: &Call<'_>, policy: HeaderValue, (plain, packed): Page) -> Reply {
    let is_packed = takes_gzip(call.header(ACCEPT_ENCODING.as_str()).unwrap_or_default());
    let content = if is_packed { packed } else { plain };
    // One tag for both forms, as for answers that the server compresses; weak where their bytes differ.
    let mut tag = tag(plain);
    if is_packed {
        tag.insert_str(0, "W/");
    }
    let mut reply = send_under(call, policy, HTML, Bytes::from_static(content), &tag);
    if let Reply::Whole(response) = &mut reply {
        let has_body = !response.body().is_empty();
        let headers = response.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        if is_packed && has_body {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    reply
}

/// Sends a file whose URL changes with its content, compressed if the browser accepts it.
pub(crate) fn send_kept(call: &Call<'_>, file: &ClientFile) -> Reply {
    let accepted = call.header(ACCEPT_ENCODING.as_str()).unwrap_or_default();
    let is_packed = takes_gzip(accepted);
    let content = if is_packed { file.gzip } else { file.plain };
    let mut response = Response::new(Bytes::from_static(content));
    let headers = response.headers_mut();
    if is_packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, value) in [
        (CONTENT_TYPE, file.media_type),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (VARY, "Accept-Encoding"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, WORKER_POLICY),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Reply::Whole(response)
}

/// Whether a browser accepts gzip (RFC 9110, 12.5.3): named or covered by `*`, and not refused.
fn takes_gzip(accepted: &str) -> bool {
    let weight = |wanted: &str| {
        accepted.split(',').find_map(|one| {
            let mut parts = one.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            let is_refused = quality.is_some_and(|quality| quality.parse() == Ok(0.0_f32));
            name.eq_ignore_ascii_case(wanted).then_some(!is_refused)
        })
    };
    weight("gzip").or_else(|| weight("*")).unwrap_or(false)
}

fn send_under(
    call: &Call<'_>,
    policy: HeaderValue,
    media_type: &'static str,
    content: Bytes,
    tag: &str,
) -> Reply {
    let is_known = call
        .header(IF_NONE_MATCH.as_str())
        .is_some_and(|known| known.split(',').any(|one| matches(one, tag)));
    let mut response = Response::new(if is_known { Bytes::new() } else { content });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    for (name, value) in [
        (CONTENT_TYPE, media_type),
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
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    Reply::Whole(response)
}

/// The weak comparison (RFC 9110, 8.8.3.2): a compressed form has a weak tag; the content is the same.
fn matches(known: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    let known = known.trim();
    known == "*" || opaque(known) == opaque(tag)
}

/// An entity tag of the content: FNV-1a suffices, since collisions are no security risk.
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
    fn gzip_is_for_those_who_take_it() {
        for accepted in ["gzip", "br, gzip;q=0.5", "*", "GZIP", "gzip;q=1.0, *;q=0"] {
            assert!(takes_gzip(accepted), "{accepted}");
        }
        for accepted in ["", "br", "gzip;q=0", "gzip; q=0.0, *", "*;q=0", "x-gzip"] {
            assert!(!takes_gzip(accepted), "{accepted}");
        }
    }

    #[test]
    fn a_tag_is_that_of_one_content() {
        assert_eq!(tag(b"a"), tag(b"a"));
        assert_ne!(tag(b"a"), tag(b"b"));
        let known = tag(b"a");
        assert!(matches(&format!(" W/{known}"), &known));
        assert!(matches(&known, &format!("W/{known}")));
        assert!(!matches("\"x\"", &known));
    }
}
