//! Images of few bytes and many pixels.

use spindle_tests::images::{gif, png};

use crate::attack::Attack;
use crate::attacker::{Attacker, at_once};

/// An image whose header claims this size, without pixel data.
fn claimed(width: u32, height: u32) -> Vec<u8> {
    let mut file = png(8, 8);
    // Behind the signature, the length and the name of the first chunk.
    file[16..20].copy_from_slice(&width.to_be_bytes());
    file[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&file[12..29]);
    file[29..33].copy_from_slice(&sum.to_be_bytes());
    file
}

/// The checksum of PNG, as its specification gives it.
fn crc(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 {
                0xedb8_8320 ^ (sum >> 1)
            } else {
                sum >> 1
            };
        }
    }
    !sum
}

pub const BOMBS: Attack = Attack::new("pictures that are bombs", |server| {
    let files = [
        claimed(60_000, 60_000),
        claimed(u32::MAX, 1),
        claimed(10_000, 10_000),
        claimed(4000, 4000),
        gif(20_000),
    ];
    let attackers = Attacker::several(server, "guest", 1);
    Box::new(move |is_over| {
        at_once(&attackers, 8, is_over, |guest, number| {
            let file = &files[number % files.len()];
            guest.upload(is_over, "/users/me/avatar", "bomb.png", file);
            guest.upload(is_over, "/user_uploads", "bomb.png", file);
        });
    })
});

#[test]
fn images_that_are_decompression_bombs_are_withstood() {
    BOMBS.is_withstood();
}
