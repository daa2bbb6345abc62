//! The previews of an uploaded image, and the names by which clients request them.
//!
//! A name is the last segment of `/user_uploads/thumbnail/PATH/NAME`. Clients know the endings
//! of these names; which format a picture is really in, its content type says.
//! (docs/protocol/markdown.md#media, docs/protocol/register.md#server_thumbnail_formats)

/// A picture that exists of every image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThumbnailFormat {
    /// Last segment of its address.
    pub name: &'static str,
    /// Greatest width in pixels.
    pub max_width: i64,
    /// Greatest height in pixels.
    pub max_height: i64,
    /// Ending of the name.
    pub format: &'static str,
    /// Whether it moves when the original does.
    pub is_animated: bool,
}

/// The still picture.
pub const STILL: ThumbnailFormat = ThumbnailFormat {
    name: "840x560.webp",
    max_width: 840,
    max_height: 560,
    format: "webp",
    is_animated: false,
};

/// The picture that moves, of originals that do.
pub const ANIMATED: ThumbnailFormat = ThumbnailFormat {
    name: "840x560-anim.webp",
    is_animated: true,
    ..STILL
};

/// All of them (`server_thumbnail_formats`).
pub const FORMATS: [ThumbnailFormat; 2] = [ANIMATED, STILL];

/// The name of the copy in full size of an image that browsers do not show.
pub fn transcoded_name((width, height): (i64, i64)) -> String {
    format!("{width}x{height}.webp")
}

/// A picture that clients may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thumbnail {
    /// [`STILL`].
    Still,
    /// The original, which moves.
    Original,
    /// The copy in full size.
    Transcoded,
}

/// What a name means for an image of these dimensions in pixels; `moves`: it is shown
/// moving; `is_transcoded`: it has a copy in full size.
pub fn named(
    name: &str,
    dimensions: (i64, i64),
    moves: bool,
    is_transcoded: bool,
) -> Option<Thumbnail> {
    if is_transcoded && name == transcoded_name(dimensions) {
        return Some(Thumbnail::Transcoded);
    }
    if name == ANIMATED.name && moves {
        return Some(Thumbnail::Original);
    }
    // Clients may ask for every format of every image.
    FORMATS
        .iter()
        .any(|format| format.name == name)
        .then_some(Thumbnail::Still)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished() {
        let of = |name, moves, is_transcoded| named(name, (800, 600), moves, is_transcoded);
        for (name, moves, is_transcoded, expected) in [
            ("840x560.webp", false, false, Some(Thumbnail::Still)),
            ("840x560.webp", true, true, Some(Thumbnail::Still)),
            ("840x560-anim.webp", true, false, Some(Thumbnail::Original)),
            ("840x560-anim.webp", false, false, Some(Thumbnail::Still)),
            ("800x600.webp", false, true, Some(Thumbnail::Transcoded)),
            ("800x600.webp", false, false, None),
            ("801x600.webp", false, true, None),
            ("840x560", true, true, None),
            ("", true, true, None),
        ] {
            assert_eq!(of(name, moves, is_transcoded), expected, "{name}");
        }
        // One as large as a preview is the better picture of the two.
        let same = named("840x560.webp", (840, 560), false, true);
        assert_eq!(same, Some(Thumbnail::Transcoded));
    }
}
