//! `attachment`: files that the user has uploaded (docs/protocol/events.md#attachment).

use serde_json::{Value, json};
use spindle_domain::{AttachmentId, UserId};

use crate::event::{Record, record};
use crate::{Audience, Event};

/// The user has uploaded a file. `attachment` is its record, `upload_space_used` the space of
/// all files of the organization in bytes.
#[must_use]
pub fn attachment_add(user_id: UserId, attachment: Record, upload_space_used: i64) -> Event {
    event(user_id, "add", attachment.into(), upload_space_used)
}

/// The messages that link to the file have changed.
#[must_use]
pub fn attachment_update(user_id: UserId, attachment: Record, upload_space_used: i64) -> Event {
    event(user_id, "update", attachment.into(), upload_space_used)
}

/// The file was deleted.
#[must_use]
pub fn attachment_remove(
    user_id: UserId,
    attachment_id: AttachmentId,
    upload_space_used: i64,
) -> Event {
    let attachment = json!({"id": attachment_id});
    event(user_id, "remove", attachment, upload_space_used)
}

fn event(user_id: UserId, op: &str, attachment: Value, upload_space_used: i64) -> Event {
    let body = record([
        ("op", json!(op)),
        ("attachment", attachment),
        ("upload_space_used", json!(upload_space_used)),
    ]);
    Event::new("attachment", body, Audience::users([user_id]))
}
