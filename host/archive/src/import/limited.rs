//! Content of which no more is read for one part of it than fits into memory.

use std::cell::Cell;
use std::io::{self, Read};

/// Reads `content` until a part is larger than it may be. The parser of the parts sets `read` back to 0 behind
/// each.
pub(super) struct Limited<'r> {
    pub(super) content: &'r mut dyn Read,
    /// Bytes of this part.
    pub(super) read: &'r Cell<u64>,
    /// Bytes that a part may have.
    pub(super) most: u64,
    /// The name of a part in the error.
    pub(super) part: &'static str,
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        if self.read.get() > self.most {
            return Err(io::Error::other(format!(
                "{} is larger than {} bytes",
                self.part, self.most
            )));
        }
        Ok(count)
    }
}
