//! Scaling of images: centered squares, and whole images within a box.
//!
//! Large originals are first halved repeatedly by averaging, which is cheap, and only the last step uses
//! a good filter: an upload must not occupy a processor for seconds.

use image::imageops::{self, FilterType};
use image::{DynamicImage, GenericImageView, RgbaImage};

/// The filter of the last step.
const FILTER: FilterType = FilterType::CatmullRom;

/// The largest centered square, scaled to `side`.
pub(crate) fn square(image: &DynamicImage, side: u32) -> DynamicImage {
    let shorter = image.width().min(image.height());
    let x = (image.width() - shorter) / 2;
    let y = (image.height() - shorter) / 2;
    let cut = image.crop_imm(x, y, shorter, shorter);
    resize(&cut, side, side)
}

/// The whole image scaled to fit into a box; never enlarged.
pub(crate) fn within(image: &DynamicImage, (width, height): (u32, u32)) -> DynamicImage {
    if image.width() <= width && image.height() <= height {
        return image.clone();
    }
    let (width, height) = fitting(image.dimensions(), (width, height));
    resize(image, width, height)
}

/// The whole image, as large as fits, centered in a transparent square.
pub(crate) fn centred(image: &DynamicImage, side: u32) -> DynamicImage {
    let (width, height) = fitting(image.dimensions(), (side, side));
    let small = resize(image, width, height);
    let mut square = RgbaImage::new(side, side);
    let x = i64::from((side - width) / 2);
    let y = i64::from((side - height) / 2);
    imageops::overlay(&mut square, &small.to_rgba8(), x, y);
    DynamicImage::ImageRgba8(square)
}

/// Whether all pixels are opaque.
pub(crate) fn is_opaque(image: &DynamicImage) -> bool {
    image
        .to_rgba8()
        .pixels()
        .all(|pixel| pixel.0.last() == Some(&u8::MAX))
}

/// The largest size with the same aspect ratio within a box.
fn fitting((width, height): (u32, u32), (box_width, box_height): (u32, u32)) -> (u32, u32) {
    let (w, h) = (u64::from(width.max(1)), u64::from(height.max(1)));
    let (bw, bh) = (u64::from(box_width), u64::from(box_height));
    let (fitted_width, fitted_height) = if w * bh > h * bw {
        (bw, (h * bw / w).max(1))
    } else {
        ((w * bh / h).max(1), bh)
    };
    let narrow = |value: u64| u32::try_from(value).unwrap_or(1);
    (narrow(fitted_width), narrow(fitted_height))
}

fn resize(image: &DynamicImage, width: u32, height: u32) -> DynamicImage {
    let is_much_larger = image.width() > width * 4 && image.height() > height * 4;
    if is_much_larger {
        let half = image.thumbnail_exact(width * 2, height * 2);
        return half.resize_exact(width, height, FILTER);
    }
    image.resize_exact(width, height, FILTER)
}

/// Converts to eight bits per channel, the depth of the output.
pub(crate) fn eight_bits(image: DynamicImage) -> DynamicImage {
    if image.color().has_alpha() {
        DynamicImage::ImageRgba8(image.into_rgba8())
    } else {
        DynamicImage::ImageRgb8(image.into_rgb8())
    }
}
