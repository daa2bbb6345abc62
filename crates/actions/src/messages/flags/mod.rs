//! Personal marks on messages: read, starred, collapsed (docs/protocol/flags.md).
//!
//! Marks change in sets: a call is one statement for all messages of a part, and parts are small
//! enough that nobody else waits long for the database. Every part tells what it has changed, so
//! that a client whose call was cut short knows as much as the server.

mod change;
mod mark;
mod narrow;
mod read;

pub use change::{FlagChange, FlagsChanged, change_flags};
pub use narrow::{NarrowFlagsChanged, NarrowSelection, change_flags_in_narrow};
pub use read::{mark_all_as_read, mark_channel_as_read, mark_topic_as_read};

/// Messages of one part of a call.
const PART: i64 = 2000;
