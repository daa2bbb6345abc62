//! Serving of files to browsers: an uploaded file must never run as a page of this server.
//!
//! Only types that browsers do not execute are displayed inline; everything else is downloaded as
//! `application/octet-stream`. Type sniffing is disabled, and a sandbox policy denies scripts and the origin
//! (docs/protocol/files.md#serving).

use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap,
    HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use spindle_actions::files::AttachmentRow;
use spindle_guest::{Blob, Failure, Reply};

/// For images whose URL changes with their content.
pub(crate) const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// For files whose access may change: only the client caches them, and revalidates.
const PRIVATE: &str = "private, no-cache";
/// The policy for a file that a browser displays as a page.
const POLICY: &str = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; \
    style-src 'unsafe-inline'; frame-ancestors 'self'";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Types that are displayed inline.
const SHOWN: [&str; 20] = [
    "audio/aac",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/ogg",
    "audio/vnd.wave",
    "audio/wav",
    "audio/webm",
    "audio/x-wav",
    "image/apng",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "text/plain",
    "video/mp4",
    "video/ogg",
    "video/webm",
];

/// Characters of a name that need no encoding in a header (RFC 8187).
const IN_HEADER: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-');

/// An uploaded file. The caller must have checked access.
///
/// # Errors
/// 500 when a name cannot be written into a header, which encoding rules out.
pub(crate) fn file(file: &AttachmentRow) -> Result<Reply, Failure> {
    let mut headers = safe(PRIVATE);
    let is_shown = SHOWN.contains(&file.content_type.as_str());
    let content_type = match file.content_type.as_str() {
        "text/plain" => "text/plain; charset=utf-8",
        shown if is_shown => shown,
        _ => "application/octet-stream",
    };
    headers.insert(CONTENT_TYPE, value(content_type)?);
    let kind = if is_shown { "inline" } else { "attachment" };
    let name = utf8_percent_encode(&file.name, IN_HEADER);
    let disposition = format!("{kind}; filename*=UTF-8''{name}");
    headers.insert(CONTENT_DISPOSITION, value(&disposition)?);
    Ok(Reply::Blob(Blob {
        key: file.blob_key.clone(),
        headers,
        make: None,
    }))
}

/// The preview of an uploaded image, in the type in which it was stored.
pub(crate) fn preview(key: &str) -> Reply {
    Reply::Blob(Blob {
        key: key.to_owned(),
        headers: safe(PRIVATE),
        make: None,
    })
}

/// An image that this server has encoded, under a URL that changes with its content.
pub(crate) fn picture(key: String, media_type: &'static str) -> Reply {
    let mut headers = safe(FOR_EVER);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    // Web clients of other origins display avatars and emoji.
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    Reply::Blob(Blob {
        key,
        headers,
        make: None,
    })
}

/// The archive of an export.
pub(crate) fn archive(key: String) -> Reply {
    let mut headers = safe(PRIVATE);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/gzip"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Reply::Blob(Blob {
        key,
        headers,
        make: None,
    })
}

fn safe(cache_control: &'static str) -> HeaderMap {
    [
        (CACHE_CONTROL, HeaderValue::from_static(cache_control)),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ]
    .into_iter()
    .collect()
}

fn value(text: &str) -> Result<HeaderValue, Failure> {
    HeaderValue::from_str(text).map_err(|error| Failure::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

    use super::*;

    fn headers(content_type: &str, name: &str) -> HeaderMap {
        let row = AttachmentRow {
            id: spindle_domain::AttachmentId(1),
            owner_id: spindle_domain::UserId(1),
            path_id: "1/x/y".to_owned(),
            blob_key: "uploads/1/x".to_owned(),
            name: name.to_owned(),
            content_type: content_type.to_owned(),
            preview_key: None,
            width: None,
            height: None,
            moves: false,
            transcoded_key: None,
        };
        match file(&row).unwrap() {
            Reply::Blob(blob) => blob.headers,
            _ => panic!("a file is a blob"),
        }
    }

    #[test]
    fn what_could_run_is_downloaded_without_a_type() {
        for hostile in [
            "text/html",
            "image/svg+xml",
            "application/xhtml+xml",
            "text/xml",
            "application/javascript",
            "application/pdf",
            "text/css",
            "",
        ] {
            let headers = headers(hostile, "a.html");
            assert_eq!(
                headers[CONTENT_TYPE], "application/octet-stream",
                "{hostile}"
            );
            let disposition = headers[CONTENT_DISPOSITION].to_str().unwrap();
            assert!(disposition.starts_with("attachment;"), "{hostile}");
        }
    }

    #[test]
    fn what_is_shown_is_shown_without_rights() {
        for (shown, sent) in [
            ("image/png", "image/png"),
            ("text/plain", "text/plain; charset=utf-8"),
            ("video/mp4", "video/mp4"),
        ] {
            let headers = headers(shown, "a");
            assert_eq!(headers[CONTENT_TYPE], sent);
            assert_eq!(headers[CONTENT_DISPOSITION], "inline; filename*=UTF-8''a");
            assert_eq!(headers[X_CONTENT_TYPE_OPTIONS], "nosniff");
            let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
            assert!(policy.starts_with("sandbox; default-src 'none'"));
        }
    }

    #[test]
    fn names_cannot_break_the_header() {
        let headers = headers("text/html", "a\"; x=\r\n\u{e4}.txt");
        assert_eq!(
            headers[CONTENT_DISPOSITION],
            "attachment; filename*=UTF-8''a%22%3B%20x%3D%0D%0A%C3%A4.txt"
        );
    }
}
