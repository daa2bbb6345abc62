//! Memory that instances take from the budget, and release.

use crate::common::{Server, start_with, until};
use spindle_admission::Admission;
use spindle_admission::memory::{LEAST, Memory, Purpose, Shares};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server with the least budget there may be.
async fn start(tuning: &str) -> (Server, Arc<Memory>) {
    let memory = Arc::new(Memory::new(Shares::of(LEAST)));
    let admission = Admission::new(Arc::clone(&memory), 96, 1000);
    let server = start_with(tuning, |options| options.admission = Arc::new(admission)).await;
    (server, memory)
}

/// Waits until large instances are gone; the ones kept for later have some MiB.
async fn only_small_instances_are_left(memory: &Memory) {
    until("large instances are gone", || {
        memory.held_for(Purpose::Instances) <= 16 << 20
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_growth_that_does_not_fit_fails_that_request() {
    let (server, memory) = start("memory_mib = 512").await;
    assert_eq!(server.get("/hello").await.status, 200);
    let all: Vec<_> = (0..4)
        .map(|_| tokio::spawn(server.get("/misbehave/alloc")))
        .collect();
    let most = memory.shares().given;
    for _ in 0..20 {
        assert_eq!(server.get("/hello").await.status, 200);
        let held = memory.held();
        assert!(held <= most, "{held} of {most} are held");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for task in all {
        let answer = task.await.unwrap();
        answer.is_error(503, "INTERNAL_SERVER_ERROR");
        assert_eq!(answer.header("retry-after"), "1");
    }
    only_small_instances_are_left(&memory).await;
}

/// Each of them needs more than half of the memory for large instances.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_requests_for_which_there_is_no_memory_are_refused() {
    let (server, memory) = start("memory_mib = 128").await;
    let all: Vec<_> = (0..4)
        .map(|_| tokio::spawn(server.get("/misbehave/grow?mib=60")))
        .collect();
    for task in all {
        let answer = task.await.unwrap();
        match answer.status {
            200 => assert_eq!(answer.body, "60"),
            503 => assert_eq!(answer.header("retry-after"), "1"),
            other => panic!("{other}: {answer:?}"),
        }
        assert_eq!(server.get("/hello").await.status, 200);
    }
    assert_eq!(server.get("/misbehave/grow?mib=60").await.body, "60");
    assert!(memory.held() <= memory.shares().given);
    only_small_instances_are_left(&memory).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_that_has_grown_serves_no_further_request() {
    let (server, memory) = start("").await;
    // It makes 40 MiB of text, which the host does not take.
    let answer = server.get("/misbehave/infinite-body").await;
    answer.is_error(500, "INTERNAL_SERVER_ERROR");
    only_small_instances_are_left(&memory).await;
    assert_eq!(server.sql("SELECT 1").await.body, "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_counted_and_given_back() {
    let (server, memory) = start("").await;
    let answer = tokio::spawn(server.get("/misbehave/sleep?ms=300"));
    until("a connection is counted", || {
        memory.held_for(Purpose::Connections) > 0
    })
    .await;
    assert_eq!(answer.await.unwrap().status, 200);
    until("it is given back", || {
        memory.held_for(Purpose::Connections) == 0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_come_a_few_at_a_time() {
    let (server, _) = start("has_pictures = true").await;
    let address = server.address;
    let post = |ms: u32| {
        let head = format!(
            "POST /misbehave/sleep?ms={ms} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\
             content-length: 1\r\n\r\nx"
        );
        crate::common::request(address, head)
    };
    let started = Instant::now();
    let (first, second, without) = tokio::join!(post(300), post(300), async {
        let answer = server.get("/misbehave/sleep?ms=1").await;
        (answer.status, started.elapsed())
    });
    assert_eq!((first.status, second.status), (200, 200));
    assert!(started.elapsed() >= Duration::from_millis(600));
    assert_eq!(without.0, 200);
    assert!(without.1 < Duration::from_millis(300), "{:?}", without.1);
}
