//! When heartbeats are sent, and their ids.

use super::*;

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
