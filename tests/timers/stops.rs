//! Polls and queues when the server stops and starts again.

use super::*;

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
