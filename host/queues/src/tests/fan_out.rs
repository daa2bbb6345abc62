//! One event to many waiting polls, and many queues at the same time.

use std::time::{Duration, Instant};

use super::fixture::*;
use spindle_domain::UserId;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_waiting_polls_are_woken_once_each() {
    let mut fixture = Fixture::new();
    let service = fixture.start();
    for number in 0..1000 {
        fixture.register(&format!("q{number}"), number % 20 + 1);
    }
    let polls: Vec<_> = (0..1000)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move {
                service
                    .poll(&format!("q{number}"), UserId(number % 20 + 1), -1, false)
                    .await
            })
        })
        .collect();
    while service.waiting_polls() < 1000 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    fixture.commit([note_to(99, 0)]);
    fixture.caught_up(&service).await;
    assert_eq!(service.waiting_polls(), 1000);
    let started = Instant::now();
    fixture.commit([note(1)]);
    service.on_commit();
    for poll in polls {
        assert_eq!(ids(poll.await.unwrap()), [0]);
    }
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(service.waiting_polls(), 0);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_reads_nothing_and_then_serves_everybody() {
    let mut fixture = Fixture::new();
    let service = fixture.start();
    for number in 0..500 {
        fixture.register(&format!("q{number}"), number % 20 + 1);
    }
    for chunk in 0..100 {
        fixture.commit((0..100).map(|value| note_to((chunk * 100 + value) % 20 + 1, value)));
    }
    service.kill();
    let started = Instant::now();
    let service = fixture.start();
    assert!(started.elapsed() < Duration::from_secs(5));
    let polls: Vec<_> = (0..500)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move {
                service
                    .poll(&format!("q{number}"), UserId(number % 20 + 1), -1, false)
                    .await
            })
        })
        .collect();
    for poll in polls {
        assert_eq!(ids(poll.await.unwrap()).len(), 500);
    }
    assert!(started.elapsed() < Duration::from_secs(20));
    service.stop().await;
}
