//! `channel_folder`: channel folders were created, changed or reordered.

use serde_json::json;

use spindle_domain::ChannelFolderId;

use crate::event::{Record, record};
use crate::{Audience, Event};

/// A folder was created. `channel_folder` is its record
/// (docs/protocol/channel-folders.md#channel-folder).
#[must_use]
pub fn channel_folder_add(channel_folder: Record, audience: Audience) -> Event {
    let body = record([
        ("op", json!("add")),
        ("channel_folder", channel_folder.into()),
    ]);
    Event::new("channel_folder", body, audience)
}

/// A property of a folder has changed: `data` holds `name`, or `description` with
/// `rendered_description`, or `is_archived`.
#[must_use]
pub fn channel_folder_update(
    channel_folder_id: ChannelFolderId,
    data: Record,
    audience: Audience,
) -> Event {
    let body = record([
        ("op", json!("update")),
        ("channel_folder_id", json!(channel_folder_id)),
        ("data", data.into()),
    ]);
    Event::new("channel_folder", body, audience)
}

/// The order of the folders has changed (FL 418); `order` as the client sent it.
#[must_use]
pub fn channel_folder_reorder(order: &[ChannelFolderId], audience: Audience) -> Event {
    let body = record([("op", json!("reorder")), ("order", json!(order))]);
    Event::new("channel_folder", body, audience)
}
