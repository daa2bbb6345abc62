//! What waits for its time: scheduled messages and reminders.
//!
//! Both are their owner's alone: one of somebody else is like none. They are checked like a
//! message that is sent now when they are written, and once more when they are delivered, since
//! both sender and place may have changed. Delivery is the work of a timer; sending and
//! forgetting are one transaction, so that nothing is sent twice.

pub(crate) mod messages;
pub(crate) mod reminders;

pub use messages::{
    ScheduledChange, ScheduledInput, create_scheduled_message, delete_scheduled_message,
    deliver_scheduled_messages, edit_scheduled_message, list_scheduled_messages,
};
pub use reminders::{
    ReminderInput, create_reminder, delete_reminder, deliver_reminders, list_reminders,
};

use crate::ActionError;

/// Later than this, in seconds, a message is not sent any more: what was written for a moment
/// makes no sense long after it (docs/protocol/scheduled.md#delivery).
const TOO_LATE_SECS: i64 = 600;

/// Messages that one call delivers at most.
const DELIVERED_AT_ONCE: i64 = 100;

/// The time of delivery lies ahead (docs/protocol/scheduled.md#edit_scheduled_message).
fn check_time(deliver_at: i64, now: i64) -> Result<(), ActionError> {
    if deliver_at > now {
        return Ok(());
    }
    Err(ActionError::bad_request(
        "scheduled_delivery_timestamp is not in the future",
    ))
}
