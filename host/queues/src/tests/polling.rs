//! The poll algorithm step by step (docs/protocol/events.md#get_events).

use std::sync::Arc;
use std::time::Duration;

use super::fixture::*;
use crate::{EventService, PollOutcome};
use spindle_admission::memory::{Client, Memory, Purpose};

#[derive(Debug, PartialEq)]
enum Reply {
    Ids(Vec<i64>),
    BadQueue,
    Pruned,
    Unknown,
}

fn reply(outcome: PollOutcome) -> Reply {
    match outcome {
        PollOutcome::Events(answer) => Reply::Ids(answer.ids().collect()),
        PollOutcome::BadQueue => Reply::BadQueue,
        PollOutcome::Pruned => Reply::Pruned,
        PollOutcome::Unknown => Reply::Unknown,
        PollOutcome::Unavailable => panic!("unavailable"),
        PollOutcome::NoRoom => panic!("no room"),
        PollOutcome::Unauthorized => panic!("no credentials were given"),
    }
}

#[tokio::test]
async fn acknowledgements() {
    use Reply::{Ids, Pruned, Unknown};
    // A queue with ids 0 to 4; each row is a series of polls by last_event_id.
    let table: [&[(i64, Reply)]; 6] = [
        &[
            (-1, Ids(vec![0, 1, 2, 3, 4])),
            (-1, Ids(vec![0, 1, 2, 3, 4])),
        ],
        &[
            (2, Ids(vec![3, 4])),
            (2, Ids(vec![3, 4])),
            (1, Pruned),
            (-1, Pruned),
            (4, Ids(vec![])),
        ],
        &[(4, Ids(vec![])), (4, Ids(vec![])), (3, Pruned)],
        &[(-2, Pruned), (-1, Ids(vec![0, 1, 2, 3, 4]))],
        // An unknown larger id is refused after everything was dropped.
        &[(99, Unknown), (3, Pruned), (4, Ids(vec![])), (99, Unknown)],
        &[(i64::MAX, Unknown), (i64::MIN, Pruned), (4, Ids(vec![]))],
    ];
    for series in table {
        let mut fixture = Fixture::new();
        fixture.register("q", 1);
        // Three rows, of which the second is three events.
        fixture.commit([note(0), deletion(10, 3), note(1)]);
        let service = fixture.start();
        for (last_event_id, expected) in series {
            let outcome = service.poll("q", 1.into(), *last_event_id, true).await;
            assert_eq!(reply(outcome), *expected, "{last_event_id} of {series:?}");
        }
        service.stop().await;
    }
}

#[tokio::test]
async fn foreign_unknown_and_deleted_queues_look_alike() {
    let fixture = Fixture::new();
    fixture.register("q", 1);
    fixture.register("gone", 1);
    let service = fixture.start();
    assert_eq!(
        reply(service.poll("q", 2.into(), -1, true).await),
        Reply::BadQueue
    );
    assert_eq!(
        reply(service.poll("none", 1.into(), -1, true).await),
        Reply::BadQueue
    );
    assert_eq!(
        reply(service.poll("q", 1.into(), -1, true).await),
        Reply::Ids(vec![])
    );
    assert_eq!(
        reply(service.poll("q", 2.into(), -1, true).await),
        Reply::BadQueue
    );
    fixture.delete_row("gone");
    service.deleted("gone");
    assert_eq!(
        reply(service.poll("gone", 1.into(), -1, true).await),
        Reply::BadQueue
    );
    service.stop().await;
}

#[tokio::test]
async fn a_waiting_poll_gets_the_next_event() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    let poll = held(&service, "q", 1, -1).await;
    fixture.commit([note_to(2, 0)]);
    fixture.caught_up(&service).await;
    assert!(!poll.is_finished());
    fixture.commit([note_to(1, 1), note(2)]);
    service.on_commit();
    assert_eq!(ids(poll.await.unwrap()), [0, 1]);
    service.stop().await;
}

#[tokio::test]
async fn commits_of_other_processes_are_noticed() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    let poll = held(&service, "q", 1, -1).await;
    fixture.commit([note(1)]);
    let outcome = tokio::time::timeout(Duration::from_secs(5), poll).await;
    assert_eq!(ids(outcome.unwrap().unwrap()), [0]);
    service.stop().await;
}

/// Without a commit notification, and long before the next periodic check of the log.
#[tokio::test]
async fn a_poll_that_does_not_wait_knows_what_was_committed_before_it() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    for id in 0..50 {
        fixture.commit([note(1)]);
        assert_eq!(ids(service.poll("q", 1.into(), id - 1, true).await), [id]);
    }
    service.stop().await;
}

#[tokio::test]
async fn the_newest_poll_wins() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    let first = held(&service, "q", 1, -1).await;
    let second = held(&service, "q", 1, -1).await;
    assert_eq!(ids(first.await.unwrap()), NONE);
    assert_eq!(ids(service.poll("q", 1.into(), -1, true).await), NONE);
    assert_eq!(ids(second.await.unwrap()), NONE);
    let third = held(&service, "q", 1, -1).await;
    fixture.commit([note(1)]);
    service.on_commit();
    assert_eq!(ids(third.await.unwrap()), [0]);
    assert_eq!(service.waiting_polls(), 0);
    service.stop().await;
}

#[tokio::test]
async fn a_deletion_releases_the_waiting_poll() {
    let fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    let poll = held(&service, "q", 1, -1).await;
    fixture.delete_row("q");
    service.deleted("q");
    assert_eq!(ids(poll.await.unwrap()), NONE);
    assert_eq!(
        reply(service.poll("q", 1.into(), -1, false).await),
        Reply::BadQueue
    );
    service.stop().await;
}

#[tokio::test]
async fn a_deletion_by_another_process_is_noticed() {
    let fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    let poll = held(&service, "q", 1, -1).await;
    fixture.delete_row("q");
    let outcome = tokio::time::timeout(Duration::from_secs(10), poll).await;
    assert_eq!(ids(outcome.unwrap().unwrap()), NONE);
    service.stop().await;
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_its_queue() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    let poll = held(&service, "q", 1, -1).await;
    poll.abort();
    let _ = poll.await;
    assert_eq!(service.waiting_polls(), 0);
    fixture.commit([note(1)]);
    fixture.caught_up(&service).await;
    assert_eq!(ids(service.poll("q", 1.into(), -1, false).await), [0]);
    service.stop().await;
}

/// A service whose queues, `q` of user 1 and `other` of user 2, have 300 events, the first of which have left memory;
/// their ids.
async fn beyond_memory() -> (Fixture, EventService, Vec<i64>) {
    let mut fixture = Fixture::new();
    fixture.options.ring_bytes = 4096;
    fixture.register("q", 1);
    fixture.register("other", 2);
    let service = fixture.start();
    for value in 0..300 {
        fixture.commit([note(value)]);
    }
    fixture.caught_up(&service).await;
    (fixture, service, (0..300).collect())
}

#[tokio::test]
async fn rows_that_have_left_memory_are_read_again() {
    let (_fixture, service, all) = beyond_memory().await;
    assert_eq!(ids(service.poll("q", 1.into(), -1, true).await), all);
    assert_eq!(
        ids(service.poll("q", 1.into(), 120, true).await),
        all[121..]
    );
    service.stop().await;
}

#[tokio::test]
async fn a_queue_without_room_waits_for_some() {
    let mut fixture = Fixture::new();
    fixture.options.memory = Memory::of(64 << 10);
    let memory = Arc::clone(&fixture.options.memory);
    fixture.register("q", 1);
    fixture.commit([note(0)]);
    let service = fixture.start();
    memory.add(Purpose::Instances, 64 << 10);
    let refused = service.poll("q", 1.into(), -1, true).await;
    assert!(matches!(refused, PollOutcome::NoRoom), "{refused:?}");
    memory.give_back(Purpose::Instances, 64 << 10);
    let outcome = service.poll("q", 1.into(), -1, true).await;
    assert_eq!(reply(outcome), Reply::Ids(vec![0]));
    assert!(memory.held_for(Purpose::Queues) > 0);
    service.deleted("q");
    assert_eq!(memory.held_for(Purpose::Queues), 0);
    service.stop().await;
}

#[tokio::test]
async fn an_account_that_polls_many_queues_leaves_threads_to_others() {
    let (_fixture, service, all) = beyond_memory().await;
    let read = || service.inner.own_readers.acquire(Client::Account(1));
    let reading = (read().await.unwrap(), read().await.unwrap());
    let mut own = Box::pin(service.poll("q", 1.into(), -1, true));
    let soon = Duration::from_millis(50);
    assert!(tokio::time::timeout(soon, &mut own).await.is_err());
    assert_eq!(ids(service.poll("other", 2.into(), -1, true).await), all);
    drop(reading);
    assert_eq!(ids(own.await), all);
    service.stop().await;
}
