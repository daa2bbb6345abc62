//! A component that traps, loops, or allocates without end harms only itself.

use crate::common::{Server, start, start_with};
use std::time::{Duration, Instant};

pub(crate) async fn others_are_served_during(server: &Server, path: &str, expected: u16) {
    assert_eq!(server.get("/hello").await.status, 200);
    let bad = server.get(path);
    let good = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..100 {
            let started = Instant::now();
            assert_eq!(server.get("/hello").await.status, 200);
            slowest = slowest.max(started.elapsed());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        slowest
    };
    let (bad, slowest) = tokio::join!(bad, good);
    bad.is_error(expected, "INTERNAL_SERVER_ERROR");
    assert!(slowest < Duration::from_millis(1500), "{slowest:?}");
    assert_eq!(
        server.get("/misbehave/sql?statement=SELECT%201").await.body,
        "1"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trap_harms_only_its_request() {
    others_are_served_during(&start().await, "/misbehave/trap", 500).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_allocation_is_stopped_by_the_memory_cap() {
    others_are_served_during(&start().await, "/misbehave/alloc", 500).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_loop_gives_way_and_is_cut() {
    let started = Instant::now();
    others_are_served_during(&start().await, "/misbehave/loop", 500).await;
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_loops_than_cores_stop_nobody() {
    let server = start_with("computing_ms = 500", |_| {}).await;
    let loops: Vec<_> = (0..4)
        .map(|_| tokio::spawn(server.get("/misbehave/loop")))
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    for _ in 0..20 {
        assert_eq!(server.get("/hello").await.status, 200);
    }
    for task in loops {
        task.await.unwrap().is_error(500, "INTERNAL_SERVER_ERROR");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_past_its_deadline_is_answered_by_the_host() {
    let server = start_with("deadline_ms = 300", |_| {}).await;
    let answer = server.get("/misbehave/sleep?ms=5000").await;
    answer.is_error(504, "INTERNAL_SERVER_ERROR");
    assert_eq!(server.get("/misbehave/sleep?ms=1").await.body, "slept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_line_is_bounded_and_says_when_to_come_back() {
    let server = start_with("max_instances = 1\nqueue_length = 1", |_| {}).await;
    assert_eq!(server.get("/misbehave/sleep?ms=1").await.status, 200);
    let (first, second, third) = tokio::join!(
        server.get("/misbehave/sleep?ms=300"),
        server.get("/misbehave/sleep?ms=300"),
        server.get("/misbehave/sleep?ms=300"),
    );
    let mut statuses = [first.status, second.status, third.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 503]);
    let refused = [first, second, third]
        .into_iter()
        .find(|a| a.status == 503)
        .unwrap();
    refused.is_error(503, "INTERNAL_SERVER_ERROR");
    assert_eq!(refused.header("retry-after"), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_end_is_refused() {
    let server = start().await;
    let answer = server.get("/misbehave/infinite-body").await;
    answer.is_error(500, "INTERNAL_SERVER_ERROR");
}
