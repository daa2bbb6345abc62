//! POST /realm/profile_fields: validation of a field, and the order of the checks
//! (docs/protocol/profile-fields.md#create_profile_field).

use serde_json::{Value, json};
use spindle_tests::{Options, Server, User, unique};

use crate::support::server;

const PATH: &str = "/realm/profile_fields";

#[track_caller]
fn refused(admin: &User, pairs: &[(&str, &str)]) -> String {
    let body = admin.post(PATH, pairs).bad_request();
    body["msg"].as_str().expect("msg").to_owned()
}

#[test]
fn names_and_hints_have_maximum_lengths() {
    let admin = server().user("administrator");
    let make = |name: &str, hint: &str| {
        admin.post(PATH, &[("name", name), ("hint", hint), ("field_type", "1")])
    };
    let name = format!("{}{}", unique("é "), "é".repeat(40));
    let fitting: String = name.chars().take(40).collect();
    make(&fitting, &"é".repeat(80)).ok();
    make(&fitting, "").bad_request();
    make("", "").bad_request();
    make("  ", "").bad_request();
    make(&unique("x"), &"é".repeat(81)).bad_request();
    make(&"é".repeat(41), "").bad_request();
    // Names are compared case-sensitively.
    make(&fitting.to_uppercase(), "").ok();
    admin.post(PATH, &[("field_type", "1")]).bad_request();
}

#[test]
fn choices_of_select_fields_are_checked() {
    let admin = server().user("administrator");
    let make = |data: &Value| {
        let (name, data) = (unique("Choice "), data.to_string());
        admin.post(
            PATH,
            &[("name", &name), ("field_type", "3"), ("field_data", &data)],
        )
    };
    let good = json!({"a": {"text": "A", "order": "1"}, "b": {"text": "B", "order": "2"}});
    let id = make(&good).ok()["id"].clone();
    let fields = admin.get(PATH, &[]).ok()["custom_fields"].clone();
    let field = fields
        .as_array()
        .unwrap()
        .iter()
        .find(|field| field["id"] == id)
        .unwrap();
    let stored = field["field_data"]
        .as_str()
        .expect("a text that holds JSON");
    assert_eq!(serde_json::from_str::<Value>(stored).unwrap(), good);
    for bad in [
        json!({}),
        json!([]),
        json!("x"),
        json!({" ": {"text": "A", "order": "1"}}),
        json!({"a": {"text": "", "order": "1"}}),
        json!({"a": {"text": "A", "order": " "}}),
        json!({"a": {"text": "A", "order": 1}}),
        json!({"a": {"text": "A"}}),
        json!({"a": {"text": "A", "order": "1", "more": "x"}}),
        json!({"a": {"text": "A", "order": "1"}, "b": {"text": "A", "order": "2"}}),
    ] {
        make(&bad).bad_request();
    }
    let name = unique("Choice ");
    refused(&admin, &[("name", &name), ("field_type", "3")]);
    refused(
        &admin,
        &[("name", &name), ("field_type", "3"), ("field_data", "{")],
    );
}

#[test]
fn external_account_fields_are_checked() {
    let admin = server().user("administrator");
    let make = |data: &Value| {
        let (name, data) = (unique("Account "), data.to_string());
        admin.post(
            PATH,
            &[("name", &name), ("field_type", "7"), ("field_data", &data)],
        )
    };
    make(&json!({"subtype": "custom", "url_pattern": "https://x.org/%(username)s"})).ok();
    for bad in [
        json!({}),
        json!({"url_pattern": "https://x.org/%(username)s"}),
        json!({"subtype": "myspace"}),
        json!({"subtype": "custom"}),
        json!({"subtype": "custom", "url_pattern": "https://x.org/"}),
        json!({"subtype": "custom", "url_pattern": "https://%(username)s/%(username)s"}),
        json!({"subtype": "custom", "url_pattern": "%(username)s"}),
        json!({"subtype": "custom", "url_pattern": 5}),
        json!({"subtype": "github", "more": 5}),
    ] {
        make(&bad).bad_request();
    }
}

#[test]
fn data_of_other_types_is_dropped() {
    let admin = server().user("administrator");
    let name = unique("Date ");
    let data = "{\"anything\": [1]}";
    let made = admin
        .post(
            PATH,
            &[("name", &name), ("field_type", "4"), ("field_data", data)],
        )
        .ok();
    let fields = admin.get(PATH, &[]).ok()["custom_fields"].clone();
    let found = fields
        .as_array()
        .unwrap()
        .iter()
        .find(|field| field["id"] == made["id"])
        .cloned();
    assert_eq!(found.unwrap()["field_data"], "");
}

#[test]
fn each_type_allows_certain_flags() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let make = |kind: i64, flag: &str| {
        let (name, kind) = (unique("Field "), kind.to_string());
        let data = match kind.as_str() {
            "3" => json!({"a": {"text": "A", "order": "1"}}),
            "7" => json!({"subtype": "custom", "url_pattern": "https://x.org/%(username)s"}),
            _ => json!({}),
        };
        let pairs = [
            ("name", name.as_str()),
            ("field_type", &kind),
            (flag, "true"),
            ("field_data", &data.to_string()),
        ];
        admin.post(PATH, &pairs)
    };
    for kind in 1..=8 {
        let reply = make(kind, "use_for_user_matching");
        if kind == 1 || kind == 7 {
            reply.ok();
        } else {
            reply.bad_request();
        }
    }
    make(6, "display_in_profile_summary").bad_request();
    make(2, "display_in_profile_summary").ok();
    make(8, "display_in_profile_summary").ok();
    for kind in 1..=8 {
        make(kind, "display_in_profile_summary").bad_request();
    }
    // One of the two stops being shown in the summary.
    let fields = admin.get(PATH, &[]).ok()["custom_fields"].clone();
    let shown = |field: &&Value| field["display_in_profile_summary"] == true;
    let (one, other) = {
        let fields = fields.as_array().unwrap();
        let one = fields.iter().find(shown).unwrap()["id"].to_string();
        (
            one,
            fields.iter().find(|field| !shown(field)).unwrap()["id"].to_string(),
        )
    };
    let set = |id: &str, value: &str| {
        admin.patch(
            &format!("{PATH}/{id}"),
            &[("display_in_profile_summary", value)],
        )
    };
    set(&other, "true").bad_request();
    set(&one, "true").ok();
    set(&one, "false").ok();
    set(&other, "true").ok();
}

#[test]
fn field_types_are_one_to_eight() {
    let admin = server().user("administrator");
    for kind in ["0", "9", "-1", "\"1\"", "1.0", "short", "true", "null"] {
        refused(&admin, &[("name", &unique("Type ")), ("field_type", kind)]);
    }
    let body = admin
        .post(PATH, &[("name", "x")])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(body["var_name"], "field_type");
}

/// The parameters are read in alphabetical order; the checks follow in their own order.
#[test]
fn errors_are_reported_in_a_fixed_order() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    for name in ["one", "two"] {
        let pairs = [
            ("name", name),
            ("field_type", "1"),
            ("display_in_profile_summary", "true"),
        ];
        admin.post(PATH, &pairs).ok();
    }
    let flags = [
        "display_in_profile_summary",
        "editable_by_user",
        "field_data",
    ];
    let bad: Vec<(&str, &str)> = flags.iter().map(|name| (*name, "x")).collect();
    for (index, name) in flags.iter().enumerate() {
        let text = refused(&admin, &bad[index..]);
        assert!(text.contains(name), "{text}");
    }
    // A missing field_type is reported before flags that are read after it.
    let late = [("required", "x"), ("use_for_user_matching", "x")];
    admin
        .post(PATH, &late)
        .error(400, "REQUEST_VARIABLE_MISSING");
    let (long, hint) = ("n".repeat(41), "h".repeat(81));
    let base =
        |kind: &'static str| -> Vec<(&str, &str)> { vec![("field_type", kind), ("name", "one")] };
    let alone = |extra: &[(&str, &str)]| -> String {
        let mut pairs = vec![("field_type", "1"), ("name", "free")];
        pairs.retain(|(name, _)| !extra.iter().any(|(other, _)| other == name));
        pairs.extend(extra);
        refused(&admin, &pairs)
    };
    let full = alone(&[("display_in_profile_summary", "true")]);
    let data = alone(&[("field_type", "3"), ("field_data", "{}")]);
    let blank = alone(&[("name", " ")]);
    let long_hint = alone(&[("hint", &hint)]);
    let long_name = alone(&[("name", &long)]);
    let kind = alone(&[("field_type", "9")]);
    let matching = alone(&[("field_type", "8"), ("use_for_user_matching", "true")]);
    let taken = refused(&admin, &base("1"));
    let summary = ("display_in_profile_summary", "true");
    let matches = ("use_for_user_matching", "true");
    for (pairs, expected) in [
        (
            vec![
                summary,
                ("field_type", "3"),
                ("field_data", "{}"),
                ("name", ""),
            ],
            &full,
        ),
        (
            vec![("field_type", "3"), ("field_data", "{}"), ("name", "")],
            &data,
        ),
        (
            vec![("field_type", "9"), ("name", " "), ("hint", &hint)],
            &blank,
        ),
        (
            vec![("field_type", "9"), ("name", &long), ("hint", &hint)],
            &long_hint,
        ),
        (vec![("field_type", "9"), ("name", &long)], &long_name),
        (vec![("field_type", "9"), ("name", "one"), matches], &kind),
        (
            vec![("field_type", "8"), ("name", "one"), matches],
            &matching,
        ),
        (vec![("field_type", "8"), ("name", "one")], &taken),
    ] {
        assert_eq!(&refused(&admin, &pairs), expected, "{pairs:?}");
    }
    let fields = admin.get(PATH, &[]).ok()["custom_fields"].clone();
    assert_eq!(
        fields.as_array().unwrap().len(),
        2,
        "an error creates nothing"
    );
}
