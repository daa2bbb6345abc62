//! POST /messages: permissions of the organization and of channels and groups
//! (docs/protocol/permissions.md, docs/protocol/markdown.md#mentions,
//! docs/protocol/messages.md#send_message). Settings of the organization are changed on a server of
//! its own.

use std::sync::{Mutex, MutexGuard, OnceLock};

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Options, Queue, Reply, Server, User};

/// A server whose permissions are set; one test at a time.
fn own() -> (&'static Server, MutexGuard<'static, ()>) {
    static SERVER: OnceLock<Server> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|broken| broken.into_inner());
    let server = SERVER.get_or_init(|| Server::start(Options::default()));
    (server, turn)
}

fn group_id(server: &Server, name: &str) -> i64 {
    let sql = "SELECT id FROM user_groups WHERE name = ?1";
    let database = server.database();
    database.query_row(sql, [name], |row| row.get(0)).unwrap()
}

fn set(server: &Server, permission: &str, group: &str) {
    let value = json!({"new": group_id(server, group)}).to_string();
    let owner = server.user("owner");
    owner.patch("/realm", &[(permission, value.as_str())]).ok();
}

fn send(user: &User, kind: &str, to: &str, topic: &str, content: &str) -> Reply {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", content),
    ];
    user.post("/messages", &pairs)
}

fn to(user: &User, people: &[&User]) -> Reply {
    let ids: Vec<i64> = people.iter().map(|user| user.user_id).collect();
    send(user, "direct", &json!(ids).to_string(), "", "x")
}

fn post(user: &User, channel: &Channel, topic: &str, content: &str) -> Reply {
    send(user, "channel", &channel.id(), topic, content)
}

#[test]
fn direct_messages_need_a_participant_with_the_permission() {
    let (server, _turn) = own();
    let (member, other) = (server.user("member"), server.user("member"));
    let (moderator, bot) = (server.user("moderator"), server.bot());
    let permission = "direct_message_permission_group";
    set(server, permission, "role:moderators");
    to(&member, &[&other]).bad_request();
    to(&member, &[&moderator]).ok();
    to(&moderator, &[&member]).ok();
    to(&member, &[&other, &moderator]).ok();
    // Notes to oneself, and messages to bots, need no permission.
    to(&member, &[&member]).ok();
    to(&member, &[&bot]).ok();
    to(&member, &[&bot, &other]).bad_request();
    set(server, permission, "role:nobody");
    to(&moderator, &[&member]).bad_request();
    to(&member, &[&bot]).ok();
    set(server, permission, "role:everyone");
    to(&member, &[&other]).ok();
}

#[test]
fn the_permission_to_begin_conversations_applies() {
    let (server, _turn) = own();
    let (member, other) = (server.user("member"), server.user("member"));
    let (moderator, bot) = (server.user("moderator"), server.bot());
    let permission = "direct_message_initiator_group";
    set(server, permission, "role:moderators");
    to(&member, &[&moderator]).bad_request();
    let first = to(&moderator, &[&member]).ok()["id"].as_i64().unwrap();
    to(&member, &[&moderator]).ok();
    to(&member, &[&moderator, &other]).bad_request();
    to(&member, &[&bot]).ok();
    // A conversation without messages does not count as begun.
    to(&other, &[&member]).bad_request();
    set(server, permission, "role:everyone");
    let only = to(&other, &[&member]).ok()["id"].as_i64().unwrap();
    set(server, permission, "role:moderators");
    to(&member, &[&other]).ok();
    server
        .database()
        .execute_batch(&format!(
            "DELETE FROM user_messages WHERE message_id >= {only};
             DELETE FROM messages WHERE id >= {only};"
        ))
        .unwrap();
    assert!(only > first);
    to(&member, &[&other]).bad_request();
    set(server, permission, "role:everyone");
}

#[test]
fn the_permission_to_begin_topics_applies() {
    let (server, _turn) = own();
    let (member, moderator) = (server.user("member"), server.user("moderator"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&member, &moderator]);
    let permission = "can_create_topic_group";
    fixture::channel_permission(server, &channel, permission, "role:moderators");
    post(&member, &channel, "new", "x").bad_request();
    post(&moderator, &channel, "New", "x").ok();
    post(&member, &channel, "nEW", "x").ok();
    post(&member, &channel, "newer", "x").bad_request();
    post(&member, &channel, "", "x").bad_request();
}

/// The channel's policy overrides the organization's.
#[test]
fn the_empty_topic_may_be_forbidden() {
    let (server, _turn) = own();
    let (owner, user) = (server.user("owner"), server.user("member"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&user]);
    let policy = |value: &str| {
        fixture::channel_column(server, &channel, "topics_policy", &value);
    };
    let realm = |value: &str| {
        owner.patch("/realm", &[("topics_policy", value)]).ok();
    };
    realm("disable_empty_topic");
    for topic in ["", "  ", "(no topic)", "general chat"] {
        post(&user, &channel, topic, "x").bad_request();
    }
    let id = channel.id();
    let pairs = [("type", "stream"), ("to", id.as_str()), ("content", "x")];
    user.post("/messages", &pairs).bad_request();
    post(&user, &channel, "t", "x").ok();
    policy("allow_empty_topic");
    post(&user, &channel, "", "x").ok();
    realm("allow_empty_topic");
    policy("disable_empty_topic");
    post(&user, &channel, "", "x").bad_request();
    policy("empty_topic_only");
    post(&user, &channel, "t", "x").bad_request();
    post(&user, &channel, "", "x").ok();
    policy("inherit");
    post(&user, &channel, "", "x").ok();
    // An unnamed topic is not the empty topic.
    user.post("/messages", &pairs).bad_request();
}

fn group(server: &Server, permission: &Value, members: &[i64]) -> (i64, String) {
    let name = spindle_tests::unique("group ");
    let (members, permission) = (json!(members).to_string(), permission.to_string());
    let pairs = [
        ("name", name.as_str()),
        ("description", ""),
        ("members", members.as_str()),
        ("can_mention_group", permission.as_str()),
    ];
    let body = server
        .user("owner")
        .post("/user_groups/create", &pairs)
        .ok();
    (body["group_id"].as_i64().unwrap(), name)
}

#[test]
fn the_permission_to_mention_a_group_applies() {
    let (server, _turn) = own();
    let (member, moderator) = (server.user("member"), server.user("moderator"));
    let (named, nested, other) = (
        server.user("member"),
        server.user("member"),
        server.user("member"),
    );
    let channel = fixture::channel(
        server,
        ChannelKind::Public,
        &[&member, &moderator, &named, &nested, &other],
    );
    let moderators = json!(group_id(server, "role:moderators"));
    let (inner, _) = group(server, &moderators, &[nested.user_id]);
    let (outer, name) = group(server, &moderators, &[named.user_id]);
    let add = [("add", format!("[{inner}]"))];
    let add = add.each_ref().map(|(name, value)| (*name, value.as_str()));
    let path = format!("/user_groups/{outer}/subgroups");
    server.user("owner").post(&path, &add).ok();
    let loud = format!("@*{name}* hear");
    post(&member, &channel, "t", &loud).bad_request();
    for text in [
        format!("@_*{name}*"),
        format!("`@*{name}*`"),
        format!("> @*{name}*"),
    ] {
        post(&member, &channel, "t", &text).ok();
    }
    let users = [&named, &nested, &other];
    let mut queues = users.map(|user| Queue::of(user, &["message"]));
    let id = post(&moderator, &channel, "t", &loud).ok()["id"].clone();
    let flags = queues
        .each_mut()
        .map(|queue| queue.expect(|event| event["message"]["id"] == id)["flags"].clone());
    assert_eq!(
        flags,
        [json!(["mentioned"]), json!(["mentioned"]), json!([])]
    );
}

fn many(server: &Server, channel: &Channel) {
    let crowd: Vec<User> = (0..14).map(|_| server.user("member")).collect();
    for user in &crowd {
        fixture::subscribe(server, user, channel);
    }
}

/// Above fifteen recipients the organization's permission is required; the error code names the
/// wildcard.
#[test]
fn wildcards_for_many_users_need_a_permission() {
    let (server, _turn) = own();
    let (member, administrator) = (server.user("member"), server.user("administrator"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&member]);
    many(server, &channel);
    let refused = "STREAM_WILDCARD_MENTION_NOT_ALLOWED";
    let wildcards = ["all", "everyone", "channel", "stream"].map(|name| format!("@**{name}**"));
    for text in &wildcards {
        post(&member, &channel, "t", text).ok();
    }
    fixture::subscribe(server, &administrator, &channel);
    for text in &wildcards {
        post(&member, &channel, "t", text).error(400, refused);
        let silent = text.replace('@', "@_");
        post(&member, &channel, "t", &silent).ok();
        post(&administrator, &channel, "t", text).ok();
    }
    // Few users take part in the topic.
    post(&member, &channel, "t", "@**topic**").ok();
    post(&member, &channel, "t", "@**All**").ok();
    set(server, "can_mention_many_users_group", "role:members");
    post(&member, &channel, "t", "@**all**").ok();
    set(server, "can_mention_many_users_group", "role:nobody");
    post(&administrator, &channel, "t", "@**all**").error(400, refused);
    set(
        server,
        "can_mention_many_users_group",
        "role:administrators",
    );
}

#[test]
fn topic_wildcards_for_many_users_need_a_permission() {
    let (server, _turn) = own();
    let (member, administrator) = (server.user("member"), server.user("administrator"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&member, &administrator]);
    let crowd: Vec<User> = (0..15).map(|_| server.user("member")).collect();
    for user in &crowd[..14] {
        post(user, &channel, "t", "x").ok();
    }
    post(&member, &channel, "t", "@**topic**").ok();
    post(&crowd[14], &channel, "T", "x").ok();
    let refused = "TOPIC_WILDCARD_MENTION_NOT_ALLOWED";
    post(&member, &channel, "t", "@**topic**").error(400, refused);
    post(&administrator, &channel, "t", "@**topic**").ok();
    post(&member, &channel, "other", "@**topic**").ok();
}

/// In a direct message any wildcard is allowed, and there is no topic.
#[test]
fn wildcard_mentions_in_direct_messages_and_topics() {
    let (server, _turn) = own();
    let (sender, reader) = (server.user("member"), server.user("member"));
    let third = server.user("member");
    let channel = fixture::channel(server, ChannelKind::Public, &[&sender, &reader, &third]);
    let mut queues = [&sender, &reader, &third].map(|user| Queue::of(user, &["message"]));
    let mut flags_of = |id: &Value| {
        queues.each_mut().map(|queue| {
            let event = queue.expect(|event| &event["message"]["id"] == id);
            let flags = event["flags"].as_array().unwrap().clone();
            let mut flags: Vec<String> = flags
                .iter()
                .map(|flag| flag.as_str().unwrap().to_owned())
                .collect();
            flags.sort_unstable();
            flags.join(" ")
        })
    };
    let group = json!([reader.user_id, third.user_id]).to_string();
    let id = send(&sender, "direct", &group, "", "@**all**").ok()["id"].clone();
    let all = "stream_wildcard_mentioned wildcard_mentioned";
    assert_eq!(flags_of(&id), [all, all, all]);
    let id = send(&sender, "direct", &group, "", "@**topic**").ok()["id"].clone();
    assert_eq!(flags_of(&id), ["", "", ""]);
    let first = post(&reader, &channel, "t", "x").ok()["id"].clone();
    assert_eq!(flags_of(&first), ["", "", ""]);
    let id = post(&sender, &channel, "T", "@**topic**").ok()["id"].clone();
    let topic = "topic_wildcard_mentioned wildcard_mentioned";
    assert_eq!(
        flags_of(&id),
        [topic, topic, ""],
        "who has written, and the sender"
    );
}

#[test]
fn bots_may_send_where_their_owners_may() {
    let (server, _turn) = own();
    let (owner, outsider) = (server.user("member"), server.user("member"));
    let private = fixture::channel(server, ChannelKind::PrivateShared, &[&owner]);
    let pairs = [("full_name", "Own bot"), ("short_name", "ownbot")];
    let made = owner.post("/bots", &pairs).ok();
    let sql = "SELECT email FROM users WHERE id = ?1";
    let id = made["user_id"].as_i64().unwrap();
    let email: String = server
        .database()
        .query_row(sql, [id], |row| row.get(0))
        .unwrap();
    let key = made["api_key"].as_str().unwrap();
    let bot = spindle_tests::Client::new(server.base_url(), Some((&email, key)));
    let write = |channel: &Channel| {
        let to = channel.id();
        let pairs = [
            ("type", "stream"),
            ("to", to.as_str()),
            ("topic", "t"),
            ("content", "beep"),
        ];
        bot.post("/messages", &pairs)
    };
    write(&private).ok();
    let other = fixture::channel(server, ChannelKind::PrivateShared, &[&outsider]);
    write(&other).error(400, "STREAM_DOES_NOT_EXIST");
    fixture::channel_permission(
        server,
        &private,
        "can_send_message_group",
        "role:moderators",
    );
    write(&private).error(400, "STREAM_DOES_NOT_EXIST");
    // The channel to which a bot sends by default.
    let home = fixture::channel(server, ChannelKind::Public, &[&owner]);
    let no_channel = [("type", "stream"), ("topic", "t"), ("content", "beep")];
    let error = bot
        .post("/messages", &no_channel)
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "to");
    let home_name = [("default_sending_stream", home.name.as_str())];
    owner.patch(&format!("/bots/{id}"), &home_name).ok();
    let sent = bot.post("/messages", &no_channel).ok()["id"].clone();
    let read = owner.get(&format!("/messages/{sent}"), &[]).ok();
    assert_eq!(read["message"]["stream_id"], home.stream_id);
    owner
        .post("/messages", &no_channel)
        .error(400, "REQUEST_VARIABLE_MISSING");
}
