//! Quotas: at the quota, one more object is refused and nothing changes; above it, after an import,
//! all operations except growth work.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::images::png;
use spindle_tests::server::is_on_postgres;
use spindle_tests::{Call, Options, Server, User, unique};

use super::refused;

/// A kind of object that belongs to one account.
#[derive(Clone)]
struct Case {
    limit: i64,
    /// Adds one for each row of `n`; `?1` is the account.
    sql: String,
    method: &'static str,
    path: String,
    pairs: Vec<(&'static str, String)>,
}

pub(super) fn seed(server: &Server, count: i64, sql: &str, owner: i64) {
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) {sql}"
    );
    let database = server.database();
    let sql = sql.replace("?1", &owner.to_string());
    database
        .execute_batch(&sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

fn call(user: &User, case: &Case) -> spindle_tests::Reply {
    let pairs: Vec<(&str, &str)> = case.pairs.iter().map(|(k, v)| (*k, v.as_str())).collect();
    user.send(Call::new(case.method, &case.path).form(&pairs))
}

fn post(limit: i64, sql: &str, path: &str, pairs: &[(&'static str, &str)]) -> Case {
    Case {
        limit,
        sql: sql.to_owned(),
        method: "POST",
        path: path.to_owned(),
        pairs: pairs.iter().map(|(k, v)| (*k, (*v).to_owned())).collect(),
    }
}

const LATER: &str = "4000000000";

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
            50_000,
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
            500,
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
            1000,
            "INSERT INTO user_groups (realm_id, name, creator_id) \
            SELECT 1, 'made ' || i, ?1 FROM n",
            "/user_groups/create",
            &[("name", "one more"), ("description", ""), ("members", "[]")],
        ),
        post(
            2000,
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
    seed(server, 50_010, sql, user.user_id);
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
    refused(set(channel, "new", "3"), 50_000);
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
fn the_texts_of_an_account_have_a_total_maximum() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let sql = "INSERT INTO saved_snippets (user_id, title, content, date_created) \
        SELECT ?1, 't', printf('%.9000c', 'x'), 1 FROM n";
    seed(&server, 222, sql, user.user_id);
    let long = "y".repeat(9000);
    refused(
        user.post("/saved_snippets", &[("title", "t"), ("content", &long)]),
        2_000_000,
    );
    user.post("/saved_snippets", &[("title", "t"), ("content", "short")])
        .ok();
    // Above the quota, a longer text is refused and a shorter one is accepted.
    seed(&server, 10, sql, user.user_id);
    let listed = user.get("/saved_snippets", &[]).ok();
    let path = format!("/saved_snippets/{}", listed["saved_snippets"][0]["id"]);
    let edit = |content: &str| user.send(Call::new("PATCH", &path).form(&[("content", content)]));
    refused(edit(&"y".repeat(9001)), 2_000_000);
    edit(&long).ok();
    edit("short").ok();
    user.send(Call::new("DELETE", &path)).ok();

    let sql = "INSERT INTO drafts (user_id, type, recipients, topic, content, last_edit_time) \
        SELECT ?1, '', '[]', '', printf('%.9000c', 'x'), 1 FROM n";
    seed(&server, 222, sql, user.user_id);
    let draft = |content: &str| json!({"type": "", "to": [], "topic": "", "content": content});
    let drafts = json!([draft(&long)]).to_string();
    refused(user.post("/drafts", &[("drafts", &drafts)]), 2_000_000);
    let id = user.get("/drafts", &[]).ok()["drafts"][0]["id"].to_string();
    let edit = |content: &str| {
        let draft = draft(content).to_string();
        user.send(Call::new("PATCH", &format!("/drafts/{id}")).form(&[("draft", &draft)]))
    };
    edit("short").ok();

    let sql = "INSERT INTO scheduled_messages (realm_id, user_id, recipients, content, \
        rendered_content, deliver_at, read_by_sender, client, realm_url) \
        SELECT 1, ?1, '[1]', 'c', printf('%.999000c', 'x'), 4000000000, 0, 'c', 'u' FROM n";
    seed(&server, 4, sql, user.user_id);
    let to = format!("[{}]", user.user_id);
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", long.as_str()),
        ("scheduled_delivery_timestamp", LATER),
    ];
    refused(user.post("/scheduled_messages", &pairs), 4_000_000);
}

#[test]
fn the_data_of_every_snapshot_has_a_total_maximum() {
    if is_on_postgres("its rows are made with foreign keys switched off") {
        return;
    }
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let database = server.database();
    let set = |sql: &str, id: i64| {
        let changed = database.execute(sql, [id]).expect("one row");
        assert_eq!(changed, 1, "{sql}");
    };
    let edit = |path: &str, text: &str| {
        owner.send(Call::new("PATCH", path).form(&[("description", text)]))
    };
    let long = "y".repeat(1000);

    // Descriptions of channels.
    let path = format!("/streams/{}", channel.id());
    let sql = "UPDATE channels SET description = printf('%.7999900c', 'x') WHERE id = ?1";
    set(sql, channel.stream_id);
    let create = |name: &str, description: &str| {
        let pairs = [
            ("name", name),
            ("description", description),
            ("subscribers", "[]"),
        ];
        owner.post("/channels/create", &pairs)
    };
    refused(create("long", &long), 8_000_000);
    let subscriptions = json!([{"name": "long", "description": long}]).to_string();
    let pairs = [("subscriptions", subscriptions.as_str())];
    refused(owner.post("/users/me/subscriptions", &pairs), 8_000_000);
    edit(&path, "short").ok();
    create("long", &long).ok();

    // Subscriptions.
    let sql = "UPDATE channels SET subscriber_count = 2000000 WHERE id = ?1";
    set(sql, channel.stream_id);
    let member = server.user("member");
    let subscriptions = json!([{"name": "long"}]).to_string();
    let pairs = [("subscriptions", subscriptions.as_str())];
    refused(member.post("/users/me/subscriptions", &pairs), 2_000_000);
    let sql = "UPDATE channels SET subscriber_count = 1 WHERE id = ?1";
    set(sql, channel.stream_id);
    member.post("/users/me/subscriptions", &pairs).ok();

    // Descriptions and members of groups.
    let create = |name: &str, members: &str| {
        let pairs = [
            ("name", name),
            ("description", long.as_str()),
            ("members", members),
        ];
        owner.post("/user_groups/create", &pairs)
    };
    let id = create("first", "[]").ok()["group_id"]
        .as_i64()
        .expect("an id");
    let path = format!("/user_groups/{id}");
    let sql = "UPDATE user_groups SET description = printf('%.3999900c', 'x') WHERE id = ?1";
    set(sql, id);
    refused(create("second", "[]"), 4_000_000);
    edit(&path, "short").ok();
    create("second", "[]").ok();
    let many = "PRAGMA foreign_keys = OFF;
        INSERT INTO user_groups (realm_id, name) VALUES (1, NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
        INSERT INTO user_group_members (group_id, user_id)
            SELECT (SELECT max(id) FROM user_groups), 1000000 + i FROM n;
        PRAGMA foreign_keys = ON;";
    database.execute_batch(many).expect("members");
    let add = json!([member.user_id]).to_string();
    let path = format!("/user_groups/{id}/members");
    refused(owner.post(&path, &[("add", &add)]), 1_000_000);
    refused(create("third", &add), 1_000_000);
    let value = json!({"new": {"direct_members": [member.user_id, owner.user_id],
        "direct_subgroups": []}});
    let pairs = [("can_send_message_group", value.to_string())];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let path = format!("/streams/{}", channel.id());
    refused(
        owner.send(Call::new("PATCH", &path).form(&pairs)),
        1_000_000,
    );
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

#[test]
fn objects_above_the_quota_of_a_message_are_refused() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let to = format!("[{}]", user.user_id);
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "/poll x"),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].to_string();
    let vote = r#"{"type":"new_option","idx":1,"option":"x"}"#;
    let sql = format!(
        "INSERT INTO submessages (message_id, sender_id, msg_type, content) \
         SELECT {id}, ?1, 'widget', '{{}}' FROM n"
    );
    seed(&server, 9998, &sql, user.user_id);
    let send = || {
        let pairs = [
            ("message_id", id.as_str()),
            ("msg_type", "widget"),
            ("content", vote),
        ];
        user.post("/submessage", &pairs)
    };
    send().ok();
    refused(send(), 10_000);

    // Editing is never refused: the oldest edits are dropped from the history.
    let pairs = [("type", "direct"), ("to", to.as_str()), ("content", "text")];
    let id = user.post("/messages", &pairs).ok()["id"].to_string();
    let edit = |second: i64| {
        json!({
            "user_id": user.user_id, "timestamp": second,
            "prev_content": "x".repeat(900), "prev_rendered_content": "x",
        })
    };
    let history: Vec<Value> = (0..1200).map(|back| edit(2000 - back)).collect();
    let history = json!(history).to_string();
    let database = server.database();
    database
        .execute(
            "UPDATE messages SET edit_history = ?1 WHERE id = ?2",
            rusqlite::params![history, id],
        )
        .expect("history");
    let path = format!("/messages/{id}");
    user.send(Call::new("PATCH", &path).form(&[("content", "new text")]))
        .ok();
    let kept: (i64, i64) = database
        .query_row(
            "SELECT length(edit_history), json_array_length(edit_history) FROM messages WHERE id = ?1",
            [&id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("history");
    assert!(
        kept.0 <= 1_000_000 && kept.1 > 900 && kept.1 < 1200,
        "{kept:?}"
    );
    let states = user.get(&format!("/messages/{id}/history"), &[]).ok();
    let states = states["message_history"]
        .as_array()
        .expect("states")
        .clone();
    assert_eq!(
        states.last().map(|state| state["content"].clone()),
        Some(Value::from("new text"))
    );
}

#[test]
fn objects_above_the_quota_of_the_organization_are_refused() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let cases = [
        post(
            500,
            "INSERT INTO channel_folders (realm_id, name, name_folded, position, date_created, \
            creator_id) SELECT 1, 'f' || i, 'f' || i, i, 1, ?1 FROM n",
            "/channel_folders/create",
            &[("name", "one more"), ("description", "")],
        ),
        post(
            100,
            "INSERT INTO profile_fields (realm_id, name, type, position) \
            SELECT 1, 'f' || i, 1, i FROM n",
            "/realm/profile_fields",
            &[("name", "one more"), ("field_type", "1")],
        ),
        post(
            1000,
            "INSERT INTO realm_domains (realm_id, domain, allow_subdomains) \
            SELECT 1, 'd' || i || '.example', 0 FROM n",
            "/realm/domains",
            &[("domain", "more.example"), ("allow_subdomains", "false")],
        ),
        post(
            200,
            "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template) \
            SELECT 1, 'p' || i, 'Rust', 'https://x/{code}' FROM n",
            "/realm/playgrounds",
            &[
                ("name", "one more"),
                ("pygments_language", "Rust"),
                ("url_template", "https://x/{code}"),
            ],
        ),
        post(
            5000,
            "INSERT INTO user_groups (realm_id, name) SELECT 1, 'many ' || i FROM n",
            "/user_groups/create",
            &[("name", "one more"), ("description", ""), ("members", "[]")],
        ),
        post(
            10_000,
            "INSERT INTO conversations (realm_id, kind) SELECT 1, 'channel' FROM n; \
            INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created) \
            SELECT 1, id, 'many ' || id, 'many ' || id, 1 FROM conversations c WHERE kind = 'channel' \
            AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id)",
            "/channels/create",
            &[("name", "one more"), ("subscribers", "[]")],
        ),
        post(
            5000,
            "INSERT INTO invitations (realm_id, inviter_id, nonce, invited_as, created_at, \
            notifies_inviter, joins_defaults, channel_ids, group_ids) \
            SELECT 1, ?1, randomblob(16), 400, 1, 0, 0, '[]', '[]' FROM n",
            "/invites/multiuse",
            &[],
        ),
    ];
    for case in &cases {
        seed(&server, case.limit, &case.sql, owner.user_id);
        let body = call(&owner, case);
        assert_eq!(body.status, 400, "{}", body.body);
        assert!(
            body.body.to_string().contains(&case.limit.to_string()),
            "{}",
            body.body
        );
    }
    let sql = "INSERT INTO realm_emoji (realm_id, name, author_id, file_name, date_created) \
        SELECT 1, 'e' || i, ?1, 'x.png', 1 FROM n";
    seed(&server, 2000, sql, owner.user_id);
    refused(owner.upload("/realm/emoji/more", "a.png", &png(8, 8)), 2000);
    let other = server.user("owner");
    other
        .upload("/realm/emoji/others", "a.png", &png(8, 8))
        .ok();
    seed(
        &server,
        3000,
        &sql.replace("'e'", "'f'").replace("?1", "NULL"),
        0,
    );
    refused(other.upload("/realm/emoji/more", "a.png", &png(8, 8)), 5000);
}
