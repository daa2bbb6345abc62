//! Decoding of images within limits.
//!
//! The format is detected from the content, not from a name or a header. Dimensions are checked before
//! any pixel is decoded: a file of a few kilobytes can declare gigabytes.

use crate::scale::eight_bits;
use crate::{ImageError, chunks};
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use std::borrow::Cow;
use std::io::Cursor;

/// Most pixels along a side.
const MAX_SIDE: u32 = 10_000;
/// Most pixels in total: those of a good camera, and 64 MiB of memory.
const MAX_PIXELS: u64 = 16 << 20;
/// Most bytes that a decoder may allocate.
const MAX_BYTES: u64 = 128 << 20;
/// Memory limit for the request, the file, its decoded pixels and their conversion to eight bits per channel.
const ROOM: u64 = 208 << 20;

/// A file whose format is known and whose dimensions are within the limits.
pub(crate) struct Source<'c> {
    pub(crate) content: Cow<'c, [u8]>,
    pub(crate) format: ImageFormat,
    /// Width and height as stored.
    pub(crate) size: (u32, u32),
}

impl<'c> Source<'c> {
    /// Reads the header of a file.
    pub(crate) fn open(content: &'c [u8]) -> Result<Self, ImageError> {
        let format = image::guess_format(content).map_err(|_| ImageError::NotAnImage)?;
        media_type(format).ok_or(ImageError::NotAnImage)?;
        let content = match format {
            ImageFormat::Png => chunks::essential(content),
            _ => Cow::Borrowed(content),
        };
        let mut reader = ImageReader::with_format(Cursor::new(&*content), format);
        reader.limits(limits());
        let size = reader.into_dimensions().map_err(refused)?;
        let (width, height) = size;
        if width == 0 || height == 0 {
            return Err(ImageError::NotAnImage);
        }
        if width.max(height) > MAX_SIDE || pixels(size) > MAX_PIXELS {
            return Err(ImageError::TooLarge);
        }
        Ok(Self {
            content,
            format,
            size,
        })
    }

    /// The media type of the content.
    pub(crate) fn media_type(&self) -> &'static str {
        media_type(self.format).unwrap_or("application/octet-stream")
    }

    /// Whether browsers can display the format.
    pub(crate) fn is_shown(&self) -> bool {
        self.format != ImageFormat::Tiff
    }

    /// Whether the format supports several frames.
    pub(crate) fn may_move(&self) -> bool {
        self.format != ImageFormat::Jpeg
    }

    /// Decodes the pixels and applies the orientation given in the file.
    pub(crate) fn decode(&self) -> Result<DynamicImage, ImageError> {
        let mut reader = ImageReader::with_format(Cursor::new(&*self.content), self.format);
        reader.limits(limits());
        let mut decoder = reader.into_decoder().map_err(refused)?;
        let content = (self.content.len() as u64).saturating_mul(2);
        let decoded = decoder.total_bytes();
        let needed = decoded.saturating_add(pixels(self.size) * 4);
        if decoded > MAX_BYTES || needed.saturating_add(content) > ROOM {
            return Err(ImageError::TooLarge);
        }
        let orientation = decoder.orientation().ok();
        // Results have eight bits per channel; deeper pixels would take twice the memory.
        let mut image = eight_bits(DynamicImage::from_decoder(decoder).map_err(refused)?);
        if let Some(orientation) = orientation {
            image.apply_orientation(orientation);
        }
        Ok(image)
    }
}

/// Number of pixels.
pub(crate) fn pixels((width, height): (u32, u32)) -> u64 {
    u64::from(width) * u64::from(height)
}

/// The limits for every decoder.
pub(crate) fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_BYTES);
    limits
}

/// Converts a decoder's error.
pub(crate) fn refused(error: image::ImageError) -> ImageError {
    match error {
        image::ImageError::Limits(_) => ImageError::TooLarge,
        _ => ImageError::NotAnImage,
    }
}

fn media_type(format: ImageFormat) -> Option<&'static str> {
    match format {
        ImageFormat::Bmp => Some("image/bmp"),
        ImageFormat::Gif => Some("image/gif"),
        ImageFormat::Jpeg => Some("image/jpeg"),
        ImageFormat::Png => Some("image/png"),
        ImageFormat::Tiff => Some("image/tiff"),
        ImageFormat::WebP => Some("image/webp"),
        _ => None,
    }
}
