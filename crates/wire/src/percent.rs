//! Percent-encoding: path segments and form text.
//!
//! Strict about the result: what does not decode to UTF-8, or holds a NUL, is an error
//! instead of a replacement character, so that two different requests never become one.

use crate::ApiError;
use percent_encoding::percent_decode;
use std::borrow::Cow;

/// Decodes one segment of the raw path; an encoded slash stays inside of the segment.
///
/// # Errors
/// 400 when the bytes are not UTF-8 or hold a NUL.
pub fn decode_segment(segment: &str) -> Result<Cow<'_, str>, ApiError> {
    decode(segment.as_bytes()).ok_or_else(|| ApiError::bad_request("The address is not valid text"))
}

/// Decodes a name or value of a form, where `+` is a space; `None` for invalid text.
pub(crate) fn decode_form(raw: &[u8]) -> Option<Cow<'_, str>> {
    if !raw.contains(&b'+') {
        return decode(raw);
    }
    let spaced: Vec<u8> = raw
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    decode(&spaced).map(|text| Cow::Owned(text.into_owned()))
}

fn decode(raw: &[u8]) -> Option<Cow<'_, str>> {
    let text = percent_decode(raw).decode_utf8().ok()?;
    (!text.contains('\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_keeps_its_slashes_and_plus_signs() {
        assert_eq!(
            decode_segment("narrow%2Fis%2Fstarred").unwrap(),
            "narrow/is/starred"
        );
        assert_eq!(decode_segment("a+b%40c").unwrap(), "a+b@c");
        assert_eq!(decode_segment("100%").unwrap(), "100%");
        assert!(matches!(decode_segment("plain").unwrap(), Cow::Borrowed(_)));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(decode_segment("%ff").unwrap_err().status(), 400);
        assert_eq!(decode_segment("a%00").unwrap_err().status(), 400);
        assert_eq!(decode_form(b"a%C3%A9+b").unwrap(), "aé b");
        assert_eq!(decode_form(b"+%80"), None);
    }
}
