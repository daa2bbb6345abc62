//! A bot never has more rights than its owner (docs/protocol/bots.md#owner).

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Queue, Server, User, unique};

use super::realm_permission;
use crate::support::server;

struct Bot {
    id: i64,
    path: String,
    email: String,
    client: Client,
}

fn create(server: &Server, owner: &User, further: &[(&str, &str)]) -> Bot {
    let (full_name, short_name) = (unique("Helper "), unique("helper"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    let made = owner.post("/bots", &[&pairs[..], further].concat()).ok();
    let key = made["api_key"].as_str().expect("a key");
    let email = format!("{short_name}-bot@127.0.0.1");
    Bot {
        id: made["user_id"].as_i64().expect("an id"),
        path: format!("/bots/{}", made["user_id"]),
        client: Client::new(server.base_url(), Some((&email, key))),
        email,
    }
}

fn set_role(user: &User, role: &str) {
    server().admin(&["user", "set-role", "--email", &user.email, "--role", role]);
}

#[test]
fn the_bot_of_a_guest_is_a_guest() {
    let (owner, author) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&author]);
    let channel_id = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", channel_id.as_str()),
        ("topic", "t"),
        ("content", "secret"),
    ];
    author.post("/messages", &pairs).ok();
    let bot = create(server(), &owner, &[]);
    let narrow = json!([{"operator": "channel", "operand": channel.stream_id}]).to_string();
    let read = |client: &Client| {
        let pairs = [
            ("narrow", narrow.as_str()),
            ("anchor", "newest"),
            ("num_before", "5"),
            ("num_after", "0"),
        ];
        client.get("/messages", &pairs)
    };
    assert_eq!(
        read(&bot.client).ok()["messages"][0]["content"],
        "<p>secret</p>"
    );
    let queue = Queue::of(&bot.client, &["message"]);
    set_role(&owner, "guest");
    assert_eq!(read(&bot.client).status, 400);
    bot.client
        .post("/messages", &pairs)
        .error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(bot.client.get("/users/me", &[]).ok()["role"], 600);
    let listed = bot.client.get("/streams", &[]).ok();
    let listed = listed["streams"].as_array().expect("channels");
    assert!(
        !listed
            .iter()
            .any(|one| one["stream_id"] == channel.stream_id)
    );
    queue.ends();
    // The rights of the owner come back, those of the bot are for administrators to give.
    set_role(&owner, "member");
    assert_eq!(bot.client.get("/users/me", &[]).ok()["role"], 600);
    let admin = server().user("administrator");
    admin.patch(&bot.path, &[("role", "400")]).ok();
    read(&bot.client).ok();
}

#[test]
fn a_bot_gets_no_higher_role_than_its_owner() {
    let (organization_owner, member) = (server().user("owner"), server().user("member"));
    let bot = create(server(), &member, &[]);
    for role in ["100", "200", "300"] {
        organization_owner
            .patch(&bot.path, &[("role", role)])
            .bad_request();
    }
    organization_owner.patch(&bot.path, &[("role", "600")]).ok();
    // With an owner of a lower role, it is lowered.
    let own = create(server(), &organization_owner, &[]);
    organization_owner.patch(&own.path, &[("role", "100")]).ok();
    organization_owner
        .patch(&own.path, &[("bot_owner_id", &member.id())])
        .ok();
    let shown = member.get(&format!("/users/{}", own.id), &[]).ok();
    assert_eq!(shown["user"]["role"], 400);
}

/// A bot that is older than this rule acts with the role of its owner as well.
#[test]
fn a_bot_above_its_owner_acts_as_its_owner() {
    let admin = server().user("administrator");
    let inside = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&inside]);
    let bot = create(server(), &admin, &[]);
    let sql = "UPDATE users SET role = ?1 WHERE id = ?2";
    let change = |role: i64, id: i64| {
        let changed = server()
            .database()
            .execute(sql, rusqlite::params![role, id]);
        assert_eq!(changed, Ok(1));
    };
    change(200, bot.id);
    let path = format!("/streams/{}", channel.stream_id);
    bot.client.get(&path, &[]).ok();
    change(400, admin.user_id);
    bot.client
        .get(&path, &[])
        .error(400, "STREAM_DOES_NOT_EXIST");
}

#[test]
fn who_gives_a_bot_away_keeps_nothing_of_it() {
    let (maker, taker) = (server().user("member"), server().user("member"));
    let admin = server().user("administrator");
    let service = [
        ("bot_type", "3"),
        ("payload_url", "http://127.0.0.1:9/"),
        ("interface_type", "1"),
    ];
    let bot = create(server(), &maker, &service);
    let taker_id = taker.id();
    let give = [("bot_owner_id", taker_id.as_str())];
    maker
        .patch(&bot.path, &give)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let token = |user: &User| {
        let pairs = [
            ("event_types", "[]"),
            ("fetch_event_types", "[\"realm_bot\"]"),
        ];
        let body = user.post("/register", &pairs).ok();
        let bots = body["realm_bots"].as_array().expect("bots").clone();
        let bot = bots.into_iter().find(|one| one["user_id"] == bot.id);
        bot.map(|bot| {
            bot["services"][0]["token"]
                .as_str()
                .expect("a token")
                .to_owned()
        })
    };
    let before = token(&maker).expect("the maker's");
    let queue = Queue::of(&bot.client, &["message"]);
    admin.patch(&bot.path, &give).ok();
    bot.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let made = taker
        .post(&format!("{}/api_key/regenerate", bot.path), &[])
        .ok();
    let key = made["api_key"].as_str().expect("a key");
    let renewed = Client::new(server().base_url(), Some((&bot.email, key)));
    renewed.get("/users/me", &[]).ok();
    let pairs = [
        ("queue_id", queue.queue_id.as_str()),
        ("last_event_id", "-1"),
        ("dont_block", "true"),
    ];
    renewed
        .get("/events", &pairs)
        .error(400, "BAD_EVENT_QUEUE_ID");
    let after = token(&taker).expect("the taker's");
    assert!(!after.is_empty() && after != before);
    assert_eq!(token(&admin), Some(after), "administrators see the new one");
}

/// A bot counts for the quota of the person who gets it.
#[test]
fn a_person_is_given_no_more_bots_than_they_may_have() {
    let (maker, taker) = (server().user("member"), server().user("member"));
    let admin = server().user("administrator");
    let bot = create(server(), &maker, &[]);
    let sql = "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, \
        full_name, full_name_folded, role, is_bot, bot_type, bot_owner_id, is_active, date_joined) \
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) \
        SELECT 1, ?2 || i, ?2 || i, ?2 || i, ?2 || i, ?2 || i, ?2 || i, 400, 1, 1, ?1, 0, 1 FROM n";
    let name = unique("many");
    let seeded = server()
        .database()
        .execute(sql, rusqlite::params![taker.user_id, name]);
    assert_eq!(seeded, Ok(500));
    admin
        .patch(&bot.path, &[("bot_owner_id", &taker.id())])
        .bad_request();
    bot.client.get("/users/me", &[]).ok();
}

#[test]
fn who_may_no_longer_create_bots_gets_no_new_keys() {
    let own = Server::own(Options::default());
    let (member, admin) = (own.user("member"), own.user("administrator"));
    let (generic, hook) = (
        create(&own, &member, &[]),
        create(&own, &member, &[("bot_type", "2")]),
    );
    realm_permission(&own, "can_create_bots_group", "role:nobody");
    let regenerate =
        |user: &User, bot: &Bot| user.post(&format!("{}/api_key/regenerate", bot.path), &[]);
    regenerate(&member, &generic).bad_request();
    generic.client.get("/users/me", &[]).ok();
    regenerate(&member, &hook).ok();
    realm_permission(&own, "can_create_write_only_bots_group", "role:nobody");
    regenerate(&member, &hook).bad_request();
    regenerate(&admin, &generic).ok();
}

#[test]
fn who_may_no_longer_create_bots_reactivates_none() {
    let own = Server::own(Options::default());
    let (member, admin) = (own.user("member"), own.user("administrator"));
    let (generic, hook) = (
        create(&own, &member, &[]),
        create(&own, &member, &[("bot_type", "2")]),
    );
    let users = |bot: &Bot| bot.path.replace("/bots/", "/users/");
    for bot in [&generic, &hook] {
        member.delete(&bot.path, &[]).ok();
    }
    realm_permission(&own, "can_create_bots_group", "role:nobody");
    let reactivate = |user: &User, bot: &Bot| user.post(&format!("{}/reactivate", users(bot)), &[]);
    reactivate(&member, &generic).bad_request();
    reactivate(&member, &hook).ok();
    reactivate(&admin, &generic).ok();
}
