//! POST /realm/playgrounds, DELETE /realm/playgrounds/{playground_id}
//! (docs/protocol/register.md#sections, docs/protocol/organization.md#playgrounds).

use serde_json::{Value, json};
use spindle_tests::{Queue, User, unique};

use super::{alone, settled};

const PLAYGROUNDS: &str = "/realm/playgrounds";
const TEMPLATE: &str = "https://play.example/?code={code}";

fn list(user: &User) -> Vec<Value> {
    let section = [("fetch_event_types", "[\"realm_playgrounds\"]")];
    let body = user.post("/register", &section).ok();
    body["realm_playgrounds"].as_array().expect("list").clone()
}

fn pairs<'a>(name: &'a str, language: &'a str, template: &'a str) -> [(&'static str, &'a str); 3] {
    [
        ("name", name),
        ("pygments_language", language),
        ("url_template", template),
    ]
}

#[test]
fn adding_and_removing_playgrounds_is_broadcast() {
    let server = alone();
    let (admin, guest) = (server.user("administrator"), server.user("guest"));
    let mut queue = Queue::of(&guest, &["realm_playgrounds", "user_status"]);
    let name = unique("Play ");
    let spaced = format!(" {name} ");
    let body = admin
        .post(PLAYGROUNDS, &pairs(&spaced, " C++ ", TEMPLATE))
        .ok();
    let id = body["id"].as_i64().expect("id");
    let record =
        json!({"id": id, "name": name, "pygments_language": "C++", "url_template": TEMPLATE});
    assert!(list(&guest).contains(&record));
    let received = settled(&mut queue, &admin);
    assert_eq!(received.len(), 1);
    assert_eq!(received[0]["realm_playgrounds"], json!(list(&guest)));
    // A second playground with this name for this language, or for this language with another name.
    let taken = admin
        .post(PLAYGROUNDS, &pairs(&name, "C++", TEMPLATE))
        .bad_request();
    assert!(taken["errors"].get("__all__").is_some());
    let other = unique("Play ");
    let second = admin
        .post(PLAYGROUNDS, &pairs(&other, "C++", TEMPLATE))
        .ok();
    let path = |id: &Value| format!("{PLAYGROUNDS}/{id}");
    admin.delete(&path(&second["id"]), &[]).ok();
    admin.delete(&path(&second["id"]), &[]).bad_request();
    admin.delete(&path(&body["id"]), &[]).ok();
    assert!(!list(&guest).contains(&record));
    let received = settled(&mut queue, &admin);
    assert_eq!(received.len(), 3, "a refused request sends no event");
    assert_eq!(received[2]["realm_playgrounds"], json!(list(&guest)));
}

#[test]
fn only_administrators_add_playgrounds_and_the_template_needs_the_code() {
    let server = alone();
    let (admin, member) = (server.user("administrator"), server.user("moderator"));
    member
        .post(PLAYGROUNDS, &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    member
        .delete(&format!("{PLAYGROUNDS}/1"), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let all = pairs("Play", "Rust", TEMPLATE);
    for missing in 0..3 {
        let given: Vec<_> = all.iter().take(missing).copied().collect();
        let error = admin
            .post(PLAYGROUNDS, &given)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], all[missing].0, "in this order");
    }
    // Only the language has a maximum length.
    let (long, longer) = ("x".repeat(41), "x".repeat(501));
    let body = admin.post(PLAYGROUNDS, &pairs(&longer[1..], &long[1..], TEMPLATE));
    body.ok();
    for (name, language, template, field) in [
        (" ", "Rust", TEMPLATE, "name"),
        (&longer, "Rust", TEMPLATE, "name"),
        ("Play", "", TEMPLATE, "pygments_language"),
        ("Play", &long, TEMPLATE, "pygments_language"),
        ("Play", "Ru$t", TEMPLATE, "pygments_language"),
        ("Play", "Rust", "", "url_template"),
        ("Play", "Rust", "https://play.example/", "url_template"),
        ("Play", "Rust", "https://play.example/{code", "url_template"),
        (
            "Play",
            "Rust",
            "https://play.example/{text}",
            "url_template",
        ),
        (
            "Play",
            "Rust",
            "https://play.example/{lang}/{code}",
            "url_template",
        ),
    ] {
        let error = admin
            .post(PLAYGROUNDS, &pairs(name, language, template))
            .bad_request();
        assert!(error["errors"].get(field).is_some(), "{error}");
    }
    assert!(list(&admin).iter().all(|record| record["name"] != "Play"));
}
