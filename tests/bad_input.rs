//! Bad input of every kind: the answer has the right status and code, nothing changes, and no
//! secret is logged.
//!
//! One server of its own; a lock lets one test at a time use it, because each compares the whole
//! database before and after.

use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use spindle_tests::client::basic;
use spindle_tests::raw::{RawReply, exchange};
use spindle_tests::{Call, Client, Options, Server, User};

struct World {
    server: Server,
    user: User,
    password: String,
}

fn world() -> MutexGuard<'static, World> {
    static WORLD: OnceLock<Mutex<World>> = OnceLock::new();
    locked(&WORLD, || Server::start(Options::default()))
}

/// For what the host decides before a component is called: Spin decides otherwise.
fn world_of_native_host() -> MutexGuard<'static, World> {
    static WORLD: OnceLock<Mutex<World>> = OnceLock::new();
    locked(&WORLD, || Server::spawn(Options::default()))
}

fn locked(
    world: &'static OnceLock<Mutex<World>>,
    start: fn() -> Server,
) -> MutexGuard<'static, World> {
    let world = world.get_or_init(|| {
        let server = start();
        let password = "Secret-Password-81723".to_owned();
        let user = server.user_with("member", &["--password", &password]);
        // The first request may have effects of its own.
        user.get("/users/me", &[]).ok();
        Mutex::new(World {
            server,
            user,
            password,
        })
    });
    world
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A digest of all rows that the server stores, by table.
fn state(server: &Server) -> Vec<(String, String)> {
    let database = server.database().sqlite();
    let mut tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
        .expect("tables");
    let names: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .expect("rows")
        .map(|row| row.expect("row"))
        .collect();
    // The table of jobs is left out, because timers may run at any moment. Those of the search
    // index are left out too: it is virtual, and its parts are tables of their own.
    let left_out = ["jobs", "message_search", "message_search_words"];
    let names = names
        .into_iter()
        .filter(|name| !left_out.contains(&name.as_str()));
    names
        .map(|name| {
            let mut hash = Sha256::new();
            let mut statement = database
                .prepare(&format!("SELECT * FROM \"{name}\""))
                .expect("table");
            let columns = statement.column_count();
            let mut rows = statement.query([]).expect("rows");
            while let Some(row) = rows.next().expect("row") {
                for column in 0..columns {
                    hash.update(format!("{:?}|", row.get_ref(column).expect("value")));
                }
                hash.update("\n");
            }
            let digest = hash
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            (name, digest)
        })
        .collect()
}

/// Runs a case and asserts that the database is as before.
#[track_caller]
fn unchanged<T>(world: &World, name: &str, case: impl FnOnce() -> T) -> T {
    let before = state(&world.server);
    let outcome = case();
    assert_eq!(state(&world.server), before, "{name} changed the database");
    outcome
}

#[test]
fn parameters_that_are_not_text_or_not_json_are_refused() {
    let world = world();
    let user = &world.user;
    let form = Some("application/x-www-form-urlencoded");
    let me = format!("[{}]", user.id());
    let long_list = format!("[{}1]", "1,".repeat(10_001));
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    let many: Vec<(String, String)> = (0..150)
        .map(|number| (format!("p{number}"), "x".to_owned()))
        .collect();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let message = |to: &str| {
        let pairs = [("type", "direct"), ("to", to), ("content", "x")];
        Call::new("POST", "/messages").form(&pairs)
    };
    let status = |bytes: &[u8]| Call::new("POST", "/users/me/status").raw(form, bytes);
    let cases = [
        ("invalid UTF-8 in a value", status(b"status_text=%ff%fe"), 400),
        ("raw invalid UTF-8", status(b"status_text=\xff\xfe"), 400),
        ("invalid UTF-8 in a name", status(b"%ff=x&status_text=y"), 400),
        ("a NUL in a value", status(b"status_text=a%00b"), 400),
        ("malformed JSON", message("[1,"), 400),
        ("JSON of another type", message("{\"a\": 1}"), 400),
        ("JSON too deep", message(&deep), 400),
        ("a list too long", message(&long_list), 400),
        ("too many parameters", Call::new("POST", "/messages").form(&many), 400),
        (
            "a broken multipart body",
            Call::new("POST", "/users/me/status")
                .raw(Some("multipart/form-data; boundary=X"), b"--X\r\nContent-Dispo"),
            400,
        ),
        (
            "multipart without boundary",
            Call::new("POST", "/users/me/status").raw(Some("multipart/form-data"), b"--X--"),
            400,
        ),
        (
            "multipart with invalid UTF-8",
            Call::new("POST", "/users/me/status").raw(
                Some("multipart/form-data; boundary=X"),
                b"--X\r\nContent-Disposition: form-data; name=\"status_text\"\r\n\r\n\xff\r\n--X--\r\n",
            ),
            400,
        ),
        ("a NUL in a query", Call::new("GET", "/users/me").query(&[("x", "a\0b")]), 400),
        (
            "an integer that is none",
            Call::new("GET", "/events").query(&[("queue_id", "x"), ("last_event_id", "1e3")]),
            400,
        ),
        (
            "a NUL in a message",
            Call::new("POST", "/messages").form(&[("type", "direct"), ("to", &me), ("content", "a\0b")]),
            400,
        ),
    ];
    for (name, call, status) in cases {
        let reply = unchanged(&world, name, || user.send(call));
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (status, &"BAD_REQUEST".into()),
            "{name}"
        );
    }
    let call = Call::new("POST", "/messages").form(&[("type", "direct"), ("content", "x")]);
    let reply = unchanged(&world, "a missing parameter", || user.send(call));
    let body = reply.error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(body["var_name"], "to");
}

#[test]
fn bodies_over_the_limit_are_413() {
    let world = world();
    let user = &world.user;
    let large = "a".repeat((1 << 20) + 1);
    let length = format!("Content-Length: {}\r\n", large.len());
    let started = Instant::now();
    let reply = unchanged(&world, "one byte too many", || {
        raw_status(&world, &length, &large)
    });
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(reply.status, 413, "{}", reply.text);
    let body = reply.json().expect("JSON");
    assert_eq!(body["code"], "BAD_REQUEST");
    assert_eq!(body["result"], "error");
    let announced = exchange(
        world.server.address(),
        format!(
            "POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nContent-Length: 99999999999\r\n\r\n",
            basic(&user.email, &user.api_key)
        )
        .as_bytes(),
    );
    assert_eq!(
        announced.status, 413,
        "refused by its announcement: {}",
        announced.text
    );
    let mut chunked = format!(
        "POST /api/v1/users/me/status HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n",
        basic(&user.email, &user.api_key)
    )
    .into_bytes();
    for _ in 0..33 {
        chunked.extend_from_slice(b"8000\r\n");
        chunked.extend_from_slice(&vec![b'a'; 0x8000]);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    let reply = unchanged(&world, "chunked", || {
        exchange(world.server.address(), &chunked)
    });
    assert_eq!(
        reply.status, 413,
        "chunked bodies are counted: {}",
        reply.text
    );
    // A body of the maximum length is read.
    let mut fits = b"status_text=fits&padding=".to_vec();
    fits.resize(1 << 20, b'a');
    let call =
        Call::new("POST", "/users/me/status").raw(Some("application/x-www-form-urlencoded"), &fits);
    assert_eq!(user.send(call).ignored(), ["padding"]);
}

/// Sends a head and a form body to the status operation with the given extra header lines.
fn raw_status(world: &World, headers: &str, body: &str) -> RawReply {
    let request = format!(
        "POST /api/v1/users/me/status HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n{headers}\r\n{body}",
        basic(&world.user.email, &world.user.api_key)
    );
    exchange(world.server.address(), request.as_bytes())
}

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
        let reply = unchanged(&world, name, || raw_status(&world, &headers, &body));
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
    let reply = unchanged(&world, "twice", || {
        raw_status(
            &world,
            &format!("{second}Content-Length: 13\r\n"),
            "status_text=x",
        )
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
    let reply = raw_status(&world, forged, "status_text=x");
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
            let reply = unchanged(&world, path, || {
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
    let reply = unchanged(&world, "a large header", || {
        raw_status(&world, &large, "status_text=x")
    });
    assert!(matches!(reply.status, 400 | 413 | 431), "{}", reply.text);
    let many: String = (0..500)
        .map(|number| format!("X-{number}: a\r\n"))
        .collect();
    let many = format!("{many}Content-Length: 13\r\n");
    let reply = unchanged(&world, "many headers", || {
        raw_status(&world, &many, "status_text=x")
    });
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

/// SQL in a text is stored as text.
#[test]
fn sql_in_a_text_is_not_executed() {
    let world = world();
    let user = &world.user;
    let texts = [
        "'",
        "\"",
        "';--",
        "' OR '1'='1",
        "x'); DROP TABLE users;--",
        "\\",
        "%",
        "_",
        "${1}",
    ];
    for text in texts {
        user.post("/users/me/status", &[("status_text", text)]).ok();
        let status = user.get(&format!("/users/{}/status", user.id()), &[]).ok();
        assert_eq!(status["status"]["status_text"], text);
        user.post("/users/me/status", &[("emoji_name", text)])
            .bad_request();
        user.delete("/events", &[("queue_id", text)])
            .error(400, "BAD_EVENT_QUEUE_ID");
        let pairs = [
            ("type", "channel"),
            ("to", text),
            ("topic", "t"),
            ("content", "x"),
        ];
        assert_eq!(user.post("/messages", &pairs).status, 400, "{text}");
        let pairs = [("username", text), ("password", text)];
        user.post("/fetch_api_key", &pairs)
            .error(401, "AUTHENTICATION_FAILED");
        let client = Client::new(user.base_url(), Some((text, &user.api_key)));
        client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
        let narrow = serde_json::json!([["sender", text]]).to_string();
        let pairs = [
            ("anchor", "newest"),
            ("num_before", "1"),
            ("num_after", "0"),
            ("narrow", &narrow),
        ];
        assert_eq!(user.get("/messages", &pairs).status, 400, "{text}");
    }
}

/// After all other tests: no key, password or token is in the log or in any file.
#[test]
fn no_secret_is_written_anywhere() {
    let world = world();
    let user = &world.user;
    let pairs = [
        ("username", user.email.as_str()),
        ("password", world.password.as_str()),
    ];
    let fetched = user.post("/fetch_api_key", &pairs).ok()["api_key"]
        .as_str()
        .unwrap()
        .to_owned();
    let base = user.base_url();
    Client::new(
        base,
        Some((&user.email, "WrongKeyWrongKeyWrongKeyWrongKey")),
    )
    .get("/users/me", &[]);
    user.post(
        "/fetch_api_key",
        &[("username", &user.email), ("password", "Wrong-Password-1")],
    );
    user.get("/users/me", &[("api_key", &fetched)]);
    let secrets = [
        user.api_key.clone(),
        fetched.clone(),
        world.password.clone(),
        "WrongKeyWrongKeyWrongKeyWrongKey".to_owned(),
        "Wrong-Password-1".to_owned(),
        basic(&user.email, &user.api_key)["Basic ".len()..].to_owned(),
        basic(&user.email, &fetched)["Basic ".len()..].to_owned(),
    ];
    let log = world.server.log();
    for secret in &secrets {
        assert!(!log.contains(secret.as_str()), "a secret is in the log");
    }
    let mut folders: Vec<_> = world
        .server
        .directory()
        .map(ToOwned::to_owned)
        .into_iter()
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("data directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                for secret in &secrets {
                    let found = bytes
                        .windows(secret.len())
                        .any(|part| part == secret.as_bytes());
                    assert!(!found, "a secret is in {}", path.display());
                }
            }
        }
    }
}

/// Details of internal errors are never shown, and no test above caused one.
#[test]
fn no_bad_input_causes_an_internal_error() {
    let world = world();
    let log = world.server.log();
    let panics: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("panicked") || line.contains("wasm trap"))
        .collect();
    assert!(panics.is_empty(), "{panics:?}");
}
