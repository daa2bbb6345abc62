//! The header `Upload-Metadata` of the tus protocol: names with values in base64.
//!
//! Owns the form of the header only. What its names mean is decided by the operation.

use crate::ApiError;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

/// Reads the pairs of a header, in their order. A name without a value has an empty one.
///
/// # Errors
/// 400 for a value that is not base64 of UTF-8.
pub fn read(header: &str) -> Result<Vec<(&str, String)>, ApiError> {
    let pairs = header.split(',').map(str::trim);
    pairs.filter(|pair| !pair.is_empty()).map(pair).collect()
}

/// The value of a name.
#[must_use]
pub fn value<'p>(pairs: &'p [(&str, String)], name: &str) -> Option<&'p str> {
    let found = pairs.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.as_str())
}

fn pair(pair: &str) -> Result<(&str, String), ApiError> {
    let (name, value) = pair.split_once(' ').unwrap_or((pair, ""));
    let value = value.trim();
    let bytes = STANDARD
        .decode(value)
        .or_else(|_| STANDARD_NO_PAD.decode(value));
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| {
        ApiError::bad_request("Upload-Metadata must be names with texts in base64")
    })?;
    Ok((name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_names_and_base64() {
        let pairs = read("filename d29ybGQucGRm,filetype YXBwbGljYXRpb24vcGRm, is_mine").unwrap();
        assert_eq!(value(&pairs, "filename"), Some("world.pdf"));
        assert_eq!(value(&pairs, "filetype"), Some("application/pdf"));
        assert_eq!(value(&pairs, "is_mine"), Some(""));
        assert_eq!(value(&pairs, "other"), None);
        assert_eq!(read("").unwrap(), []);
        assert_eq!(value(&read("a YQ").unwrap(), "a"), Some("a"));
        for wrong in ["filename ?", "filename /w=="] {
            assert_eq!(read(wrong).unwrap_err().status(), 400, "{wrong}");
        }
    }
}
