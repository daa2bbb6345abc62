//! Uploaded pictures: decoded within limits, scaled, written anew.
//!
//! Owns which formats are taken, how large a picture may be in memory, and the sizes in which
//! avatars, emoji, icons, logos and previews are kept. A picture that is shown to others is
//! always one that was written here, so nothing of the uploaded file but its pixels gets
//! through. It must not know who uploads or where the result is kept.

mod animation;
mod decode;
mod scale;

use animation::Animation;
use decode::Source;
use image::{DynamicImage, ImageFormat};
use std::io::Cursor;

/// Side of an avatar and of the organization's icon, in pixels.
pub const AVATAR_SIDE: u32 = 100;
/// Side of an avatar's larger form, in pixels.
pub const MEDIUM_AVATAR_SIDE: u32 = 500;
/// Side of a custom emoji, in pixels.
pub const EMOJI_SIDE: u32 = 64;
/// Largest width and height of the organization's logo, in pixels.
pub const LOGO_BOX: (u32, u32) = (800, 100);
/// Largest width and height of a preview, in pixels.
pub const PREVIEW_BOX: (u32, u32) = (840, 560);

/// Largest file whose movement a message shows, in bytes: it is the original that is sent.
pub const MAX_MOVING_SIZE: usize = 10 << 20;

/// Why a file is no picture that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Another format, or damaged.
    #[error("the file is no PNG, JPEG, GIF, WebP, BMP or TIFF image, or is damaged")]
    NotAnImage,
    /// More pixels or frames than are decoded.
    #[error("the image has too many pixels or frames")]
    TooLarge,
    /// The result cannot be written.
    #[error("the image cannot be written")]
    NotWritten,
}

/// A picture as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The file.
    pub content: Vec<u8>,
    /// Its media type.
    pub media_type: &'static str,
}

/// A picture in two sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Avatar {
    /// A square of [`AVATAR_SIDE`].
    pub small: Picture,
    /// A square of [`MEDIUM_AVATAR_SIDE`].
    pub medium: Picture,
}

/// A custom emoji.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emoji {
    /// A square of [`EMOJI_SIDE`]; GIF when it moves, else PNG.
    pub picture: Picture,
    /// The first frame of one that moves.
    pub still: Option<Picture>,
}

/// An uploaded image that can be shown within a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Type of the original, as found in its content.
    pub media_type: &'static str,
    /// Width of the original as it is shown, in pixels.
    pub width: u32,
    /// Height of the original as it is shown, in pixels.
    pub height: u32,
    /// At most [`PREVIEW_BOX`], never larger than the original; the first frame of one that
    /// moves.
    pub picture: Picture,
    /// Whether the original has several frames and is small enough to be shown in its place.
    pub moves: bool,
    /// The original in full size, if browsers do not show its format.
    pub transcoded: Option<Picture>,
}

/// A person's picture: the largest square in the middle, in two sizes.
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

/// The organization's icon: the largest square in the middle.
///
/// # Errors
/// See [`ImageError`].
pub fn icon(content: &[u8]) -> Result<Picture, ImageError> {
    let image = Source::open(content)?.decode()?;
    png(&scale::square(&image, AVATAR_SIDE))
}

/// The organization's logo: whole, within [`LOGO_BOX`].
///
/// # Errors
/// See [`ImageError`].
pub fn logo(content: &[u8]) -> Result<Picture, ImageError> {
    let image = Source::open(content)?.decode()?;
    png(&scale::within(&image, LOGO_BOX))
}

/// A custom emoji: whole, in the middle of a transparent square. What moves keeps moving.
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

/// What a message shows of an uploaded file, if that is an image. Opaque pictures become JPEG,
/// others PNG. What moves is not written anew: finding the colours of hundreds of frames would
/// keep a processor busy for many seconds.
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

/// JPEG if nothing shines through, else PNG.
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
