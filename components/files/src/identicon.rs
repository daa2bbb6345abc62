//! Generated avatars for users without an uploaded one: a symmetric pattern in one colour.
//!
//! Owns the drawing, a pure function of the seed, so that every instance and every restart draws the same image. The
//! seed is the only input, never a name or an address.

use png::{BitDepth, ColorType, Encoder};

/// Cells along each side of the pattern.
const CELLS: usize = 5;
/// Pixels along each side of a cell.
const SCALE: usize = 20;
/// Pixels of margin around the pattern.
const MARGIN: usize = 10;
/// Pixels along each side of the picture.
pub(crate) const SIDE: usize = CELLS * SCALE + 2 * MARGIN;

/// Draws the picture of `seed` as a PNG with a palette of two colours.
///
/// Returns `None` when the encoder fails, which is not expected.
pub(crate) fn draw(seed: &str) -> Option<Vec<u8>> {
    let hash = hash(seed);
    let side = u32::try_from(SIDE).ok()?;
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, side, side);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::One);
    let [red, green, blue] = colour(hash);
    encoder.set_palette(vec![0xf2, 0xf2, 0xf2, red, green, blue]);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels(hash)).ok()?;
    writer.finish().ok()?;
    Some(file)
}

/// One bit for each pixel, rows padded to whole bytes.
fn pixels(hash: u64) -> Vec<u8> {
    let mut bits = Vec::with_capacity(SIDE * SIDE.div_ceil(8));
    for y in 0..SIDE {
        for byte in 0..SIDE.div_ceil(8) {
            let filled = (0..8).fold(0, |bits, bit| {
                let x = byte * 8 + bit;
                (bits << 1) | u8::from(is_filled(hash, x, y))
            });
            bits.push(filled);
        }
    }
    bits
}

fn is_filled(hash: u64, x: usize, y: usize) -> bool {
    let (Some(column), Some(row)) = (cell(x), cell(y)) else {
        return false;
    };
    // The right half mirrors the left, so that the pattern resembles a face.
    let column = column.min(CELLS - 1 - column);
    let bit = row * CELLS.div_ceil(2) + column;
    (hash >> bit) & 1 == 1
}

fn cell(pixel: usize) -> Option<usize> {
    let inside = pixel.checked_sub(MARGIN)? / SCALE;
    (inside < CELLS).then_some(inside)
}

/// A colour that is readable on the light background: strong, neither pale nor near black.
fn colour(hash: u64) -> [u8; 3] {
    let hue = f64::from(u16::try_from((hash >> 32) % 360).unwrap_or_default());
    let (saturation, lightness) = (0.55, 0.45);
    let chroma = (1.0 - f64::abs(2.0 * lightness - 1.0)) * saturation;
    let channel = |shift: f64| {
        // Distance from the peak of this channel on the colour circle, in sixths of it.
        let position = ((hue / 60.0) + shift).rem_euclid(6.0);
        let strength = (2.0 - f64::abs(position - 3.0)).clamp(0.0, 1.0);
        let value = lightness + chroma * (0.5 - strength);
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    [channel(0.0), channel(4.0), channel(2.0)]
}

/// FNV-1a and a final mix, so that neighbouring seeds give different images.
fn hash(seed: &str) -> u64 {
    let folded = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (folded ^ (folded >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(file: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        (info.width, info.height, pixels)
    }

    #[test]
    fn the_picture_is_a_png_of_the_right_size_and_stays_the_same() {
        let file = draw("1/5").unwrap();
        let (width, height, pixels) = decode(&file);
        assert_eq!((width as usize, height as usize), (SIDE, SIDE));
        assert!(pixels.iter().any(|byte| *byte != 0));
        assert_eq!(draw("1/5").unwrap(), file);
    }

    #[test]
    fn neighbouring_seeds_differ() {
        let all: std::collections::HashSet<Vec<u8>> = (0..100)
            .map(|id| draw(&format!("1/{id}")).unwrap())
            .collect();
        assert!(all.len() > 95);
    }

    #[test]
    fn the_pattern_is_symmetric() {
        let hash = hash("1/9");
        for y in 0..SIDE {
            for x in 0..SIDE {
                assert_eq!(is_filled(hash, x, y), is_filled(hash, SIDE - 1 - x, y));
            }
        }
    }
}
