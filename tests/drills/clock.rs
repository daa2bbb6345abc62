//! The machine's clock is set an hour forward and back again while the server runs. Queues and
//! polls use monotonic time and are unaffected; ids do not depend on any clock; stored times stay
//! usable.

use std::time::Instant;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, PATIENCE, Queue, Server, User};

use crate::support::{number, poll_in_background, received, send, send_direct, until};

const HOUR: i64 = 3600;

fn schedule(server: &Server, user: &User, to: &User, from_now: i64, content: &str) {
    let time = (server.advance(0) + from_now).to_string();
    let to = format!("[{}]", to.user_id);
    let pairs = [
        ("type", "direct"),
        ("to", &to),
        ("content", content),
        ("scheduled_delivery_timestamp", &time),
    ];
    user.post("/scheduled_messages", &pairs).ok();
}

fn scheduled(user: &User) -> Vec<Value> {
    let body = user.get("/scheduled_messages", &[]).ok();
    body["scheduled_messages"].as_array().unwrap().clone()
}

fn report_presence(user: &User) {
    let pairs = [("status", "active"), ("ping_only", "true")];
    user.post("/users/me/presence", &pairs).ok();
}

/// The time when `user` was last active, as `other` sees it.
fn last_active(user: &User, other: &User) -> i64 {
    let path = format!("/users/{}/presence", user.user_id);
    let body = other.get(&path, &[]).ok();
    let time = body["presence"]["aggregated"]["timestamp"].as_f64();
    time.unwrap_or_else(|| panic!("{body}")) as i64
}

#[test]
fn a_clock_set_an_hour_forward_does_no_harm() {
    let server = Server::spawn(Options {
        rate_limit_user: 1000,
        ..Options::default()
    });
    let (ann, bob) = (server.user("member"), server.user("member"));
    let channel = fixture::channel(&server, ChannelKind::Public, &[&ann, &bob]).id();
    // Ten minutes is the default timeout of a queue.
    let mut idle = Queue::of(&bob, &["message"]);
    let quiet = Queue::of(&bob, &["alert_words"]);
    let held = poll_in_background(&bob, &quiet);
    schedule(&server, &ann, &bob, HOUR / 2, "half an hour");
    schedule(&server, &ann, &bob, HOUR - 10, "nearly an hour");
    schedule(&server, &ann, &bob, 2 * HOUR, "two hours");
    let before = send_direct(&ann, &bob, "before");
    server.until_polls_wait(1);

    let now = server.set_clock(HOUR);
    let after = send_direct(&ann, &bob, "after");
    assert!(after > before);
    let message = ann.get(&format!("/messages/{after}"), &[]).ok()["message"].clone();
    assert!((now..now + 20).contains(&message["timestamp"].as_i64().unwrap()));

    // Scheduled messages became due within the hour. As after an outage, very late ones are marked
    // as failed and their senders are notified; the others are sent.
    server.advance(6);
    until("the timer", || {
        scheduled(&ann).len() == 2 && scheduled(&ann)[0]["failed"] == true
    });
    assert!(!held.is_finished(), "a poll has ended early");
    let left: Vec<Value> = scheduled(&ann)
        .iter()
        .map(|one| json!([one["content"], one["failed"]]))
        .collect();
    assert_eq!(
        left,
        [json!(["half an hour", true]), json!(["two hours", false])]
    );
    assert_eq!(
        received(&idle.poll()),
        ["before", "after", "nearly an hour"]
    );

    // The queue without polls was not idle for an hour by monotonic time, which still counts.
    server.advance_past_idle(&bob, 500, 0);
    assert_eq!(idle.poll(), Vec::<Value>::new());
    assert_eq!(held.join().unwrap().ok()["events"][0]["type"], "heartbeat");
    // That one, and the other one, whose poll has ended.
    server.advance_past_idle(&bob, 661, 2);
    idle.fetch(idle.last_event_id, true)
        .error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(send(&ann, &channel, "not limited").unwrap().status, 200);
}

/// A clock that was an hour ahead is corrected.
#[test]
fn a_clock_set_an_hour_back_does_no_harm() {
    let mut server = Server::spawn(Options {
        rate_limit_user: 1000,
        ..Options::default()
    });
    let ann = server.user_with("member", &["--password", "right password"]);
    let bob = server.user("member");
    let mut queue = Queue::of(&bob, &["message", "typing", "restart"]);
    server.set_clock(HOUR);
    // Changes are made while it is wrong.
    schedule(&server, &ann, &bob, 30, "sent while it was wrong");
    schedule(&server, &ann, &bob, HOUR, "for later");
    server.advance(61);
    assert_eq!(
        received(&queue.until(|event| event["type"] == "message")).len(),
        1
    );
    report_presence(&ann);
    let sign_in = |password: &str| {
        let pairs = [("username", &*ann.email), ("password", password)];
        server.anonymous().post("/fetch_api_key", &pairs)
    };
    for _ in 0..5 {
        sign_in("wrong password").error(401, "AUTHENTICATION_FAILED");
    }
    sign_in("right password").error(429, "RATE_LIMIT_HIT");
    let early = send_direct(&ann, &bob, "early");
    let wrong = server.advance(0);

    let now = server.set_clock(-HOUR);
    assert!((wrong - HOUR..wrong - HOUR + 20).contains(&now));
    let late = send_direct(&ann, &bob, "late");
    assert!(late > early, "ids go back");
    assert_eq!(received(&queue.poll()), ["early", "late"]);
    // Older by its time, newer by its id: it counts as the newest.
    let newest = [
        ("anchor", "newest"),
        ("num_before", "2"),
        ("num_after", "0"),
    ];
    let found = bob.get("/messages", &newest).ok()["messages"].clone();
    assert_eq!(
        (&found[0]["id"], &found[1]["id"]),
        (&json!(early), &json!(late))
    );
    // A message with a time in the future can be edited, and failed sign-ins from then lock no one
    // out.
    ann.patch(&format!("/messages/{early}"), &[("content", "edited")])
        .ok();
    sign_in("right password").ok();

    // No account looks active for an hour to come.
    report_presence(&ann);
    let seen = last_active(&ann, &bob);
    assert!((now - 5..now + 60).contains(&seen), "{seen}, not {now}");
    let to = format!("[{}]", bob.user_id);
    ann.post(
        "/typing",
        &[("type", "direct"), ("op", "start"), ("to", &to)],
    )
    .ok();
    assert_eq!(queue.poll().last().unwrap()["type"], "typing");

    // Nothing is sent twice or early; new times use the corrected clock.
    schedule(&server, &ann, &bob, 20, "after the correction");
    server.advance(26);
    let events = queue.until(|event| event["type"] == "message");
    assert_eq!(received(&events), ["after the correction"]);
    assert_eq!(scheduled(&ann).len(), 1);
    assert_eq!(scheduled(&ann)[0]["content"], "for later");

    // Heartbeats and the work of every minute use monotonic time.
    let poll = poll_in_background(&bob, &queue);
    server.until_polls_wait(1);
    server.advance(56);
    let started = Instant::now();
    let body = poll.join().unwrap().ok();
    assert_eq!(body["events"][0]["type"], "heartbeat");
    assert!(started.elapsed() < PATIENCE);
    queue.last_event_id = body["events"][0]["id"].as_i64().unwrap();
    let last_run = "SELECT coalesce(max(last_run), 0) FROM jobs WHERE name = 'prune_event_log'";
    server.advance_past_run(61, "collect-queues");
    let (now, ran) = (
        server.advance(0),
        number(&server.database().sqlite(), last_run),
    );
    assert!((now - 120..=now).contains(&ran), "{ran}, not {now}");

    // The generation of a start is never lower than an earlier start's.
    let generation = "SELECT server_generation FROM realms WHERE id = 1";
    server
        .database()
        .execute(
            "UPDATE realms SET server_generation = server_generation + 3600",
            [],
        )
        .unwrap();
    let before = number(&server.database().sqlite(), generation);
    server.kill();
    server.restart();
    let received = queue.expect(|event| event["type"] == "restart");
    assert_eq!(received["server_generation"], before + 1);
}
