//! Visibility of other users' objects by role: the table `visibility.txt`, and that a hidden object
//! gets the same answer as a missing one.

use std::collections::BTreeMap;

use rusqlite::params;
use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Server, User, unique};

use crate::invitations::owner;
use crate::{COLUMNS, Caller, Context, Others, callers, others, request, rows};

const TABLE: &str = include_str!("visibility.txt");

/// A time in the future.
const LATER: &str = "4000000000";

/// Cells by object, in the order of the columns.
fn table() -> BTreeMap<String, Vec<bool>> {
    let lines = TABLE
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut table = BTreeMap::new();
    for (number, line) in lines.enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (thing, cells) = words.split_at(words.len() - COLUMNS.len());
        if number == 0 {
            assert_eq!(cells, COLUMNS, "the head of the table");
            continue;
        }
        let cells = cells.iter().map(|cell| match *cell {
            "sees" => true,
            "-" => false,
            other => panic!("{line}: {other}"),
        });
        table.insert(thing.join(" "), cells.collect());
    }
    table
}

/// The objects of another user, with the text of each, and the message that was moved.
struct Things {
    texts: BTreeMap<&'static str, String>,
    moved: i64,
}

impl Things {
    fn new(server: &Server, others: &Others) -> Self {
        let user = &others.user;
        let mut texts = BTreeMap::from([
            ("text of a direct message", others.texts[0].clone()),
            ("text of a private message", others.texts[1].clone()),
            ("topic of a private channel", others.private_topic.clone()),
            ("name of a private channel", others.private_name.clone()),
            ("key of a person", user.api_key.clone()),
            ("upload", upload(user)),
        ]);
        for thing in [
            "draft",
            "saved snippet",
            "navigation view",
            "scheduled message",
            "reminder",
            "alert word",
            "storage of a bot",
        ] {
            texts.insert(thing, unique(&format!("hidden {thing} ")));
        }
        personal(user, others, &texts);
        let storage = json!({"key": texts["storage of a bot"]}).to_string();
        let store = Call::new("PUT", "/bot_storage").form(&[("storage", &storage)]);
        others.bot.send(store).ok();
        let (token, key) = outgoing_bot(user);
        texts.insert("token of an outgoing bot", token);
        texts.insert("key of a bot", key);
        texts.insert("link of an invitation", link(user, "400"));
        texts.insert("link of an owner's invitation", link(owner(), "100"));
        for (thing, export_type) in [
            ("archive of what is public", "public"),
            ("archive of everything", "full_without_consent"),
        ] {
            texts.insert(thing, archive(server, user, export_type));
        }
        let (topic, text) = (unique("hidden topic "), unique("hidden text "));
        let moved = moved(server, others, &topic, &text);
        texts.insert("topic before a move", topic);
        texts.insert("text before a move", text);
        Self { texts, moved }
    }
}

/// Objects that only their owner can see.
fn personal(user: &User, others: &Others, texts: &BTreeMap<&'static str, String>) {
    let drafts = json!([{"type": "", "to": [], "topic": "", "content": texts["draft"]}]);
    let (drafts, view) = (drafts.to_string(), unique("view"));
    let words = json!([texts["alert word"]]).to_string();
    let (to, message) = (
        format!("[{}]", user.id()),
        others.direct_message.to_string(),
    );
    let scheduled = &texts["scheduled message"];
    let calls: [(&str, Vec<(&str, &str)>); 6] = [
        ("/drafts", vec![("drafts", drafts.as_str())]),
        (
            "/saved_snippets",
            vec![("title", "t"), ("content", texts["saved snippet"].as_str())],
        ),
        (
            "/navigation_views",
            vec![
                ("fragment", view.as_str()),
                ("is_pinned", "true"),
                ("name", texts["navigation view"].as_str()),
            ],
        ),
        (
            "/scheduled_messages",
            vec![
                ("type", "direct"),
                ("to", to.as_str()),
                ("content", scheduled.as_str()),
                ("scheduled_delivery_timestamp", LATER),
            ],
        ),
        (
            "/reminders",
            vec![
                ("message_id", message.as_str()),
                ("note", texts["reminder"].as_str()),
                ("scheduled_delivery_timestamp", LATER),
            ],
        ),
        (
            "/users/me/alert_words",
            vec![("alert_words", words.as_str())],
        ),
    ];
    for (path, pairs) in calls {
        user.post(path, &pairs).ok();
    }
}

/// The address of a file that no message references.
fn upload(user: &User) -> String {
    let made = user.upload("/user_uploads", "hidden.txt", b"hidden").ok();
    made["url"].as_str().expect("an address").to_owned()
}

/// Token and key of a new bot that calls a service.
fn outgoing_bot(user: &User) -> (String, String) {
    let (full_name, short_name) = (unique("Matrix bot "), unique("matrix"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
        ("bot_type", "3"),
        ("payload_url", "https://hook.example.org/x"),
    ];
    let made = user.post("/bots", &pairs).ok();
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_bot\"]"),
    ];
    let body = user.post("/register", &pairs).ok();
    let mut bots = body["realm_bots"].as_array().expect("bots").iter();
    let bot = bots.find(|bot| bot["user_id"] == made["user_id"]);
    let token = bot.expect("the bot")["services"][0]["token"].clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (text(&token), text(&made["api_key"]))
}

/// The key in the link of a new invitation.
fn link(inviter: &User, role: &str) -> String {
    let email = format!("{}@example.com", unique("sights").to_lowercase());
    let pairs = [("invitee_emails", email.as_str()), ("invite_as", role)];
    inviter.post("/invites", &pairs).ok();
    let listed = inviter.get("/invites", &[]).ok();
    let mut listed = listed["invites"].as_array().expect("invitations").iter();
    let found = listed.find(|one| one["email"] == email.as_str());
    let link = found.expect("the invitation")["link_url"].clone();
    let link = link.as_str().expect("a link");
    link.rsplit('/').next().expect("a key").to_owned()
}

/// The address of an export's archive. The file does not exist: only the record of the export
/// counts here.
fn archive(server: &Server, user: &User, export_type: &str) -> String {
    let path = format!("1/{}/export.tar.gz", unique("sights"));
    let sql = "INSERT INTO realm_exports (realm_id, acting_user_id, export_type, realm_url,
            export_time, path, blob_key, size) VALUES (1, ?1, ?2, 'http://x', 1, ?3, ?3, 1)";
    let values = params![user.user_id, export_type, path];
    server.database().execute(sql, values).expect("an export");
    path
}

/// A message that was edited in a private channel and then moved to the public one.
fn moved(server: &Server, others: &Others, topic: &str, text: &str) -> i64 {
    let user = &others.user;
    let from = fixture::channel(server, ChannelKind::PrivateShared, &[user]).id();
    let pairs = [
        ("type", "channel"),
        ("to", from.as_str()),
        ("topic", topic),
        ("content", text),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].as_i64();
    let id = id.expect("id");
    let path = format!("/messages/{id}");
    user.patch(&path, &[("content", "harmless")]).ok();
    let pairs = [
        ("stream_id", others.public_channel.as_str()),
        ("topic", "t"),
    ];
    user.patch(&path, &pairs).ok();
    id
}

/// Calls beyond the rows of the matrix: searches, and calls that name a hidden object, including
/// changes, because of the text of the error.
fn further(others: &Others, things: &Things) -> Vec<Call> {
    let user = others.user.id();
    let (channel, public) = (&others.private_channel, &others.public_channel);
    let messages = [others.direct_message, others.private_message, things.moved];
    let all = json!(messages).to_string();
    let hidden = json!(messages[..2]).to_string();
    let around = |narrow: Value| {
        Call::new("GET", "/messages").query(&[
            ("anchor", "newest"),
            ("num_before", "100"),
            ("num_after", "0"),
            ("narrow", &narrow.to_string()),
        ])
    };
    let term = |operator: &str, operand: Value| json!({"operator": operator, "operand": operand});
    let private: i64 = channel.parse().expect("an id");
    let mut calls = vec![
        Call::new("POST", "/register"),
        Call::new("GET", "/messages").query(&[("message_ids", &all)]),
        around(json!([term("search", json!("hidden"))])),
        around(json!([term("channel", json!(private))])),
        around(json!([term("dm", json!([others.user.user_id]))])),
        around(json!([term("sender", json!(others.user.email))])),
        around(json!([term("id", json!(others.private_message))])),
        around(json!([term("with", json!(others.private_message))])),
        around(json!([term("channels", json!("public"))])),
        Call::new("GET", &format!("/users/me/{channel}/topics")),
        Call::new("GET", &format!("/users/me/{public}/topics")),
        Call::new("GET", &format!("/streams/{channel}")),
        Call::new("GET", &format!("/streams/{channel}/members")),
        Call::new("GET", &format!("/users/{user}/subscriptions/{channel}")),
        Call::new("GET", &format!("/users/{user}/channels")),
        Call::new("PATCH", &format!("/streams/{channel}")).form(&[("description", "x")]),
        Call::new("POST", "/messages/flags").form(&[
            ("messages", &hidden),
            ("op", "add"),
            ("flag", "starred"),
        ]),
        Call::new("POST", "/mark_topic_as_read")
            .form(&[("stream_id", channel), ("topic_name", "x")]),
    ];
    let search = json!([term("search", json!("hidden"))]).to_string();
    for narrow in ["[]", search.as_str()] {
        let pairs = [("msg_ids", all.as_str()), ("narrow", narrow)];
        calls.push(Call::new("GET", "/messages/matches_narrow").query(&pairs));
    }
    for id in messages {
        let path = format!("/messages/{id}");
        calls.push(Call::new("GET", &path));
        calls.push(Call::new("GET", &format!("{path}/history")));
        calls.push(Call::new("GET", &format!("{path}/read_receipts")));
    }
    calls
}

/// Whether a text contains another one that no further digit follows.
fn holds(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(start, _)| {
        let next = text[start + wanted.len()..].chars().next();
        !next.is_some_and(|next| next.is_ascii_digit())
    })
}

/// All answers to a caller, as text.
fn answers(
    column: &str,
    caller: &Caller,
    others: &Others,
    things: &Things,
) -> Vec<(String, String)> {
    let context = Context {
        column,
        caller,
        others,
    };
    let reads = rows()
        .into_iter()
        .filter(|row| row.operation.starts_with("GET "));
    // Polls wait for events; the content of queues is tested elsewhere. An error repeats a name in
    // the request.
    let reads =
        reads.filter(|row| !matches!(row.operation.as_str(), "GET /events" | "GET /get_stream_id"));
    let calls = reads.map(|row| request(&row, &context));
    calls
        .chain(further(others, things))
        .map(|call| {
            let reply = caller.client.send(call);
            let text = String::from_utf8_lossy(&reply.bytes).into_owned();
            (reply.call, text)
        })
        .collect()
}

#[test]
fn every_cell_of_the_visibility_table_is_right() {
    let server = Server::shared();
    let others = others(server);
    let things = Things::new(server, &others);
    let callers = callers(server);
    let table = table();
    let named: Vec<&str> = table.keys().map(String::as_str).collect();
    let made: Vec<&str> = things.texts.keys().copied().collect();
    assert_eq!(named, made);
    let gone = callers[6].user.email.clone();
    assert_eq!(COLUMNS[6], "deactivated");
    server.admin(&["user", "deactivate", "--email", &gone]);
    let mut wrong = Vec::new();
    for (number, (column, caller)) in COLUMNS.iter().zip(&callers).enumerate() {
        let answers = answers(column, caller, &others, &things);
        for (thing, text) in &things.texts {
            let telling = answers.iter().find(|(_, answer)| holds(answer, text));
            if telling.is_some() != table[*thing][number] {
                let call = telling.map_or("no answer", |(call, _)| call.as_str());
                wrong.push(format!("{thing}: {column}: {call} shows it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A message that was delivered to a user in a channel from which they have unsubscribed.
fn left_behind(server: &Server, sender: &User, user: &User) -> i64 {
    let channel = fixture::channel(server, ChannelKind::PrivateShared, &[sender, user]);
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "t"),
        ("content", "x"),
    ];
    let sent = sender.post("/messages", &pairs).ok();
    fixture::unsubscribe(server, user, &channel);
    sent["id"].as_i64().expect("id")
}

/// The id of a hidden object gets the same status, code and text as an id that was never assigned,
/// apart from the id itself.
#[test]
fn hidden_objects_get_the_answer_of_missing_ones() {
    let server = Server::shared();
    let others = others(server);
    let missing = 987_654_321;
    let message = |left: i64, method: &str, rest: &str, pairs: &[(&str, &str)]| {
        let path = |id: i64| format!("/messages/{id}{rest}");
        let of = |id| match method {
            "GET" => Call::new("GET", &path(id)).query(pairs),
            _ => Call::new(method, &path(id)).form(pairs),
        };
        [
            of(others.direct_message),
            of(others.private_message),
            of(left),
            of(missing),
        ]
    };
    let octopus = [("emoji_name", "octopus")];
    let by_message = |left: i64| {
        [
            message(left, "GET", "", &[]),
            message(left, "GET", "/history", &[]),
            message(left, "GET", "/read_receipts", &[]),
            message(left, "PATCH", "", &[("content", "x")]),
            message(left, "PATCH", "", &[("topic", "x")]),
            message(left, "DELETE", "", &[]),
            message(left, "POST", "/reactions", &octopus),
            message(left, "DELETE", "/reactions", &octopus),
            message(left, "POST", "/typing", &[("op", "start")]),
            message(left, "POST", "/report", &[("report_type", "spam")]),
        ]
    };
    let channel = |id: &str| {
        let send = [
            ("type", "channel"),
            ("to", id),
            ("topic", "x"),
            ("content", "x"),
        ];
        let narrow = format!(r#"[{{"operator": "channel", "operand": {id}}}]"#);
        [
            Call::new("GET", &format!("/streams/{id}")),
            Call::new("PATCH", &format!("/streams/{id}")).form(&[("description", "x")]),
            Call::new("DELETE", &format!("/streams/{id}")),
            Call::new("GET", &format!("/streams/{id}/members")),
            Call::new("GET", &format!("/streams/{id}/email_address")),
            Call::new("GET", &format!("/users/me/{id}/topics")),
            Call::new("POST", "/messages").form(&send),
            Call::new("POST", "/mark_stream_as_read").form(&[("stream_id", id)]),
            Call::new("GET", "/messages").query(&[
                ("anchor", "newest"),
                ("num_before", "1"),
                ("num_after", "0"),
                ("narrow", &narrow),
            ]),
        ]
    };
    for role in ["moderator", "member", "guest", "bot"] {
        let user = if role == "bot" {
            server.bot()
        } else {
            server.user(role)
        };
        let left = left_behind(server, &others.user, &user);
        // The longest first, since a short one may be a part of it.
        let ids = [
            missing,
            left,
            others.private_message,
            others.direct_message,
            others.private_channel.parse().expect("an id"),
        ]
        .map(|id: i64| id.to_string());
        let ask = |call: Call| {
            let reply = user.send(call);
            let text = String::from_utf8_lossy(&reply.bytes).into_owned();
            let neutral = |text: String, id: &String| text.replace(id.as_str(), "ID");
            (reply.status, ids.iter().fold(text, neutral))
        };
        for calls in by_message(left) {
            let name = format!("{role} {calls:?}");
            let [direct, private, left, missing] = calls.map(&ask);
            for hidden in [direct, private, left] {
                assert_eq!(hidden, missing, "{name}");
            }
        }
        let hidden = channel(&others.private_channel);
        for (hidden, none) in hidden.into_iter().zip(channel(&missing.to_string())) {
            let name = format!("{role} {hidden:?}");
            assert_eq!(ask(hidden), ask(none), "{name}");
        }
    }
}
