//! Channels as objects, and channel folders.

mod archive_channel;
mod channel_folders;
mod create_channel;
mod default_channels;
mod get_channels;
mod update_channel;
mod update_channel_events;
mod update_channel_permissions;

use serde_json::Value;
use spindle_tests::User;
use spindle_tests::fixture::Channel;

/// The path of a channel.
fn path(channel: &Channel) -> String {
    format!("/streams/{}", channel.stream_id)
}

/// The channel object as a user reads it.
#[track_caller]
fn stream(user: &User, channel: &Channel) -> Value {
    user.get(&path(channel), &[]).ok()["stream"].clone()
}

/// The events about one channel, without their ids. Messages of other tests are left out, and so is
/// the update that a notice became the channel's first message.
fn about(events: Vec<Value>, channel: &Channel) -> Vec<Value> {
    let id = channel.stream_id;
    let mut events: Vec<Value> = events
        .into_iter()
        .filter(|event| {
            event["stream_id"] == id
                || event["stream_ids"][0] == id
                || event["streams"][0]["stream_id"] == id
                || event["subscriptions"][0]["stream_id"] == id
        })
        .filter(|event| event["property"] != "first_message_id")
        .collect();
    for event in &mut events {
        event.as_object_mut().expect("an event").remove("id");
    }
    events
}
