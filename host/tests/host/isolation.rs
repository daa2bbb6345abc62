//! A component that traps, loops, or allocates without bound harms only itself, in whichever way it
//! is called.

use crate::common::{Server, Way, limit, request, start_with, until};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

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
    for way in Way::BOTH {
        others_are_served_during(&way.start().await, "/misbehave/trap", 500).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_allocation_is_stopped_by_the_memory_cap() {
    for way in Way::BOTH {
        others_are_served_during(&way.start().await, "/misbehave/alloc", 500).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_loop_gives_way_and_is_cut() {
    for way in Way::BOTH {
        let started = Instant::now();
        others_are_served_during(&way.start().await, "/misbehave/loop", 500).await;
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_loops_than_cores_stop_nobody() {
    for way in Way::BOTH {
        let server = way.start_with("computing_ms = 500").await;
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_past_its_deadline_is_answered_by_the_host() {
    for way in Way::BOTH {
        let server = way.start_with("deadline_ms = 300").await;
        let answer = server.get("/misbehave/sleep?ms=5000").await;
        answer.is_error(504, "INTERNAL_SERVER_ERROR");
        assert_eq!(server.get("/misbehave/sleep?ms=1").await.body, "slept");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_line_is_bounded_and_says_when_to_come_back() {
    for way in Way::BOTH {
        let server = start_with("", |options| {
            options.pool.direct = way == Way::Direct;
            limit(options, 1, 1);
        });
        let server = server.await;
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_end_is_refused() {
    for way in Way::BOTH {
        let server = way.start().await;
        let answer = server.get("/misbehave/infinite-body").await;
        answer.is_error(500, "INTERNAL_SERVER_ERROR");
    }
}

/// More than there are threads, each in an instance of its own or together with others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sleeping_guests_keep_nobody_waiting() {
    for way in Way::BOTH {
        let server = way.start().await;
        let asleep: Vec<_> = (0..20)
            .map(|_| tokio::spawn(server.get("/misbehave/sleep?ms=500")))
            .collect();
        tokio::time::sleep(Duration::from_millis(100)).await;
        let started = Instant::now();
        for _ in 0..10 {
            assert_eq!(
                server.get("/misbehave/sql?statement=SELECT%201").await.body,
                "1"
            );
        }
        assert!(
            started.elapsed() < Duration::from_millis(400),
            "{:?}",
            started.elapsed()
        );
        for task in asleep {
            assert_eq!(task.await.unwrap().body, "slept");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_client_began_is_finished_when_it_has_left() {
    for way in Way::BOTH {
        let server = way.start().await;
        assert_eq!(server.sql("SELECT 1").await.body, "1");
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        let head = b"GET /misbehave/hold-transaction?ms=200 HTTP/1.1\r\nhost: test\r\n\r\n";
        socket.write_all(head).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(server.number("SELECT count(*) FROM entries").await, 0);
        drop(socket);
        let started = Instant::now();
        while server.number("SELECT count(*) FROM entries").await == 0 {
            assert!(started.elapsed() < Duration::from_secs(30));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_answers_arrive_whole_and_within_their_limit() {
    for way in Way::BOTH {
        let server = way.start_with("max_response_bytes = 1000000").await;
        for kib in [1, 16, 17, 900] {
            let answer = server.get(&format!("/misbehave/large?kib={kib}")).await;
            assert_eq!((answer.status, answer.body.len()), (200, kib << 10));
        }
        let answer = server.get("/misbehave/large?kib=1000").await;
        answer.is_error(500, "INTERNAL_SERVER_ERROR");
        assert_eq!(
            server.get("/misbehave/large?kib=20").await.body.len(),
            20 << 10
        );
    }
}

/// The component's answer, and the headers and the body that it was given.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_arrives_as_it_was_sent() {
    for way in Way::BOTH {
        let server = way.start().await;
        let head = "PATCH /misbehave/echo?a=%20b HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\
                    cookie: one=1\r\nx-own: \u{fc}\r\ncontent-length: 5\r\n\r\n12345";
        let answer = request(server.address, head).await;
        let mut lines = answer.body.lines();
        assert_eq!(
            lines.next(),
            Some("PATCH http://test/misbehave/echo?a=%20b")
        );
        for line in [
            "cookie: one=1",
            "x-own: \u{fc}",
            "content-length: 5",
            "body 5",
        ] {
            assert!(
                lines.clone().any(|found| found == line),
                "{line} in {answer:?}"
            );
        }
        assert_eq!(answer.header("content-type"), "text/plain");
        assert_eq!(
            answer.header("content-length"),
            answer.body.len().to_string()
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_wasi_http_shares_instances() {
    for way in Way::BOTH {
        let server = way.start().await;
        assert_eq!(server.get("/misbehave/beside?ms=1").await.body, "1 here");
        let all: Vec<_> = (0..8)
            .map(|_| tokio::spawn(server.get("/misbehave/beside?ms=200")))
            .collect();
        let mut shared = 0;
        for task in all {
            shared += usize::from(task.await.unwrap().body != "1 here");
        }
        assert_eq!(shared > 0, way == Way::WasiHttp, "{shared} have shared one");
    }
}

/// All but a few of the instances that a busy moment needed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_instances_end() {
    for way in Way::BOTH {
        let server = way.start().await;
        let busy: Vec<_> = (0..12)
            .map(|_| tokio::spawn(server.get("/misbehave/beside?ms=20")))
            .collect();
        for task in busy {
            assert_eq!(task.await.unwrap().status, 200);
        }
        until("idle instances end", || server.instances() <= 2).await;
        assert!(server.instances() > 0, "none is kept");
    }
}
