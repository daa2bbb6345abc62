//! Compressed answers: which answers are compressed, for which clients, and that the content is
//! equal. Only the native host compresses, so these tests have a server of that kind to themselves.

use std::sync::OnceLock;

use spindle_tests::client::Reply;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::Options;
use spindle_tests::{Call, Client, Queue, Server, User};

const GZIP: (&str, &str) = ("Accept-Encoding", "gzip, deflate");

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::spawn(Options::default()))
}

fn length(reply: &Reply) -> usize {
    let length = reply.header("content-length").expect("a length");
    length.parse().expect("a number")
}

#[track_caller]
fn assert_compressed(reply: &Reply) {
    assert_eq!(reply.header("content-encoding"), Some("gzip"), "{reply:?}");
    assert_eq!(reply.header("vary"), Some("Accept-Encoding"));
    assert!(length(reply) < reply.bytes.len());
}

#[track_caller]
fn assert_plain(reply: &Reply) {
    assert_eq!(reply.header("content-encoding"), None, "{}", reply.call);
    assert_eq!(length(reply), reply.bytes.len());
}

/// GET /messages of a user with a full page of messages.
fn reader() -> (User, Call) {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    fixture::messages(server(), &channel, "t", &[&user], 100);
    let page = Call::new("GET", "/messages").query(&[
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
    ]);
    (user, page)
}

#[test]
fn a_client_that_accepts_compression_gets_the_same_content() {
    let (user, page) = reader();
    let plain = user.send(page.clone());
    assert_plain(&plain);
    // A cache must not serve this answer to clients that did not accept its encoding.
    assert_eq!(plain.header("vary"), Some("Accept-Encoding"));
    for accepted in ["gzip", "br;q=1, gzip;q=0.5", "*", "GZIP, identity;q=0.5"] {
        let reply = user.send(page.clone().header("Accept-Encoding", accepted));
        assert_compressed(&reply);
        assert_eq!(reply.bytes, plain.bytes, "{accepted}");
        assert_eq!(reply.header("content-type"), plain.header("content-type"));
        assert!(length(&reply) < plain.bytes.len() / 2);
    }
    for accepted in [
        "",
        "br",
        "identity",
        "gzip;q=0",
        "gzip;q=0, *",
        "gzip;q=0.1, identity",
    ] {
        let reply = user.send(page.clone().header("Accept-Encoding", accepted));
        assert_plain(&reply);
        assert_eq!(reply.bytes, plain.bytes, "{accepted}");
    }
}

#[test]
fn a_large_snapshot_and_the_document_are_compressed() {
    let user = server().user("member");
    let (name, value) = GZIP;
    let snapshot = user.send(Call::new("POST", "/register").header(name, value));
    assert_compressed(&snapshot);
    assert!(snapshot.ok()["queue_id"].is_string());
    let document = user.send(Call::new("GET", "/openapi.json").header(name, value));
    assert_compressed(&document);
    assert_eq!(document.bytes, user.get("/openapi.json", &[]).bytes);
}

#[test]
fn small_answers_and_answers_to_head_are_not_compressed() {
    let (user, page) = reader();
    let (name, value) = GZIP;
    assert_plain(&user.send(Call::new("GET", "/users/me").header(name, value)));
    assert_plain(
        &user.send(
            Call::new("GET", "/nothing")
                .header(name, value)
                .undocumented(),
        ),
    );
    let head = Call::new("HEAD", "/messages").query(&[
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
    ]);
    let head = user.try_send(&head.header(name, value)).expect("an answer");
    let plain = user.send(page);
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!(head.header("content-encoding"), None);
    assert_eq!(length(&head), plain.bytes.len());
}

#[test]
fn files_and_ranges_are_not_compressed() {
    let user = server().user("member");
    for size in [20 << 10, 200 << 10] {
        let content = vec![b'a'; size];
        let made = user.upload("/user_uploads", "a.txt", &content).ok();
        let url = made["url"].as_str().expect("an address");
        let whole = user.fetch(url, &[GZIP]);
        assert_plain(&whole);
        assert_eq!(whole.bytes, content);
        let tag = whole.header("etag").expect("a tag");
        assert!(tag.starts_with('"'), "{tag}");
        let part = user.fetch(url, &[GZIP, ("Range", "bytes=0-9999")]);
        assert_plain(&part);
        assert_eq!((part.status, part.bytes.len()), (206, 10_000));
    }
}

/// An attacker who sees the compressed length could guess the content.
#[test]
fn an_answer_with_a_key_is_not_compressed() {
    let user = server().user("member");
    let snapshot = || user.send(Call::new("POST", "/register").header(GZIP.0, GZIP.1));
    assert_compressed(&snapshot());
    let bot = [
        ("full_name", "Caller"),
        ("short_name", "compressed-caller"),
        ("bot_type", "3"),
        ("payload_url", "https://bots.example.com/call"),
    ];
    user.post("/bots", &bot).ok();
    let secret = snapshot();
    assert_plain(&secret);
    let bots = secret.ok()["realm_bots"].clone();
    assert!(bots[0]["services"][0]["token"].is_string(), "{bots}");
}

#[test]
fn files_of_the_web_client_have_a_weak_etag_that_matches() {
    let client = server().anonymous();
    for path in ["/", "/page/style.css", "/page/live.js"] {
        let plain = client.fetch(path, &[]);
        assert_plain(&plain);
        let reply = client.fetch(path, &[GZIP]);
        assert_compressed(&reply);
        assert_eq!(reply.bytes, plain.bytes, "{path}");
        let weak = reply.header("etag").expect("a tag");
        let strong = plain.header("etag").expect("a tag");
        assert_eq!(weak, format!("W/{strong}"));
        let again = client.fetch(path, &[GZIP, ("If-None-Match", weak)]);
        assert_eq!((again.status, again.bytes.len()), (304, 0), "{path}");
    }
}

/// Events queued since the last poll are one answer to one client.
#[test]
fn queued_events_are_compressed() {
    let user = server().user("member");
    let queue = Queue::of(&user, &["message"]);
    for number in 0..5 {
        let text = format!("{number} {}", "word ".repeat(400));
        let to = format!("[{}]", user.user_id);
        let pairs = [("type", "direct"), ("to", &to), ("content", &text)];
        user.post("/messages", &pairs).ok();
    }
    let poll = |client: &Client, headers: &[(&str, &str)]| {
        let mut call = Call::new("GET", "/events").query(&[
            ("queue_id", &queue.queue_id),
            ("last_event_id", "-1"),
            ("dont_block", "true"),
        ]);
        for (name, value) in headers {
            call = call.header(name, value);
        }
        client.send(call)
    };
    let plain = poll(&user, &[]);
    let reply = poll(&user, &[GZIP]);
    assert_compressed(&reply);
    assert_eq!(reply.bytes, plain.bytes);
    assert_eq!(reply.ok()["events"].as_array().map(Vec::len), Some(5));
}
