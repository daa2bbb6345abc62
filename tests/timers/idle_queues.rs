//! When queues expire, and how they are collected.

use super::*;

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
