//! /drafts (docs/protocol/personal.md#drafts).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{section, without_ids};
use crate::support::{server, settle};

fn create(user: &User, drafts: &Value) -> Reply {
    user.post("/drafts", &[("drafts", &drafts.to_string())])
}

fn edit(user: &User, id: i64, draft: &Value) -> Reply {
    let path = format!("/drafts/{id}");
    user.patch(&path, &[("draft", &draft.to_string())])
}

fn list(user: &User) -> Vec<Value> {
    let body = user.get("/drafts", &[]).ok();
    let list = body["drafts"].as_array().unwrap().clone();
    assert_eq!(body["count"], list.len());
    assert_eq!(body["drafts"], section(user, "drafts")["drafts"]);
    list
}

fn note(content: &str) -> Value {
    json!({"type": "", "to": [], "topic": "", "content": content})
}

#[test]
fn drafts_are_created_listed_edited_and_deleted() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let to_channel = json!({"type": "stream", "to": [channel.stream_id], "topic": " plans ",
        "content": "\n first \n", "timestamp": 1_700_000_002});
    let direct = json!({"type": "private", "to": [user.user_id], "topic": "ignored",
        "content": "to me", "timestamp": 1_700_000_001});
    let mut queue = Queue::of(&user, &["drafts", "user_status"]);
    let ids = create(&user, &json!([to_channel, direct])).ok()["ids"].clone();
    let expected = [
        json!({"id": ids[1], "type": "private", "to": [user.user_id], "topic": "",
            "content": "to me", "timestamp": 1_700_000_001}),
        json!({"id": ids[0], "type": "stream", "to": [channel.stream_id], "topic": "plans",
            "content": " first", "timestamp": 1_700_000_002}),
    ];
    assert_eq!(list(&user), expected);
    let id = ids[0].as_i64().unwrap();
    edit(&user, id, &note("now nowhere")).ok();
    let edited = list(&user)
        .into_iter()
        .find(|draft| draft["id"] == id)
        .unwrap();
    assert_eq!((&edited["type"], &edited["to"]), (&json!(""), &json!([])));
    assert!(edited["timestamp"].as_i64().unwrap() > 1_700_000_002);
    user.delete(&format!("/drafts/{id}"), &[]).ok();
    assert_eq!(list(&user), expected[..1]);
    let events = without_ids(settle(&mut queue));
    let received = [
        json!({"type": "drafts", "op": "add", "drafts": [expected[1], expected[0]]}),
        json!({"type": "drafts", "op": "update", "draft": edited}),
        json!({"type": "drafts", "op": "remove", "draft_id": id}),
    ];
    assert_eq!(events, received);
}

#[test]
fn invalid_parameters_change_nothing() {
    let (user, other) = (server().user("member"), server().user("member"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    let id = create(&user, &json!([note("kept")])).ok()["ids"][0]
        .as_i64()
        .unwrap();
    let kept = list(&user);
    let with = |name: &str, value: Value| {
        let mut draft = note("text");
        draft[name] = value;
        draft
    };
    let to = |kind: &str, to: Value| json!({"type": kind, "to": to, "topic": "", "content": "x"});
    for wrong in [
        with("content", json!(" \n")),
        with("content", json!("a\0b")),
        with("type", json!("topic")),
        with("timestamp", json!(-1)),
        with("timestamp", json!(253_402_300_800_i64)),
        with("timestamp", json!("1")),
        with("colour", json!("red")),
        to("stream", json!([])),
        to("stream", json!([1, 2])),
        to("stream", json!("general")),
        to("private", json!([999_999_999])),
        json!({"type": "", "to": [], "content": "no topic"}),
        json!({"type": "stream", "to": [1], "topic": "a\u{7}b", "content": "x"}),
    ] {
        create(&user, &json!([note("first"), wrong])).bad_request();
        edit(&user, id, &wrong).bad_request();
    }
    for missing in [hidden.stream_id, 999_999] {
        let body = create(&user, &json!([to("stream", json!([missing]))]));
        let body = body.error(400, "STREAM_DOES_NOT_EXIST");
        assert_eq!(body["stream_id"], missing);
    }
    assert_eq!(list(&user), kept);
}

#[test]
fn a_draft_of_another_user_looks_like_a_missing_one() {
    let (user, other) = (server().user("member"), server().bot());
    let id = create(&other, &json!([note("mine")])).ok()["ids"][0]
        .as_i64()
        .unwrap();
    for path in [format!("/drafts/{id}"), "/drafts/999999".to_owned()] {
        let body = user.patch(&path, &[("draft", &note("x").to_string())]);
        body.error(404, "BAD_REQUEST");
        user.delete(&path, &[]).error(404, "BAD_REQUEST");
    }
    assert_eq!(list(&other)[0]["content"], "mine");
}

#[test]
fn drafts_are_refused_when_synchronization_is_off() {
    let user = server().user("member");
    let id = create(&user, &json!([note("kept")])).ok()["ids"][0]
        .as_i64()
        .unwrap();
    let off = [("enable_drafts_synchronization", "false")];
    user.patch("/settings", &off).ok();
    create(&user, &json!([note("x")])).bad_request();
    edit(&user, id, &note("x")).bad_request();
    user.delete(&format!("/drafts/{id}"), &[]).bad_request();
    assert_eq!(list(&user)[0]["content"], "kept");
}

#[test]
fn an_empty_list_creates_no_draft() {
    let user = server().user("guest");
    assert_eq!(user.post("/drafts", &[]).ok()["ids"], json!([]));
    assert!(list(&user).is_empty());
    let missing = user.patch("/drafts/1", &[]);
    let missing = missing.error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "draft");
}

#[test]
fn long_content_is_cut() {
    let user = server().user("member");
    create(&user, &json!([note(&"é".repeat(10_001))])).ok();
    let content = list(&user)[0]["content"].as_str().unwrap().to_owned();
    assert_eq!(content.chars().count(), 10_000);
}
