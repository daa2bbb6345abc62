//! /saved_snippets (docs/protocol/personal.md#edit_saved_snippet).

use serde_json::{Value, json};
use spindle_tests::{Queue, User};

use super::{section, without_ids};
use crate::support::{keys, server, settle};

fn create(user: &User, title: &str, content: &str) -> i64 {
    let pairs = [("title", title), ("content", content)];
    user.post("/saved_snippets", &pairs).ok()["saved_snippet_id"]
        .as_i64()
        .unwrap()
}

fn list(user: &User) -> Vec<Value> {
    let body = user.get("/saved_snippets", &[]).ok();
    assert_eq!(
        body["saved_snippets"],
        section(user, "saved_snippets")["saved_snippets"]
    );
    body["saved_snippets"].as_array().unwrap().clone()
}

fn path(id: i64) -> String {
    format!("/saved_snippets/{id}")
}

#[test]
fn a_snippet_is_created_listed_edited_and_deleted() {
    let user = server().user("guest");
    assert!(list(&user).is_empty());
    let first = create(&user, "  Greeting ", " Hello **you**\n");
    let second = create(&user, "Other", "text");
    let found = list(&user);
    assert_eq!(keys(&found[0]), ["content", "date_created", "id", "title"]);
    assert_eq!(found[0]["id"], first);
    assert_eq!(found[0]["title"], "Greeting");
    assert_eq!(found[0]["content"], "Hello **you**");
    assert_eq!(found[1]["id"], second);
    let created = found[0]["date_created"].clone();
    user.patch(&path(first), &[("title", " New ")]).ok();
    user.patch(&path(first), &[("content", "changed ")]).ok();
    let expected =
        json!({"id": first, "title": "New", "content": "changed", "date_created": created});
    assert_eq!(list(&user)[0], expected);
    user.delete(&path(first), &[]).ok();
    assert_eq!(list(&user).len(), 1);
    user.delete(&path(first), &[]).error(404, "BAD_REQUEST");
}

#[test]
fn lengths_count_code_points_after_trimming() {
    let user = server().bot();
    let longest = ("é".repeat(60), "🦀".repeat(10_000));
    let id = create(
        &user,
        &format!(" {} ", longest.0),
        &format!("{}\n", longest.1),
    );
    for (name, wrong) in [
        ("title", "x".repeat(61)),
        ("title", "  ".to_owned()),
        ("title", String::new()),
        ("content", "x".repeat(10_001)),
        ("content", " \n".to_owned()),
    ] {
        user.patch(&path(id), &[(name, &wrong)]).bad_request();
        let other = if name == "title" { "content" } else { "title" };
        user.post("/saved_snippets", &[(name, &wrong), (other, "x")])
            .bad_request();
    }
    let found = list(&user);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["title"], longest.0.as_str());
    assert_eq!(found[0]["content"], longest.1.as_str());
}

#[test]
fn a_snippet_needs_title_and_content() {
    let user = server().user("member");
    let error = user
        .post("/saved_snippets", &[("title", "x")])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "content");
    let error = user
        .post("/saved_snippets", &[("content", "x")])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "title");
}

/// The length is checked before the snippet is looked up.
#[test]
fn a_snippet_of_another_user_looks_like_a_missing_one() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let id = create(&other, "mine", "content");
    let missing = user.patch(&path(id + 1_000_000), &[("title", "x")]);
    let foreign = user.patch(&path(id), &[("title", "x")]);
    assert_eq!((missing.status, foreign.status), (404, 404));
    assert_eq!(missing.body, foreign.body);
    let missing = user.delete(&path(id + 1_000_000), &[]);
    let foreign = user.delete(&path(id), &[]);
    assert_eq!((missing.status, foreign.status), (404, 404));
    assert_eq!(missing.body, foreign.body);
    user.patch(&path(id), &[("title", &"x".repeat(61))])
        .bad_request();
    assert_eq!(list(&other)[0]["title"], "mine");
}

#[test]
fn an_empty_change_succeeds_even_for_an_unknown_id() {
    let user = server().user("member");
    let id = create(&user, "t", "c");
    let mut queue = Queue::of(&user, &["saved_snippets", "user_status"]);
    user.patch(&path(id), &[]).ok();
    user.patch(&path(id + 1_000_000), &[]).ok();
    assert!(
        settle(&mut queue)
            .iter()
            .all(|event| event["type"] != "saved_snippets")
    );
}

#[test]
fn events_go_to_the_owner_only() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let types = ["saved_snippets", "user_status"];
    let (mut own, mut others) = (Queue::of(&user, &types), Queue::of(&other, &types));
    let id = create(&user, "t", "c");
    user.patch(&path(id), &[("content", "d")]).ok();
    user.patch(&path(id), &[("content", "")]).bad_request();
    user.delete(&path(id), &[]).ok();
    let mine = |events: Vec<Value>| -> Vec<Value> {
        let events = without_ids(events).into_iter();
        events
            .filter(|event| event["type"] == "saved_snippets")
            .collect()
    };
    let events = mine(settle(&mut own));
    let created = events[0]["saved_snippet"]["date_created"].clone();
    let snippet = |content: &str| json!({"id": id, "title": "t", "content": content, "date_created": created});
    assert_eq!(
        events,
        [
            json!({"type": "saved_snippets", "op": "add", "saved_snippet": snippet("c")}),
            json!({"type": "saved_snippets", "op": "update", "saved_snippet": snippet("d")}),
            json!({"type": "saved_snippets", "op": "remove", "saved_snippet_id": id}),
        ]
    );
    assert!(mine(settle(&mut others)).is_empty());
}
