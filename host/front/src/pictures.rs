//! Whether a body may hold a picture that a component would decode.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use memchr::memmem;

/// The end of a part's head.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
const RIFF: &[u8] = b"RIFF";
/// How the files begin that `spindle_images` decodes.
const BEGINNINGS: [&[u8]; 9] = [
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    RIFF,
    b"BM",
    b"II*\0",
    b"MM\0*",
    b"II+\0",
    b"MM\0+",
];

/// Whether a part of the form may be a picture; true also of everything that is no form. A text or an archive then need
/// not wait behind the pictures of others.
pub(super) fn may_hold_picture(head: &Parts, body: &Bytes) -> bool {
    let content_type = head.headers.get(CONTENT_TYPE);
    let is_form = content_type.is_some_and(|value| value.as_bytes().starts_with(b"multipart/"));
    !is_form
        || memmem::find_iter(body, END_OF_HEAD).any(|at| {
            let content = body.get(at + END_OF_HEAD.len()..).unwrap_or_default();
            BEGINNINGS
                .iter()
                .any(|beginning| content.starts_with(beginning))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(content_type: &str, body: &'static [u8]) -> bool {
        let request = http::Request::builder().header(CONTENT_TYPE, content_type);
        let (head, ()) = request.body(()).unwrap().into_parts();
        may_hold_picture(&head, &Bytes::from_static(body))
    }

    #[test]
    fn forms_without_pictures_are_told_apart() {
        let form = "multipart/form-data; boundary=b";
        assert!(!may(form, b"--b\r\nA: b\r\n\r\na text\r\n\r\nPNG\r\n--b--"));
        assert!(may(form, b"--b\r\nA: b\r\n\r\n\x89PNG\r\n\x1a\n\r\n--b--"));
        assert!(may(
            form,
            b"--b\r\n\r\nx\r\n--b\r\nA: b\r\n\r\n\xff\xd8\xff\xe0"
        ));
        assert!(may("application/offset+octet-stream", b"anything"));
    }
}
