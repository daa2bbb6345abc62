//! A server whose database is on PostgreSQL: operations of every kind, events, a restart, a lost database.
//!
//! Components reach it through Spin's interface, the server's own work natively.

use spindle_test_postgres::{Database, Server as Postgres};
use spindle_tests::server::DATABASE_URL;
use spindle_tests::{Call, Client, Options, Queue, Server};

const PASSWORD: &str = "correct-horse-9-battery";

fn options(database: &Database) -> Options {
    Options {
        environment: vec![
            (DATABASE_URL.to_owned(), database.url()),
            ("SPINDLE_OWNER_PASSWORD".to_owned(), PASSWORD.to_owned()),
        ],
        ..Options::default()
    }
}

fn send(client: &Client, content: &str) -> i64 {
    let message = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "tea"),
        ("content", content),
    ];
    client.post("/messages", &message).ok()["id"]
        .as_i64()
        .expect("an id")
}

#[test]
fn operations_of_every_kind_are_answered() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let server = Server::spawn(options(&database));
    let (owner, anonymous) = (server.owner(), server.anonymous());
    let settings = anonymous.get("/server_settings", &[]).ok();
    assert_eq!(settings["realm_name"], "Spindle");
    let me = owner.get("/users/me", &[]).ok();
    assert_eq!(me["is_owner"], true);
    let email = me["email"].as_str().expect("email");
    let attempt = |password| [("username", "owner@example.org"), ("password", password)];
    let key = anonymous.post("/fetch_api_key", &attempt(PASSWORD)).ok();
    let key = key["api_key"].as_str().expect("a key");
    let again = Client::new(server.base_url(), Some((email, key)));
    assert_eq!(again.get("/users/me", &[]).ok()["user_id"], me["user_id"]);
    anonymous
        .post("/fetch_api_key", &attempt("not this one"))
        .error(401, "AUTHENTICATION_FAILED");

    // A change, its event, and reads afterwards.
    let registered = owner.post("/register", &[]).ok();
    assert_eq!(registered["realm_name"], "Spindle");
    let mut queue = Queue::of(&owner, &["message", "update_message_flags"]);
    let id = send(&owner, "**green** tea from Assam");
    assert_eq!(queue.wait()[0]["message"]["id"], id);
    let flag = [
        ("messages", &*format!("[{id}]")),
        ("op", "add"),
        ("flag", "starred"),
    ];
    owner.post("/messages/flags", &flag).ok();
    assert_eq!(queue.wait()[0]["flag"], "starred");
    let narrow = |narrow| {
        [
            ("anchor", "newest"),
            ("num_before", "10"),
            ("num_after", "0"),
            ("narrow", narrow),
        ]
    };
    for terms in [
        r#"[["is", "starred"]]"#,
        r#"[["channel", "general"], ["topic", "tea"]]"#,
    ] {
        let found = owner.get("/messages", &narrow(terms)).ok();
        let messages = found["messages"].as_array().expect("messages").clone();
        assert_eq!(messages.len(), 1, "{terms}: {messages:?}");
        assert_eq!(messages[0]["id"], id);
    }
    let path = format!("/messages/{id}");
    owner.patch(&path, &[("content", "black tea")]).ok();
    assert_eq!(owner.get(&path, &[]).ok()["raw_content"], "black tea");
    owner.get("/messages/999999", &[]).error(400, "BAD_REQUEST");

    // A name that is taken, which ends the statement but not the request.
    let bot = [("full_name", "Helper"), ("short_name", "helper")];
    let made = owner.post("/bots", &bot).ok();
    assert!(made["api_key"].is_string());
    owner.post("/bots", &bot).error(400, "BAD_REQUEST");
    assert_eq!(
        owner.get("/users", &[]).ok()["members"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );

    // NUL, which PostgreSQL does not store.
    let text = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "a"),
        ("content", "a\0b"),
    ];
    owner.post("/messages", &text).error(400, "BAD_REQUEST");
    assert!(!server.log().contains("throw-away"), "{}", server.log());
}

#[test]
fn what_was_acknowledged_survives_the_server_and_its_database() {
    let Some(postgres) = Postgres::start(&[]) else {
        spindle_test_postgres::shared();
        return;
    };
    let database = postgres.database();
    let mut server = Server::spawn(options(&database));
    let owner = server.owner();
    let mut queue = Queue::of(&owner, &["message"]);
    let first = send(&owner, "one");
    server.kill();
    server.restart();
    let owner = server.owner();
    let second = send(&owner, "two");
    postgres.stop();
    let refused = owner.try_send(&Call::new("GET", "/users/me"));
    let refused = refused
        .expect("an answer")
        .error(503, "INTERNAL_SERVER_ERROR");
    let text = refused["msg"].as_str().expect("a text");
    assert!(text.starts_with("The database is unreachable"), "{text}");
    postgres.start_again();
    let third = send(&owner, "three");
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let events = queue.wait();
        seen.extend(
            events
                .iter()
                .filter_map(|event| event["message"]["id"].as_i64()),
        );
    }
    assert_eq!(seen, [first, second, third]);
}

/// Changes that PostgreSQL has undone because of others, with what its log says about the first of them.
fn conflicts(postgres: &Postgres) -> (usize, String) {
    let log = postgres.log();
    let lines: Vec<&str> = log.lines().collect();
    let is_conflict = |line: &&str| {
        line.contains("could not serialize access") || line.contains("deadlock detected")
    };
    let first = lines.iter().position(is_conflict);
    let around = first.map_or(Vec::new(), |first| {
        lines.iter().skip(first).take(12).copied().collect()
    });
    (
        lines.iter().filter(|line| is_conflict(line)).count(),
        around.join("\n"),
    )
}

#[test]
fn senders_in_one_channel_do_not_conflict() {
    const SENDERS: usize = 8;
    const MESSAGES: usize = 50;
    let Some(postgres) = Postgres::start(&["fsync=off"]) else {
        spindle_test_postgres::shared();
        return;
    };
    let database = postgres.database();
    let server = Server::spawn(options(&database));
    let senders: Vec<_> = (0..SENDERS).map(|_| server.user("member")).collect();
    for sender in &senders {
        let general = [("subscriptions", r#"[{"name": "general"}]"#)];
        sender.post("/users/me/subscriptions", &general).ok();
        send(sender, "the first one");
    }
    let (before, _) = conflicts(&postgres);
    std::thread::scope(|scope| {
        for (number, sender) in senders.iter().enumerate() {
            scope.spawn(move || {
                for message in 0..MESSAGES {
                    send(sender, &format!("message {message} of sender {number}"));
                }
            });
        }
    });
    let (after, first) = conflicts(&postgres);
    let conflicts = after - before;
    eprintln!("{conflicts} conflicts");
    assert!(
        conflicts * 100 <= SENDERS * MESSAGES,
        "{conflicts} of {} changes were made again; the first one:\n{first}",
        SENDERS * MESSAGES
    );
}
