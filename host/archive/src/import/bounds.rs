//! Limits on the content of an archive.
//!
//! Archives are untrusted: each number here bounds data that is kept in memory, or that a few bytes of
//! an archive can multiply. In addition `--max-gib` bounds the unpacked size.

use anyhow::{Result, bail};

/// Bounds of archives. They are values so that tests can use small ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Files of an archive in the layout; of each its path is kept.
    pub(super) files: usize,
    /// Bytes of a row of the layout.
    pub(super) row_bytes: u64,
    /// Bytes that are read to find the list of a zip, and of the list itself: it is kept.
    pub(super) list_bytes: u64,
    /// Files of a zip; each takes some 400 bytes.
    pub(super) entries: usize,
    /// Bytes of the name of a file in a zip.
    pub(super) name_bytes: usize,
    /// Bytes of an element of a list, or of a line, in the archive of a chat: a message, or a post with all
    /// of its replies.
    pub(super) element_bytes: u64,
    /// People and bots of a chat.
    pub(super) people: usize,
    /// Channels of a chat; also its direct conversations, and its teams.
    pub(super) channels: usize,
    /// Pairs of a person and a channel or direct conversation.
    pub(super) memberships: usize,
    /// Custom emoji of a chat.
    pub(super) emoji: usize,
    /// Messages of a chat.
    pub(super) messages: u64,
    /// Pairs of a message and a receiver. Beyond that only the newest messages of a channel count as
    /// received by all of its members.
    pub(super) receipts: u64,
    /// Bytes of the names, addresses and descriptions of people, and as many of channels.
    pub(super) text_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            files: 5_000_000,
            row_bytes: 16 << 20,
            list_bytes: 128 << 20,
            entries: 500_000,
            name_bytes: 4096,
            element_bytes: 16 << 20,
            people: 500_000,
            channels: 500_000,
            memberships: 20_000_000,
            emoji: 20_000,
            messages: 100_000_000,
            receipts: 200_000_000,
            text_bytes: 256 << 20,
        }
    }
}

/// Counts texts that are kept.
#[derive(Debug)]
pub(super) struct Texts {
    most: usize,
    bytes: usize,
}

impl Texts {
    /// Texts of at most this many bytes.
    pub(super) const fn new(most: usize) -> Self {
        Self { most, bytes: 0 }
    }

    /// Counts texts that are to be kept.
    ///
    /// # Errors
    /// They are too long together.
    pub(super) fn keep<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> Result<()> {
        for text in texts {
            self.bytes = self.bytes.saturating_add(text.len());
        }
        if self.bytes > self.most {
            bail!(
                "the names and descriptions in the archive have more than {} bytes",
                self.most
            );
        }
        Ok(())
    }
}
