//! Subscribing, unsubscribing, and personal settings of subscriptions.

use serde_json::json;
use spindle_tests::{User, unique};

use super::{World, done_or_refused};
use crate::random::Random;

const PATH: &str = "/users/me/subscriptions";

/// Accounts subscribe and unsubscribe; owners subscribe others to the private channel and
/// unsubscribe them.
pub(super) fn come_and_go(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    let observer = random.pick(&world.observers);
    let member = &world.writers[4];
    let open = &world.channels[3].name;
    let closed = &world.channels[4].name;
    let (who, name) = match random.below(4) {
        0 => (observer, open),
        1 => (member, open),
        2 => (&world.observers[0], closed),
        _ => (member, closed),
    };
    let principals = match random.below(3) {
        0 => json!([who.user_id, world.writers[2].user_id]),
        _ => json!([who.user_id]),
    };
    let principals = principals.to_string();
    if random.below(2) == 0 {
        let wishes = json!([{"name": name}]).to_string();
        let pairs = [
            ("subscriptions", wishes.as_str()),
            ("principals", &principals),
        ];
        done_or_refused(owner.post(PATH, &pairs));
    } else {
        let names = json!([name]).to_string();
        let pairs = [
            ("subscriptions", names.as_str()),
            ("principals", &principals),
        ];
        done_or_refused(owner.delete(PATH, &pairs));
    }
}

/// Personal settings of channels that no account leaves. Only a channel without messages is muted,
/// so that a wildcard mention counts as a mention everywhere.
pub(super) fn arrange(world: &World, _user: &User, random: &mut Random) {
    let observer = random.pick(&world.observers);
    let flag = random.below(2) == 0;
    let (channel, property, value) = match random.below(5) {
        0 => (0, "color", json!(format!("#{:03x}", random.below(4096)))),
        1 => (1, "pin_to_top", json!(flag)),
        2 => (0, "push_notifications", json!(flag)),
        3 => (5, "in_home_view", json!(flag)),
        _ => (5, "is_muted", json!(flag)),
    };
    let stream_id = world.channels[channel].stream_id;
    let data = json!([{"stream_id": stream_id, "property": property, "value": value}]);
    let pairs = [("subscription_data", data.to_string())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    observer
        .post("/users/me/subscriptions/properties", &pairs)
        .ok();
}

/// A channel is created for some accounts, and all of them unsubscribe again: a private one is then
/// archived.
pub(super) fn create_and_leave(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    let name = unique("created ");
    let people = [
        vec![&world.observers[0], &world.writers[2]],
        vec![&world.observers[1]],
        vec![owner],
    ];
    let people: Vec<i64> = random
        .pick(&people)
        .iter()
        .map(|user| user.user_id)
        .collect();
    let (people, wishes) = (
        json!(people).to_string(),
        json!([{"name": name}]).to_string(),
    );
    let pairs = [
        ("subscriptions", wishes.as_str()),
        ("principals", &people),
        ("invite_only", *random.pick(&["true", "false"])),
        ("history_public_to_subscribers", "true"),
    ];
    done_or_refused(owner.post(PATH, &pairs));
    let names = json!([name]).to_string();
    let pairs = [("subscriptions", names.as_str()), ("principals", &people)];
    done_or_refused(owner.delete(PATH, &pairs));
}
