//! Requests that want an instance to themselves.

use crate::common::{Answer, Server, limit, request, start, start_with};

/// A POST to `path`, with a header that only the host may set.
async fn post(server: &Server, path: &str) -> Answer {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\nx-spindle-alone: 1\r\ncontent-length: 1\r\n\r\nx"
    );
    request(server.address, head).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_alone_in_its_instance_and_the_others_are_served() {
    let server = start().await;
    let beside = (0..6).map(|_| server.get("/misbehave/sleep?ms=400"));
    let beside: Vec<_> = beside.map(tokio::spawn).collect();
    let (first, second, third, other) = tokio::join!(
        post(&server, "/misbehave/alone?ms=100"),
        post(&server, "/misbehave/alone?ms=100"),
        post(&server, "/misbehave/alone?ms=100"),
        server.get("/misbehave/sleep?ms=1"),
    );
    for answer in [first, second, third] {
        assert_eq!((answer.status, answer.body.as_str()), (200, "1 here"));
        assert!(!answer.head.contains("x-spindle"), "{answer:?}");
    }
    assert_eq!(other.body, "slept");
    for task in beside {
        assert_eq!(task.await.unwrap().body, "slept");
    }
}

/// Requests that wait for an exclusive instance leave the ordinary ones to others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_waits_for_an_exclusive_instance_is_not_an_ordinary_one() {
    let server = start_with("", |options| limit(options, 1, 100)).await;
    let address = server.address;
    let alone: Vec<_> = (0..40)
        .map(|_| {
            let head = "POST /misbehave/alone?ms=20 HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx";
            tokio::spawn(request(address, head))
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(server.get("/misbehave/sleep?ms=1").await.status, 200);
    }
    for task in alone {
        assert_eq!(task.await.unwrap().status, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_only_reads_cannot_ask_for_it() {
    let server = start().await;
    let answer = server.get("/misbehave/alone?ms=1").await;
    answer.is_error(500, "INTERNAL_SERVER_ERROR");
    assert_eq!(server.get("/hello").await.status, 200);
}
