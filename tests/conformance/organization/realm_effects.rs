//! Effects of the organization's settings.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Queue, Server, User, unique};

use super::{REALM, alone, group_id, reset, settled};

const DAY: u64 = 86_400;

fn members_of(viewer: &User, group: &str) -> Vec<i64> {
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_user_groups\"]"),
    ];
    let body = viewer.post("/register", &pairs).ok();
    let groups = body["realm_user_groups"].as_array().unwrap().clone();
    let group = groups
        .into_iter()
        .find(|item| item["name"] == group)
        .unwrap();
    let ids = group["members"].as_array().unwrap().iter();
    ids.map(|id| id.as_i64().unwrap()).collect()
}

fn send(user: &User, channel: &str, topic: &str) -> spindle_tests::Reply {
    let pairs = [
        ("type", "channel"),
        ("to", channel),
        ("topic", topic),
        ("content", "x"),
    ];
    user.post("/messages", &pairs)
}

#[test]
fn the_topics_policy_applies_to_channels_that_inherit_it() {
    let server = alone();
    let owner = server.user("owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    send(&owner, &channel.id(), "").ok();
    owner
        .patch(REALM, &[("topics_policy", "disable_empty_topic")])
        .ok();
    send(&owner, &channel.id(), "").bad_request();
    send(&owner, &channel.id(), "t").ok();
    reset(&owner);
    send(&owner, &channel.id(), "").ok();
}

#[test]
fn spectator_access_can_be_switched_on_and_off() {
    let server = alone();
    let owner = server.user("owner");
    let anonymous = server.anonymous();
    anonymous.post("/register", &[]).ok();
    owner
        .patch(REALM, &[("enable_spectator_access", "false")])
        .ok();
    anonymous.post("/register", &[]).error(401, "UNAUTHORIZED");
    let settings = anonymous.get("/server_settings", &[]).ok();
    assert_eq!(settings["realm_web_public_access_enabled"], false);
    reset(&owner);
    anonymous.post("/register", &[]).ok();
}

#[test]
fn name_and_description_are_public() {
    let server = alone();
    let owner = server.user("owner");
    let pairs = [
        ("name", "Public name"),
        ("description", "with **bold** text"),
    ];
    owner.patch(REALM, &pairs).ok();
    let settings = server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["realm_name"], "Public name");
    assert_eq!(
        settings["realm_description"],
        "<p>with <strong>bold</strong> text</p>"
    );
    reset(&owner);
}

#[test]
fn direct_messages_can_be_switched_off() {
    let server = alone();
    let (owner, member) = (server.user("owner"), server.user("member"));
    let nobody = json!({"new": group_id(&owner, "role:nobody")}).to_string();
    let everyone = json!({"new": group_id(&owner, "role:everyone")}).to_string();
    let to = format!("[{}]", owner.id());
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    owner
        .patch(REALM, &[("direct_message_permission_group", &nobody)])
        .ok();
    member.post("/messages", &pairs).bad_request();
    owner
        .patch(REALM, &[("direct_message_permission_group", &everyone)])
        .ok();
    owner
        .patch(REALM, &[("direct_message_initiator_group", &nobody)])
        .ok();
    member.post("/messages", &pairs).bad_request();
    owner
        .patch(REALM, &[("direct_message_initiator_group", &everyone)])
        .ok();
    member.post("/messages", &pairs).ok();
}

/// The queue survives, and users disappear and appear.
#[test]
fn guests_keep_their_queues_when_their_access_to_users_changes() {
    let server = alone();
    let (owner, guest, member) = (
        server.user("owner"),
        server.user("guest"),
        server.user("member"),
    );
    // The first request of an account has events of its own.
    member.get("/users/me", &[]).ok();
    let types = ["realm", "realm_user"];
    let [mut of_guest, mut of_member] = [&guest, &member].map(|user| Queue::of(user, &types));
    let to = |group: &str| json!({"new": group_id(&owner, group)}).to_string();
    let path = format!("/users/{}/status", member.id());
    guest.get(&path, &[]).ok();
    for (group, op) in [("role:members", "remove"), ("role:everyone", "add")] {
        owner
            .patch(REALM, &[("can_access_all_users_group", &to(group))])
            .ok();
        // First requests of accounts are updates of people too.
        let changes = |event: &Value| event["type"] == "realm_user" && event["op"] != "update";
        let about = |event: &Value| changes(event) && event["person"]["user_id"] == member.user_id;
        let events = of_guest.until(about);
        assert!(events.iter().any(|event| event["type"] == "realm"));
        assert_eq!(events.iter().find(|event| about(event)).unwrap()["op"], op);
        assert_eq!(guest.get(&path, &[]).status == 200, op == "add");
        let of_member = of_member.until(|event| event["type"] == "realm");
        assert!(!of_member.iter().any(changes));
    }
}

/// On a server of its own, because its clock is moved.
#[test]
fn members_become_full_members_after_the_waiting_period() {
    let server = Server::spawn(spindle_tests::Options::default());
    let (owner, member) = (server.user("owner"), server.user("member"));
    let full = || members_of(&owner, "role:fullmembers");
    assert!(full().contains(&member.user_id), "without a waiting period");
    let mut queue = Queue::of(&owner, &["user_group", "realm", "user_status"]);
    owner
        .patch(REALM, &[("waiting_period_threshold", "2")])
        .ok();
    assert!(!full().contains(&member.user_id));
    let events = settled(&mut queue, &owner);
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(events[0]["property"], "waiting_period_threshold");
    assert_eq!(events[1]["op"], "remove_members");
    assert_eq!(events[1]["user_ids"], json!([member.user_id]));
    let newcomer = server.user("member");
    assert!(!full().contains(&newcomer.user_id));
    server.advance(2 * DAY + 3600);
    let mut queue = Queue::of(&owner, &["user_group", "user_status"]);
    // The timer runs every hour.
    let mut ids: Vec<Value> = vec![json!(member.user_id), json!(newcomer.user_id)];
    if !full().contains(&member.user_id) {
        let event = queue.expect(|event| event["op"] == "add_members");
        assert_eq!(event["user_ids"], json!(ids));
    }
    let members = full();
    ids.retain(|id| !members.contains(&id.as_i64().unwrap()));
    assert!(ids.is_empty(), "{ids:?} still wait");
}

/// The language is one default of new accounts; the defaults for user settings override it.
#[test]
fn new_accounts_have_the_language_of_the_organization() {
    let server = alone();
    let owner = server.user("owner");
    let words = ["--permission", "can_create_users"];
    server.admin(&[&["user", "grant", "--email", &owner.email], &words[..]].concat());
    // The language of a new account.
    let language = || {
        let email = format!("{}@example.com", unique("new").to_lowercase());
        let password = "a long password";
        let account = [("email", email.as_str()), ("password", password)];
        let pairs = [&account[..], &[("full_name", "A New User")]].concat();
        owner.post("/users", &pairs).ok();
        let login = [("username", email.as_str()), ("password", password)];
        let login = server.anonymous().post("/fetch_api_key", &login).ok();
        let key = login["api_key"].as_str().unwrap();
        let pairs = [("fetch_event_types", "[\"user_settings\"]")];
        let new = Client::new(server.base_url(), Some((&email, key)));
        let body = new.post("/register", &pairs).ok();
        body["user_settings"]["default_language"].clone()
    };
    assert_eq!(language(), "en");
    owner.patch(REALM, &[("default_language", "de")]).ok();
    assert_eq!(language(), "de");
    let defaults = "/realm/user_settings_defaults";
    owner.patch(defaults, &[("default_language", "fr")]).ok();
    assert_eq!(language(), "fr");
    reset(&owner);
}
