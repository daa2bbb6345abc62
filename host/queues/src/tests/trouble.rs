//! Failures of background tasks while the service runs.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::fixture::*;
use crate::EventService;

async fn until(service: &EventService, is_sound: bool) {
    let started = Instant::now();
    while service.check().is_ok() != is_sound {
        assert!(started.elapsed() < Duration::from_secs(20), "never");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_thread_that_follows_the_log_is_started_again() {
    let mut fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    let poll = held(&service, "q", 1, -1).await;
    for round in 0..3 {
        service
            .inner
            .follower
            .is_to_panic
            .store(true, Ordering::Release);
        until(&service, false).await;
        if round == 0 {
            let reason = service.check().unwrap_err();
            assert!(reason.contains("following the event log"), "{reason}");
        }
        until(&service, true).await;
    }
    fixture.commit([note(1)]);
    service.on_commit();
    assert_eq!(ids(poll.await.unwrap()), [0]);
    service.stop().await;
    assert_eq!(service.check(), Ok(()), "stopping is not a failure");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn positions_that_cannot_be_written_are_trouble_until_they_can() {
    let fixture = Fixture::new();
    fixture.register("q", 1);
    let service = fixture.start();
    until(&service, true).await;
    let journal = rusqlite::Connection::open(fixture.journal()).unwrap();
    journal
        .execute("ALTER TABLE meta RENAME TO elsewhere", [])
        .unwrap();
    service.inner.journal.note_running(1);
    until(&service, false).await;
    let reason = service.check().unwrap_err();
    assert!(reason.contains("writing positions"), "{reason}");
    journal
        .execute("ALTER TABLE elsewhere RENAME TO meta", [])
        .unwrap();
    until(&service, true).await;
    service.stop().await;
}
