//! /navigation_views (docs/protocol/personal.md#add_navigation_view).

use serde_json::{Value, json};
use spindle_tests::{Queue, User};

use super::{section, without_ids};
use crate::support::{server, settle};

const BUILT_IN: [&str; 8] = [
    "inbox",
    "recent",
    "feed",
    "drafts",
    "narrow/has/reaction/sender/me",
    "narrow/is/mentioned",
    "narrow/is/starred",
    "scheduled",
];

fn add(user: &User, fragment: &str, name: Option<&str>) {
    let mut pairs = vec![("fragment", fragment), ("is_pinned", "true")];
    pairs.extend(name.map(|name| ("name", name)));
    user.post("/navigation_views", &pairs).ok();
}

fn list(user: &User) -> Value {
    let body = user.get("/navigation_views", &[]).ok();
    assert_eq!(
        body["navigation_views"],
        section(user, "navigation_views")["navigation_views"]
    );
    body["navigation_views"].clone()
}

fn path(fragment: &str) -> String {
    format!("/navigation_views/{}", fragment.replace('/', "%2F"))
}

#[test]
fn built_in_views_are_added_without_a_name() {
    let user = server().user("guest");
    for fragment in BUILT_IN {
        let named = [("fragment", fragment), ("is_pinned", "true"), ("name", "x")];
        user.post("/navigation_views", &named).bad_request();
        add(&user, fragment, None);
    }
    let found = list(&user);
    assert_eq!(found.as_array().unwrap().len(), BUILT_IN.len());
    for view in found.as_array().unwrap() {
        assert!(view.get("name").is_none(), "{view}");
    }
}

#[test]
fn other_views_need_a_name() {
    let user = server().bot();
    let unnamed = [("fragment", "narrow/is/dm"), ("is_pinned", "false")];
    user.post("/navigation_views", &unnamed).bad_request();
    add(&user, "  narrow/is/dm\t", Some("  Direct  "));
    assert_eq!(
        list(&user),
        json!([{"fragment": "narrow/is/dm", "is_pinned": true, "name": "Direct"}])
    );
}

/// Parameters are read in the order fragment, is_pinned, name. Then follow the checks for built-in
/// names, missing names, existing fragments and existing names.
#[test]
fn the_checks_run_in_order() {
    let user = server().user("member");
    let missing = |pairs: &[(&str, &str)], name: &str| {
        let error = user
            .post("/navigation_views", pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], name);
    };
    missing(&[("name", " ")], "fragment");
    missing(&[("fragment", "a"), ("name", " ")], "is_pinned");
    let refused = |pairs: &[(&str, &str)], word: &str| {
        let error = user.post("/navigation_views", pairs).bad_request();
        let text = error["msg"].as_str().unwrap().to_owned();
        assert!(text.contains(word), "{text}: not about {word}");
    };
    refused(&[("fragment", " "), ("is_pinned", "x")], "fragment");
    refused(
        &[("fragment", "a"), ("is_pinned", "1"), ("name", " ")],
        "is_pinned",
    );
    refused(
        &[("fragment", "inbox"), ("is_pinned", "true"), ("name", " ")],
        "name",
    );
    add(&user, "inbox", None);
    add(&user, "a", Some("A"));
    let pinned = ("is_pinned", "true");
    refused(&[("fragment", "inbox"), pinned, ("name", "A")], "built-in");
    refused(&[("fragment", "a"), pinned], "needs a name");
    refused(
        &[("fragment", "a"), pinned, ("name", "A")],
        "already have this view",
    );
    refused(
        &[("fragment", "b"), pinned, ("name", "A")],
        "a view with this name",
    );
    refused(
        &[("fragment", "b"), pinned, ("name", &"x".repeat(101))],
        "name",
    );
    assert_eq!(list(&user).as_array().unwrap().len(), 2);
}

#[test]
fn views_are_renamed_and_unpinned_by_their_encoded_fragment() {
    let user = server().user("member");
    add(&user, "narrow/is/starred", None);
    add(&user, "narrow/topic/ü ?", Some("T"));
    user.patch(&path("narrow/is/starred"), &[("is_pinned", "false")])
        .ok();
    let encoded = "/navigation_views/narrow%2Ftopic%2F%C3%BC%20%3F";
    user.patch(encoded, &[("name", " U "), ("is_pinned", "false")])
        .ok();
    assert_eq!(
        list(&user),
        json!([{"fragment": "narrow/is/starred", "is_pinned": false},
               {"fragment": "narrow/topic/ü ?", "is_pinned": false, "name": "U"}])
    );
    user.delete(encoded, &[]).ok();
    user.delete(&path("narrow/is/starred"), &[]).ok();
    assert_eq!(list(&user), json!([]));
    user.delete(encoded, &[]).error(404, "BAD_REQUEST");
}

#[test]
fn wrong_changes_are_refused() {
    let user = server().user("member");
    add(&user, "inbox", None);
    add(&user, "a", Some("A"));
    add(&user, "b", Some("B"));
    let before = list(&user);
    user.patch(&path("inbox"), &[("name", "x")]).bad_request();
    user.patch(&path("a"), &[("name", "B")]).bad_request();
    user.patch(&path("a"), &[("name", "  ")]).bad_request();
    user.patch(&path("a"), &[("is_pinned", "no")]).bad_request();
    user.patch(&path("a"), &[]).bad_request();
    assert_eq!(list(&user), before);
}

#[test]
fn a_view_of_another_user_looks_like_a_missing_one() {
    let (user, other) = (server().user("owner"), server().user("member"));
    add(&other, "theirs", Some("T"));
    for method in ["PATCH", "DELETE"] {
        let send = |fragment: &str| {
            let call = spindle_tests::Call::new(method, &path(fragment));
            user.send(call.form(&[("is_pinned", "false")]))
        };
        let (missing, foreign) = (send("nobody"), send("theirs"));
        assert_eq!((missing.status, foreign.status), (404, 404));
        assert_eq!(missing.body["msg"], foreign.body["msg"]);
    }
    // Names and fragments are unique per user.
    add(&user, "theirs", Some("T"));
    assert_eq!(list(&other)[0]["is_pinned"], true);
}

#[test]
fn events_go_to_the_owner_only_with_the_changed_fields() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let types = ["navigation_view", "user_status"];
    let (mut own, mut others) = (Queue::of(&user, &types), Queue::of(&other, &types));
    add(&user, "inbox", None);
    add(&user, "a/b", Some("A"));
    user.patch(&path("a/b"), &[("name", "A"), ("is_pinned", "false")])
        .ok();
    // Unchanged: no event.
    user.patch(&path("a/b"), &[("name", "A")]).ok();
    user.patch(&path("a/b"), &[("name", "B")]).ok();
    user.delete(&path("a/b"), &[]).ok();
    let mine = |events: Vec<Value>| -> Vec<Value> {
        let events = without_ids(events).into_iter();
        events
            .filter(|event| event["type"] == "navigation_view")
            .collect()
    };
    assert_eq!(
        mine(settle(&mut own)),
        [
            json!({"type": "navigation_view", "op": "add",
                   "navigation_view": {"fragment": "inbox", "is_pinned": true}}),
            json!({"type": "navigation_view", "op": "add",
                   "navigation_view": {"fragment": "a/b", "is_pinned": true, "name": "A"}}),
            json!({"type": "navigation_view", "op": "update", "fragment": "a/b",
                   "data": {"is_pinned": false}}),
            json!({"type": "navigation_view", "op": "update", "fragment": "a/b",
                   "data": {"name": "B"}}),
            json!({"type": "navigation_view", "op": "remove", "fragment": "a/b"}),
        ]
    );
    assert!(mine(settle(&mut others)).is_empty());
}
