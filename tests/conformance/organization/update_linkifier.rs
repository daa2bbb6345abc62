//! PATCH /realm/filters/{filter_id} (docs/protocol/linkifiers.md#update_linkifier).

use serde_json::{Value, json};
use spindle_tests::unique;

use super::{add, alone, list, queue, record, settled};

#[test]
fn only_passed_fields_change() {
    let server = alone();
    let admin = server.user("administrator");
    let prefix = unique("p");
    let id = add(&admin, &prefix);
    let path = format!("/realm/filters/{id}");
    let before = record(&admin, id);
    let (example, reverse) = (format!("{prefix}5"), format!("{prefix}{{id}}"));
    let pairs = [
        ("example_input", example.as_str()),
        ("reverse_template", &reverse),
        ("alternative_url_templates", "[\"https://u.example/{id}\"]"),
    ];
    admin.patch(&path, &pairs).ok();
    let changed = record(&admin, id);
    assert_eq!(changed["pattern"], before["pattern"]);
    assert_eq!(changed["url_template"], before["url_template"]);
    assert_eq!(changed["example_input"], example.as_str());
    assert_eq!(changed["reverse_template"], reverse.as_str());
    admin
        .patch(&path, &[("url_template", " https://v.example/{id} ")])
        .ok();
    assert_eq!(record(&admin, id)["url_template"], "https://v.example/{id}");
    assert_eq!(record(&admin, id)["example_input"], example.as_str());
    // An empty string resets a field; an example may exist without a reverse template, but not the
    // other way round.
    admin.patch(&path, &[("example_input", "")]).bad_request();
    admin.patch(&path, &[("reverse_template", "")]).ok();
    assert_eq!(record(&admin, id)["reverse_template"], Value::Null);
    admin.patch(&path, &[("example_input", "")]).ok();
    assert_eq!(record(&admin, id)["example_input"], Value::Null);
    admin
        .patch(&path, &[("alternative_url_templates", "[]")])
        .ok();
    assert_eq!(record(&admin, id)["alternative_url_templates"], json!([]));
}

#[test]
fn the_resulting_linkifier_is_checked_as_a_whole() {
    let server = alone();
    let admin = server.user("administrator");
    let prefix = unique("w");
    let (id, other) = (add(&admin, &prefix), add(&admin, &unique("o")));
    let path = format!("/realm/filters/{id}");
    let before = record(&admin, id);
    let fields = |pairs: &[(&str, &str)]| {
        let body = admin.patch(&path, pairs).bad_request();
        body["errors"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(fields(&[("pattern", "(")]), ["pattern"]);
    assert_eq!(fields(&[("pattern", "")]), ["pattern"]);
    assert_eq!(fields(&[("pattern", "x")]), ["__all__"]);
    assert_eq!(
        fields(&[("url_template", "https://x.example")]),
        ["__all__"]
    );
    let taken = record(&admin, other)["pattern"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(fields(&[("pattern", &taken)]), ["__all__"]);
    assert_eq!(
        fields(&[("reverse_template", "{id}")]),
        ["reverse_template"]
    );
    assert_eq!(record(&admin, id), before);
}

#[test]
fn a_missing_linkifier_is_refused() {
    let server = alone();
    let admin = server.user("administrator");
    admin
        .patch("/realm/filters/999999", &[("pattern", "x")])
        .bad_request();
    server
        .user("moderator")
        .patch("/realm/filters/999999", &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
}

#[test]
fn a_changed_linkifier_is_broadcast_and_an_unchanged_one_is_not() {
    let server = alone();
    let admin = server.user("administrator");
    let id = add(&admin, &unique("t"));
    let path = format!("/realm/filters/{id}");
    let member = server.user("member");
    let mut queue = queue(&member, true);
    let pattern = record(&admin, id)["pattern"].as_str().unwrap().to_owned();
    admin.patch(&path, &[("pattern", &pattern)]).ok();
    admin.patch(&path, &[]).ok();
    assert!(settled(&mut queue, &admin).is_empty());
    admin
        .patch(&path, &[("url_template", "https://n.example/{id}")])
        .ok();
    let events = settled(&mut queue, &admin);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["realm_linkifiers"], json!(list(&member)));
}
