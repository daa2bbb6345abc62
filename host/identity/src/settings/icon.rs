//! The picture on the button of a provider. The page shows it as it is, so its form is checked and its size bounded.

use bytes::Bytes;

/// Most bytes of an icon.
pub const MAX_ICON_BYTES: usize = 64 << 10;
/// Most pixels of its width and its height.
pub const MAX_ICON_SIDE: u32 = 512;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The bytes of a PNG file within the limits.
///
/// # Errors
/// What is wrong, to be read behind the name of the file.
pub(super) fn check(content: Vec<u8>) -> Result<Bytes, String> {
    if content.len() > MAX_ICON_BYTES {
        return Err(format!("has more than {MAX_ICON_BYTES} bytes"));
    }
    let Some((width, height)) = size(&content) else {
        return Err("is not a PNG picture".to_owned());
    };
    let sides = 1..=MAX_ICON_SIDE;
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(format!(
            "has {width} × {height} pixels, and may have {MAX_ICON_SIDE} × {MAX_ICON_SIDE}"
        ));
    }
    Ok(content.into())
}

/// Width and height, which follow the length and the name of the first part.
fn size(content: &[u8]) -> Option<(u32, u32)> {
    let rest = content.strip_prefix(SIGNATURE)?.get(4..)?;
    let (width, rest) = rest.strip_prefix(b"IHDR")?.split_first_chunk()?;
    let height = rest.first_chunk()?;
    Some((u32::from_be_bytes(*width), u32::from_be_bytes(*height)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
        let mut content = SIGNATURE.to_vec();
        content.extend(13_u32.to_be_bytes());
        content.extend(b"IHDR");
        content.extend(width.to_be_bytes());
        content.extend(height.to_be_bytes());
        content.extend([8, 6, 0, 0, 0]);
        content
    }

    #[test]
    fn only_small_png_pictures_are_icons() {
        assert!(check(png(64, 64)).is_ok());
        assert!(check(png(MAX_ICON_SIDE, 1)).is_ok());
        assert!(check(png(MAX_ICON_SIDE + 1, 1)).is_err());
        assert!(check(png(0, 1)).is_err());
        assert!(check(b"<svg/>".to_vec()).is_err());
        assert!(check(Vec::new()).is_err());
        let mut large = png(1, 1);
        large.resize(MAX_ICON_BYTES, 0);
        assert!(check(large.clone()).is_ok());
        large.push(0);
        assert!(check(large).is_err());
    }
}
