//! The media type of an uploaded file, as far as it can be determined.
//!
//! Whether a type is shown in place is decided where files are served.

/// The type of content that is not known.
pub const UNKNOWN: &str = "application/octet-stream";

/// Types by the ending of a name, for uploads that come without one.
const BY_ENDING: [(&str, &str); 18] = [
    ("aac", "audio/aac"),
    ("avif", "image/avif"),
    ("flac", "audio/flac"),
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("log", "text/plain"),
    ("m4a", "audio/mp4"),
    ("md", "text/plain"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("txt", "text/plain"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
];

/// The media type of an upload: as found in an image, else as sent, else by the name. Never
/// with parameters.
#[must_use]
pub fn of_upload(found: Option<&str>, sent: Option<&str>, name: &str) -> String {
    if let Some(found) = found {
        return found.to_owned();
    }
    let sent = sent.map(|sent| {
        let bare = sent.split(';').next().unwrap_or_default();
        bare.trim().to_ascii_lowercase()
    });
    let is_meant = |sent: &String| is_media_type(sent) && sent != UNKNOWN;
    // A file that claims to be an image and cannot be read as one is never served as one.
    match sent.filter(is_meant) {
        Some(sent) => sent,
        None => {
            let ending = name.rsplit_once('.').map(|(_, ending)| ending);
            let ending = ending.unwrap_or_default().to_ascii_lowercase();
            let known = BY_ENDING.iter().find(|(known, _)| *known == ending);
            known.map_or(UNKNOWN, |(_, media_type)| media_type)
        }
        .to_owned(),
    }
}

/// The type of a picture by its first bytes, if it is one that browsers show; 12 bytes suffice.
#[must_use]
pub fn of_picture(content: &[u8]) -> Option<&'static str> {
    let webp = content.starts_with(b"RIFF") && content.get(8..12) == Some(b"WEBP");
    match content {
        _ if webp => Some("image/webp"),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        _ => None,
    }
}

/// Whether a file of this type, which [`of_picture`] has found, can be its own preview.
#[must_use]
pub fn is_shown_picture(media_type: &str) -> bool {
    ["image/gif", "image/jpeg", "image/png", "image/webp"].contains(&media_type)
}

fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !part.is_empty() && part.len() <= 100 && part.bytes().all(is_plain)
    };
    text.split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

#[cfg(test)]
mod tests {
    use super::{is_shown_picture, of_picture, of_upload};

    #[test]
    fn pictures_are_known_by_their_beginning() {
        for (content, expected) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBP", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg>", None),
            (b"", None),
        ] {
            assert_eq!(of_picture(content), expected);
            assert!(expected.is_none_or(is_shown_picture));
        }
        assert!(!is_shown_picture("image/svg+xml"));
    }

    #[test]
    fn types_are_found_sent_or_guessed() {
        let of = |found, sent, name| of_upload(found, sent, name);
        assert_eq!(
            of(Some("image/png"), Some("text/html"), "a.html"),
            "image/png"
        );
        assert_eq!(
            of(None, Some("Text/Plain; charset=x"), "a.html"),
            "text/plain"
        );
        assert_eq!(
            of(None, Some("application/octet-stream"), "a.MP3"),
            "audio/mpeg"
        );
        assert_eq!(of(None, None, "a.b.txt"), "text/plain");
        assert_eq!(of(None, None, "Makefile"), "application/octet-stream");
        for nonsense in ["", "text", "a/b/c", "a/\r\n", "/", "text/", "ä/ö"] {
            assert_eq!(of(None, Some(nonsense), "a"), "application/octet-stream");
        }
    }
}
