//! Quotas of an account: objects, and devices, of which the oldest goes.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Options, Server, unique};

use super::super::refused;
use super::{LATER, call, post, seed};

#[test]
fn objects_above_the_quota_of_an_account_are_refused() {
    let server = Server::own(Options::default());
    let friend = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&friend]);
    let pairs = [
        ("type", "channel"),
        ("to", &channel.id()),
        ("topic", "t"),
        ("content", "/poll x"),
    ];
    let message = friend.post("/messages", &pairs).ok()["id"].to_string();
    let to = format!("[{}]", friend.user_id);
    let draft = json!([{"type": "", "to": [], "topic": "", "content": "x"}]).to_string();
    let cases = [
        post(
            1000,
            "INSERT INTO alert_words SELECT ?1, 'w' || i, 'w' || i, i FROM n",
            "/users/me/alert_words",
            &[("alert_words", r#"["W5", "new"]"#)],
        ),
        post(
            1000,
            "INSERT INTO saved_snippets (user_id, title, content, date_created) \
            SELECT ?1, 't', 'c', 1 FROM n",
            "/saved_snippets",
            &[("title", "t"), ("content", "c")],
        ),
        post(
            1000,
            "INSERT INTO drafts (user_id, type, recipients, topic, content, last_edit_time) \
            SELECT ?1, '', '[]', '', 'c', 1 FROM n",
            "/drafts",
            &[("drafts", &draft)],
        ),
        post(
            1000,
            "INSERT INTO scheduled_messages (realm_id, user_id, recipients, content, \
            rendered_content, deliver_at, read_by_sender, client, realm_url) \
            SELECT 1, ?1, '[1]', 'c', 'c', 4000000000, 0, 'c', 'u' FROM n",
            "/scheduled_messages",
            &[
                ("type", "direct"),
                ("to", &to),
                ("content", "c"),
                ("scheduled_delivery_timestamp", LATER),
            ],
        ),
        post(
            1000,
            "INSERT INTO reminders (realm_id, user_id, message_id, content, rendered_content, \
            deliver_at, realm_url) SELECT 1, ?1, (SELECT max(id) FROM messages), 'c', 'c', \
            4000000000, 'u' FROM n",
            "/reminders",
            &[
                ("message_id", &message),
                ("scheduled_delivery_timestamp", LATER),
            ],
        ),
        post(
            200,
            "INSERT INTO navigation_views SELECT ?1, 'narrow/x/' || i, 0, 'n' || i FROM n",
            "/navigation_views",
            &[
                ("fragment", "narrow/y"),
                ("is_pinned", "true"),
                ("name", "y"),
            ],
        ),
        post(
            20_000,
            "INSERT INTO user_topics SELECT ?1, (SELECT max(id) FROM channels), 't' || i, \
            't' || i, 1, 1 FROM n",
            "/user_topics",
            &[
                ("stream_id", &channel.id()),
                ("topic", "new"),
                ("visibility_policy", "3"),
            ],
        ),
        post(
            250,
            "INSERT INTO users (realm_id, email, email_folded, delivery_email, \
            delivery_email_folded, full_name, full_name_folded, role, is_bot, bot_type, bot_owner_id, \
            is_active, date_joined) SELECT 1, 'b' || i || '@x', 'b' || i || '@x', 'b' || i || '@x', \
            'b' || i || '@x', 'B' || i, 'b' || i, 400, 1, 1, ?1, i % 2, 1 FROM n",
            "/bots",
            &[("full_name", "One more"), ("short_name", "onemore")],
        ),
        post(
            100,
            &format!(
                "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, \
            emoji_name) SELECT {message}, ?1, 'unicode_emoji', 'x' || i, 'x' || i FROM n"
            ),
            &format!("/messages/{message}/reactions"),
            &[("emoji_name", "octopus")],
        ),
        post(
            250,
            "INSERT INTO user_groups (realm_id, name, creator_id) \
            SELECT 1, 'made ' || i, ?1 FROM n",
            "/user_groups/create",
            &[("name", "one more"), ("description", ""), ("members", "[]")],
        ),
        post(
            250,
            "INSERT INTO conversations (realm_id, kind) SELECT 1, 'channel' FROM n; \
            INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created, creator_id) \
            SELECT 1, id, 'made ' || id, 'made ' || id, 1, ?1 FROM conversations c WHERE kind = 'channel' \
            AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id)",
            "/channels/create",
            &[("name", "one more"), ("subscribers", "[]")],
        ),
    ];
    for case in &cases {
        let user = server.user("member");
        seed(&server, case.limit - 1, &case.sql, user.user_id);
        call(&user, case).ok();
        let mut more = case.clone();
        for (name, value) in &mut more.pairs {
            *value = match *name {
                "alert_words" => r#"["newer"]"#.to_owned(),
                "fragment" => "narrow/z".to_owned(),
                "emoji_name" => "tada".to_owned(),
                "name" | "full_name" | "short_name" | "topic" => unique("yet"),
                _ => value.clone(),
            };
        }
        refused(call(&user, &more), case.limit);
        // Each account has a quota of its own.
        call(&server.user("member"), &more).ok();
    }
    too_many_words(&server);
    too_many_topics(&server, &channel.id());
}

/// Alert words above the quota: they match, can be added again without effect, and can be removed.
fn too_many_words(server: &Server) {
    let user = server.user("member");
    seed(
        server,
        1500,
        "INSERT INTO alert_words SELECT ?1, 'w' || i, 'w' || i, i FROM n",
        user.user_id,
    );
    let words = |method: &str, words: &str| {
        user.send(Call::new(method, "/users/me/alert_words").form(&[("alert_words", words)]))
    };
    words("POST", r#"["W7"]"#).ok();
    refused(words("POST", r#"["new"]"#), 1000);
    let left = words("DELETE", r#"["W7"]"#).ok()["alert_words"].clone();
    assert_eq!(left.as_array().expect("a list").len(), 1499);
    let to = format!("[{}]", user.user_id);
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "about w1234"),
    ];
    let id = server.user("member").post("/messages", &pairs).ok()["id"].clone();
    let message = user.get(&format!("/messages/{id}"), &[]).ok();
    assert_eq!(message["message"]["flags"], json!(["has_alert_word"]));
}

/// Topic policies above the quota can be changed and removed, and the account can still send.
fn too_many_topics(server: &Server, channel: &str) {
    let (user, sql) = (
        server.user("member"),
        "INSERT INTO user_topics SELECT ?1, \
        (SELECT max(id) FROM channels), 't' || i, 't' || i, 1, 1 FROM n",
    );
    seed(server, 20_010, sql, user.user_id);
    let largest: i64 = server
        .database()
        .query_row("SELECT max(id) FROM channels", [], |row| row.get(0))
        .expect("id");
    let set = |channel: &str, topic: &str, policy: &str| {
        let pairs = [
            ("stream_id", channel),
            ("topic", topic),
            ("visibility_policy", policy),
        ];
        user.post("/user_topics", &pairs)
    };
    set(&largest.to_string(), "t5", "3").ok();
    set(&largest.to_string(), "t6", "0").ok();
    refused(set(channel, "new", "3"), 20_000);
    fixture::user_setting(server, &user, "automatically_follow_topics_policy", "1");
    let subscriptions = format!("[{{\"name\": \"{}\"}}]", channel_name(server, channel));
    user.post(
        "/users/me/subscriptions",
        &[("subscriptions", &subscriptions)],
    )
    .ok();
    let pairs = [
        ("type", "channel"),
        ("to", channel),
        ("topic", "followed"),
        ("content", "x"),
    ];
    let sent = user.post("/messages", &pairs).ok();
    assert_eq!(sent.get("automatic_new_visibility_policy"), None, "{sent}");
}

fn channel_name(server: &Server, id: &str) -> String {
    let database = server.database();
    let name = database.query_row("SELECT name FROM channels WHERE id = ?1", [id], |row| {
        row.get(0)
    });
    name.expect("a name")
}

#[test]
fn above_the_quota_the_oldest_device_is_removed() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let device = || user.post("/register_client_device", &[]).ok()["device_id"].clone();
    let (first, second) = (device(), device());
    seed(
        &server,
        98,
        "INSERT INTO devices (user_id, created) SELECT ?1, 1 FROM n",
        user.user_id,
    );
    let newest = device();
    let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"device\"]")];
    let devices = user.post("/register", &pairs).ok()["devices"].clone();
    assert_eq!(devices.as_object().expect("devices").len(), 100);
    assert_eq!(devices.get(first.to_string()), None);
    for kept in [second, newest] {
        assert!(devices.get(kept.to_string()).is_some());
    }
    let sql = "INSERT INTO push_tokens SELECT ?1, 'fcm', 'token' || i, NULL, i FROM n";
    seed(&server, 100, sql, user.user_id);
    user.post("/users/me/android_gcm_reg_id", &[("token", "newest")])
        .ok();
    let remove = |token: &str| {
        let call = Call::new("DELETE", "/users/me/android_gcm_reg_id").form(&[("token", token)]);
        user.send(call)
    };
    remove("token1").bad_request();
    remove("token2").ok();
    remove("newest").ok();
}
