//! A message as a translator has read it, before it has a number.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use spindle_domain::text::{first_chars, is_longer_than};

use super::super::sorter::Key;

/// Most characters of a message: as many as Slack admits, more than people may write here.
const LONGEST: usize = 40_000;
/// Most characters of a title.
const LONGEST_TITLE: usize = 300;

/// The conversation of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Conversation {
    /// A channel, by its index in the list.
    Channel(u32),
    /// A direct conversation, by its index in the list.
    Direct(u32),
}

/// The identity of a thread within its channel: its first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thread {
    /// When it was sent, in microseconds since 1970.
    pub(crate) time: u64,
    /// Its number, where the time alone is not enough.
    pub(crate) number: u64,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draft {
    /// When it was sent, in microseconds since 1970.
    pub(crate) time: u64,
    /// The order in which messages of the same time come.
    pub(crate) number: u64,
    pub(crate) conversation: Conversation,
    pub(crate) sender: i64,
    /// Markdown of this server.
    pub(crate) content: String,
    /// The title of a thread that begins with this message, not cut.
    pub(crate) title: String,
    /// None yet for a message of a thread.
    pub(crate) topic: String,
    /// When it was changed last, in UNIX seconds.
    pub(crate) edited: Option<i64>,
    /// People who are mentioned; sorted once it is taken.
    pub(crate) mentions: Vec<i64>,
    /// Whether a wildcard is mentioned.
    pub(crate) mentions_all: bool,
    /// People who have starred it; sorted once it is taken.
    pub(crate) starred: Vec<i64>,
    /// Reactions: the user, and the name of the emoji in the archive's product.
    pub(crate) reactions: Vec<(i64, String)>,
    /// Files of the archive, by their conversation in the list.
    pub(crate) files: Vec<u32>,
}

impl Draft {
    /// A message with nothing but a text.
    pub(crate) const fn new(time: u64, conversation: Conversation, sender: i64) -> Self {
        Self {
            time,
            number: 0,
            conversation,
            sender,
            content: String::new(),
            title: String::new(),
            topic: String::new(),
            edited: None,
            mentions: Vec::new(),
            mentions_all: false,
            starred: Vec::new(),
            reactions: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Cuts texts that are too long; returns whether one was.
    pub(super) fn cut(&mut self) -> bool {
        self.title = first_chars(&self.title, LONGEST_TITLE).to_owned();
        // A NUL is valid in JSON and not in messages.
        if self.content.contains('\0') {
            self.content = self.content.replace('\0', "");
        }
        if !is_longer_than(&self.content, LONGEST) {
            return false;
        }
        self.content = format!("{}\n[…]", first_chars(&self.content, LONGEST));
        true
    }

    /// The key of the final order.
    pub(super) const fn key(&self) -> Key {
        [self.time, self.number, 0, 0, 0]
    }

    /// As bytes.
    pub(super) fn pack(&self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// From bytes of [`Draft::pack`].
    pub(super) fn unpack(bytes: &[u8]) -> Result<Self> {
        Ok(serde_json::from_slice(bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut() {
        let mut draft = Draft::new(1, Conversation::Channel(0), 1);
        draft.content = "x".repeat(LONGEST);
        assert!(!draft.cut());
        draft.content.push_str("y\0");
        assert!(draft.cut());
        assert!(draft.content.ends_with("x\n[…]"));
        assert_eq!(Draft::unpack(&draft.pack().unwrap()).unwrap(), draft);
    }
}
