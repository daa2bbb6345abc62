//! `restart`: the server has restarted.

use serde_json::json;

use crate::event::record;
use crate::{Audience, Event};

/// Sent to every queue once after a start, so that clients can notice an upgrade.
/// `server_generation` is the UNIX time of the start in seconds.
#[must_use]
pub fn restart(
    zulip_version: &str,
    zulip_merge_base: &str,
    zulip_feature_level: i64,
    server_generation: i64,
) -> Event {
    let body = record([
        ("zulip_version", json!(zulip_version)),
        ("zulip_merge_base", json!(zulip_merge_base)),
        ("zulip_feature_level", json!(zulip_feature_level)),
        ("server_generation", json!(server_generation)),
    ]);
    Event::new("restart", body, Audience::realm())
}
