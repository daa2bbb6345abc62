//! DELETE /events (docs/protocol/events.md#delete_queue).

use serde_json::json;
use spindle_tests::{Options, Queue, Server};

use crate::support::{keys, server};

#[test]
fn a_deleted_queue_is_gone_at_once() {
    let user = server().user("member");
    let queue = Queue::of(&user, &["message"]);
    let pairs = [("queue_id", queue.queue_id.as_str())];
    let body = user.delete("/events", &pairs).ok();
    assert_eq!(keys(&body), ["msg", "result"]);
    let error = queue.fetch(-1, true).error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(error["queue_id"], queue.queue_id.as_str());
    let error = user
        .delete("/events", &pairs)
        .error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(error["queue_id"], queue.queue_id.as_str());
}

/// Unknown, malformed and foreign queues look the same.
#[test]
fn unknown_and_foreign_queues_look_the_same() {
    let user = server().user("member");
    let other = server().user("owner");
    let foreign = Queue::of(&other, &["message"]);
    let unknown = "00000000-0000-4000-8000-000000000000";
    let mut answers = Vec::new();
    for id in [foreign.queue_id.as_str(), unknown, "", "x' OR 1=1 --", "1"] {
        let mut error = user
            .delete("/events", &[("queue_id", id)])
            .error(400, "BAD_EVENT_QUEUE_ID");
        assert_eq!(error["queue_id"], id);
        assert_eq!(keys(&error), ["code", "msg", "queue_id", "result"]);
        let message = error["msg"].as_str().unwrap().replace(id, "");
        error["msg"] = json!(if id.is_empty() {
            String::new()
        } else {
            message
        });
        error["queue_id"] = json!("");
        if !id.is_empty() && id.len() > 30 {
            answers.push(error);
        }
    }
    assert_eq!(answers[0], answers[1]);
    foreign.fetch(-1, true).ok();
}

/// A waiting poll returns immediately with the queued events.
#[test]
fn a_waiting_poll_of_a_deleted_queue_returns() {
    // Its own server: no other test has polls there.
    let server = Server::own(Options::default());
    let user = server.user("member");
    let queue = Queue::of(&user, &["message"]);
    let id = queue.queue_id.clone();
    let waiting = std::thread::spawn(move || queue.fetch(-1, false));
    server.until_polls_wait(1);
    // Another node refuses a poll that began within a second of the deletion.
    server.advance(2);
    user.delete("/events", &[("queue_id", &id)]).ok();
    let reply = waiting.join().expect("the poll");
    let body = reply.ok();
    assert_eq!(body["events"], json!([]));
}
