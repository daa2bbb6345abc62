//! PATCH /realm/profile_fields/{field_id} (docs/protocol/profile-fields.md#update_profile_field).

use serde_json::{Value, json};
use spindle_tests::{Queue, User, unique};

use crate::support::server;
use crate::users::{entry, field};

fn path(id: i64) -> String {
    format!("/realm/profile_fields/{id}")
}

fn shown(user: &User, id: i64) -> Value {
    let body = user.get("/realm/profile_fields", &[]).ok();
    let fields = body["custom_fields"].as_array().unwrap();
    fields
        .iter()
        .find(|field| field["id"] == id)
        .expect("the field")
        .clone()
}

#[test]
fn only_passed_parameters_change_a_profile_field() {
    let admin = server().user("administrator");
    let id = field(server(), 1, &[("hint", "old")]);
    let before = shown(&admin, id);
    let mut queue = Queue::of(&admin, &["custom_profile_fields"]);
    let name = unique("New ");
    admin
        .patch(&path(id), &[("name", &format!(" {name} "))])
        .ok();
    let mut expected = before.clone();
    expected["name"] = json!(name);
    assert_eq!(shown(&admin, id), expected);
    queue.expect(|event| event["fields"].as_array().unwrap().contains(&expected));
    for (name, value) in [
        ("required", true),
        ("editable_by_user", false),
        ("use_for_user_matching", true),
    ] {
        admin.patch(&path(id), &[(name, &value.to_string())]).ok();
        expected[name] = json!(value);
    }
    admin.patch(&path(id), &[("hint", "")]).ok();
    expected["hint"] = json!("");
    assert_eq!(shown(&admin, id), expected);
    admin
        .patch(&path(id), &[("use_for_user_matching", "false")])
        .ok();
    assert!(shown(&admin, id).get("use_for_user_matching").is_none());
    // The type cannot be changed.
    let reply = admin.patch(&path(id), &[("field_type", "2")]);
    assert_eq!(reply.ignored(), ["field_type"]);
    assert_eq!(shown(&admin, id)["type"], 1);
}

#[test]
fn bad_values_change_nothing() {
    let admin = server().user("administrator");
    let (id, other) = (field(server(), 8, &[]), field(server(), 8, &[]));
    let before = shown(&admin, id);
    let taken = shown(&admin, other)["name"].as_str().unwrap().to_owned();
    let (long, hint) = ("n".repeat(41), "h".repeat(81));
    for pair in [
        ("name", ""),
        ("name", " "),
        ("name", long.as_str()),
        ("name", &taken),
        ("hint", &hint),
        ("required", "1"),
        ("use_for_user_matching", "true"),
        ("field_data", "x"),
    ] {
        admin
            .patch(&path(id), &[("editable_by_user", "false"), pair])
            .bad_request();
    }
    assert_eq!(shown(&admin, id), before);
    admin.patch(&path(999_999), &[("name", "x")]).bad_request();
    // A field may keep its own name.
    admin
        .patch(&path(id), &[("name", before["name"].as_str().unwrap())])
        .ok();
}

/// Users whose choice was removed have no value any more, which is broadcast.
#[test]
fn values_of_removed_choices_are_deleted() {
    let admin = server().user("administrator");
    let [ann, bob, watcher] = ["member", "guest", "member"].map(|role| server().user(role));
    let choices = |keys: &[&str]| {
        let all: serde_json::Map<String, Value> = keys
            .iter()
            .map(|key| {
                (
                    (*key).to_owned(),
                    json!({"text": format!("is {key}"), "order": "1"}),
                )
            })
            .collect();
        Value::Object(all).to_string()
    };
    let id = field(server(), 3, &[("field_data", &choices(&["a", "b"]))]);
    for (user, value) in [(&ann, "a"), (&bob, "b")] {
        user.patch("/users/me/profile_data", &[("data", &entry(id, value))])
            .ok();
    }
    let mut queue = Queue::of(&watcher, &["realm_user", "custom_profile_fields"]);
    admin
        .patch(&path(id), &[("field_data", &choices(&["b", "c"]))])
        .ok();
    let value = |user: &User| {
        user.get("/users/me", &[]).ok()["profile_data"]
            .get(id.to_string())
            .cloned()
    };
    assert_eq!(value(&ann), None);
    assert_eq!(value(&bob), Some(json!({"value": "b"})));
    let about = |event: &Value| event["person"]["custom_profile_field"]["id"] == id;
    let events = queue.until(about);
    let received: Vec<&Value> = events.iter().filter(|event| about(event)).collect();
    assert_eq!(received.len(), 1);
    assert_eq!(
        received[0]["person"],
        json!({"user_id": ann.user_id, "custom_profile_field": {"id": id, "value": null}})
    );
    admin
        .patch(&path(id), &[("field_data", "{}")])
        .bad_request();
    assert_eq!(value(&bob), Some(json!({"value": "b"})));
}
