//! Clients that do not fetch their queues, with low bounds: their queues end, and no others. (The
//! default bounds are tested in tests/overload.rs.)

use spindle_tests::{Options, Queue, Server, User};

use crate::support::{assert_sound, number, poll_in_background, received, send_direct};

const EVENTS: usize = 50;

fn start() -> (Server, User, User) {
    let bounds = ["--queue-max-events", "50", "--queue-max-bytes", "300000"];
    let server = Server::spawn(Options {
        extra: bounds.map(str::to_owned).to_vec(),
        ..Options::default()
    });
    let (ann, bob) = (server.user("member"), server.user("member"));
    (server, ann, bob)
}

#[test]
fn too_many_events_end_one_queue() {
    let (server, ann, bob) = start();
    let left = Queue::of(&bob, &["message"]);
    let mut kept = Queue::of(&bob, &["message"]);
    let other = Queue::of(&ann, &["alert_words"]);
    let held = poll_in_background(&ann, &other);
    for number in 0..EVENTS {
        send_direct(&ann, &bob, &format!("number {number}"));
    }
    let body = left.fetch(-1, true).ok();
    assert_eq!(body["events"].as_array().unwrap().len(), EVENTS);
    assert_eq!(kept.poll().len(), EVENTS);
    // Acknowledges them: events that were only fetched count.
    assert_eq!(kept.poll().len(), 0);
    send_direct(&ann, &bob, "one too many");
    let error = left.fetch(-1, true).error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(error["queue_id"], left.queue_id.as_str());
    // The queue has ended for good: a late acknowledgement is refused.
    left.fetch(9, true).error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(received(&kept.poll()), ["one too many"]);
    assert!(!held.is_finished());

    // Its client registers again and continues from there.
    let mut again = Queue::of(&bob, &["message"]);
    send_direct(&ann, &bob, "welcome back");
    assert_eq!(received(&again.poll()), ["welcome back"]);
    // The next collection deletes the row of this queue, and no other.
    let rows = "SELECT count(*) FROM event_queues";
    assert_eq!(number(&server.database().sqlite(), rows), 4);
    server.advance_past_run(61, "collect-queues");
    assert_eq!(number(&server.database().sqlite(), rows), 3);
    held.join().unwrap().ok();
    assert_eq!(received(&kept.poll()), ["welcome back"]);
    assert_sound(&server);
}

#[test]
fn too_many_bytes_end_one_queue() {
    let (_server, ann, bob) = start();
    let left = Queue::of(&bob, &["message"]);
    let mut kept = Queue::of(&bob, &["message"]);
    let content = "x".repeat(9_000);
    for _ in 0..40 {
        send_direct(&ann, &bob, &content);
        assert_eq!(kept.poll().len(), 1);
    }
    left.fetch(-1, true).error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(kept.poll().len(), 0);
}
