//! Codes of the native host's own database errors.
//!
//! Spin's interface carries errors as text only. The host begins the text of such an error with its code, and
//! [`DbError::from_message`](crate::DbError::from_message) finds the variant by the code, so the words after it are free
//! to change.

/// A transaction was undone because another one of its group commit failed.
pub const UNDONE: &str = "[spindle:undone] ";
/// No write transaction could begin in time.
pub const NO_WRITER: &str = "[spindle:no-writer] ";
/// No read connection became free in time.
pub const NO_READER: &str = "[spindle:no-reader] ";
/// Too many slow reads run or wait.
pub const SLOW_READS: &str = "[spindle:slow-reads] ";
/// The memory budget has no room for the rows.
pub const NO_MEMORY: &str = "[spindle:no-memory] ";
