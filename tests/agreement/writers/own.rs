//! Changes that users make to their own accounts.

use spindle_tests::User;

use super::World;
use crate::random::Random;

/// An end in the distant future, so that no status ends while snapshots are compared.
const END: &str = "4102444800";

pub(super) fn set_status(_world: &World, user: &User, random: &mut Random) {
    let text = format!("status {}", random.below(1000));
    let mut pairs = Vec::new();
    match random.below(3) {
        0 => pairs.push(("status_text", text.as_str())),
        1 => pairs.push(("status_text", "")),
        _ => {}
    }
    match random.below(3) {
        0 => pairs.push((
            "emoji_name",
            *random.pick(&["car", "tada", "smile", "zulip"]),
        )),
        1 => pairs.push(("emoji_name", "")),
        _ => {}
    }
    if pairs.is_empty() {
        pairs.push(("status_text", "fallback"));
    }
    if pairs.iter().any(|(_, value)| !value.is_empty()) && random.below(2) == 0 {
        pairs.push(("scheduled_end_time", END));
    }
    user.post("/users/me/status", &pairs).ok();
}

pub(super) fn away(world: &World, _user: &User, random: &mut Random) {
    let away = random.pick(&["true", "false"]);
    let user = &world.observers[0];
    user.post("/users/me/status", &[("away", away)]).ok();
}
