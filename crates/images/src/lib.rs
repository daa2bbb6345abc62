//! Uploaded images: decoded within limits, scaled, re-encoded.
//!
//! Owns the accepted formats, the limits on memory, and the sizes of avatars, emoji, icons, logos and previews. Images
//! shown to other users are always re-encoded here, so that only the pixels of an uploaded file are passed on.

mod animation;
mod chunks;
mod decode;
mod scale;

use animation::Animation;
use decode::Source;
use image::{DynamicImage, ImageFormat};
use std::io::Cursor;

/// Side of an avatar and of the organization's icon, in pixels.
pub const AVATAR_SIDE: u32 = 100;
/// Side of the larger version of an avatar, in pixels.
pub const MEDIUM_AVATAR_SIDE: u32 = 500;
/// Side of a custom emoji, in pixels.
pub const EMOJI_SIDE: u32 = 64;
/// Largest width and height of the organization's logo, in pixels.
pub const LOGO_BOX: (u32, u32) = (800, 100);
/// Largest width and height of a preview, in pixels.
pub const PREVIEW_BOX: (u32, u32) = (840, 560);

/// Largest animated file that a message shows as animated, in bytes: the original is sent.
pub const MAX_MOVING_SIZE: usize = 10 << 20;

/// Why an image cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The format is not supported, or the file is damaged.
    #[error("the file is no PNG, JPEG, GIF, WebP, BMP or TIFF image, or is damaged")]
    NotAnImage,
    /// The image has too many pixels or frames.
    #[error("the image has too many pixels or frames")]
    TooLarge,
    /// The result cannot be encoded.
    #[error("the image cannot be written")]
    NotWritten,
}

/// An encoded image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub content: Vec<u8>,
    pub media_type: &'static str,
}

/// An avatar in two sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Avatar {
    /// A square of [`AVATAR_SIDE`].
    pub small: Picture,
    /// A square of [`MEDIUM_AVATAR_SIDE`].
    pub medium: Picture,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emoji {
    /// A square of [`EMOJI_SIDE`]; GIF if animated, else PNG.
    pub picture: Picture,
    /// The first frame, if animated.
    pub still: Option<Picture>,
}

/// An uploaded image that can be shown within a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Media type of the original, detected from its content.
    pub media_type: &'static str,
    /// Displayed width of the original, in pixels.
    pub width: u32,
    /// Displayed height of the original, in pixels.
    pub height: u32,
    /// At most [`PREVIEW_BOX`], never larger than the original; the first frame of an animation.
    pub picture: Picture,
    /// Whether the original is animated and small enough to be shown itself.
    pub moves: bool,
    /// The original in full size and another format, if browsers cannot display its format.
    pub transcoded: Option<Picture>,
}

/// An avatar: the largest centered square, in two sizes.
///
/// # Errors
/// See [`ImageError`].
pub fn avatar(content: &[u8]) -> Result<Avatar, ImageError> {
    let image = Source::open(content)?.decode()?;
    Ok(Avatar {
        small: png(&scale::square(&image, AVATAR_SIDE))?,
        medium: png(&scale::square(&image, MEDIUM_AVATAR_SIDE))?,
    })
}

/// The organization's icon: the largest centered square.
///
/// # Errors
/// See [`ImageError`].
pub fn icon(content: &[u8]) -> Result<Picture, ImageError> {
    let image = Source::open(content)?.decode()?;
    png(&scale::square(&image, AVATAR_SIDE))
}

/// The organization's logo: uncropped, within [`LOGO_BOX`].
///
/// # Errors
/// See [`ImageError`].
pub fn logo(content: &[u8]) -> Result<Picture, ImageError> {
    let image = Source::open(content)?.decode()?;
    png(&scale::within(&image, LOGO_BOX))
}

/// A custom emoji: uncropped, centered in a transparent square. Animations are kept.
///
/// # Errors
/// See [`ImageError`].
pub fn emoji(content: &[u8]) -> Result<Emoji, ImageError> {
    let source = Source::open(content)?;
    if source.may_move()
        && let Some(animation) = Animation::read(&source, EMOJI_SIDE)?
    {
        return Ok(Emoji {
            still: Some(png(&animation.first())?),
            picture: Picture {
                content: animation.into_gif()?,
                media_type: "image/gif",
            },
        });
    }
    let image = scale::centred(&source.decode()?, EMOJI_SIDE);
    Ok(Emoji {
        picture: png(&image)?,
        still: None,
    })
}

/// The preview of an uploaded image in a message. Opaque images become JPEG, others PNG. Animations are
/// not re-encoded: quantizing the colours of hundreds of frames would occupy a processor for many
/// seconds.
///
/// # Errors
/// See [`ImageError`].
pub fn preview(content: &[u8]) -> Result<Preview, ImageError> {
    let source = Source::open(content)?;
    let media_type = source.media_type();
    let image = source.decode()?;
    let (width, height) = (image.width(), image.height());
    let picture = smallest(&scale::within(&image, PREVIEW_BOX))?;
    let transcoded = if source.is_shown() {
        None
    } else {
        Some(smallest(&scale::within(&image, (width, height)))?)
    };
    Ok(Preview {
        media_type,
        width,
        height,
        picture,
        moves: content.len() <= MAX_MOVING_SIZE && animation::moves(&source),
        transcoded,
    })
}

/// Encodes an opaque image as JPEG, others as PNG.
fn smallest(image: &DynamicImage) -> Result<Picture, ImageError> {
    if !image.color().has_alpha() || scale::is_opaque(image) {
        return jpeg(image);
    }
    png(image)
}

fn png(image: &DynamicImage) -> Result<Picture, ImageError> {
    write(image, ImageFormat::Png, "image/png")
}

fn jpeg(image: &DynamicImage) -> Result<Picture, ImageError> {
    let image = DynamicImage::ImageRgb8(image.to_rgb8());
    write(&image, ImageFormat::Jpeg, "image/jpeg")
}

fn write(
    image: &DynamicImage,
    format: ImageFormat,
    media_type: &'static str,
) -> Result<Picture, ImageError> {
    let mut content = Cursor::new(Vec::new());
    image
        .write_to(&mut content, format)
        .map_err(|_| ImageError::NotWritten)?;
    Ok(Picture {
        content: content.into_inner(),
        media_type,
    })
}

#[cfg(test)]
mod tests;
