//! Sizes, formats, limits and hostile files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::*;
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, ImageReader, Rgba, RgbaImage};

fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let image = RgbaImage::from_fn(width, height, |x, y| {
        Rgba([(x % 256) as u8, (y % 256) as u8, 90, 255])
    });
    let image = DynamicImage::ImageRgba8(image);
    let image = match format {
        ImageFormat::Jpeg => DynamicImage::ImageRgb8(image.to_rgb8()),
        _ => image,
    };
    write(&image, format, "").unwrap().content
}

fn moving(frames: u32, side: u32) -> Vec<u8> {
    let mut content = Vec::new();
    let mut encoder = GifEncoder::new(&mut content);
    encoder.set_repeat(Repeat::Infinite).unwrap();
    for number in 0..frames {
        let colour = Rgba([(number * 40 % 256) as u8, 0, 0, 255]);
        let image = RgbaImage::from_pixel(side, side, colour);
        let delay = Delay::from_numer_denom_ms(100, 1);
        let frame = Frame::from_parts(image, 0, 0, delay);
        encoder.encode_frame(frame).unwrap();
    }
    drop(encoder);
    content
}

fn size(picture: &Picture) -> (u32, u32) {
    let reader = ImageReader::new(Cursor::new(&picture.content));
    let reader = reader.with_guessed_format().unwrap();
    assert_eq!(
        reader.format().unwrap().to_mime_type(),
        picture.media_type,
        "the type that is announced"
    );
    reader.into_dimensions().unwrap()
}

#[test]
fn avatars_are_squares_of_two_sizes_in_every_format() {
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
    ] {
        let avatar = avatar(&file(300, 200, format)).unwrap();
        assert_eq!(size(&avatar.small), (100, 100), "{format:?}");
        assert_eq!(size(&avatar.medium), (500, 500), "{format:?}");
    }
    assert_eq!(
        size(&avatar(&file(1, 1, ImageFormat::Png)).unwrap().small),
        (100, 100)
    );
}

#[test]
fn logos_and_previews_keep_their_shape_and_are_not_made_larger() {
    let logo = |w, h| size(&logo(&file(w, h, ImageFormat::Png)).unwrap());
    assert_eq!(logo(1600, 100), (800, 50));
    assert_eq!(logo(200, 400), (50, 100));
    assert_eq!(logo(20, 10), (20, 10));
    let shown = preview(&file(1680, 560, ImageFormat::Png)).unwrap();
    assert_eq!(
        (shown.width, shown.height, shown.media_type),
        (1680, 560, "image/png")
    );
    assert_eq!(size(&shown.picture), (840, 280));
    assert_eq!(shown.picture.media_type, "image/jpeg");
    assert_eq!(
        size(&icon(&file(30, 90, ImageFormat::Gif)).unwrap()),
        (100, 100)
    );
}

#[test]
fn previews_say_what_moves_and_what_browsers_do_not_show() {
    let shown = |content: &[u8]| preview(content).unwrap();
    let moving_one = shown(&moving(3, 20));
    assert!(moving_one.moves && moving_one.media_type == "image/gif");
    assert_eq!(size(&moving_one.picture), (20, 20));
    assert!(!shown(&moving(1, 20)).moves);
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::WebP,
        ImageFormat::Bmp,
    ] {
        let still = shown(&file(30, 20, format));
        assert!(!still.moves && still.transcoded.is_none(), "{format:?}");
        assert_eq!(still.media_type, format.to_mime_type());
    }
    let tiff = shown(&file(1000, 700, ImageFormat::Tiff));
    assert_eq!(
        (tiff.width, tiff.height, tiff.media_type),
        (1000, 700, "image/tiff")
    );
    assert_eq!(size(&tiff.transcoded.unwrap()), (1000, 700));
    assert_eq!(size(&tiff.picture), (800, 560));
}

#[test]
fn movement_of_large_files_is_not_shown() {
    let mut content = moving(2, 20);
    // Bytes after the end of the image count as part of the file.
    content.resize(MAX_MOVING_SIZE, 0);
    assert!(preview(&content).unwrap().moves);
    content.push(0);
    assert!(!preview(&content).unwrap().moves);
}

#[test]
fn what_is_transparent_stays_so() {
    let image = DynamicImage::ImageRgba8(RgbaImage::new(2000, 10));
    let content = png(&image).unwrap().content;
    assert_eq!(preview(&content).unwrap().picture.media_type, "image/png");
    let wide = emoji(&content).unwrap();
    assert_eq!((size(&wide.picture), wide.still), ((64, 64), None));
}

#[test]
fn emoji_that_move_keep_moving_and_have_a_still() {
    let emoji = emoji(&moving(3, 200)).unwrap();
    assert_eq!(emoji.picture.media_type, "image/gif");
    assert_eq!(size(&emoji.picture), (64, 64));
    assert_eq!(size(emoji.still.as_ref().unwrap()), (64, 64));
    let source = Source::open(&emoji.picture.content).unwrap();
    assert!(Animation::read(&source, 64).unwrap().is_some());
    let still = super::emoji(&moving(1, 20)).unwrap();
    assert_eq!((still.picture.media_type, still.still), ("image/png", None));
}

#[test]
fn animations_are_bounded() {
    assert_eq!(emoji(&moving(301, 2)).unwrap_err(), ImageError::TooLarge);
    assert!(emoji(&moving(300, 2)).is_ok());
    assert_eq!(emoji(&moving(20, 2000)).unwrap_err(), ImageError::TooLarge);
}

/// A file with only a header that declares `width` x `height` pixels.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut content = file(1, 1, ImageFormat::Png);
    content[16..20].copy_from_slice(&width.to_be_bytes());
    content[20..24].copy_from_slice(&height.to_be_bytes());
    content
}

#[test]
fn files_that_announce_too_much_are_refused_unread() {
    for (width, height) in [
        (60_000, 1),
        (1, 60_000),
        (9_000, 9_000),
        (u32::MAX, u32::MAX),
    ] {
        let refused = avatar(&bomb(width, height)).unwrap_err();
        // A PNG may be refused for the wrong checksum of its header already.
        assert!(matches!(
            refused,
            ImageError::TooLarge | ImageError::NotAnImage
        ));
    }
    let real = file(10_001, 1, ImageFormat::Png);
    assert_eq!(avatar(&real).unwrap_err(), ImageError::TooLarge);
    assert_eq!(preview(&real).unwrap_err(), ImageError::TooLarge);
}

#[test]
fn other_files_are_no_images() {
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let png = file(20, 20, ImageFormat::Png);
    for content in [
        &b""[..],
        b"GIF89a",
        b"<html><script>alert(1)</script></html>",
        svg,
        b"BM\x00\x00\x00\x00",
        b"\x89PNG\r\n\x1a\n<script>",
        &png[..png.len() / 2],
    ] {
        assert_eq!(avatar(content).unwrap_err(), ImageError::NotAnImage);
        assert_eq!(emoji(content).unwrap_err(), ImageError::NotAnImage);
        assert_eq!(preview(content).unwrap_err(), ImageError::NotAnImage);
    }
}

/// A file that is both an image and a script: only the pixels are kept.
#[test]
fn what_is_hidden_in_a_file_does_not_get_through() {
    let mut content = file(40, 40, ImageFormat::Gif);
    content.extend_from_slice(b"<script>alert(1)</script>");
    let avatar = avatar(&content).unwrap();
    let text = String::from_utf8_lossy(&avatar.medium.content).into_owned();
    assert!(!text.contains("<script>"));
}
