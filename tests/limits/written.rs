//! What a request stores counts as further requests of its client.

use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Options, Reply, Server, User};

use super::number;

/// Requests of a user within a minute.
const RATE: i64 = 300;
/// Bytes that count as one more request.
const UNIT: i64 = 16 << 10;

struct Scene {
    server: Server,
    ann: User,
    channel: Channel,
}

/// A server of this repository's host: Spin cannot count what requests store.
fn scene() -> Scene {
    let server = Server::spawn(Options {
        rate_limit_user: RATE as u32,
        ..Options::default()
    });
    let ann = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&ann]);
    ann.get("/users/me", &[]).ok();
    Scene {
        server,
        ann,
        channel,
    }
}

impl Scene {
    fn send(&self, content: &str) -> Reply {
        let id = self.channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", id.as_str()),
            ("topic", "t"),
            ("content", content),
        ];
        self.ann.post("/messages", &pairs)
    }

    fn remaining(&self) -> i64 {
        number(&self.ann.get("/users/me", &[]), "x-ratelimit-remaining")
    }
}

fn emoji() -> String {
    "\u{1f600}".repeat(10_000)
}

#[test]
fn a_message_of_emoji_counts_as_its_html_does() {
    let scene = scene();
    let before = scene.remaining();
    let sent = scene.send(&emoji()).ok();
    let after = scene.remaining();
    let message = scene.ann.get(&format!("/messages/{}", sent["id"]), &[]);
    let html = message.ok()["message"]["content"]
        .as_str()
        .expect("HTML")
        .len() as i64;
    // Once in the message and once in its event.
    let charged = before - after;
    assert!(
        charged > html * 3 / 2 / UNIT && charged < html * 3 / UNIT,
        "{html} bytes count as {charged} requests"
    );

    // The one that overdraws the account is the last one.
    let most = after / charged + 1;
    let sends = (0..RATE).map(|_| scene.send(&emoji()));
    let replies: Vec<Reply> = sends.take_while(|reply| reply.status == 200).collect();
    let accepted = replies.len() as i64;
    // Capacity is restored evenly, so a slow run may send one message more.
    assert!(
        (most - 1..=most + 1).contains(&accepted),
        "{accepted} instead of {most}"
    );
    let refusal = scene.send("short");
    let body = refusal.error(429, "RATE_LIMIT_HIT");
    let seconds = body["retry-after"].as_f64().expect("seconds");
    assert!(seconds > 0.0 && seconds <= 61.0, "{seconds}");
    // Other accounts do not pay for it.
    let bob = scene.server.user("member");
    bob.get("/users/me", &[]).ok();
}

#[test]
fn ordinary_messages_count_as_one_request_each() {
    let scene = scene();
    let before = scene.remaining();
    let long = "A long message of plain text. ".repeat(70);
    for sent in 1..=20 {
        let reply = scene.send(if sent % 2 == 0 { &long } else { "short" });
        let remaining = number(&reply, "x-ratelimit-remaining");
        assert!(remaining >= before - sent, "{sent}: {remaining}");
        reply.ok();
    }
    assert!(scene.remaining() >= before - 21);
}
