//! /bots (docs/protocol/register.md#sections, docs/protocol/conventions.md#authentication,
//! docs/protocol/bots.md, `realm_bot`).

mod changes;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Queue, Server, User, unique};

use crate::support::{keys, server, settle};

struct Bot {
    id: i64,
    email: String,
    full_name: String,
    client: Client,
    answer: Value,
}

impl Bot {
    fn path(&self) -> String {
        format!("/bots/{}", self.id)
    }
}

fn create_on(server: &Server, owner: &User, further: &[(&str, &str)]) -> Bot {
    let short_name = unique("helper");
    let full_name = unique("Helper ");
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    let answer = owner.post("/bots", &[&pairs[..], further].concat()).ok();
    let key = answer["api_key"].as_str().unwrap();
    let email = format!("{short_name}-bot@127.0.0.1");
    Bot {
        id: answer["user_id"].as_i64().unwrap(),
        client: Client::new(server.base_url(), Some((&email, key))),
        email,
        full_name,
        answer,
    }
}

fn create(owner: &User, further: &[(&str, &str)]) -> Bot {
    create_on(server(), owner, further)
}

fn section(user: &User) -> Vec<Value> {
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_bot\"]"),
    ];
    let body = user.post("/register", &pairs).ok();
    body["realm_bots"].as_array().unwrap().clone()
}

fn record(user: &User, bot: i64) -> Option<Value> {
    section(user)
        .into_iter()
        .find(|item| item["user_id"] == bot)
}

fn bot_events(queue: &mut Queue, bot: i64) -> Vec<Value> {
    let events = settle(queue).into_iter();
    let mut own: Vec<Value> = events
        .filter(|event| event["type"] == "realm_bot" && event["bot"]["user_id"] == bot)
        .collect();
    for event in &mut own {
        event.as_object_mut().unwrap().remove("id");
    }
    own
}

#[test]
fn a_bot_works_with_the_key_from_its_creation() {
    let user = server().user("member");
    let bot = create(&user, &[]);
    let own = bot.client.get("/users/me", &[]).ok();
    assert_eq!(own["user_id"], bot.id);
    assert_eq!(own["is_bot"], true);
    assert_eq!(own["email"], bot.email.as_str());
    assert_eq!(own["full_name"], bot.full_name.as_str());
    assert_eq!(own["role"], 400);
    assert_eq!(bot.answer["default_sending_stream"], Value::Null);
    assert_eq!(bot.answer["default_all_public_streams"], false);
    let listed = user.get("/bots", &[]).ok();
    let listed = &listed["bots"][0];
    assert_eq!(
        keys(listed),
        [
            "avatar_url",
            "default_all_public_streams",
            "default_events_register_stream",
            "default_sending_stream",
            "full_name",
            "user_id",
            "username",
        ],
        "no key is shown again"
    );
    assert_eq!(listed["username"], bot.email.as_str());
    let other = server().user("owner").get("/bots", &[]).ok();
    assert_eq!(other["bots"], json!([]), "only one's own are listed");
}

#[test]
fn names_and_addresses_are_checked() {
    let user = server().user("member");
    let bot = create(&user, &[]);
    let send = |full_name: &str, short_name: &str| {
        user.post(
            "/bots",
            &[("full_name", full_name), ("short_name", short_name)],
        )
    };
    send(&bot.full_name, &unique("x")).bad_request();
    send(&bot.full_name.to_uppercase(), &unique("x")).bad_request();
    let taken = bot.email.split("-bot@").next().unwrap();
    send(&unique("Other "), taken).bad_request();
    for short_name in ["", "  ", "a b", "a@b", "a,b"] {
        send(&unique("Other "), short_name).bad_request();
    }
    for full_name in ["", "x", "a*b"] {
        send(full_name, &unique("x")).bad_request();
    }
    for missing in [("full_name", "Some Name"), ("short_name", "some")] {
        user.post("/bots", &[missing])
            .error(400, "REQUEST_VARIABLE_MISSING");
    }
    assert_eq!(
        user.get("/bots", &[]).ok()["bots"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn each_type_of_bot_has_its_services() {
    let user = server().user("member");
    let refused = |further: &[(&str, &str)]| {
        let (short_name, full_name) = (unique("s"), unique("Some "));
        let pairs = [
            ("full_name", full_name.as_str()),
            ("short_name", short_name.as_str()),
        ];
        user.post("/bots", &[&pairs[..], further].concat())
            .bad_request();
    };
    for bot_type in ["0", "5", "x", "\"1\"", "1.0"] {
        refused(&[("bot_type", bot_type)]);
    }
    refused(&[("bot_type", "3")]);
    refused(&[("bot_type", "3"), ("payload_url", "no address")]);
    let url = ("payload_url", "https://hook.example.org/x");
    refused(&[("bot_type", "3"), url, ("interface_type", "3")]);
    refused(&[url]);
    refused(&[("bot_type", "4"), ("service_name", "nonsense")]);
    refused(&[("bot_type", "4")]);
    refused(&[("bot_type", "4"), ("service_name", "converter"), url]);
    refused(&[("bot_type", "2"), ("service_name", "nonsense")]);
    let options = ("config_data", "{\"nonsense\": \"x\"}");
    refused(&[("bot_type", "4"), ("service_name", "converter"), options]);
    refused(&[("bot_type", "2"), ("service_name", "github"), options]);
    refused(&[("service_name", "converter")]);
    create(&user, &[("bot_type", "2"), ("service_name", "github")]);
    let bot = create(&user, &[("bot_type", "3"), url, ("interface_type", "2")]);
    let services = record(&user, bot.id).unwrap()["services"].clone();
    assert_eq!(services[0]["base_url"], url.1);
    assert_eq!(services[0]["interface"], 2);
    let token = services[0]["token"].as_str().unwrap().to_owned();
    assert_eq!(token.len(), 32);
    let other_url = ("service_payload_url", "http://127.0.0.1:5002/y");
    user.patch(&bot.path(), &[other_url]).ok();
    let services = record(&user, bot.id).unwrap()["services"].clone();
    assert_eq!(
        services,
        json!([{"base_url": other_url.1, "interface": 2, "token": token}])
    );
    user.patch(&bot.path(), &[("service_interface", "9")])
        .bad_request();
    let generic = create(&user, &[]);
    user.patch(&generic.path(), &[other_url]).bad_request();
}

#[test]
fn an_incoming_webhook_only_sends() {
    let user = server().user("member");
    let bot = create(&user, &[("bot_type", "2")]);
    let to = format!("[{}]", user.id());
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "x")];
    bot.client.post("/messages", &pairs).ok();
    for (method, path) in [
        ("GET", "/users/me"),
        ("GET", "/messages"),
        ("POST", "/register"),
        ("GET", "/bots"),
    ] {
        let call = spindle_tests::Call::new(method, path);
        bot.client.send(call).error(401, "UNAUTHORIZED");
    }
}

#[test]
fn who_may_create_bots() {
    let (guest, bot) = (server().user("guest"), server().bot());
    let pairs = [("full_name", "Some Name"), ("short_name", "some")];
    guest.post("/bots", &pairs).bad_request();
    bot.post("/bots", &pairs).bad_request();
    // A server of its own, because the permission applies to all accounts.
    let server = Server::start(Options::default());
    let (member, admin) = (server.user("member"), server.user("administrator"));
    let group = |name: &str| {
        server
            .database()
            .query_row(
                "SELECT id FROM user_groups WHERE name = ?1",
                [name],
                |row| row.get::<_, i64>(0),
            )
            .unwrap()
    };
    let hold = |permission: &str, name: &str| {
        server
            .database()
            .execute(
                "UPDATE group_settings SET group_id = ?2 WHERE owner_type = 'realm' AND name = ?1",
                rusqlite::params![permission, group(name)],
            )
            .unwrap();
    };
    hold("can_create_bots_group", "role:administrators");
    member.post("/bots", &pairs).bad_request();
    create_on(&server, &member, &[("bot_type", "2")]);
    hold("can_create_write_only_bots_group", "role:nobody");
    member
        .post("/bots", &[&pairs[..], &[("bot_type", "2")]].concat())
        .bad_request();
    create_on(&server, &admin, &[]);
    hold("can_create_bots_group", "role:members");
    create_on(&server, &member, &[("bot_type", "2")]);
}

#[test]
fn keys_of_bots_are_replaced_and_not_listed() {
    let user = server().user("member");
    let bot = create(&user, &[]);
    let path = format!("{}/api_key", bot.path());
    user.get(&path, &[]).bad_request();
    bot.client.get("/users/me", &[]).ok();
    let answer = user.post(&format!("{path}/regenerate"), &[]).ok();
    let key = answer["api_key"].as_str().unwrap();
    bot.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let client = Client::new(server().base_url(), Some((&bot.email, key)));
    client.get("/users/me", &[]).ok();
}
