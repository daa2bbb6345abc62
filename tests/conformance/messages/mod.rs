//! Sending and reading messages.

mod delete_message;
mod delete_topic;
mod edit_message;
mod edit_support;
mod edit_typing;
mod flags;
mod flags_narrow;
mod get_message;
mod get_messages;
mod large_pages;
mod mark_as_read;
mod matches_narrow;
mod message_history;
mod move_large;
mod move_message;
mod moved_out;
mod narrow;
mod narrow_pairs;
mod narrow_with;
mod notices;
mod reactions;
mod read_receipts;
mod recent_conversations;
mod references;
mod render_message;
mod search;
mod send_access;
mod send_event;
mod send_message;
mod send_permissions;
mod send_repeated;
mod storm;
mod submessage;
mod topics;
mod typing;
mod visibility;

use serde_json::Value;
use spindle_tests::User;
use spindle_tests::fixture::Channel;

/// Fields of a message object that a fetch adds.
const DIRECT: [&str; 18] = [
    "avatar_url",
    "client",
    "content",
    "content_type",
    "display_recipient",
    "id",
    "is_me_message",
    "reactions",
    "recipient_id",
    "sender_email",
    "sender_full_name",
    "sender_id",
    "sender_realm_str",
    "subject",
    "submessages",
    "timestamp",
    "topic_links",
    "type",
];

/// Sends to a channel and returns the id.
#[track_caller]
pub(crate) fn to_channel(sender: &User, channel: &Channel, topic: &str, content: &str) -> i64 {
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", topic),
        ("content", content),
    ];
    sender.post("/messages", &pairs).ok()["id"]
        .as_i64()
        .expect("id")
}

/// Sends a direct message and returns the id.
#[track_caller]
fn direct(sender: &User, to: &[&User], content: &str) -> i64 {
    let to: Vec<i64> = to.iter().map(|user| user.user_id).collect();
    let to = serde_json::to_string(&to).expect("JSON");
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", content),
    ];
    sender.post("/messages", &pairs).ok()["id"]
        .as_i64()
        .expect("id")
}

/// One message as fetched by a user.
#[track_caller]
fn read(user: &User, id: i64) -> Value {
    user.get(&format!("/messages/{id}"), &[]).ok()["message"].clone()
}
