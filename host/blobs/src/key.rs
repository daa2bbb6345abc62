//! Keys of blobs: path-like text that is safe to log and is never used as a file name.

/// Longest key in bytes.
const LONGEST: usize = 512;

/// A valid key: segments of `A-Z a-z 0-9 . _ -` joined by `/`, none of them only dots.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobKey(String);

impl BlobKey {
    /// Checks a key; `None` when it is not valid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let segments_are_fine = text.split('/').all(|segment| {
            segment.bytes().all(is_allowed) && segment.bytes().any(|byte| byte != b'.')
        });
        (text.len() <= LONGEST && segments_are_fine).then(|| Self(text.to_owned()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for valid in ["a", "identicons/12.png", "uploads/1/a-B_c/x.tar.gz", "a/.b"] {
            assert!(BlobKey::parse(valid).is_some(), "{valid}");
        }
        let long = "a".repeat(513);
        for invalid in [
            "", "/", "a/", "/a", "a//b", ".", "a/../b", "a/.", "ä", "a b", "a\0", "a%2f", &long,
        ] {
            assert!(BlobKey::parse(invalid).is_none(), "{invalid}");
        }
    }
}
