//! Changes of channels by administrators.

use serde_json::json;
use spindle_tests::{User, unique};

use super::World;
use crate::random::Random;

/// Changes that keep no writer from writing to the channels of the world.
pub(super) fn change(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    // Other writers name the further channels in messages. The observers are not subscribed to the
    // last of these, so it vanishes and appears as it becomes private and public.
    let channel = random.pick(&world.channels[..3]);
    let id = channel.id();
    let path = format!("/streams/{id}");
    let members: Vec<i64> = world
        .observers
        .iter()
        .filter(|_| random.below(2) == 0)
        .map(|user| user.user_id)
        .collect();
    let group = json!({"new": {"direct_members": members, "direct_subgroups": []}}).to_string();
    let name = unique("renamed ");
    let text = format!("*text* {}", random.below(3));
    let choice = *random.pick(&["true", "false"]);
    let pair = match random.below(7) {
        0 => ("new_name", name.as_str()),
        1 => ("description", text.as_str()),
        2 => (
            "message_retention_days",
            *random.pick(&["7", "unlimited", "realm_default"]),
        ),
        3 => ("can_subscribe_group", group.as_str()),
        4 => ("can_resolve_topics_group", group.as_str()),
        5 => ("is_private", choice),
        _ => {
            let method = *random.pick(&["POST", "DELETE"]);
            let call = spindle_tests::Call::new(method, "/default_streams");
            // The server refuses a private channel.
            owner.send(call.form(&[("stream_id", &id)]));
            return;
        }
    };
    // A default channel does not become private, and only a public one becomes a default one.
    owner.patch(&path, &[pair]);
}
