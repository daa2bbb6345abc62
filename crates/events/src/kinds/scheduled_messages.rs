//! `scheduled_messages` and `reminders`: scheduled messages and reminders were added, changed or removed.

use serde_json::{Value, json};
use spindle_domain::{ReminderId, ScheduledMessageId, UserId};

use crate::event::{Record, record};
use crate::{Audience, Event};

fn event(kind: &'static str, user_id: UserId, op: &str, field: &str, value: Value) -> Event {
    let body = record([("op", json!(op)), (field, value)]);
    Event::new(kind, body, Audience::user(user_id))
}

/// New scheduled messages as the register section shows them. See
/// docs/protocol/scheduled.md#create_scheduled_message.
#[must_use]
pub fn scheduled_messages_add(user_id: UserId, messages: Vec<Record>) -> Event {
    let kind = "scheduled_messages";
    event(kind, user_id, "add", kind, json!(messages))
}

/// The whole scheduled message after a change, or when its delivery has failed.
/// See docs/protocol/scheduled.md#edit_scheduled_message.
#[must_use]
pub fn scheduled_messages_update(user_id: UserId, message: Record) -> Event {
    let (kind, field) = ("scheduled_messages", "scheduled_message");
    event(kind, user_id, "update", field, Value::Object(message))
}

/// The scheduled message with this id was sent or deleted.
#[must_use]
pub fn scheduled_messages_remove(
    user_id: UserId,
    scheduled_message_id: ScheduledMessageId,
) -> Event {
    let (kind, field) = ("scheduled_messages", "scheduled_message_id");
    event(kind, user_id, "remove", field, json!(scheduled_message_id))
}

/// New reminders as the register section shows them. See docs/protocol/scheduled.md#create_reminder.
#[must_use]
pub fn reminders_add(user_id: UserId, reminders: Vec<Record>) -> Event {
    event("reminders", user_id, "add", "reminders", json!(reminders))
}

/// The reminder with this id was delivered or deleted.
#[must_use]
pub fn reminders_remove(user_id: UserId, reminder_id: ReminderId) -> Event {
    event(
        "reminders",
        user_id,
        "remove",
        "reminder_id",
        json!(reminder_id),
    )
}
