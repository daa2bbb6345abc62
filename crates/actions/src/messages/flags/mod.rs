//! Personal marks on messages: read, starred, collapsed (docs/protocol/flags.md).
//!
//! Flags change in sets: a call is one statement for all messages of a part, and parts are small, so
//! that the write lock is held briefly. Every part emits its changes, so that a client whose call
//! was interrupted has the state of the server.

mod change;
mod mark;
mod narrow;
mod read;

pub use change::{FlagChange, FlagsChanged, change_flags};
pub use narrow::{NarrowFlagsChanged, NarrowSelection, change_flags_in_narrow};
pub use read::{mark_all_as_read, mark_channel_as_read, mark_topic_as_read};
pub(crate) use read::{mark_sender_as_read, read_first_of_sender};

/// Messages of one part of a call.
const PART: i64 = 2000;
