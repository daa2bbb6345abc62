//! Strips a PNG to the chunks for pixels, transparency, animation and orientation.
//!
//! Decoders expand colour profiles and comments unasked, and a few kilobytes can become gigabytes.

use std::borrow::Cow;

/// Length of the signature at the beginning of a file.
const SIGNATURE: usize = 8;
/// Framing of a chunk: length, name and checksum.
const AROUND: usize = 12;
/// Ancillary chunks that are kept.
const KEPT: [&[u8]; 5] = [b"tRNS", b"acTL", b"fcTL", b"fdAT", b"eXIf"];

/// Removes all other chunks. Malformed data stays; the decoder refuses it.
pub(crate) fn essential(png: &[u8]) -> Cow<'_, [u8]> {
    if Chunks::of(png).all(|chunk| chunk.is_kept) {
        return Cow::Borrowed(png);
    }
    let mut kept = png.get(..SIGNATURE).unwrap_or_default().to_vec();
    for chunk in Chunks::of(png).filter(|chunk| chunk.is_kept) {
        kept.extend_from_slice(chunk.bytes);
    }
    Cow::Owned(kept)
}

struct Chunk<'p> {
    bytes: &'p [u8],
    is_kept: bool,
}

/// The chunks in order; the last one may be malformed.
struct Chunks<'p>(&'p [u8]);

impl<'p> Chunks<'p> {
    fn of(png: &'p [u8]) -> Self {
        Self(png.get(SIGNATURE..).unwrap_or_default())
    }
}

impl<'p> Iterator for Chunks<'p> {
    type Item = Chunk<'p>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let name = self.0.get(4..8);
        let length = self
            .0
            .first_chunk()
            .map(|length| u32::from_be_bytes(*length));
        let length = length.and_then(|length| usize::try_from(length).ok());
        let end = length.and_then(|length| length.checked_add(AROUND));
        let whole = end.and_then(|end| self.0.split_at_checked(end));
        let (bytes, rest) = whole.unwrap_or((self.0, &[]));
        self.0 = rest;
        // A critical chunk begins with a capital letter.
        let is_kept = name.is_none_or(|name| {
            name.first().is_none_or(u8::is_ascii_uppercase) || KEPT.contains(&name)
        });
        Some(Chunk { bytes, is_kept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap_or(0).to_be_bytes();
        [&length[..], name, data, b"sum!"].concat()
    }

    #[test]
    fn profiles_and_comments_are_left_out() {
        let kept = [
            chunk(b"IHDR", b"x"),
            chunk(b"tRNS", b""),
            chunk(b"IDAT", b"yy"),
        ];
        let dropped = [
            chunk(b"iCCP", b"bomb"),
            chunk(b"zTXt", b"bomb"),
            chunk(b"gAMA", b"1234"),
        ];
        let head = b"\x89PNG\r\n\x1a\n";
        let plain = [&head[..], &kept.concat()].concat();
        let decorated = [
            &head[..],
            &kept[0],
            &dropped[0],
            &kept[1],
            &dropped.concat(),
            &kept[2],
        ]
        .concat();
        assert_eq!(*essential(&decorated), *plain);
        assert!(matches!(essential(&plain), Cow::Borrowed(_)));
    }

    #[test]
    fn what_has_no_chunks_ends() {
        for file in [
            &b""[..],
            b"\x89PNG",
            b"12345678rest",
            b"12345678\xff\xff\xff\xffiCCPx",
        ] {
            assert!(essential(file).len() <= file.len());
        }
    }
}
