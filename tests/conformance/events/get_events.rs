//! GET /events: acknowledgement, long polling, displaced polls, and ownership of queues
//! (docs/protocol/events.md#get_events, docs/protocol/events.md#queues, docs/protocol/traps.md).

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Instant;

use serde_json::{Value, json};
use spindle_tests::client::basic;
use spindle_tests::{Options, PATIENCE, Queue, Server, User, has_other_nodes};

use crate::support::{keys, server};

fn status(user: &User, text: &str) {
    user.post("/users/me/status", &[("status_text", text)]).ok();
}

/// A queue that receives only its owner's messages to themselves, so that ids are predictable.
fn private_queue(user: &User) -> Queue {
    Queue::of(user, &["message"])
}

fn note(user: &User, content: &str) {
    let to = format!("[{}]", user.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", content)],
    )
    .ok();
}

fn ids(body: &Value) -> Vec<i64> {
    body["events"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| event["id"].as_i64().expect("id"))
        .collect()
}

#[test]
fn ids_start_at_zero_and_rise_by_one() {
    let user = server().user("member");
    let queue = private_queue(&user);
    assert_eq!(queue.state["last_event_id"], -1);
    for content in ["a", "b", "c"] {
        note(&user, content);
    }
    let body = queue.fetch(-1, true).ok();
    assert_eq!(keys(&body), ["events", "msg", "queue_id", "result"]);
    assert_eq!(body["queue_id"], queue.queue_id.as_str());
    assert_eq!(ids(&body), [0, 1, 2]);
}

#[test]
fn events_stay_until_they_are_acknowledged() {
    let user = server().user("member");
    let queue = private_queue(&user);
    for content in ["a", "b", "c"] {
        note(&user, content);
    }
    assert_eq!(ids(&queue.fetch(-1, true).ok()), [0, 1, 2]);
    assert_eq!(
        ids(&queue.fetch(-1, true).ok()),
        [0, 1, 2],
        "a repeated poll sends them again"
    );
    assert_eq!(ids(&queue.fetch(1, true).ok()), [2]);
    assert_eq!(
        ids(&queue.fetch(1, true).ok()),
        [2],
        "repeating an acknowledgement is fine"
    );
    // An id before the acknowledged one: its events are pruned.
    if !has_other_nodes() {
        // Another node sends them once more, since it has not sent what was acknowledged.
        queue.fetch(0, true).bad_request();
        queue.fetch(-1, true).bad_request();
    }
    assert_eq!(ids(&queue.fetch(2, true).ok()), Vec::<i64>::new());
    note(&user, "d");
    assert_eq!(ids(&queue.fetch(2, true).ok()), [3]);
}

/// An id that the queue has not assigned yet is refused, and all events up to it are dropped
/// nonetheless.
#[test]
fn an_unknown_event_id_is_refused() {
    let user = server().user("member");
    let queue = private_queue(&user);
    queue.fetch(5, true).bad_request();
    queue.fetch(-2, true).bad_request();
    note(&user, "a");
    note(&user, "b");
    queue.fetch(999_999, true).bad_request();
}

#[test]
fn parameters_are_required() {
    let user = server().user("member");
    let queue = private_queue(&user);
    user.get("/events", &[("last_event_id", "-1")])
        .try_code(400);
    user.get("/events", &[("queue_id", &queue.queue_id)])
        .try_code(400);
    user.get("/events", &[]).try_code(400);
    let pairs = [
        ("queue_id", queue.queue_id.as_str()),
        ("last_event_id", "-1"),
        ("dont_block", "1"),
    ];
    user.get("/events", &pairs).bad_request();
}

/// Old clients may poll without registering: with `dont_block` they get a queue.
#[test]
fn polling_without_a_queue_registers_one() {
    let user = server().user("member");
    let pairs = [
        ("dont_block", "true"),
        ("event_types", "[\"message\"]"),
        ("apply_markdown", "true"),
    ];
    let body = user.get("/events", &pairs).ok();
    assert_eq!(keys(&body), ["events", "msg", "queue_id", "result"]);
    assert_eq!(body["events"], json!([]));
    let queue_id = body["queue_id"].as_str().expect("queue_id").to_owned();
    note(&user, "*new*");
    let pairs = [
        ("queue_id", queue_id.as_str()),
        ("last_event_id", "-1"),
        ("dont_block", "true"),
    ];
    let events = user.get("/events", &pairs).ok()["events"].clone();
    assert_eq!(events[0]["id"], 0);
    assert_eq!(events[0]["message"]["content"], "<p><em>new</em></p>");
    // It is a queue like any other.
    user.delete("/events", &[("queue_id", &queue_id)]).ok();
    user.get("/events", &pairs).error(400, "BAD_EVENT_QUEUE_ID");
}

/// Waiting for a queue that does not exist yet is refused, and the rules of register apply.
#[test]
fn polling_without_a_queue_obeys_the_rules_of_register() {
    let guest = server().user("guest");
    for pairs in [vec![("dont_block", "false")], vec![("last_event_id", "-1")]] {
        let error = guest
            .get("/events", &pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], "queue_id");
    }
    for wrong in [
        ("all_public_streams", "true"),
        ("narrow", "[[\"bogus\", \"x\"]]"),
        ("event_types", "message"),
        ("idle_queue_timeout", "soon"),
    ] {
        guest
            .get("/events", &[("dont_block", "true"), wrong])
            .bad_request();
    }
}

trait TryCode {
    fn try_code(self, status: u16);
}

impl TryCode for spindle_tests::Reply {
    /// An error of this status; the specification does not say which of the two codes for
    /// parameters.
    #[track_caller]
    fn try_code(self, status: u16) {
        assert_eq!(self.status, status, "{}", self.body);
        let code = self.body["code"].as_str().unwrap();
        assert!(
            matches!(code, "BAD_REQUEST" | "REQUEST_VARIABLE_MISSING"),
            "{code}"
        );
    }
}

#[test]
fn foreign_and_unknown_queues_are_400_with_the_id() {
    let user = server().user("owner");
    let other = server().user("member");
    let foreign = private_queue(&other);
    for id in [
        foreign.queue_id.as_str(),
        "00000000-0000-4000-8000-000000000000",
        "nonsense",
    ] {
        for dont_block in ["true", "false"] {
            let pairs = [
                ("queue_id", id),
                ("last_event_id", "-1"),
                ("dont_block", dont_block),
            ];
            let error = user.get("/events", &pairs).error(400, "BAD_EVENT_QUEUE_ID");
            assert_eq!(error["queue_id"], id);
            assert_eq!(keys(&error), ["code", "msg", "queue_id", "result"]);
        }
    }
}

/// A poll that no event has woken is answered after 45 seconds at the earliest, and finds the event then.
#[track_caller]
fn is_before_any_heartbeat(started: Instant) {
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
}

#[test]
fn a_poll_waits_for_an_event_and_returns_quickly_then() {
    // Its own server: no other test has polls there.
    let server = Server::own(Options::default());
    let user = server.user("member");
    let queue = private_queue(&user);
    let waiting = std::thread::spawn(move || queue.fetch(-1, false).ok());
    server.until_polls_wait(1);
    let started = Instant::now();
    note(&user, "now");
    let body = waiting.join().expect("the poll");
    assert_eq!(ids(&body), [0]);
    is_before_any_heartbeat(started);
}

#[test]
fn queued_events_are_returned_without_waiting() {
    let user = server().user("member");
    let queue = private_queue(&user);
    note(&user, "before");
    let started = Instant::now();
    assert_eq!(ids(&queue.fetch(-1, false).ok()), [0]);
    is_before_any_heartbeat(started);
}

/// A change whose request was answered is in the queue when its author polls.
#[test]
fn a_poll_returns_events_that_were_committed_before_it() {
    let user = server().user("member");
    let mut queue = Queue::of(&user, &["message"]);
    for round in 0..50 {
        note(&user, &round.to_string());
        let events = queue.poll();
        assert_eq!(events.len(), 1, "round {round}");
    }
}

/// The newest poll wins: the older one returns immediately and releases the queue.
#[test]
fn a_second_poll_displaces_the_first() {
    if has_other_nodes() {
        // The first one waits at another node, and is answered by the next event.
        return;
    }
    let server = Server::own(Options::default());
    let user = server.user("member");
    let queue = private_queue(&user);
    let id = queue.queue_id.clone();
    let first = std::thread::spawn(move || queue.fetch(-1, false).ok());
    server.until_polls_wait(1);
    let (second_user, second_id) = (user.clone(), id.clone());
    let second = std::thread::spawn(move || {
        let pairs = [("queue_id", second_id.as_str()), ("last_event_id", "-1")];
        second_user.get("/events", &pairs).ok()
    });
    // No event has come, and no heartbeat, which would be one.
    let body = first.join().expect("the first poll");
    assert_eq!(body["events"], json!([]));
    server.until_polls_wait(1);
    note(&user, "for the second");
    assert_eq!(ids(&second.join().expect("the second poll")), [0]);
}

/// A poll whose client disconnects loses no events.
#[test]
fn a_client_that_disconnects_loses_no_events() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let queue = private_queue(&user);
    let mut socket = TcpStream::connect(server.address()).expect("connect");
    let request = format!(
        "GET /api/v1/events?queue_id={}&last_event_id=-1 HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\r\n",
        queue.queue_id,
        basic(&user.email, &user.api_key)
    );
    socket.write_all(request.as_bytes()).expect("a request");
    server.until_polls_wait(1);
    drop(socket);
    // Spin may notice that later.
    if server.has_test_clock() {
        server.until_waiting_polls("no poll waits", |waiting| waiting == 0);
    }
    note(&user, "a");
    note(&user, "b");
    assert_eq!(ids(&queue.fetch(-1, true).ok()), [0, 1]);
}

#[test]
fn queues_of_one_user_are_independent() {
    let user = server().user("member");
    let first = private_queue(&user);
    note(&user, "only in the first");
    let second = private_queue(&user);
    assert_ne!(first.queue_id, second.queue_id);
    note(&user, "in both");
    assert_eq!(ids(&first.fetch(-1, true).ok()), [0, 1]);
    assert_eq!(ids(&second.fetch(-1, true).ok()), [0]);
    first.fetch(1, true).ok();
    assert_eq!(ids(&second.fetch(-1, true).ok()), [0]);
}

#[test]
fn only_the_requested_event_types_are_delivered() {
    let user = server().user("member");
    let mut messages = Queue::of(&user, &["message"]);
    let mut nothing = Queue::of(&user, &[]);
    let mut all = Queue::open(&user, &[("fetch_event_types", "[]")]);
    status(&user, "typed");
    note(&user, "typed");
    let seen = messages.expect(|event| event["type"] == "message");
    assert_eq!(seen["id"], 0);
    let events = all.until(|event| event["message"]["sender_id"] == user.user_id);
    assert!(events.iter().any(|event| event["status_text"] == "typed"));
    assert!(nothing.poll().is_empty());
}

#[test]
fn queue_ids_cannot_be_guessed() {
    let user = server().user("member");
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let queue = private_queue(&user);
        assert!(queue.queue_id.len() >= 32, "{}", queue.queue_id);
        let prefix: String = queue.queue_id.chars().take(8).collect();
        assert!(
            seen.insert(prefix),
            "the head of the id is no counter or clock"
        );
    }
}

/// The queues of a deactivated user end with the account.
#[test]
fn a_deactivated_user_cannot_poll() {
    let user = server().user("member");
    let queue = private_queue(&user);
    server().admin(&["user", "deactivate", "--email", &user.email]);
    queue.fetch(-1, true).error(401, "UNAUTHORIZED");
}

#[test]
fn a_guest_and_a_bot_may_poll() {
    for user in [server().user("guest"), server().bot()] {
        let mut queue = private_queue(&user);
        note(&user, "self");
        assert_eq!(queue.poll().len(), 1);
    }
}
