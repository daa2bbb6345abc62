//! GET, POST and PATCH /realm/profile_fields, DELETE /realm/profile_fields/{field_id}
//! (docs/protocol/profile-fields.md#create_profile_field,
//! docs/protocol/profile-fields.md#reorder_profile_fields). Rules of the parameters are in
//! `profile_field_rules.rs`.

use serde_json::{Value, json};
use spindle_tests::{Options, Queue, Server, User, unique};

use crate::support::{keys, server};

const PATH: &str = "/realm/profile_fields";

fn list(user: &User) -> Vec<Value> {
    let body = user.get(PATH, &[]).ok();
    body["custom_fields"]
        .as_array()
        .expect("custom_fields")
        .clone()
}

fn create(admin: &User, pairs: &[(&str, &str)]) -> i64 {
    admin.post(PATH, pairs).ok()["id"].as_i64().expect("id")
}

#[test]
fn a_field_is_listed_registered_and_announced() {
    let admin = server().user("administrator");
    let guest = server().user("guest");
    let mut queue = Queue::of(&guest, &["custom_profile_fields"]);
    let name = unique("Team ");
    let spaced = format!("  {name} ");
    let pairs = [
        ("name", spaced.as_str()),
        ("field_type", "1"),
        ("hint", " where "),
    ];
    let id = create(&admin, &pairs);
    let expected = json!({"id": id, "name": name, "type": 1, "hint": " where ", "field_data": "",
        "order": id, "required": false, "editable_by_user": true});
    let find = |list: &[Value]| list.iter().find(|field| field["id"] == id).cloned();
    assert_eq!(find(&list(&guest)), Some(expected.clone()));
    let event = queue.expect(|event| find(event["fields"].as_array().unwrap()).is_some());
    assert_eq!(keys(&event), ["fields", "id", "type"]);
    assert_eq!(
        find(event["fields"].as_array().unwrap()),
        Some(expected.clone())
    );
    let types = [("fetch_event_types", "[\"custom_profile_fields\"]")];
    let state = guest.post("/register", &types).ok();
    let section = state["custom_profile_fields"].as_array().unwrap();
    assert_eq!(find(section), Some(expected));
    assert_eq!(
        state["custom_profile_field_types"]["EXTERNAL_ACCOUNT"],
        json!({"id": 7, "name": "External account"})
    );
}

#[test]
fn flags_are_shown_only_when_they_are_set() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let pairs = [
        ("name", "Nickname"),
        ("field_type", "1"),
        ("display_in_profile_summary", "true"),
        ("use_for_user_matching", "true"),
        ("required", "true"),
        ("editable_by_user", "false"),
    ];
    let id = create(&admin, &pairs);
    assert_eq!(
        list(&admin),
        [
            json!({"id": id, "name": "Nickname", "type": 1, "hint": "", "field_data": "",
            "order": id, "required": true, "editable_by_user": false,
            "display_in_profile_summary": true, "use_for_user_matching": true})
        ]
    );
}

/// The name, hint and pattern of a site in the server's table come from that table.
#[test]
fn built_in_external_accounts_come_from_the_servers_table() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let state = admin
        .post("/register", &[("fetch_event_types", "[\"realm\"]")])
        .ok();
    let table = &state["realm_default_external_accounts"]["github"];
    let data = json!({"subtype": "github"}).to_string();
    let pairs = [
        ("name", "x"),
        ("hint", "y"),
        ("field_type", "7"),
        ("field_data", &data),
    ];
    let id = create(&admin, &pairs);
    let field = &list(&admin)[0];
    assert_eq!(field["name"], table["name"]);
    assert_eq!(field["hint"], table["hint"]);
    let stored: Value = serde_json::from_str(field["field_data"].as_str().unwrap()).unwrap();
    assert_eq!(stored, json!({"subtype": "github"}));
    // A second field with this name is refused.
    admin.post(PATH, &pairs).bad_request();
    // Only the flags may be changed.
    let path = format!("{PATH}/{id}");
    for pair in [
        ("name", "z"),
        ("hint", "z"),
        ("field_data", "{\"subtype\": \"twitter\"}"),
    ] {
        admin.patch(&path, &[pair]).bad_request();
    }
    let same = [
        ("name", "GitHub username"),
        ("field_data", &data),
        ("required", "true"),
    ];
    admin.patch(&path, &same).ok();
    assert_eq!(list(&admin)[0]["required"], true);
    // A custom external account cannot become a built-in one.
    let custom = json!({"subtype": "custom", "url_pattern": "https://x.org/%(username)s"});
    let pairs = [
        ("name", "Own"),
        ("field_type", "7"),
        ("field_data", &custom.to_string()),
    ];
    let own = create(&admin, &pairs);
    let twitter = [("field_data", "{\"subtype\": \"twitter\"}")];
    admin
        .patch(&format!("{PATH}/{own}"), &twitter)
        .bad_request();
    // The name comes from the table, so the parameter is optional.
    let data = json!({"subtype": "twitter"}).to_string();
    let id = create(&admin, &[("field_type", "7"), ("field_data", &data)]);
    let fields = list(&admin);
    let made = fields.iter().find(|field| field["id"] == id).unwrap();
    let table = &state["realm_default_external_accounts"]["twitter"];
    assert_eq!(
        (&made["name"], &made["hint"]),
        (&table["name"], &table["hint"])
    );
}

/// A required field without a value restricts nothing (docs/protocol/profile-fields.md#record,
/// `required`).
#[test]
fn a_required_field_may_lack_a_value() {
    let required = crate::users::field(server(), 1, &[("required", "true")]);
    let other = crate::users::field(server(), 8, &[]);
    let user = server().user("member");
    let set = |id: i64, value: Value| {
        let data = crate::users::entry(id, value);
        user.patch("/users/me/profile_data", &[("data", &data)])
            .ok();
        user.get("/users/me", &[]).ok()["profile_data"].clone()
    };
    assert_eq!(
        set(other, json!("it")),
        json!({other.to_string(): {"value": "it"}})
    );
    assert!(
        set(required, json!("x"))
            .get(required.to_string())
            .is_some()
    );
    assert!(
        set(required, Value::Null)
            .get(required.to_string())
            .is_none()
    );
}

#[test]
fn profile_fields_are_ordered_by_the_given_list() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let names = ["one", "two", "three"];
    let ids = names.map(|name| create(&admin, &[("name", name), ("field_type", "8")]));
    let [one, two, three] = ids;
    let mut queue = Queue::of(&admin, &["custom_profile_fields"]);
    let order = |ids: &[i64]| json!(ids).to_string();
    admin
        .patch(PATH, &[("order", &order(&[three, one, two]))])
        .ok();
    let shown = |fields: &[Value]| -> Vec<(i64, i64)> {
        let number = |value: &Value| value.as_i64().unwrap();
        fields
            .iter()
            .map(|field| (number(&field["id"]), number(&field["order"])))
            .collect()
    };
    assert_eq!(shown(&list(&admin)), [(three, 0), (one, 1), (two, 2)]);
    let events = queue.wait();
    assert_eq!(
        shown(events[0]["fields"].as_array().unwrap()),
        [(three, 0), (one, 1), (two, 2)]
    );
    // Unknown ids are ignored, and of a repeated id the last position counts.
    admin
        .patch(PATH, &[("order", &order(&[two, 999, one, three, two]))])
        .ok();
    assert_eq!(shown(&list(&admin)), [(one, 2), (three, 3), (two, 4)]);
    queue.wait();
    admin
        .patch(PATH, &[("order", &order(&[one, two]))])
        .bad_request();
    admin.patch(PATH, &[("order", "5")]).bad_request();
    admin
        .patch(PATH, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(shown(&list(&admin)), [(one, 2), (three, 3), (two, 4)]);
    assert!(queue.poll().is_empty(), "an error sends no event");
    // A new field comes last.
    let last = create(&admin, &[("name", "four"), ("field_type", "8")]);
    assert_eq!(shown(&list(&admin)).last(), Some(&(last, last)));
}

#[test]
fn deleting_a_field_deletes_its_values() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let name = unique("Gone ");
    let id = create(&admin, &[("name", &name), ("field_type", "1")]);
    let data = json!([{"id": id, "value": "x"}]).to_string();
    user.patch("/users/me/profile_data", &[("data", &data)])
        .ok();
    let mut queue = Queue::of(&user, &["custom_profile_fields"]);
    let path = format!("{PATH}/{id}");
    admin.delete(&path, &[]).ok();
    let has = |fields: &Value| {
        fields
            .as_array()
            .unwrap()
            .iter()
            .any(|field| field["id"] == id)
    };
    queue.expect(|event| !has(&event["fields"]));
    assert!(!has(&Value::from(list(&user))));
    assert_eq!(user.get("/users/me", &[]).ok()["profile_data"], json!({}));
    admin.delete(&path, &[]).bad_request();
    admin.patch(&path, &[("name", "x")]).bad_request();
    // The name can be used again.
    create(&admin, &[("name", &name), ("field_type", "1")]);
}

#[test]
fn only_administrators_change_fields() {
    let id = crate::users::field(server(), 1, &[]);
    let path = format!("{PATH}/{id}");
    let order = "[1]";
    for role in ["moderator", "member", "guest"] {
        let user = server().user(role);
        let code = "UNAUTHORIZED_PRINCIPAL";
        // Missing and unknown parameters are checked after the role.
        user.post(PATH, &[]).error(400, code);
        user.patch(PATH, &[("order", order)]).error(400, code);
        user.patch(&path, &[("name", "x")]).error(400, code);
        user.delete(&path, &[]).error(400, code);
        user.delete(&format!("{PATH}/999999"), &[]).error(400, code);
    }
    let robot = server().user_with("administrator", &["--bot"]);
    robot.patch(&path, &[("hint", "by a bot")]).ok();
}
