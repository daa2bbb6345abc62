//! A whole organization there and back: what clients read before and after is equal.

use serde_json::{Value, json};
use spindle_tests::{Call, Client, Queue, Server, User, apps, unix_now};

use super::{assert_sound, moved, node, on_a_file, refused, rows};

const PASSWORD: &str = "correct horse battery staple";

/// Searches: words, beginnings, phrases, other scripts and accents, with other terms.
const SEARCHES: [&str; 9] = [
    r#"[{"operator":"search","operand":"the"}]"#,
    r#"[{"operator":"search","operand":"fri depl"}]"#,
    r#"[{"operator":"search","operand":"\"with accents\""}]"#,
    r#"[{"operator":"search","operand":"CAFE"}]"#,
    r#"[{"operator":"search","operand":"東京"}]"#,
    r#"[{"operator":"search","operand":"京の天気"}]"#,
    r#"[{"operator":"search","operand":"moved topic"}]"#,
    r#"[{"operator":"search","operand":"don't"},{"operator":"is","operand":"dm"}]"#,
    r#"[{"operator":"search","operand":"nowhere"}]"#,
];

const READS: [(&str, &[(&str, &str)]); 23] = [
    ("/apps", &[]),
    ("/attachments", &[]),
    ("/bots", &[]),
    ("/channel_folders", &[]),
    ("/drafts", &[]),
    ("/export/realm", &[]),
    ("/invites", &[]),
    ("/navigation_views", &[]),
    ("/realm/domains", &[]),
    ("/realm/emoji", &[]),
    ("/realm/linkifiers", &[]),
    ("/realm/presence", &[]),
    ("/realm/profile_fields", &[]),
    ("/reminders", &[]),
    ("/saved_snippets", &[]),
    ("/scheduled_messages", &[]),
    ("/streams", &[("include_all", "true")]),
    ("/user_groups", &[("include_deactivated_groups", "true")]),
    ("/users", &[("include_custom_profile_fields", "true")]),
    ("/users/me", &[]),
    ("/users/me/1/topics", &[]),
    ("/users/me/alert_words", &[]),
    (
        "/users/me/subscriptions",
        &[("include_subscribers", "true")],
    ),
];

/// What differs between two servers although the organization is the same.
const OF_THE_SERVER: [&str; 4] = [
    "queue_id",
    "server_generation",
    "server_timestamp",
    "last_event_id",
];

/// The same for servers at any address and time.
fn comparable(answer: &Value) -> Value {
    let text = answer.to_string();
    let mut parts = text.split("http://127.0.0.1:");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("BASE");
        text.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    // A body, or a status and a body.
    let body = if value.is_array() {
        value.as_array_mut().and_then(|both| both.last_mut())
    } else {
        Some(&mut value)
    };
    if let Some(fields) = body.and_then(Value::as_object_mut) {
        fields.retain(|name, _| !OF_THE_SERVER.contains(&name.as_str()));
    }
    value
}

/// What these clients read, each with the question.
fn answers(clients: &[&Client]) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (number, client) in clients.iter().enumerate() {
        let mut note = |question: String, answer: Value| {
            all.push((format!("{number} {question}"), comparable(&answer)));
        };
        for (path, parameters) in READS {
            let reply = client.get(path, parameters);
            note(path.to_owned(), json!([reply.status, reply.body]));
        }
        for narrow in SEARCHES.iter().chain(&["[]"]) {
            let page = [
                ("anchor", "newest"),
                ("num_before", "1000"),
                ("num_after", "0"),
                ("narrow", narrow),
            ];
            note((*narrow).to_owned(), client.get("/messages", &page).ok());
        }
        let everything = [
            ("apply_markdown", "true"),
            ("client_gravatar", "false"),
            ("include_subscribers", "true"),
        ];
        let state = client.post("/register", &everything).ok();
        note("register".to_owned(), state);
    }
    all
}

#[track_caller]
fn assert_equal(now: &[(String, Value)], before: &[(String, Value)]) {
    assert_eq!(now.len(), before.len());
    for ((question, now), (_, before)) in now.iter().zip(before) {
        assert_eq!(now, before, "{question}");
    }
}

fn at(user: &User, server: &Server) -> User {
    User {
        client: Client::new(server.base_url(), Some((&user.email, &user.api_key))),
        ..user.clone()
    }
}

fn send(user: &User, to: &str, topic: &str, content: &str) -> i64 {
    let direct = to.starts_with('[');
    let message = [
        ("type", if direct { "direct" } else { "channel" }),
        ("to", to),
        ("topic", topic),
        ("content", content),
    ];
    let sent = user.post("/messages", &message).ok();
    sent["id"].as_i64().expect("an id")
}

/// Something in most of the tables that the demonstration leaves empty.
fn live(owner: &User, member: &User) {
    let me = format!("[{}]", owner.user_id);
    send(
        owner,
        "general",
        "food",
        "café with accents, and a crème brûlée",
    );
    send(owner, "general", "weather", "東京の天気は晴れ");
    send(member, &me, "", "don't panic, the deployment is on friday");
    let first = send(member, "general", "before", "a word of a moved topic");
    let path = format!("/messages/{first}");
    let change = [
        ("topic", "after"),
        ("propagate_mode", "change_all"),
        ("content", "edited, a moved topic"),
    ];
    member.patch(&path, &change).ok();
    owner
        .post(&format!("{path}/reactions"), &[("emoji_name", "tada")])
        .ok();
    let file = member
        .upload("/user_uploads", "tea.txt", b"tea leaves")
        .ok();
    let link = format!("[tea.txt]({})", file["url"].as_str().expect("an address"));
    send(member, "general", "food", &link);
    let draft = r#"[{"type": "", "to": [], "topic": "", "content": "a thought"}]"#;
    owner.post("/drafts", &[("drafts", draft)]).ok();
    owner
        .post(
            "/saved_snippets",
            &[("title", "hello"), ("content", "hello there")],
        )
        .ok();
    owner
        .post("/users/me/alert_words", &[("alert_words", r#"["tea"]"#)])
        .ok();
    let later = (unix_now() + 86_400).to_string();
    let due = ("scheduled_delivery_timestamp", later.as_str());
    let message = [
        ("type", "channel"),
        ("to", "1"),
        ("topic", "later"),
        ("content", "soon"),
        due,
    ];
    owner.post("/scheduled_messages", &message).ok();
    owner
        .post("/reminders", &[("message_id", &first.to_string()), due])
        .ok();
    let group = [
        ("name", "readers"),
        ("description", ""),
        ("members", me.as_str()),
    ];
    owner.post("/user_groups/create", &group).ok();
    let linkifier = [
        ("pattern", "#(?P<id>[0-9]+)"),
        ("url_template", "https://bugs.example.org/{id}"),
    ];
    owner.post("/realm/filters", &linkifier).ok();
    owner
        .post(
            "/realm/domains",
            &[("domain", "example.org"), ("allow_subdomains", "true")],
        )
        .ok();
    owner
        .post(
            "/invites/multiuse",
            &[("invite_expires_in_minutes", "10080")],
        )
        .ok();
    let muted = [
        ("stream_id", "1"),
        ("topic", "food"),
        ("visibility_policy", "1"),
    ];
    owner.post("/user_topics", &muted).ok();
    member
        .patch("/settings", &[("twenty_four_hour_time", "true")])
        .ok();
    member
        .post(
            "/bots",
            &[("full_name", "Helper"), ("short_name", "helper")],
        )
        .ok();
    let app = apps::install(owner, &apps::built_component("test_app"));
    apps::tell(owner, &app, "/test store tea leaves");
}

/// Signs in with a browser and returns its cookie.
fn signed_in(server: &Server, user: &User) -> String {
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let call = Call::new("POST", "/sessions").form(&pairs);
    let reply = server
        .anonymous()
        .send(call.header("Spindle-Client", "test"));
    let cookie = reply.header("set-cookie").expect("Set-Cookie");
    cookie.split(';').next().expect("a cookie").to_owned()
}

/// What clients have from before a move.
struct Kept<'k> {
    owner: &'k User,
    member: &'k User,
    /// A browser in which the member is signed in.
    cookie: &'k str,
    queue: &'k Queue,
    newest: i64,
}

/// What only the organization that was moved can do right. Returns the newest message.
fn goes_on(server: &Server, kept: &Kept<'_>) -> i64 {
    let [owner, member] = [kept.owner, kept.member].map(|user| at(user, server));
    let call = Call::new("GET", "/users/me").header("Cookie", kept.cookie);
    let browser = server
        .anonymous()
        .send(call.header("Spindle-Client", "test"));
    assert_eq!(browser.ok()["user_id"], member.user_id);
    let query = [("queue_id", &*kept.queue.queue_id), ("last_event_id", "-1")];
    owner
        .get("/events", &query)
        .error(400, "BAD_EVENT_QUEUE_ID");
    let mut queue = Queue::of(&owner, &["message"]);
    let sent = send(&member, "general", "food", "after the move");
    assert!(sent > kept.newest, "{sent} after {}", kept.newest);
    assert_eq!(queue.wait()[0]["message"]["id"], sent);
    let app = owner.get("/apps", &[]).ok()["apps"][0].clone();
    apps::tell(&owner, &app, "/test values");
    assert_eq!(apps::newest(&owner)["content"], "values: tea=leaves");
    let found = [
        ("anchor", "newest"),
        ("num_before", "9"),
        ("num_after", "0"),
        (
            "narrow",
            r#"[{"operator":"search","operand":"after the move"}]"#,
        ),
    ];
    let found = member.get("/messages", &found).ok();
    assert!(!found["messages"].as_array().expect("messages").is_empty());
    let files = member.get("/attachments", &[]).ok();
    let path = files["attachments"][0]["path_id"]
        .as_str()
        .expect("a path")
        .to_owned();
    assert_eq!(
        member.fetch(&format!("/user_uploads/{path}"), &[]).bytes,
        b"tea leaves"
    );
    // The links of invitations are signed.
    let invitations = owner.get("/invites", &[]).ok();
    let link = invitations["invites"][0]["link_url"]
        .as_str()
        .expect("a link");
    let path = link.rsplit_once("/join/").expect("a link").1;
    let page = server.anonymous().fetch(&format!("/join/{path}"), &[]);
    assert_eq!(page.status, 200, "{link}");
    assert_sound(server);
    sent
}

#[test]
fn clients_find_everything_as_it_was() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let url = database.url();
    let mut file = on_a_file();
    let data = file.directory().expect("a directory").to_owned();
    file.admin(&["demo"]);
    let [owner, member] =
        ["owner", "member"].map(|role| file.user_with(role, &["--password", PASSWORD]));
    live(&owner, &member);
    let newest = send(&member, "general", "food", "the last one");
    let before = answers(&[&owner, &member]);
    let cookie = signed_in(&file, &member);
    let kept = Kept {
        owner: &owner,
        member: &member,
        cookie: &cookie,
        queue: &Queue::of(&owner, &["message"]),
        newest,
    };
    file.terminate();
    let report = moved(&data, None, &url);
    assert!(rows(&report, "messages") > 40, "{report}");
    assert!(
        report["files"]["note"]
            .as_str()
            .expect("a note")
            .contains("blobs")
    );
    let mut server = node(&data, &url);
    let there = [&owner, &member].map(|user| at(user, &server));
    let after = answers(&[&there[0], &there[1]]);
    assert_equal(&after, &before);
    let newest = goes_on(&server, &kept);
    let before = answers(&[&there[0], &there[1]]);
    let kept = Kept {
        queue: &Queue::of(&there[0], &["message"]),
        newest,
        ..kept
    };
    // While a node runs, nothing is moved.
    let back = tempfile::tempdir().expect("a directory");
    let to = back.path().join("data");
    let to = to.to_str().expect("a path");
    let said = refused(back.path(), Some(&url), to);
    assert!(said.contains("stop all of them"), "{said}");
    server.terminate();
    let report = moved(back.path(), Some(&url), to);
    assert!(
        report["files"]["note"]
            .as_str()
            .expect("a note")
            .contains("copy the folder blobs")
    );
    std::fs::rename(data.join("blobs"), back.path().join("data/blobs")).expect("the files");
    let again = Server::spawn_on(back.path().join("data"), spindle_tests::Options::default());
    let there = [&owner, &member].map(|user| at(user, &again));
    let after = answers(&[&there[0], &there[1]]);
    assert_equal(&after, &before);
    goes_on(&again, &kept);
}
