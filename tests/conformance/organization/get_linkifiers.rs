//! GET /realm/linkifiers, and the section of POST /register
//! (docs/protocol/linkifiers.md#linkifier).

use serde_json::{Value, json};
use spindle_tests::{User, unique};

use super::{LINKIFIERS, add, alone, list};

fn section(user: &User, capabilities: &Value) -> Value {
    let pairs = [
        ("event_types", "[]"),
        (
            "fetch_event_types",
            "[\"realm_linkifiers\", \"realm_filters\"]",
        ),
        ("client_capabilities", &capabilities.to_string()),
    ];
    let body = user.post("/register", &pairs).ok();
    assert_eq!(body["realm_filters"], json!([]), "always empty");
    body["realm_linkifiers"].clone()
}

#[test]
fn all_users_get_the_same_list_of_linkifiers() {
    let server = alone();
    let admin = server.user("administrator");
    add(&admin, &unique("g"));
    let expected = list(&admin);
    assert!(!expected.is_empty());
    for user in [server.user("guest"), server.user("member"), server.bot()] {
        assert_eq!(list(&user), expected);
        assert_eq!(
            section(&user, &json!({"linkifier_url_template": true})),
            json!(expected)
        );
    }
    server
        .anonymous()
        .get(LINKIFIERS, &[])
        .error(401, "UNAUTHORIZED");
}

#[test]
fn the_section_of_linkifiers_needs_the_capability() {
    let server = alone();
    let admin = server.user("administrator");
    add(&admin, &unique("c"));
    assert_eq!(section(&admin, &json!({})), json!([]));
    let without = json!({"linkifier_url_template": false});
    assert_eq!(section(&admin, &without), json!([]));
}
