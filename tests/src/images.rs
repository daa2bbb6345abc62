//! Small images for uploads, made from the descriptions of their formats.

use std::io::Write as _;

/// A PNG of one colour, `width` x `height` pixels.
#[must_use]
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("a head");
    let pixels = [200, 40, 90].repeat((width * height) as usize);
    writer.write_image_data(&pixels).expect("pixels");
    writer.finish().expect("an end");
    file
}

/// A PNG with four channels of 16 bits, `width` x `height` pixels: twice the memory of an ordinary one.
#[must_use]
pub fn deep_png(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().expect("a head");
    let pixels = vec![120; width as usize * height as usize * 8];
    writer.write_image_data(&pixels).expect("pixels");
    writer.finish().expect("an end");
    file
}

/// `png` with a colour profile of this many zeros, compressed, behind its head.
#[must_use]
pub fn with_profile(png: &[u8], zeros: usize) -> Vec<u8> {
    /// Signature and head.
    const HEAD: usize = 8 + 25;
    let compressed = Vec::new();
    let mut encoder = flate2::write::ZlibEncoder::new(compressed, flate2::Compression::fast());
    let block = vec![0; 1 << 20];
    for _ in 0..zeros.div_ceil(block.len()) {
        encoder.write_all(&block).expect("zeros");
    }
    let data = [&b"x\0\0"[..], &encoder.finish().expect("an end")].concat();
    let named = [&b"iCCP"[..], &data].concat();
    let length = u32::try_from(data.len()).expect("a length").to_be_bytes();
    let (head, rest) = png.split_at(HEAD);
    let mut sum = flate2::Crc::new();
    sum.update(&named);
    [head, &length, &named, &sum.sum().to_be_bytes(), rest].concat()
}

/// Width and height of a PNG.
#[must_use]
pub fn png_size(file: &[u8]) -> (u32, u32) {
    let decoder = png::Decoder::new(std::io::Cursor::new(file));
    let reader = decoder.read_info().expect("a PNG");
    (reader.info().width, reader.info().height)
}

/// A GIF of one pixel with this many frames, in two colours by turns.
#[must_use]
pub fn gif(frames: usize) -> Vec<u8> {
    let mut file = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff".to_vec();
    for number in 0..frames {
        // A pause of a tenth of a second, then one pixel.
        file.extend_from_slice(b"\x21\xf9\x04\x00\x0a\x00\x00\x00");
        file.extend_from_slice(b"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02");
        file.push(if number % 2 == 0 { 0x44 } else { 0x4c });
        file.extend_from_slice(b"\x01\x00");
    }
    file.push(0x3b);
    file
}

/// A TIFF of one colour without compression, `width` x `height` pixels.
#[must_use]
pub fn tiff(width: u32, height: u32) -> Vec<u8> {
    /// Bytes of the head, and of the directory of nine entries behind it.
    const PIXELS_AT: u32 = 8 + 2 + 9 * 12 + 4;
    let (short, long) = (3_u16, 4_u16);
    let size = width * height;
    let mut file = b"II*\0\x08\0\0\0\x09\0".to_vec();
    for (tag, kind, value) in [
        (256_u16, long, width),
        (257, long, height),
        (258, short, 8),
        (259, short, 1),
        (262, short, 1),
        (273, long, PIXELS_AT),
        (277, short, 1),
        (278, long, height),
        (279, long, size),
    ] {
        file.extend_from_slice(&tag.to_le_bytes());
        file.extend_from_slice(&kind.to_le_bytes());
        file.extend_from_slice(&1_u32.to_le_bytes());
        file.extend_from_slice(&value.to_le_bytes());
    }
    file.extend_from_slice(&[0; 4]);
    file.resize(file.len() + size as usize, 128);
    file
}
