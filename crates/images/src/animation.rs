//! Animated images: every frame is scaled, and the result is written as a looping GIF.
//!
//! Owns the limits on frames; a frame is scaled before the next one is decoded, so that only one is in
//! memory at full size.

use crate::ImageError;
use crate::decode::{Source, limits, pixels, refused};
use crate::scale;
use image::codecs::gif::{GifDecoder, GifEncoder, Repeat};
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{AnimationDecoder, Delay, DynamicImage, Frame, Frames, ImageDecoder, ImageFormat};
use std::io::Cursor;

/// Most frames.
const MAX_FRAMES: usize = 300;
/// Most pixels of all frames together.
const MAX_PIXELS: u64 = 64 << 20;
/// Speed of the colour quantization, 1 (best) to 30.
const SPEED: i32 = 10;

/// Several frames of one size.
pub(crate) struct Animation {
    first: DynamicImage,
    frames: Vec<(DynamicImage, Delay)>,
}

impl Animation {
    /// Decodes all frames, scaled to `side`; `None` when there is only one.
    pub(crate) fn read(source: &Source<'_>, side: u32) -> Result<Option<Self>, ImageError> {
        let Some(decoded) = frames(source)? else {
            return Ok(None);
        };
        let mut frames: Vec<(DynamicImage, Delay)> = Vec::new();
        let mut budget = MAX_PIXELS;
        for frame in decoded {
            let frame = frame.map_err(refused)?;
            let left = budget.checked_sub(pixels(source.size));
            budget = left.ok_or(ImageError::TooLarge)?;
            if frames.len() >= MAX_FRAMES {
                return Err(ImageError::TooLarge);
            }
            let delay = frame.delay();
            let whole = DynamicImage::ImageRgba8(frame.into_buffer());
            frames.push((scale::centred(&whole, side), delay));
        }
        if frames.len() < 2 {
            return Ok(None);
        }
        let first = frames.first().map(|(frame, _)| frame.clone());
        Ok(first.map(|first| Self { first, frames }))
    }

    /// The first frame.
    pub(crate) fn first(&self) -> DynamicImage {
        self.first.clone()
    }

    /// The animation as a looping GIF.
    pub(crate) fn into_gif(self) -> Result<Vec<u8>, ImageError> {
        let mut content = Vec::new();
        let mut encoder = GifEncoder::new_with_speed(&mut content, SPEED);
        let written = encoder.set_repeat(Repeat::Infinite).and_then(|()| {
            encoder.encode_frames(
                self.frames
                    .into_iter()
                    .map(|(image, delay)| Frame::from_parts(image.into_rgba8(), 0, 0, delay)),
            )
        });
        written.map_err(|_| ImageError::NotWritten)?;
        drop(encoder);
        Ok(content)
    }
}

/// Whether a file has more than one frame; decodes at most two.
pub(crate) fn moves(source: &Source<'_>) -> bool {
    let frames = frames(source).ok().flatten();
    frames.is_some_and(|frames| frames.take(2).filter(Result::is_ok).count() == 2)
}

/// The frames of a file that may have several; `None` when its format or header allows only one.
fn frames<'s>(source: &'s Source<'_>) -> Result<Option<Frames<'s>>, ImageError> {
    let content = Cursor::new(&*source.content);
    match source.format {
        ImageFormat::Gif => {
            let mut decoder = GifDecoder::new(content).map_err(refused)?;
            decoder.set_limits(limits()).map_err(refused)?;
            Ok(Some(decoder.into_frames()))
        }
        ImageFormat::Png => {
            let decoder = PngDecoder::with_limits(content, limits()).map_err(refused)?;
            if !decoder.is_apng().map_err(refused)? {
                return Ok(None);
            }
            Ok(Some(decoder.apng().map_err(refused)?.into_frames()))
        }
        ImageFormat::WebP => {
            let mut decoder = WebPDecoder::new(content).map_err(refused)?;
            decoder.set_limits(limits()).map_err(refused)?;
            Ok(decoder.has_animation().then(|| decoder.into_frames()))
        }
        _ => Ok(None),
    }
}
