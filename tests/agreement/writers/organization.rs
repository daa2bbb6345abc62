//! Changes of the organization by administrators.

use serde_json::json;
use spindle_tests::{User, unique};

use super::{World, done_or_refused};
use crate::random::Random;

fn linkifier_ids(user: &User) -> Vec<i64> {
    let body = user.get("/realm/linkifiers", &[]).ok();
    let records = body["linkifiers"].as_array().expect("linkifiers");
    records
        .iter()
        .filter_map(|record| record["id"].as_i64())
        .collect()
}

/// Adds, changes, removes or reorders linkifiers. There are few at a time, because messages are
/// matched against all of them. Another writer may have been faster, so errors are accepted.
pub(super) fn change_linkifiers(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    let mut ids = linkifier_ids(owner);
    if ids.is_empty() || ids.len() < 6 && random.below(2) == 0 {
        let pattern = format!("{}-(?P<id>[0-9]+)", unique("agree"));
        let pairs = [
            ("pattern", pattern.as_str()),
            ("url_template", "https://t.example/{id}"),
        ];
        done_or_refused(owner.post("/realm/filters", &pairs));
        return;
    }
    let path = format!("/realm/filters/{}", random.pick(&ids));
    let reply = match random.below(3) {
        0 => owner.delete(&path, &[]),
        1 => {
            let template = format!("https://t{}.example/{{id}}", random.below(100));
            owner.patch(&path, &[("url_template", &template)])
        }
        _ => {
            ids.reverse();
            let order = json!(ids).to_string();
            owner.patch("/realm/linkifiers", &[("ordered_linkifier_ids", &order)])
        }
    };
    assert!(
        reply.status == 200 || reply.body["code"] == "BAD_REQUEST",
        "{}",
        reply.body
    );
}

/// Changes a few settings in one of the two forms, none of which keeps other writers from writing.
pub(super) fn change_settings(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    let name = format!("Agreement {}", random.below(100));
    let description = format!("*number* {}", random.below(100));
    let weekday = random.below(7).to_string();
    let mut pairs = vec![
        ("name", name.as_str()),
        ("description", &description),
        ("digest_weekday", &weekday),
        (
            "message_content_edit_limit_seconds",
            *random.pick(&["unlimited", "60", "600"]),
        ),
        (
            "message_edit_history_visibility_policy",
            *random.pick(&["all", "moves", "none"]),
        ),
        (
            "jitsi_server_url",
            *random.pick(&["default", "https://meet.example"]),
        ),
        ("enable_read_receipts", *random.pick(&["true", "false"])),
        // Writers have keys, no sessions.
        ("session_days", *random.pick(&["7", "30", "365"])),
    ];
    for _ in 0..random.below(6) {
        let at = random.below(pairs.len() as u64) as usize;
        pairs.remove(at);
    }
    done_or_refused(owner.patch("/realm", &pairs));
}

/// Assigns a permission to a group or to users; only permissions that no other writer needs.
pub(super) fn change_permission(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    // Ids of system groups are small: they are the first eight groups of a server.
    let moderators_or_above = json!(5 + random.below(3));
    if random.below(3) == 0 {
        let update = json!({"new": moderators_or_above}).to_string();
        let pairs = [("can_create_web_public_channel_group", update.as_str())];
        done_or_refused(owner.patch("/realm", &pairs));
        return;
    }
    let name = random.pick(&[
        "can_create_api_keys_group",
        "can_create_write_only_bots_group",
        "can_summarize_topics_group",
        "create_multiuse_invite_group",
    ]);
    let new = match random.below(3) {
        0 => moderators_or_above,
        1 => json!({"direct_members": [owner.user_id], "direct_subgroups": []}),
        _ => json!({"direct_members": [world.writers[1].user_id], "direct_subgroups": [5]}),
    };
    let update = json!({"new": new}).to_string();
    done_or_refused(owner.patch("/realm", &[(name, &update)]));
}

/// Switches a way to sign in on or off. Passwords stay on, and so does the owner's way in.
pub(super) fn change_ways(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    let ways = json!({"Email": true, "openid:agreement": random.below(2) == 0}).to_string();
    done_or_refused(owner.patch("/realm", &[("authentication_methods", &ways)]));
}

/// Adds, changes or removes one of few domains. The restriction itself stays off, because other
/// writers create accounts.
pub(super) fn change_domains(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    let domain = format!("d{}.example", random.below(3));
    let path = format!("/realm/domains/{domain}");
    let flag = *random.pick(&["true", "false"]);
    let pairs = [("domain", domain.as_str()), ("allow_subdomains", flag)];
    done_or_refused(match random.below(3) {
        0 => owner.post("/realm/domains", &pairs),
        1 => owner.patch(&path, &pairs[1..]),
        _ => owner.delete(&path, &[]),
    });
}

/// Adds a playground, or removes one that may exist.
pub(super) fn change_playgrounds(world: &World, _user: &User, random: &mut Random) {
    let owner = &world.writers[0];
    if random.below(2) == 0 {
        let name = format!("p{}", random.below(5));
        let pairs = [
            ("name", name.as_str()),
            ("pygments_language", "Rust"),
            ("url_template", "https://p.example/{code}"),
        ];
        done_or_refused(owner.post("/realm/playgrounds", &pairs));
    } else {
        let path = format!("/realm/playgrounds/{}", 1 + random.below(20));
        done_or_refused(owner.delete(&path, &[]));
    }
}
