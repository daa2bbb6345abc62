//! GET /realm/emoji, POST and DELETE /realm/emoji/{name}; and the uses of custom emoji.

use serde_json::{Value, json};
use spindle_tests::images::{gif, png, png_size};
use spindle_tests::{Call, FilePart, Options, Queue, Server, User, unique};

use crate::support::{keys, server};

const CAPABLE: &str = "{\"individual_emoji_changes\": true}";

/// A name that no other test uses.
fn name() -> String {
    unique("party-").to_lowercase()
}

fn add(user: &User, name: &str) -> Value {
    user.upload(&format!("/realm/emoji/{name}"), "e.png", &png(200, 100))
        .ok();
    find(user, name)
}

/// The active emoji with a name.
fn find(user: &User, name: &str) -> Value {
    let body = user.get("/realm/emoji", &[]).ok();
    let table = body["emoji"].as_object().unwrap();
    let found = table
        .values()
        .find(|emoji| emoji["name"] == name && emoji["deactivated"] == false);
    found.cloned().unwrap_or(Value::Null)
}

fn remove(user: &User, name: &str) {
    user.delete(&format!("/realm/emoji/{name}"), &[]).ok();
}

#[test]
fn a_new_emoji_is_listed_and_served() {
    let user = server().user("member");
    let name = name();
    let emoji = add(&user, &name);
    let expected = [
        "author_id",
        "deactivated",
        "id",
        "name",
        "source_url",
        "still_url",
    ];
    assert_eq!(keys(&emoji), expected);
    assert_eq!(emoji["author_id"], user.user_id);
    assert_eq!(emoji["still_url"], Value::Null);
    let found = server()
        .anonymous()
        .fetch(emoji["source_url"].as_str().unwrap(), &[]);
    assert_eq!((found.status, png_size(&found.bytes)), (200, (64, 64)));
    let state = user
        .post("/register", &[("fetch_event_types", "[\"realm_emoji\"]")])
        .ok();
    assert_eq!(state["realm_emoji"][emoji["id"].as_str().unwrap()], emoji);
}

#[test]
fn an_animated_emoji_has_a_still_image() {
    let user = server().user("member");
    let name = name();
    user.upload(&format!("/realm/emoji/{name}"), "e.gif", &gif(3))
        .ok();
    let emoji = find(&user, &name);
    let moving = user.fetch(emoji["source_url"].as_str().unwrap(), &[]);
    assert_eq!(moving.header("content-type"), Some("image/gif"));
    assert_eq!(&moving.bytes[6..10], [64, 0, 64, 0]);
    let still = user.fetch(emoji["still_url"].as_str().unwrap(), &[]);
    assert_eq!(png_size(&still.bytes), (64, 64));
}

#[test]
fn invalid_names_of_emoji_are_refused() {
    let user = server().user("member");
    for name in [
        "A", "a%20b", "a_", "a-", "a.b", "%C3%A4", "a%2Fb", "a%3Ab", "_",
    ] {
        user.upload(&format!("/realm/emoji/{name}"), "e.png", &png(9, 9))
            .bad_request();
    }
    let (first, second) = (format!("{}_x-1", name()), format!("{}9", name()));
    add(&user, &first);
    add(&user, &second);
}

#[test]
fn a_name_is_unavailable_while_its_emoji_is_active() {
    let (user, other) = (server().user("member"), server().user("member"));
    let name = name();
    let first = add(&user, &name);
    let path = format!("/realm/emoji/{name}");
    other.upload(&path, "e.png", &png(9, 9)).bad_request();
    // The name is checked before the file.
    other.post(&path, &[]).bad_request();
    remove(&user, &name);
    assert_eq!(find(&user, &name), Value::Null);
    let second = add(&other, &name);
    assert_ne!(first["id"], second["id"]);
}

#[test]
fn an_administrator_replaces_a_standard_emoji_by_a_custom_one() {
    let server = Server::own(Options::default());
    let (user, admin) = (server.user("member"), server.user("administrator"));
    for name in ["tada", "thumbs_up", "zulip"] {
        user.upload(&format!("/realm/emoji/{name}"), "e.png", &png(9, 9))
            .error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    let emoji = add(&admin, "tada");
    user.post("/users/me/status", &[("emoji_name", "tada")])
        .ok();
    let body = user.get(&format!("/users/{}/status", user.id()), &[]).ok();
    let expected =
        json!({"emoji_name": "tada", "emoji_code": emoji["id"], "reaction_type": "realm_emoji"});
    assert_eq!(body["status"], expected);
}

#[test]
fn exactly_one_picture_of_at_most_five_mib() {
    let user = server().user("member");
    let path = format!("/realm/emoji/{}", name());
    user.post(&path, &[]).bad_request();
    let picture = png(9, 9);
    let file = FilePart {
        field: "f",
        file_name: "e.png",
        content_type: None,
        content: &picture,
    };
    user.send(Call::new("POST", &path).upload(&[], &[file, file]))
        .bad_request();
    let mut large = picture.clone();
    large.resize((5 << 20) + 1, 0);
    user.upload(&path, "e.png", &large).bad_request();
    user.upload(&path, "e.svg", b"<svg/>")
        .error(400, "BAD_IMAGE");
    user.upload(&path, "e.gif", &gif(301))
        .error(400, "BAD_IMAGE");
}

#[test]
fn only_holders_of_the_permission_add_emoji() {
    let server = Server::own(Options::default());
    let (member, guest, admin) = (
        server.user("member"),
        server.user("guest"),
        server.user("administrator"),
    );
    let path = "/realm/emoji/of_ours";
    guest.upload(path, "e.png", &png(9, 9)).bad_request();
    member.upload(path, "e.png", &png(9, 9)).ok();
    let restrict = "UPDATE group_settings SET group_id = (SELECT id FROM user_groups \
        WHERE name = 'role:administrators') WHERE owner_type = 'realm' \
        AND name = 'can_add_custom_emoji_group'";
    server.database().execute(restrict, []).unwrap();
    member
        .upload("/realm/emoji/two", "e.png", &png(9, 9))
        .bad_request();
    admin.upload("/realm/emoji/two", "e.png", &png(9, 9)).ok();
}

#[test]
fn authors_and_administrators_deactivate_an_emoji() {
    let (author, other) = (server().user("member"), server().user("moderator"));
    let admin = server().user("administrator");
    let name = name();
    let emoji = add(&author, &name);
    let path = format!("/realm/emoji/{name}");
    other.delete(&path, &[]).bad_request();
    author.delete(&path, &[]).ok();
    author.delete(&path, &[]).error(404, "BAD_REQUEST");
    let table = author.get("/realm/emoji", &[]).ok();
    assert_eq!(
        table["emoji"][emoji["id"].as_str().unwrap()]["deactivated"],
        true
    );
    // References to it keep its image.
    assert_eq!(
        author
            .fetch(emoji["source_url"].as_str().unwrap(), &[])
            .status,
        200
    );
    add(&author, &name);
    admin.delete(&path, &[]).ok();
    admin
        .delete("/realm/emoji/no-such-emoji", &[])
        .error(404, "BAD_REQUEST");
}

#[test]
fn events_about_emoji_depend_on_the_capability() {
    let (user, viewer) = (server().user("member"), server().user("guest"));
    let types = ("event_types", "[\"realm_emoji\"]");
    let mut legacy = Queue::open(&viewer, &[types]);
    let mut capable = Queue::open(&viewer, &[types, ("client_capabilities", CAPABLE)]);
    let name = name();
    let emoji = add(&user, &name);
    let id = emoji["id"].as_str().unwrap();
    let event = capable.expect(|event| event["emoji"]["name"] == name.as_str());
    assert_eq!((&event["op"], &event["emoji"]), (&json!("add"), &emoji));
    let event = legacy.expect(|event| event["realm_emoji"][id].is_object());
    assert_eq!(
        (&event["op"], &event["realm_emoji"][id]),
        (&json!("update"), &emoji)
    );
    remove(&user, &name);
    let is_last = |event: &Value| event["emoji_id"] == id && event["op"] == "remove";
    let mut changes = capable.until(is_last);
    changes.retain(|event| event["emoji_id"] == id);
    let ops: Vec<_> = changes.iter().map(|event| event["op"].clone()).collect();
    assert_eq!(ops, ["edit", "update_one", "remove"]);
    for event in &changes[..2] {
        assert_eq!(event["data"], json!({"deactivated": true}));
    }
    legacy.expect(|event| event["realm_emoji"][id]["deactivated"] == true);
}

#[test]
fn messages_render_active_emoji() {
    let user = server().user("member");
    let name = name();
    let emoji = add(&user, &name);
    let source = emoji["source_url"].as_str().unwrap();
    let to = format!("[{}]", user.id());
    let html = |content: &str| {
        let id = super::send(&user, "direct", &to, content);
        let body = user.get(&format!("/messages/{id}"), &[]).ok();
        body["message"]["content"].as_str().unwrap().to_owned()
    };
    let shown = html(&format!("hello :{name}:"));
    assert!(
        shown.contains(&format!(
            "alt=\":{name}:\" class=\"emoji\" src=\"{source}\""
        )),
        "{shown}"
    );
    remove(&user, &name);
    assert!(!html(&format!("hello :{name}:")).contains("<img"));
}

#[test]
fn statuses_accept_active_emoji_by_name_and_id() {
    let user = server().user("member");
    let name = name();
    let id = add(&user, &name)["id"].as_str().unwrap().to_owned();
    let status = |pairs: &[(&str, &str)]| user.post("/users/me/status", pairs);
    status(&[("emoji_name", &name)]).ok();
    let body = user.get(&format!("/users/{}/status", user.id()), &[]).ok();
    assert_eq!(body["status"]["emoji_code"], id.as_str());
    assert_eq!(body["status"]["reaction_type"], "realm_emoji");
    let full = |name: &str, code: &str| {
        status(&[
            ("emoji_name", name),
            ("emoji_code", code),
            ("reaction_type", "realm_emoji"),
        ])
    };
    full(&name, &id).ok();
    full("tada", &id).bad_request();
    full(&name, "999999").bad_request();
    full(&name, &format!("0{id}")).bad_request();
    remove(&user, &name);
    full(&name, &id).bad_request();
    status(&[("emoji_name", &name)]).bad_request();
}

#[test]
fn other_addresses_of_emoji_are_not_found() {
    for path in [
        "/user_avatars/1/emoji/none.png",
        "/user_avatars/1/emoji/..%2f..%2fx.png",
        "/user_avatars/1/emoji/x.svg",
        "/user_avatars/2/none",
        "/user_avatars/1/none",
        "/user_avatars/1/none/medium",
        "/user_avatars/1/realm/none.png",
    ] {
        assert_eq!(server().anonymous().fetch(path, &[]).status, 404, "{path}");
    }
}
