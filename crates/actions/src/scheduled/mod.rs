//! Scheduled messages and reminders: they are delivered at a later time.
//!
//! Both are visible to their owner only: one of another user is like one that does not exist. They are
//! checked like a message that is sent now when they are written, and again when they are delivered,
//! since sender and destination may have changed. A timer delivers them; a row is deleted in the
//! transaction that sends its message, so that no message is sent twice.

pub(crate) mod messages;
pub(crate) mod reminders;

pub use messages::*;
pub use reminders::*;

use crate::ActionError;
use crate::text::check_future;

/// A message that is later than this, in seconds, is no longer sent: a text for one moment makes no sense long after it
/// (docs/protocol/scheduled.md#delivery).
const TOO_LATE_SECS: i64 = 600;

/// Messages that one call delivers at most.
const DELIVERED_AT_ONCE: i64 = 100;

/// The time of delivery lies ahead (docs/protocol/scheduled.md#edit_scheduled_message).
fn check_time(deliver_at: i64, now: i64) -> Result<(), ActionError> {
    check_future("scheduled_delivery_timestamp", deliver_at, now)
}
