//! Bytes that two parsers could read in two ways: refused or made harmless.

use crate::common::{request, start};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ambiguous_requests_are_refused_with_the_envelope() {
    let server = start().await;
    let refused: &[&str] = &[
        "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
        "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ncontent-length: +3\r\n\r\nabc",
        "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ncontent-length: 3, 4\r\n\r\nabc",
        "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip\r\n\r\nabc",
        "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n",
        "GET /misbehave/echo HTTP/1.1\r\nhost: h\r\nx-folded: a\r\n b\r\n\r\n",
        "GET /misbehave/echo HTTP/1.1\r\nhost: h\r\nx-nul: a\0b\r\n\r\n",
        "GET /misbehave/echo HTTP/1.1\r\nhost : h\r\n\r\n",
        "GET /misbehave/\0echo HTTP/1.1\r\nhost: h\r\n\r\n",
        "GET /misbehave/echo HTTP/1.1\r\n\r\n",
        "GET /misbehave/echo HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
        "GET misbehave/echo HTTP/1.1\r\nhost: h\r\n\r\n",
        "CONNECT h:80 HTTP/1.1\r\nhost: h\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n",
        "nonsense\r\n\r\n",
    ];
    for bytes in refused {
        let answer = request(server.address, bytes).await;
        assert_eq!(answer.status, 400, "{bytes:?}: {answer:?}");
        answer.is_error(400, "BAD_REQUEST");
    }
    assert_eq!(server.get("/hello").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_length_beside_chunks_smuggles_nothing() {
    let server = start().await;
    // A proxy that believes the length sees one request; one that believes the
    // chunks sees two. Here there is one answer, and the connection ends.
    let bytes = "POST /misbehave/echo HTTP/1.1\r\nhost: h\r\ncontent-length: 60\r\n\
                 transfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /hello HTTP/1.1\r\nhost: h\r\n\r\n";
    let answer = request(server.address, bytes).await;
    answer.is_error(400, "BAD_REQUEST");
    assert!(!answer.body.contains("success"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_authorizations_are_none() {
    let server = start().await;
    let bytes = "GET /misbehave/echo HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\
                 authorization: Basic a\r\nauthorization: Basic b\r\n\r\n";
    let answer = request(server.address, bytes).await;
    answer.is_error(401, "UNAUTHORIZED");
    assert_eq!(answer.header("www-authenticate"), "Basic realm=\"zulip\"");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oversized_heads_are_refused() {
    let server = start().await;
    for size in [9_000, 40_000, 100_000] {
        let value = "x".repeat(size);
        let bytes = format!(
            "GET /hello HTTP/1.1\r\nhost: h\r\nconnection: close\r\nx-long: {value}\r\n\r\n"
        );
        request(server.address, bytes)
            .await
            .is_error(431, "BAD_REQUEST");
    }
    let many: String = (0..200).map(|i| format!("x-{i}: 1\r\n")).collect();
    let bytes = format!("GET /hello HTTP/1.1\r\nhost: h\r\nconnection: close\r\n{many}\r\n");
    request(server.address, bytes)
        .await
        .is_error(431, "BAD_REQUEST");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_absolute_target_means_its_path_and_host() {
    let server = start().await;
    let bytes = "GET http://real.test/misbehave/echo?x HTTP/1.1\r\nhost: other.test\r\nconnection: close\r\n\r\n";
    let answer = request(server.address, bytes).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer.body.contains("http://real.test/misbehave/echo?x"),
        "{answer:?}"
    );
    assert!(!answer.body.contains("other.test"), "{answer:?}");
}
