//! Heartbeats, expiry, limits, stops and the records of the journal.

use std::time::Duration;

use spindle_events::Registration;

use super::fixture::*;
use crate::{EventService, PollOutcome};
use spindle_system::clock::Clock;

fn is_bad(outcome: &PollOutcome) -> bool {
    matches!(outcome, PollOutcome::BadQueue)
}

/// Polls without waiting until the queue has ended, for at most some seconds.
async fn ends(service: &EventService, queue_id: &str, user_id: i64) {
    for _ in 0..500 {
        if service
            .inner
            .table
            .get(queue_id)
            .is_some_and(|queue| queue.lock().is_ended())
        {
            assert!(is_bad(
                &service.poll(queue_id, user_id.into(), -1, true).await
            ));
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the queue has not ended");
}

/// Advances the clock and waits until idle queues have ended: a queue of a minute is one of them.
async fn advance_past_idle(fixture: &Fixture, service: &EventService, seconds: u64) {
    let short = Registration {
        queue_id: "short".to_owned(),
        user_id: 9.into(),
        ..Registration::default()
    };
    fixture.register_as(&short, 60);
    assert_eq!(ids(service.poll("short", 9.into(), -1, true).await), NONE);
    fixture.clock.advance(seconds);
    ends(service, "short", 9).await;
}

async fn heartbeat_type(outcome: PollOutcome) -> (i64, String) {
    let events = json_events(events(outcome)).await;
    assert_eq!(events.len(), 1);
    let id = events[0]["id"].as_i64().unwrap();
    (id, events[0]["type"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn heartbeats_come_within_their_time_and_take_ids() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    fixture.register("older", 2);
    let older = held(&service, "older", 2, -1).await;
    fixture.clock.advance(12);
    let poll = held(&service, "q", 1, -1).await;
    fixture.clock.advance(44);
    older.await.unwrap();
    assert!(!poll.is_finished());
    fixture.clock.advance(12);
    assert_eq!(
        heartbeat_type(poll.await.unwrap()).await,
        (0, "heartbeat".into())
    );
    fixture.commit([note(1)]);
    fixture.caught_up(&service).await;
    // Unacknowledged, it is sent again, before later events.
    let again = json_events(events(service.poll("q", 1.into(), -1, true).await)).await;
    assert_eq!(
        (again[0]["type"].as_str(), again[1]["id"].as_i64()),
        (Some("heartbeat"), Some(1))
    );
    service.kill();
    let service = fixture.start();
    let again = json_events(events(service.poll("q", 1.into(), -1, true).await)).await;
    assert_eq!(
        (again[0]["type"].as_str(), again[1]["id"].as_i64()),
        (Some("heartbeat"), Some(1))
    );
    assert_eq!(ids(service.poll("q", 1.into(), 0, true).await), [1]);
    service.stop().await;
}

#[tokio::test]
async fn heartbeat_rows_go_when_they_are_acknowledged() {
    let fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    for last in -1..3 {
        let poll = held(&service, "q", 1, last).await;
        fixture.clock.advance(56);
        assert_eq!(ids(poll.await.unwrap()), [last + 1]);
    }
    assert_eq!(ids(service.poll("q", 1.into(), 3, true).await), NONE);
    service.stop().await;
    let journal = rusqlite::Connection::open(fixture.journal()).unwrap();
    let count = "SELECT count(*) FROM heartbeats";
    assert_eq!(
        journal.query_row(count, [], |row| row.get::<_, i64>(0)),
        Ok(0)
    );
}

#[tokio::test]
async fn idle_queues_expire_and_waiting_ones_do_not() {
    let mut fixture = Fixture::new();
    let service = fixture.start();
    fixture.register("idle", 1);
    fixture.register("waiting", 2);
    assert_eq!(ids(service.poll("idle", 1.into(), -1, true).await), NONE);
    let mut poll = held(&service, "waiting", 2, -1).await;
    for last in -1..12 {
        fixture.clock.advance(56);
        assert_eq!(ids(poll.await.unwrap()), [last + 1]);
        poll = held(&service, "waiting", 2, last + 1).await;
    }
    ends(&service, "idle", 1).await;
    fixture.commit([note(1)]);
    assert_eq!(ids(poll.await.unwrap()), [13]);
    let collection = service.collection().unwrap().unwrap();
    assert_eq!(collection.ended, ["idle"]);
    fixture.delete_row("idle");
    service.on_commit();
    while service
        .collection()
        .unwrap()
        .is_none_or(|now| !now.ended.is_empty())
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    service.stop().await;
}

#[tokio::test]
async fn a_queue_is_polled_while_its_client_waits_and_a_moment_longer() {
    let fixture = Fixture::new();
    let service = fixture.start();
    assert!(service.is_polled("new"));
    fixture.register("left", 1);
    fixture.register("waiting", 2);
    assert_eq!(ids(service.poll("left", 1.into(), -1, true).await), NONE);
    let poll = held(&service, "waiting", 2, -1).await;
    assert!(service.is_polled("left") && service.is_polled("waiting"));
    fixture.clock.advance(40);
    assert!(!service.is_polled("left"));
    assert!(service.is_polled("waiting"));
    assert_eq!(ids(service.poll("left", 1.into(), -1, true).await), NONE);
    assert!(service.is_polled("left"));
    // Its client is gone.
    poll.abort();
    assert!(poll.await.is_err());
    fixture.clock.advance(40);
    assert!(!service.is_polled("waiting"));
    service.stop().await;
}

#[tokio::test]
async fn a_queue_that_was_never_polled_expires_too() {
    let fixture = Fixture::new();
    let service = fixture.start();
    fixture.register("q", 1);
    while service.inner.table.get("q").is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    advance_past_idle(&fixture, &service, 599).await;
    assert!(!service.inner.table.get("q").unwrap().lock().is_ended());
    fixture.clock.advance(70);
    ends(&service, "q", 1).await;
    service.stop().await;
}

#[tokio::test]
async fn idle_time_counts_across_restarts_but_outages_do_not() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    assert_eq!(ids(service.poll("q", 1.into(), -1, true).await), NONE);
    fixture.clock.advance(400);
    service.stop().await;
    // An outage of any length.
    fixture.clock = Clock::new();
    fixture.clock.advance(100_000);
    let service = fixture.start();
    advance_past_idle(&fixture, &service, 100).await;
    assert!(!service.inner.table.get("q").unwrap().lock().is_ended());
    fixture.clock.advance(101);
    ends(&service, "q", 1).await;
    // It stays ended, even before its row is deleted.
    service.stop().await;
    let service = fixture.start();
    assert!(is_bad(&service.poll("q", 1.into(), -1, true).await));
    service.stop().await;
}

#[tokio::test]
async fn a_queue_too_far_behind_ends() {
    for (events, bytes) in [(100, u64::MAX), (u64::MAX, 5_000)] {
        let mut fixture = Fixture::new();
        (fixture.options.max_events, fixture.options.max_bytes) = (events, bytes);
        fixture.register("never polled", 1);
        fixture.register("polled once", 2);
        fixture.register("other", 3);
        let service = fixture.start();
        assert_eq!(
            ids(service.poll("polled once", 2.into(), -1, true).await),
            NONE
        );
        for user_id in [1, 2] {
            fixture.commit((0..101).map(|value| note_to(user_id, value)));
        }
        fixture.commit([note_to(3, 1)]);
        ends(&service, "never polled", 1).await;
        ends(&service, "polled once", 2).await;
        assert_eq!(ids(service.poll("other", 3.into(), -1, true).await), [0]);
        service.stop().await;
    }
}

#[tokio::test]
async fn a_stop_answers_with_heartbeats() {
    let fixture = Fixture::new();
    let service = fixture.start();
    let mut polls = Vec::new();
    for user_id in 1..=20 {
        let queue = format!("q{user_id}");
        fixture.register(&queue, user_id);
        polls.push(held(&service, &queue, user_id, -1).await);
    }
    service.stop().await;
    for poll in polls {
        assert_eq!(
            heartbeat_type(poll.await.unwrap()).await,
            (0, "heartbeat".into())
        );
    }
    let service = fixture.start();
    assert_eq!(ids(service.poll("q7", 7.into(), 0, true).await), NONE);
    service.stop().await;
}

#[tokio::test]
async fn nothing_is_pruned_that_a_queue_needs() {
    let mut fixture = Fixture::new();
    fixture.register("slow", 1);
    fixture.commit((0..10).map(note));
    fixture.register("quick", 2);
    fixture.commit((10..20).map(note));
    let service = fixture.start();
    assert_eq!(
        ids(service.poll("quick", 2.into(), -1, true).await).len(),
        10
    );
    assert_eq!(ids(service.poll("quick", 2.into(), 9, true).await).len(), 0);
    assert_eq!(
        ids(service.poll("slow", 1.into(), -1, true).await).len(),
        20
    );
    assert_eq!(ids(service.poll("slow", 1.into(), 4, true).await).len(), 15);
    let mut pruned = None;
    for _ in 0..500 {
        pruned = service
            .collection()
            .unwrap()
            .map(|collection| collection.prune_below);
        if pruned == Some(5) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(pruned, Some(5));
    service.stop().await;
}

#[tokio::test]
async fn queues_end_when_the_service_has_lost_its_file() {
    let mut fixture = Fixture::new();
    let service = fixture.start();
    fixture.register("new", 1);
    fixture.commit([note(1)]);
    fixture.caught_up(&service).await;
    assert_eq!(ids(service.poll("new", 1.into(), -1, true).await), [0]);
    service.stop().await;
    let journal = fixture.journal();
    for suffix in ["", "-wal", "-shm"] {
        let mut file = journal.clone().into_os_string();
        file.push(suffix);
        let _ = std::fs::remove_file(file);
    }
    let service = fixture.start();
    assert!(is_bad(&service.poll("new", 1.into(), 0, true).await));
    service.stop().await;
}
