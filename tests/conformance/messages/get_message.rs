//! GET /messages/{message_id} (docs/protocol/messages.md#message-object,
//! docs/protocol/messages.md#get_message).

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};

use super::{DIRECT, direct, to_channel};
use crate::support::{keys, server};

#[test]
fn rendered_by_default_with_the_source_beside_it() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "a *b*");
    let path = format!("/messages/{id}");
    let body = user.get(&path, &[]).ok();
    assert_eq!(keys(&body), ["message", "msg", "raw_content", "result"]);
    assert_eq!(body["raw_content"], "a *b*");
    assert_eq!(body["message"]["content"], "<p>a <em>b</em></p>");
    assert_eq!(body["message"]["content_type"], "text/html");
    let body = user.get(&path, &[("apply_markdown", "false")]).ok();
    assert_eq!(body["message"]["content"], "a *b*");
    assert_eq!(body["message"]["content_type"], "text/x-markdown");
    let mut expected = DIRECT.to_vec();
    expected.push("flags");
    expected.sort_unstable();
    assert_eq!(keys(&body["message"]), expected);
    assert_eq!(body["message"]["id"], id);
}

#[test]
fn direct_messages_are_readable_by_their_participants_only() {
    let one = server().user("member");
    let two = server().user("guest");
    let id = direct(&one, &[&two], "x");
    let path = format!("/messages/{id}");
    one.get(&path, &[]).ok();
    two.get(&path, &[]).ok();
    for role in ["owner", "administrator", "member", "guest"] {
        server().user(role).get(&path, &[]).bad_request();
    }
    server().bot().get(&path, &[]).bad_request();
}

/// A message that the caller cannot read and a missing one get the same answer.
#[test]
fn unreadable_messages_look_like_missing_ones() {
    let one = server().user("member");
    let other = server().user("member");
    let id = direct(&one, &[&one], "x");
    let hidden = other.get(&format!("/messages/{id}"), &[]).bad_request();
    let missing = other.get("/messages/99999999", &[]).bad_request();
    assert_eq!(hidden, missing);
}

#[test]
fn access_to_the_channel_decides_who_reads_a_message() {
    let insider = server().user("member");
    let late = server().user("member");
    let guest = server().user("guest");
    let member = server().user("member");
    let owner = server().user("owner");
    let send = |kind: ChannelKind| {
        let channel = fixture::channel(server(), kind, &[&insider]);
        let id = to_channel(&insider, &channel, "t", "x");
        fixture::subscribe(server(), &late, &channel);
        format!("/messages/{id}")
    };
    let public = send(ChannelKind::Public);
    let web = send(ChannelKind::WebPublic);
    let shared = send(ChannelKind::PrivateShared);
    let protected = send(ChannelKind::PrivateProtected);
    for path in [&public, &web, &shared, &protected] {
        insider.get(path, &[]).ok();
    }
    for path in [&public, &web, &shared] {
        late.get(path, &[]).ok();
    }
    late.get(&protected, &[]).bad_request();
    member.get(&public, &[]).ok();
    member.get(&web, &[]).ok();
    guest.get(&public, &[]).bad_request();
    for path in [&shared, &protected] {
        member.get(path, &[]).bad_request();
        owner.get(path, &[]).bad_request();
        guest.get(path, &[]).bad_request();
    }
}

/// A message that was never delivered has the flags read and historical.
#[test]
fn flags_of_undelivered_messages() {
    let sender = server().user("member");
    let reader = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender]);
    let id = to_channel(&sender, &channel, "t", "x");
    let body = reader.get(&format!("/messages/{id}"), &[]).ok();
    let mut flags: Vec<&str> = body["message"]["flags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| flag.as_str().unwrap())
        .collect();
    flags.sort_unstable();
    assert_eq!(flags, ["historical", "read"]);
}

#[test]
fn the_empty_topic_gets_a_name_without_the_capability() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "", "x");
    let path = format!("/messages/{id}");
    assert_eq!(
        user.get(&path, &[]).ok()["message"]["subject"],
        "general chat"
    );
    let known = [("allow_empty_topic_name", "true")];
    assert_eq!(user.get(&path, &known).ok()["message"]["subject"], "");
}

#[test]
fn wrong_parameters_are_refused() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    user.get(&format!("/messages/{id}"), &[("apply_markdown", "no")])
        .bad_request();
    let reply = user.get(
        &format!("/messages/{id}"),
        &[("extra", "1"), ("message_id", "5")],
    );
    let ignored = reply.ignored();
    assert!(ignored.contains(&"extra".to_owned()), "{ignored:?}");
    assert_eq!(reply.ok()["message"]["reactions"], json!([]));
}
