//! Behaviour that depends on time: heartbeats, idle expiry, collection, and how waiting polls end
//! when the server stops. The server's clock is moved through its test socket
//! (docs/protocol/events.md#get_events, docs/protocol/events.md#queues).
//!
//! Every test has a server of its own, since a moved clock affects all of its clients.

mod large_moves;
mod linkifiers;
mod retention;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{
    Options, PATIENCE, Queue, Server, User, unix_now, until, until_the_next_second,
};

fn start() -> (Server, User) {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    (server, user)
}

fn poll_in_background(user: &User, queue: &Queue, last: i64) -> std::thread::JoinHandle<Value> {
    let (client, id) = (user.client.clone(), queue.queue_id.clone());
    std::thread::spawn(move || {
        let last = last.to_string();
        client
            .get("/events", &[("queue_id", &id), ("last_event_id", &last)])
            .ok()
    })
}

/// A large file over a slow line takes longer than any timeout for idle connections.
#[test]
fn a_slow_upload_with_progress_is_not_interrupted() {
    use std::io::{Read as _, Write as _};
    let (server, user) = start();
    let credentials = spindle_tests::client::basic(&user.email, &user.api_key);
    let part = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n";
    let piece = vec![7_u8; 40 << 10];
    let (pieces, end) = (40, "\r\n--b--\r\n");
    let length = part.len() + pieces * piece.len() + end.len();
    let head = format!(
        "POST /api/v1/user_uploads HTTP/1.1\r\nhost: x\r\nauthorization: {credentials}\r\n\
         content-length: {length}\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n{part}"
    );
    let mut socket = std::net::TcpStream::connect(server.address()).expect("connect");
    socket.write_all(head.as_bytes()).expect("write");
    for _ in 0..pieces {
        socket.write_all(&piece).expect("write");
        std::thread::sleep(Duration::from_secs(1));
    }
    socket.write_all(end.as_bytes()).expect("write");
    let mut answer = [0; 12];
    socket.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
}

/// Not before 45 s, not after 55 s; a heartbeat takes an id and must be acknowledged like any
/// event.
#[test]
fn heartbeats_are_sent_between_45_and_55_seconds() {
    let (server, user) = start();
    // When a poll that is 12 seconds older has its heartbeat, those of the others would have come as well.
    let older: Vec<_> = (1..=2)
        .map(|count| {
            let poll = poll_in_background(&user, &Queue::of(&user, &["message"]), -1);
            server.until_polls_wait(count);
            server.advance(6);
            poll
        })
        .collect();
    let queues: Vec<Queue> = (0..12).map(|_| Queue::of(&user, &["message"])).collect();
    let begun = server.advance(0);
    let polls: Vec<_> = queues
        .iter()
        .map(|queue| poll_in_background(&user, queue, -1))
        .collect();
    server.until_polls_wait(14);
    let mut middle = 0;
    for (older, seconds) in older.into_iter().zip([43, 6]) {
        server.advance(seconds);
        older.join().expect("the older poll");
        middle = polls.iter().filter(|poll| poll.is_finished()).count();
        // Time goes by on a slow machine, too.
        if server.advance(0) < begun + 45 {
            assert_eq!(middle, 0, "a heartbeat before 45 s");
        }
    }
    server.advance(7);
    let started = Instant::now();
    for poll in polls {
        let body = poll.join().expect("the poll");
        assert_eq!(body["events"], json!([{"type": "heartbeat", "id": 0}]));
    }
    assert!(started.elapsed() < PATIENCE, "a heartbeat after 56 s");
    assert!(middle < 12, "heartbeats are spread, not all at 45 s");
    // Its id is used up: the next event has the next one, and -1 is still the acknowledged
    // position.
    let queue = &queues[0];
    let to = format!("[{}]", user.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", "x")],
    )
    .ok();
    let body = queue.fetch(-1, true).ok();
    let ids: Vec<&Value> = body["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["id"])
        .collect();
    assert_eq!(ids, [&json!(0), &json!(1)]);
    assert_eq!(body["events"][0]["type"], "heartbeat");
    let body = queue.fetch(0, true).ok();
    assert_eq!(body["events"][0]["type"], "message");
    queue.fetch(-1, true).bad_request();
}

#[test]
fn heartbeats_ignore_event_types() {
    let (server, user) = start();
    let queue = Queue::of(&user, &[]);
    let poll = poll_in_background(&user, &queue, -1);
    server.until_polls_wait(1);
    server.advance(56);
    assert_eq!(
        poll.join().expect("the poll")["events"][0]["type"],
        "heartbeat"
    );
}

/// A heartbeat's id survives a kill: it is never given to another event.
#[test]
fn a_heartbeat_keeps_its_id_across_a_kill() {
    let (mut server, user) = start();
    let queue = Queue::of(&user, &["message"]);
    let poll = poll_in_background(&user, &queue, -1);
    server.until_polls_wait(1);
    server.advance(56);
    let body = poll.join().expect("the poll");
    assert_eq!(body["events"][0]["id"], 0);
    server.kill();
    server.restart();
    let to = format!("[{}]", user.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", "x")],
    )
    .ok();
    // The client acknowledges the heartbeat it has seen and must still get the message.
    let body = queue.fetch(0, true).ok();
    assert_eq!(body["events"].as_array().unwrap().len(), 1);
    assert_eq!(body["events"][0]["id"], 1);
    assert_eq!(body["events"][0]["type"], "message");
}

fn expire_after(seconds: &str, before: u64, after: u64) {
    let (server, user) = start();
    let mut pairs = vec![
        ("event_types", "[\"message\"]"),
        ("fetch_event_types", "[]"),
    ];
    if !seconds.is_empty() {
        pairs.push(("idle_queue_timeout", seconds));
    }
    let queue = Queue::open(&user, &pairs);
    server.advance_past_idle(&user, before, 0);
    queue.fetch(-1, true).ok();
    // The poll has reset the idle clock.
    server.advance_past_idle(&user, before, 0);
    queue.fetch(-1, true).ok();
    server.advance_past_idle(&user, after, 1);
    let error = queue.fetch(-1, true).error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(error["queue_id"], queue.queue_id.as_str());
    // A client that registers again is served again.
    Queue::open(&user, &pairs).fetch(-1, true).ok();
}

#[test]
fn an_idle_queue_ends_after_ten_minutes() {
    expire_after("", 590, 661);
}

#[test]
fn the_idle_timeout_can_be_set() {
    expire_after("120", 110, 181);
}

#[test]
fn a_mobile_queue_lives_twelve_hours() {
    expire_after("\"mobile\"", 43_000, 43_261);
}

/// The idle clock does not run while a poll is waiting.
#[test]
fn a_waiting_poll_keeps_its_queue() {
    let (server, user) = start();
    let queue = Queue::open(
        &user,
        &[
            ("event_types", "[\"message\"]"),
            ("fetch_event_types", "[]"),
            ("idle_queue_timeout", "60"),
        ],
    );
    let mut last = -1;
    for _ in 0..4 {
        let poll = poll_in_background(&user, &queue, last);
        server.until_polls_wait(1);
        server.advance(56);
        let body = poll.join().expect("the poll");
        last = body["events"].as_array().unwrap().last().unwrap()["id"]
            .as_i64()
            .unwrap();
    }
    assert_eq!(last, 3);
    queue.fetch(last, true).ok();
}

/// Lets the scan of every minute run until queues are collected. One that began before they had ended leaves them to
/// the next.
fn collect(server: &Server, collected: impl Fn() -> bool) {
    let mut looks = 0;
    until("expired queues are collected", || {
        looks += 1;
        if looks % 50 == 0 {
            server.advance(61);
        }
        collected().then_some(())
    });
}

/// Collection deletes ended queues from the database, and no others.
#[test]
fn collection_removes_expired_queues_and_no_other() {
    let (server, user) = start();
    let short = Queue::open(
        &user,
        &[("idle_queue_timeout", "60"), ("fetch_event_types", "[]")],
    );
    let long = Queue::open(
        &user,
        &[("idle_queue_timeout", "7200"), ("fetch_event_types", "[]")],
    );
    server.advance(1000);
    let exists = |queue: &Queue| -> bool {
        server
            .database()
            .query_row(
                "SELECT count(*) FROM event_queues WHERE id = ?1",
                [&queue.queue_id],
                |row| row.get::<_, i64>(0),
            )
            .unwrap()
            > 0
    };
    collect(&server, || !exists(&short));
    assert!(exists(&long));
    long.fetch(-1, true).ok();
}

/// Deleting an expired queue is the same error as deleting an unknown one.
#[test]
fn an_expired_queue_cannot_be_deleted() {
    let (server, user) = start();
    let queue = Queue::open(
        &user,
        &[("idle_queue_timeout", "60"), ("fetch_event_types", "[]")],
    );
    server.advance(200);
    collect(&server, || {
        let sql = "SELECT count(*) FROM event_queues";
        server
            .database()
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            == Ok(0)
    });
    user.delete("/events", &[("queue_id", &queue.queue_id)])
        .error(400, "BAD_EVENT_QUEUE_ID");
}

/// A graceful stop answers waiting polls, and the queue still exists after it.
#[test]
fn a_graceful_stop_answers_waiting_polls() {
    let (mut server, user) = start();
    let mut queue = Queue::of(&user, &["message"]);
    let poll = poll_in_background(&user, &queue, -1);
    server.until_polls_wait(1);
    let started = Instant::now();
    let status = server.terminate();
    assert!(status.success(), "{status}");
    assert!(started.elapsed() < PATIENCE);
    let body = poll.join().expect("the poll");
    let events = body["events"].as_array().unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["type"], "heartbeat");
    queue.last_event_id = events[0]["id"].as_i64().unwrap();
    server.restart();
    let to = format!("[{}]", user.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", "after")],
    )
    .ok();
    // A restart may send an event first; the message has the next free id.
    let events = queue.until(|event| event["type"] == "message");
    assert!(events.last().unwrap()["message"]["content"] == "after");
}

/// Queues outlive the server; the event contains the version that serves them now.
#[test]
fn a_restart_is_one_event_for_queues_of_all_types() {
    let (mut server, user) = start();
    let mut all = Queue::open(&user, &[("fetch_event_types", "[\"realm\"]")]);
    let mut messages = Queue::of(&user, &["message"]);
    let before = all.state["server_generation"].as_i64().expect("generation");
    until_the_next_second();
    server.kill();
    server.restart();
    let events = all.until(|event| event["type"] == "restart");
    assert_eq!(events.len(), 1, "{events:?}");
    let event = &events[0];
    let generation = event["server_generation"].as_i64().expect("generation");
    assert!(generation > before, "{generation}, not after {before}");
    for name in ["zulip_version", "zulip_merge_base", "zulip_feature_level"] {
        assert_eq!(event[name], all.state[name], "{name}");
    }
    assert_eq!(messages.poll(), Vec::<Value>::new());
    let again = Queue::open(&user, &[("fetch_event_types", "[\"realm\"]")]);
    assert_eq!(again.state["server_generation"], generation);
    assert_eq!(all.poll(), Vec::<Value>::new());
}

fn days_ago(server: &Server, channel: &Channel, days: i64) {
    let created = unix_now() - days * 86_400;
    fixture::channel_column(server, channel, "date_created", &created);
    fixture::channel_column(server, channel, "activity_measured", &created);
}

/// Measures traffic, and finds channels that are no longer active. The events go to those who can
/// see the channel, and only for changes (docs/protocol/channels.md#channel-object,
/// `stream_weekly_traffic`, `is_recently_active`).
#[test]
fn channels_are_measured_once_a_day() {
    let (server, user) = start();
    let guest = server.user("guest");
    let busy = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let silent = fixture::channel(&server, ChannelKind::PrivateShared, &[&user, &guest]);
    let send = |channel: &Channel| {
        let id = channel.id();
        let pairs = [
            ("type", "channel"),
            ("to", &id),
            ("topic", "t"),
            ("content", "x"),
        ];
        user.post("/messages", &pairs).ok();
    };
    for _ in 0..20 {
        send(&busy);
    }
    days_ago(&server, &busy, 10);
    days_ago(&server, &silent, 200);
    let record = |channel: &Channel| {
        let path = format!("/streams/{}", channel.stream_id);
        user.get(&path, &[]).ok()["stream"].clone()
    };
    assert_eq!(record(&busy)["stream_weekly_traffic"], Value::Null);
    assert_eq!(record(&silent)["is_recently_active"], true);
    let mut queues = [&user, &guest].map(|user| Queue::of(user, &["stream"]));
    server.advance(61);
    let changes = |events: Vec<Value>| -> Vec<(i64, Value, Value)> {
        let change = |event: &Value| {
            let stream = event["stream_id"].as_i64().expect("an update");
            (stream, event["property"].clone(), event["value"].clone())
        };
        events.iter().map(change).collect()
    };
    let silence = [
        (silent.stream_id, json!("stream_weekly_traffic"), json!(0)),
        (silent.stream_id, json!("is_recently_active"), json!(false)),
    ];
    let traffic = (busy.stream_id, json!("stream_weekly_traffic"), json!(14));
    let is_last = |event: &Value| event["stream_id"] == busy.stream_id;
    let received = changes(queues[0].until(is_last));
    assert_eq!(received[..2], silence);
    assert_eq!(received[2..], [traffic]);
    let received = changes(queues[1].until(|event| event["property"] == "is_recently_active"));
    assert_eq!(received, silence, "guests do not see the public channel");
    assert_eq!(record(&busy)["stream_weekly_traffic"], 14);
    assert_eq!(record(&silent)["is_recently_active"], false);

    // A message makes the channel active at once; the next measurement is a day away.
    server.advance(61);
    send(&silent);
    let received = changes(queues[1].until(|event| event["property"] == "is_recently_active"));
    let last = received.last().expect("an event");
    assert_eq!(
        *last,
        (silent.stream_id, json!("is_recently_active"), json!(true))
    );
    assert_eq!(received.len(), 2, "and its first message: {received:?}");
    assert_eq!(record(&silent)["stream_weekly_traffic"], 0);
}
