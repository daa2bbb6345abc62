//! Mentions of groups: `can_mention_group`, and deactivated groups
//! (docs/protocol/user-groups.md#user-group).

use serde_json::json;
use spindle_tests::{Reply, User};

use super::{allow, group_of, nameless, path, record, sub, system};
use crate::support::server;

fn send(from: &User, to: &User, content: &str) -> Reply {
    let to = format!("[{}]", to.user_id);
    let pairs = [("type", "direct"), ("to", &*to), ("content", content)];
    from.post("/messages", &pairs)
}

fn rendered(reader: &User, id: &serde_json::Value) -> (String, bool) {
    let body = reader.get(&format!("/messages/{id}"), &[]).ok();
    let flags = body["message"]["flags"].as_array().unwrap();
    let content = body["message"]["content"].as_str().unwrap().to_owned();
    (content, flags.contains(&json!("mentioned")))
}

#[test]
fn mentions_need_the_permission_and_silent_mentions_do_not() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group_of(&ann, &[&bob]);
    let name = record(&ann, id)["name"].as_str().unwrap().to_owned();
    allow(
        &ann,
        id,
        "can_mention_group",
        &nameless(&[ann.user_id], &[]),
    );
    let sent = send(&ann, &bob, &format!("@*{name}*")).ok();
    let (content, mentioned) = rendered(&bob, &sent["id"]);
    assert!(
        mentioned && content.contains("user-group-mention"),
        "{content}"
    );
    send(&bob, &ann, &format!("@*{name}*")).bad_request();
    let silent = send(&bob, &ann, &format!("@_*{name}*")).ok();
    assert!(!rendered(&ann, &silent["id"]).1);
    // In code it is not a mention.
    send(&bob, &ann, &format!("`@*{name}*`")).ok();
    // The permission through another group.
    let managers = group_of(&ann, &[&bob]);
    allow(&ann, id, "can_mention_group", &json!(managers));
    send(&bob, &ann, &format!("@*{name}*")).ok();
    send(&ann, &bob, &format!("@*{name}*")).bad_request();
    allow(
        &ann,
        id,
        "can_mention_group",
        &json!(system(&ann, "role:nobody")),
    );
    send(&server().user("owner"), &bob, &format!("@*{name}*")).bad_request();
}

#[test]
fn guests_mention_groups_that_everybody_may_mention() {
    let (ann, guest) = (server().user("member"), server().user("guest"));
    let id = group_of(&ann, &[&ann]);
    let name = record(&ann, id)["name"].as_str().unwrap().to_owned();
    send(&guest, &ann, &format!("@*{name}*")).ok();
    allow(
        &ann,
        id,
        "can_mention_group",
        &json!(system(&ann, "role:members")),
    );
    send(&guest, &ann, &format!("@*{name}*")).bad_request();
}

/// A deactivated group cannot be mentioned: the text stays as written, and no user is notified.
#[test]
fn a_deactivated_group_is_not_mentioned() {
    let (ann, bob) = (server().user("member"), server().user("member"));
    let id = group_of(&ann, &[&bob]);
    let name = record(&ann, id)["name"].as_str().unwrap().to_owned();
    ann.post(&sub(id, "deactivate"), &[]).ok();
    let sent = send(&ann, &bob, &format!("@*{name}*")).ok();
    let (content, mentioned) = rendered(&bob, &sent["id"]);
    assert!(!mentioned, "{content}");
    ann.patch(&path(id), &[("deactivated", "false")]).ok();
    let sent = send(&ann, &bob, &format!("@*{name}*")).ok();
    assert!(rendered(&bob, &sent["id"]).1);
}
