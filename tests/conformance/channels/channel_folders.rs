//! Channel folders: POST /channel_folders/create, PATCH and GET /channel_folders, PATCH
//! /channel_folders/{id} (docs/protocol/channel-folders.md).
//!
//! An order names every folder of the organization, so these tests have a server of their own and
//! run one at a time on it.

use std::sync::{Mutex, MutexGuard, OnceLock};

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Queue, Server, User, unique};

use crate::support::keys;

const FOLDERS: &str = "/channel_folders";
const CREATE: &str = "/channel_folders/create";

fn server() -> (&'static Server, MutexGuard<'static, ()>) {
    static SERVER: OnceLock<Server> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|poison| poison.into_inner());
    let server = SERVER.get_or_init(|| Server::start(Options::default()));
    (server, turn)
}

fn create(admin: &User, name: &str) -> i64 {
    let pairs = [("name", name), ("description", "")];
    let body = admin.post(CREATE, &pairs).ok();
    body["channel_folder_id"].as_i64().expect("an id")
}

fn list(user: &User, archived: bool) -> Vec<Value> {
    let pairs = [("include_archived", if archived { "true" } else { "false" })];
    let body = user.get(FOLDERS, &pairs).ok();
    body["channel_folders"].as_array().expect("a list").clone()
}

fn find(user: &User, id: i64) -> Value {
    let folders = list(user, true);
    let found = folders.iter().find(|folder| folder["id"] == id);
    found.expect("the folder").clone()
}

fn ids(folders: &[Value]) -> Vec<i64> {
    let id = |folder: &Value| folder["id"].as_i64().expect("an id");
    folders.iter().map(id).collect()
}

fn path(id: i64) -> String {
    format!("{FOLDERS}/{id}")
}

#[test]
fn a_new_folder_has_the_specified_fields_and_the_last_position() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let before = list(&admin, true);
    let name = unique("one space ");
    let sent = format!(" {} ", name.replace(' ', "   "));
    let pairs = [("name", sent.as_str()), ("description", "**bold** `x`")];
    let id = admin.post(CREATE, &pairs).ok()["channel_folder_id"].clone();
    let folders = list(&server.user("guest"), false);
    let folder = folders.last().expect("a folder");
    assert_eq!(
        keys(folder),
        [
            "creator_id",
            "date_created",
            "description",
            "id",
            "is_archived",
            "name",
            "order",
            "rendered_description"
        ]
    );
    assert_eq!(folder["id"], id);
    assert_eq!(folder["name"], name.as_str());
    assert_eq!(folder["description"], "**bold** `x`");
    let html = "<p><strong>bold</strong> <code>x</code></p>";
    assert_eq!(folder["rendered_description"], html);
    assert_eq!(folder["creator_id"], admin.user_id);
    assert!(folder["date_created"].as_i64().unwrap() > 1_700_000_000);
    assert_eq!(folder["is_archived"], false);
    let orders = before
        .iter()
        .map(|folder| folder["order"].as_i64().unwrap());
    assert!(folder["order"].as_i64().unwrap() > orders.max().unwrap_or(-1));
}

#[test]
fn the_first_missing_parameter_is_the_description() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    for (pairs, missing) in [
        (vec![], "description"),
        (vec![("name", "x")], "description"),
        (vec![("description", "")], "name"),
    ] {
        let error = admin.post(CREATE, &pairs);
        let error = error.error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], missing);
    }
    // The role is checked before the parameters are read.
    let member = server.user("member");
    member
        .post(CREATE, &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    // The length of the description is checked before a missing name is reported.
    let long = "é".repeat(1025);
    admin.post(CREATE, &[("description", &long)]).bad_request();
}

#[test]
fn the_length_of_names_and_descriptions_counts_code_points() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let count = list(&admin, true).len();
    let try_create = |name: &str, description: &str| {
        admin.post(CREATE, &[("name", name), ("description", description)])
    };
    for name in ["", "   ", "a\u{7}b", "\u{FDD0}", &"é".repeat(61)] {
        try_create(name, "").bad_request();
    }
    try_create("x", &"é".repeat(1025)).bad_request();
    assert_eq!(list(&admin, true).len(), count, "an error changes nothing");
    let error = try_create("ab\u{7}c", "").bad_request();
    assert!(error["msg"].as_str().unwrap().contains('3'), "{error}");
    let tag = unique("");
    let sixty = format!("{tag}{}", "é".repeat(60 - tag.chars().count()));
    try_create(&sixty, &"é".repeat(1024)).ok();
}

#[test]
fn names_of_folders_are_unique_without_case_also_among_archived_ones() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let name = unique("Höhe ");
    let id = create(&admin, &name);
    let pairs = [
        ("name", name.to_uppercase()),
        ("description", String::new()),
    ];
    let pairs = pairs.each_ref().map(|(key, value)| (*key, value.as_str()));
    admin.post(CREATE, &pairs).bad_request();
    admin.patch(&path(id), &[("is_archived", "true")]).ok();
    admin.post(CREATE, &pairs).bad_request();
    let other = create(&admin, &unique("other "));
    admin.patch(&path(other), &[("name", &name)]).bad_request();
}

#[test]
fn the_order_names_every_folder_and_unknown_ids_are_ignored() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let (a, b) = (create(&admin, &unique("a")), create(&admin, &unique("b")));
    admin.patch(&path(a), &[("is_archived", "true")]).ok();
    let mut all = ids(&list(&admin, true));
    all.reverse();
    let send = |order: &[i64]| {
        let order = serde_json::to_string(order).unwrap();
        admin.patch(FOLDERS, &[("order", &order)])
    };
    send(&all).ok();
    assert_eq!(ids(&list(&admin, true)), all);
    // Duplicates count at their last position; unknown ids only take up positions.
    let mut doubled = all.clone();
    doubled.insert(0, *all.last().unwrap());
    doubled.insert(1, 999_999);
    send(&doubled).ok();
    assert_eq!(ids(&list(&admin, true)), all);
    let places = list(&admin, true);
    assert_eq!(places[0]["order"], 2);
    for missing in [a, b] {
        let without: Vec<i64> = all.iter().copied().filter(|id| *id != missing).collect();
        send(&without).bad_request();
    }
    admin.patch(FOLDERS, &[("order", "[\"1\"]")]).bad_request();
    let error = admin.patch(FOLDERS, &[]);
    assert_eq!(
        error.error(400, "REQUEST_VARIABLE_MISSING")["var_name"],
        "order"
    );
    assert_eq!(ids(&list(&admin, true)), all, "an error changes nothing");
    server
        .user("moderator")
        .patch(FOLDERS, &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
}

#[test]
fn archived_folders_are_listed_only_when_asked_for() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let id = create(&admin, &unique("old "));
    admin.patch(&path(id), &[("is_archived", "true")]).ok();
    assert!(!ids(&list(&admin, false)).contains(&id));
    assert_eq!(find(&admin, id)["is_archived"], true);
    let by_default = admin.get(FOLDERS, &[]).ok();
    assert!(!ids(by_default["channel_folders"].as_array().unwrap()).contains(&id));
    admin
        .get(FOLDERS, &[("include_archived", "yes")])
        .bad_request();
    admin.patch(&path(id), &[("is_archived", "false")]).ok();
    assert!(ids(&list(&admin, false)).contains(&id));
}

#[test]
fn archiving_a_folder_in_use_is_refused_and_changes_nothing() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let name = unique("used ");
    let id = create(&admin, &name);
    let channel = fixture::channel(server, ChannelKind::Public, &[&admin]);
    fixture::channel_column(server, &channel, "folder_id", &id);
    let pairs = [("name", "renamed"), ("is_archived", "true")];
    admin.patch(&path(id), &pairs).bad_request();
    assert_eq!(find(&admin, id)["name"], name.as_str());
    // An archived channel is in the folder as well.
    fixture::channel_column(server, &channel, "is_archived", &1);
    admin
        .patch(&path(id), &[("is_archived", "true")])
        .bad_request();
    fixture::channel_column(server, &channel, "folder_id", &None::<i64>);
    admin.patch(&path(id), &[("is_archived", "true")]).ok();
}

#[test]
fn passed_fields_change_and_an_unchanged_name_is_not_checked() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let name = unique("name ");
    let id = create(&admin, &name);
    admin.patch(&path(id), &[]).ok();
    admin.patch(&path(id), &[("name", &name)]).ok();
    // Only the case of the name differs, so it does not collide with itself.
    let upper = name.to_uppercase();
    admin.patch(&path(id), &[("name", &upper)]).ok();
    admin.patch(&path(id), &[("description", "*new*")]).ok();
    let folder = find(&admin, id);
    assert_eq!(folder["name"], upper.as_str());
    assert_eq!(folder["rendered_description"], "<p><em>new</em></p>");
    for pairs in [
        [("name", "  ")],
        [("name", "a\u{1}")],
        [("name", &"x".repeat(61))],
        [("description", &"x".repeat(1025))],
        [("is_archived", "1")],
    ] {
        admin.patch(&path(id), &pairs).bad_request();
    }
    assert_eq!(find(&admin, id), folder, "an error changes nothing");
    admin.patch(&path(999_999), &[("name", "x")]).bad_request();
    server
        .user("member")
        .patch(&path(id), &[("name", "x")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
}

/// All accounts receive events about folders, guests included; one event for each property.
#[test]
fn events_about_folders_go_to_all_accounts() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let guest = server.user("guest");
    let mut queues = [&admin, &guest].map(|user| Queue::of(user, &["channel_folder"]));
    let name = unique("folder ");
    let id = create(&admin, &name);
    let new_name = unique("renamed ");
    let pairs = [
        ("is_archived", "true"),
        ("name", &new_name),
        ("description", "d"),
    ];
    admin.patch(&path(id), &pairs).ok();
    admin.patch(&path(id), &pairs).ok();
    admin.patch(&path(id), &[("name", "")]).bad_request();
    let all = ids(&list(&admin, true));
    let order = serde_json::to_string(&all).unwrap();
    admin.patch(FOLDERS, &[("order", &order)]).ok();
    let update = |data: Value| json!({"type": "channel_folder", "op": "update", "channel_folder_id": id, "data": data});
    let expected = [
        update(json!({"name": new_name})),
        update(json!({"description": "d", "rendered_description": "<p>d</p>"})),
        update(json!({"is_archived": true})),
        json!({"type": "channel_folder", "op": "reorder", "order": all}),
    ];
    for queue in &mut queues {
        let mut events = queue.until(|event| event["op"] == "reorder");
        for event in &mut events {
            event.as_object_mut().unwrap().remove("id");
        }
        assert_eq!(events[0]["op"], "add");
        assert_eq!(events[0]["channel_folder"]["id"], id);
        assert_eq!(events[0]["channel_folder"]["name"], name.as_str());
        assert_eq!(events[1..], expected);
    }
}

/// Register lists all folders in their order; without an account, only those of web-public
/// channels.
#[test]
fn register_lists_folders() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let (open, inner) = (create(&admin, &unique("o")), create(&admin, &unique("i")));
    let archived = create(&admin, &unique("gone"));
    admin
        .patch(&path(archived), &[("is_archived", "true")])
        .ok();
    for (kind, folder) in [(ChannelKind::WebPublic, open), (ChannelKind::Public, inner)] {
        let channel = fixture::channel(server, kind, &[]);
        fixture::channel_column(server, &channel, "folder_id", &folder);
    }
    let fetch = [("fetch_event_types", "[\"channel_folders\"]")];
    let body = admin.post("/register", &fetch).ok();
    assert_eq!(body["channel_folders"], json!(list(&admin, true)));
    let body = server.anonymous().post("/register", &fetch).ok();
    let seen = ids(body["channel_folders"].as_array().unwrap());
    assert!(seen.contains(&open) && !seen.contains(&inner) && !seen.contains(&archived));
}

/// An imported folder, or one from before these columns, has neither time nor creator.
#[test]
fn a_folder_may_have_no_creator() {
    let (server, _turn) = server();
    let admin = server.user("administrator");
    let id = create(&admin, &unique("old "));
    let forget = "UPDATE channel_folders SET creator_id = NULL, date_created = NULL WHERE id = ?1";
    assert_eq!(server.database().execute(forget, [id]), Ok(1));
    let folder = find(&admin, id);
    assert_eq!(folder["creator_id"], Value::Null);
    assert_eq!(folder["date_created"], Value::Null);
}

/// See docs/protocol/permissions.md#roles.
#[test]
fn only_administrators_create_folders_and_the_error_says_so() {
    let (server, _turn) = server();
    for role in ["moderator", "member", "guest"] {
        let pairs = [("name", "x"), ("description", "")];
        let error = server.user(role).post(CREATE, &pairs);
        let error = error.error(400, "UNAUTHORIZED_PRINCIPAL");
        let text = error["msg"].as_str().unwrap();
        assert!(text.contains("organization administrator"), "{text}");
    }
}
