//! The file format of a blob: a length, a JSON header of that length, the content.
//!
//! Header and content share a file, so that they cannot disagree after a crash.

use std::fs::File;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

/// Longest header that is accepted, in bytes.
const LONGEST_HEADER: u32 = 64 << 10;

/// The metadata of a blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) key: String,
    pub(super) content_type: String,
    /// SHA-256 of the content in hexadecimal.
    pub(super) sha256: String,
}

impl Header {
    /// Writes header and content.
    pub(super) fn write(&self, file: &mut File, content: &[u8]) -> io::Result<()> {
        let header = serde_json::to_vec(self)?;
        let length = u32::try_from(header.len()).map_err(io::Error::other)?;
        file.write_all(&length.to_be_bytes())?;
        file.write_all(&header)?;
        file.write_all(content)
    }

    /// Writes the header into the first `room` bytes of a file, before existing content.
    pub(super) fn write_into(&self, file: &mut File, room: u64) -> io::Result<()> {
        let mut header = serde_json::to_vec(self)?;
        let length = u32::try_from(room.saturating_sub(4)).map_err(io::Error::other)?;
        if header.len() > length as usize {
            return Err(io::Error::other("the header does not fit"));
        }
        // JSON ignores the trailing spaces.
        header.resize(length as usize, b' ');
        file.write_all(&length.to_be_bytes())?;
        file.write_all(&header)
    }

    /// Reads the header; returns it with the offset and the length of the content.
    pub(super) fn read(file: &mut File) -> io::Result<(Self, u64, u64)> {
        let mut length = [0; 4];
        file.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length);
        if length > LONGEST_HEADER {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a blob"));
        }
        let mut header = vec![0; length as usize];
        file.read_exact(&mut header)?;
        let header = serde_json::from_slice(&header)?;
        let offset = 4 + u64::from(length);
        let content = file.metadata()?.len().saturating_sub(offset);
        Ok((header, offset, content))
    }
}
