//! PATCH /users/me/profile_data (docs/protocol/users.md#update_user).

use serde_json::{Value, json};
use spindle_tests::{Queue, User};

use super::{bare, entry, field, profile};
use crate::support::server;

const PATH: &str = "/users/me/profile_data";

#[track_caller]
fn set(user: &User, number: i64, value: impl Into<Value>) {
    user.patch(PATH, &[("data", &entry(number, value))]).ok();
}

#[track_caller]
fn refused(user: &User, number: i64, value: impl Into<Value>) {
    user.patch(PATH, &[("data", &entry(number, value))])
        .bad_request();
}

fn own(user: &User) -> Value {
    user.get("/users/me", &[]).ok()["profile_data"].clone()
}

/// Type of a field, further parameters, the value in the request, and the delivered value.
type Case<'a> = (i64, &'a [(&'a str, &'a str)], Value, Value);

#[test]
fn values_of_every_type_are_delivered_as_text() {
    let user = server().user("member");
    let other = server().user("guest");
    let choices = json!({"vim": {"text": "Vim", "order": "1"}}).to_string();
    let github = json!({"subtype": "github"}).to_string();
    let cases: [Case<'_>; 8] = [
        (
            1,
            &[],
            json!("*short*"),
            json!({"value": "*short*", "rendered_value": "<p><em>short</em></p>"}),
        ),
        (
            2,
            &[],
            json!("one\n\ntwo"),
            json!({"value": "one\n\ntwo", "rendered_value": "<p>one</p>\n<p>two</p>"}),
        ),
        (
            3,
            &[("field_data", &choices)],
            json!("vim"),
            json!({"value": "vim"}),
        ),
        (4, &[], json!("2024-02-29"), json!({"value": "2024-02-29"})),
        (
            5,
            &[],
            json!("https://example.org/x"),
            json!({"value": "https://example.org/x"}),
        ),
        (
            6,
            &[],
            json!([other.user_id, user.user_id]),
            json!({"value": format!("[{},{}]", user.user_id, other.user_id)}),
        ),
        (
            7,
            &[("field_data", &github)],
            json!("ann"),
            json!({"value": "ann"}),
        ),
        (8, &[], json!("she/her"), json!({"value": "she/her"})),
    ];
    for (kind, more, value, expected) in cases {
        // Only one built-in field of each kind is allowed.
        let number = match kind {
            7 => github_field(),
            _ => field(server(), kind, more),
        };
        set(&user, number, value);
        assert_eq!(own(&user)[number.to_string()], expected, "type {kind}");
        assert_eq!(profile(&other, &user)[number.to_string()], expected);
    }
}

/// The built-in field, created by the first test that needs it.
fn github_field() -> i64 {
    use std::sync::OnceLock;
    static FIELD: OnceLock<i64> = OnceLock::new();
    *FIELD.get_or_init(|| field(server(), 7, &[("field_data", "{\"subtype\": \"github\"}")]))
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let user = server().user("member");
    let (bot, gone) = (server().bot(), server().user("member"));
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let choices = json!({"vim": {"text": "Vim", "order": "1"}}).to_string();
    let (over_50, over_500) = ("é".repeat(51), "é".repeat(501));
    let cases: [(i64, Vec<Value>); 7] = [
        (
            1,
            vec![json!(over_50), json!(5), json!([5]), json!({}), json!(true)],
        ),
        (2, vec![json!(over_500)]),
        (3, vec![json!("Vim"), json!("emacs"), json!(0)]),
        (
            4,
            vec![json!("2023-02-29"), json!("29.2.2024"), json!("2024-2-29")],
        ),
        (5, vec![json!("example.org"), json!("javascript:alert(1)")]),
        (
            6,
            vec![
                json!("[5]"),
                json!(["5"]),
                json!([999_999]),
                json!([bot.user_id]),
                json!([gone.user_id]),
            ],
        ),
        (8, vec![json!(over_50)]),
    ];
    for (kind, values) in cases {
        let more: &[(&str, &str)] = if kind == 3 {
            &[("field_data", &choices)]
        } else {
            &[]
        };
        let number = field(server(), kind, more);
        for value in values {
            refused(&user, number, value);
        }
        assert!(own(&user).get(number.to_string()).is_none());
    }
    refused(&user, github_field(), over_50);
    refused(&user, 999_999, "x");
}

#[test]
fn empty_values_remove_a_value() {
    let user = server().user("member");
    let number = field(server(), 1, &[]);
    for nothing in [json!(null), json!(""), json!([])] {
        set(&user, number, "x");
        assert_eq!(own(&user)[number.to_string()]["value"], "x");
        set(&user, number, nothing.clone());
        assert!(own(&user).get(number.to_string()).is_none());
        // Removing a missing value is not an error.
        set(&user, number, nothing);
    }
    refused(&user, 999_999, Value::Null);
}

#[test]
fn all_values_are_checked_before_one_is_written() {
    let user = server().user("member");
    let (one, other) = (field(server(), 1, &[]), field(server(), 4, &[]));
    let data = json!([{"id": one, "value": "x"}, {"id": other, "value": "never"}]).to_string();
    user.patch(PATH, &[("data", &data)]).bad_request();
    assert!(own(&user).get(one.to_string()).is_none());
    user.patch(PATH, &[]).error(400, "REQUEST_VARIABLE_MISSING");
    for data in ["{}", "[5]", "[{\"id\": 5}]", "[{\"value\": 5}]", "x"] {
        user.patch(PATH, &[("data", data)]).bad_request();
    }
    user.patch(PATH, &[("data", "[]")]).ok();
}

#[test]
fn a_field_may_be_read_only_for_its_owner() {
    let number = field(server(), 1, &[("editable_by_user", "false")]);
    for role in ["moderator", "member", "guest"] {
        refused(&server().user(role), number, "x");
        let data = format!("[{number}]");
        server()
            .user(role)
            .delete(PATH, &[("data", &data)])
            .bad_request();
    }
    let admin = server().user("administrator");
    set(&admin, number, "x");
    assert_eq!(own(&admin)[number.to_string()]["value"], "x");
}

#[test]
fn each_changed_value_is_one_event() {
    let (user, watcher) = (server().user("member"), server().user("guest"));
    let (one, other) = (field(server(), 1, &[]), field(server(), 8, &[]));
    set(&user, one, "old");
    let mut queue = Queue::of(&watcher, &["realm_user"]);
    let data = json!([{"id": one, "value": "old"}, {"id": other, "value": "it"},
        {"id": one, "value": "**new**"}, {"id": other, "value": null}])
    .to_string();
    user.patch(PATH, &[("data", &data)]).ok();
    let last = |event: &Value| {
        event["person"]["custom_profile_field"]["value"] == Value::Null
            && event["person"]["user_id"] == user.user_id
    };
    let events = bare(queue.until(last));
    let changes: Vec<&Value> = events
        .iter()
        .filter(|event| event["person"]["user_id"] == user.user_id)
        .collect();
    let event = |field: Value| {
        json!({"type": "realm_user", "op": "update",
            "person": {"user_id": user.user_id, "custom_profile_field": field}})
    };
    assert_eq!(
        changes,
        [
            &event(json!({"id": other, "value": "it"})),
            &event(json!({"id": one, "value": "**new**",
                "rendered_value": "<p><strong>new</strong></p>"})),
            &event(json!({"id": other, "value": null})),
        ]
    );
}

#[test]
fn bots_have_no_profile() {
    let bot = server().bot();
    let number = field(server(), 1, &[]);
    refused(&bot, number, "x");
    bot.delete(PATH, &[("data", &format!("[{number}]"))])
        .bad_request();
}

/// Other users are shown the values of a profile, so they must not contain executable HTML.
#[test]
fn rendered_profile_values_are_safe_html() {
    let user = server().user("member");
    let number = field(server(), 2, &[]);
    set(
        &user,
        number,
        "<script>alert(1)</script> [x](javascript:alert(1)) @**all**",
    );
    let rendered = own(&user)[number.to_string()]["rendered_value"].clone();
    let html = rendered.as_str().unwrap();
    assert!(!html.contains("<script"), "{html}");
    assert!(!html.contains("href=\"javascript"), "{html}");
}
