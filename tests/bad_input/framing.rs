//! Requests whose head or framing is not HTTP, or says what only the host may say.

use spindle_tests::client::basic;
use spindle_tests::raw::exchange;

use super::{world, world_of_native_host};

#[test]
fn ambiguous_framing_is_refused_and_no_request_is_smuggled() {
    let world = world_of_native_host();
    let hidden = "POST /api/v1/users/me/status HTTP/1.1\r\nHost: x\r\n\r\n";
    let length = hidden.len() + 5;
    let both = format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n");
    let cases = [
        ("length and chunked", both, format!("0\r\n\r\n{hidden}")),
        (
            "chunked and length",
            format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n"),
            format!("0\r\n\r\n{hidden}"),
        ),
        (
            "two lengths",
            "Content-Length: 14\r\nContent-Length: 15\r\n".to_owned(),
            "status_text=abcd".to_owned(),
        ),
        (
            "a list of lengths",
            "Content-Length: 14, 15\r\n".to_owned(),
            "status_text=abcd".to_owned(),
        ),
        (
            "a length with a sign",
            "Content-Length: +14\r\n".to_owned(),
            "status_text=ab".to_owned(),
        ),
        (
            "no number as length",
            "Content-Length: 0x10\r\n".to_owned(),
            "status_text=abcd".to_owned(),
        ),
        (
            "an unknown coding",
            "Transfer-Encoding: chunked, identity\r\n".to_owned(),
            "0\r\n\r\n".to_owned(),
        ),
        (
            "two codings",
            "Transfer-Encoding: identity, chunked\r\n".to_owned(),
            "d\r\nstatus_text=x\r\n0\r\n\r\n".to_owned(),
        ),
        (
            "a broken chunk",
            "Transfer-Encoding: chunked\r\n".to_owned(),
            "zz\r\nstatus_text=x\r\n0\r\n\r\n".to_owned(),
        ),
        (
            "a folded header",
            "X-A: b\r\n c\r\nContent-Length: 13\r\n".to_owned(),
            "status_text=x".to_owned(),
        ),
        (
            "a NUL in a header",
            "X-A: a\0b\r\nContent-Length: 13\r\n".to_owned(),
            "status_text=x".to_owned(),
        ),
        (
            "a space before the colon",
            "X-A : b\r\nContent-Length: 13\r\n".to_owned(),
            "status_text=x".to_owned(),
        ),
    ];
    for (name, headers, body) in cases {
        let reply = world.unchanged(name, || world.raw_status(&headers, &body));
        assert!(
            matches!(reply.status, 400 | 411 | 501),
            "{name}: expected a refusal, got {}",
            reply.text
        );
        assert_eq!(
            reply.answers(),
            1,
            "{name}: the connection is closed after it: {}",
            reply.text
        );
    }
}

#[test]
fn two_authorization_headers_are_refused() {
    let world = world_of_native_host();
    let second = format!(
        "Authorization: {}\r\n",
        basic(&world.user.email, &world.user.api_key)
    );
    let reply = world.unchanged("twice", || {
        world.raw_status(&format!("{second}Content-Length: 13\r\n"), "status_text=x")
    });
    assert_eq!(reply.status, 401, "{}", reply.text);
}

#[test]
fn internal_headers_from_outside_are_stripped() {
    let world = world();
    let forged = "x-spindle-rate-limit: limit=1;remaining=0;reset=1;over=1;retry-after=60.0\r\n\
                  x-spindle-internal: guess\r\nx-spindle-host: 1\r\n\
                  x-spindle-hand-off: events\r\nx-spindle-user: 1\r\n\
                  X-Spindle-Client-Address: 10.0.0.1\r\nspin-client-addr: 10.0.0.1:1\r\n\
                  Connection: x-spindle-host, authorization\r\nContent-Length: 13\r\n";
    let reply = world.raw_status(forged, "status_text=x");
    assert!(
        matches!(reply.status, 200 | 401),
        "the forged verdict counts: {}",
        reply.text
    );
    assert!(
        !reply.text.to_lowercase().contains("x-spindle"),
        "{}",
        reply.text
    );
    for path in [
        "/internal/collect",
        "/internal/clean-files",
        "/internal/expire_messages",
        "/internal/finish_changes",
        "/internal/measure_channels",
        "/internal/queues/x/poll",
        "/internal/jobs/x",
        "/internal",
    ] {
        for method in ["GET", "POST"] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: x\r\nx-spindle-internal: guess\r\n\
                 x-spindle-host: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let reply = world.unchanged(path, || {
                exchange(world.server.address(), request.as_bytes())
            });
            assert_eq!(reply.status, 404, "{method} {path}: {}", reply.text);
        }
    }
}

#[test]
fn oversized_heads_are_refused() {
    let world = world_of_native_host();
    let large = format!("X-A: {}\r\nContent-Length: 13\r\n", "a".repeat(100_000));
    let reply = world.unchanged("a large header", || {
        world.raw_status(&large, "status_text=x")
    });
    assert!(matches!(reply.status, 400 | 413 | 431), "{}", reply.text);
    let many: String = (0..500)
        .map(|number| format!("X-{number}: a\r\n"))
        .collect();
    let many = format!("{many}Content-Length: 13\r\n");
    let reply = world.unchanged("many headers", || world.raw_status(&many, "status_text=x"));
    assert!(matches!(reply.status, 400 | 413 | 431), "{}", reply.text);
    let request = format!(
        "GET /api/v1/{} HTTP/1.1\r\nHost: x\r\n\r\n",
        "a".repeat(100_000)
    );
    let reply = exchange(world.server.address(), request.as_bytes());
    assert!(
        matches!(reply.status, 400 | 404 | 414 | 431),
        "{}",
        reply.text
    );
}

#[test]
fn bytes_that_are_not_http_end_the_connection() {
    let world = world();
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(),
        b"GET\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"GET /api/v1/users/me HTTP/9.9\r\nHost: x\r\n\r\n",
        b"FOO BAR BAZ QUX\r\n\r\n",
    ] {
        let reply = exchange(world.server.address(), bytes);
        assert!(
            matches!(reply.status, 0 | 400 | 404 | 405 | 505),
            "{}",
            reply.text
        );
    }
    world.user.get("/users/me", &[]).ok();
}

#[test]
fn odd_paths_are_unknown_routes() {
    let world = world();
    for path in [
        "/api/v1/../../etc/passwd",
        "/api/v1/users/%2e%2e/me",
        "/api/v1/users/me/%00",
        "/api/v1/users/%ff/status",
        "/api//v1/users/me",
        "/api/v2/users/me",
        "/api/v1/users/me/../me",
        "/api/v1/static/../../Cargo.toml",
        "/static/../Cargo.toml",
        "/static/%2e%2e/Cargo.toml",
        "/avatar/../../../etc/passwd",
    ] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nConnection: close\r\n\r\n",
            basic(&world.user.email, &world.user.api_key)
        );
        let reply = exchange(world.server.address(), request.as_bytes());
        assert!(matches!(reply.status, 400 | 404), "{path}: {}", reply.text);
        let body = reply
            .json()
            .unwrap_or_else(|| panic!("{path}: no JSON: {}", reply.text));
        assert_eq!(body["code"], "BAD_REQUEST", "{path}");
    }
}
