//! Avatars and custom emoji.

use spindle_tests::images::png;
use spindle_tests::{User, unique};

use super::World;
use crate::random::Random;

/// Uploads a new avatar or deletes it.
pub(super) fn avatar(_world: &World, user: &User, random: &mut Random) {
    if random.below(3) == 0 {
        user.delete("/users/me/avatar", &[]).ok();
    } else {
        user.upload("/users/me/avatar", "me.png", &png(4, 4)).ok();
    }
}

/// A new emoji, which its author may deactivate immediately; guests may add none.
pub(super) fn emoji(_world: &World, user: &User, random: &mut Random) {
    let path = format!("/realm/emoji/{}", unique("agreed").to_lowercase());
    let reply = user.upload(&path, "e.png", &png(4, 4));
    if user.full_name.contains("guest") {
        reply.bad_request();
        return;
    }
    reply.ok();
    if random.below(2) == 0 {
        user.delete(&path, &[]).ok();
    }
}
