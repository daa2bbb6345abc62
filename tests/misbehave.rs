//! A component that traps, loops for ever or allocates without limit, while others are served.
//!
//! The manifest is the repository's own with one more component (`tests/components/misbehave`).
//! Only the requests of that component may fail; no others may fail or be delayed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use spindle_tests::raw::exchange;
use spindle_tests::{Call, Options, PATIENCE, Queue, Server, User, misbehave};

/// The repository's manifest with absolute sources and the misbehaving component.
fn start() -> Server {
    let grants = "select = [\"entries\"]\ninsert = [\"entries\"]\n";
    let mut options = Options {
        manifest: Some(misbehave::manifest(grants)),
        ..Options::default()
    };
    options.extra = ["--request-deadline", "2"].map(str::to_owned).into();
    Server::spawn(options)
}

fn call(server: &Server, action: &str) -> spindle_tests::raw::RawReply {
    let request =
        format!("GET /misbehave/{action} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    exchange(server.address(), request.as_bytes())
}

/// Reads, writes and polls of the others go on while a misbehaving action runs again and again.
#[track_caller]
fn others_are_served_during(server: &Server, user: &User, action: &str) {
    let stop = AtomicBool::new(false);
    let mut queue = Queue::of(user, &["message"]);
    let mut slowest = Duration::ZERO;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::SeqCst) {
                    let reply = call(server, action);
                    assert!(
                        reply.status == 0 || reply.status >= 500,
                        "{action} cannot succeed: {}",
                        reply.text.chars().take(300).collect::<String>()
                    );
                }
            });
        }
        let started = Instant::now();
        let mut count = 0;
        while started.elapsed() < Duration::from_secs(4) {
            let before = Instant::now();
            user.get("/users/me", &[]).ok();
            let to = format!("[{}]", user.id());
            let content = format!("{action} {count}");
            let pairs = [
                ("type", "direct"),
                ("to", to.as_str()),
                ("content", &content),
            ];
            user.post("/messages", &pairs).ok();
            queue.expect(|event| event["message"]["content"] == content.as_str());
            slowest = slowest.max(before.elapsed());
            count += 1;
        }
        stop.store(true, Ordering::SeqCst);
        println!("{action}: {count} rounds, the slowest {slowest:?}");
        assert!(count > 10, "{action}: only {count} rounds in four seconds");
    });
    assert!(
        slowest < Duration::from_secs(2),
        "{action}: a round took {slowest:?}"
    );
}

#[test]
fn a_bad_component_harms_only_its_own_requests() {
    let server = start();
    let user = server.user("member");
    for action in ["trap", "loop", "alloc", "infinite-body"] {
        others_are_served_during(&server, &user, action);
    }
    // The component itself still works: its well-behaved paths are served.
    assert_eq!(call(&server, "sleep?ms=1").status, 200);
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process_id().unwrap()))
        .expect("status");
    let resident = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| {
            rest.trim()
                .trim_end_matches(" kB")
                .trim()
                .parse::<u64>()
                .ok()
        })
        .expect("VmRSS");
    assert!(
        resident < 800_000,
        "{resident} kB after memory-hungry guests"
    );
}

/// A transaction that a dying guest left open is rolled back and blocks no one.
#[test]
fn an_open_transaction_is_rolled_back_with_its_guest() {
    let server = start();
    let user = server.user("member");
    let table = "CREATE TABLE entries (id INTEGER PRIMARY KEY, writer INTEGER, number INTEGER)";
    server
        .database()
        .execute(table, [])
        .expect("the component's table");
    for action in ["open-transaction-then-trap", "open-transaction-then-loop"] {
        let reply = std::thread::scope(|scope| {
            let dying = scope.spawn(|| call(&server, action));
            // Before the transaction is open, while it is, and after it. Writes that wait for it longer than a request
            // may take are refused.
            let status = Call::new("POST", "/users/me/status").form(&[("status_text", action)]);
            let status = status.timeout(PATIENCE);
            while !dying.is_finished() {
                let reply = user.try_send(&status).expect("an answer");
                assert!(
                    [200, 503, 504].contains(&reply.status),
                    "{action}: {reply:?}"
                );
            }
            user.send(status).ok();
            dying.join().expect("the dying call")
        });
        assert!(
            reply.status == 0 || reply.status >= 500,
            "{action}: {}",
            reply.text
        );
    }
    let found = user.get(&format!("/users/{}/status", user.id()), &[]).ok();
    assert_eq!(found["status"]["status_text"], "open-transaction-then-loop");
}

/// Headers forged by a client never reach a component, and the host's own headers do.
#[test]
fn a_component_sees_no_forged_headers() {
    let server = start();
    let request = "GET /misbehave/echo HTTP/1.1\r\nHost: x\r\nConnection: close, x-secret\r\n\
        x-spindle-rate-limit: forged\r\nX-Spindle-Internal: forged\r\nx-spindle-user: forged\r\n\
        X-SPINDLE-Hand-Off: forged\r\nspin-client-addr: forged\r\nspin-path-info: forged\r\n\
        Keep-Alive: forged\r\nProxy-Authorization: forged\r\nTE: forged\r\nUpgrade: forged\r\n\
        x-secret: forged\r\nx-kept: yes\r\n\r\n";
    let reply = exchange(server.address(), request.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.text.contains("x-kept: yes"), "{}", reply.text);
    assert!(!reply.text.contains("forged"), "{}", reply.text);
    // Nor may a component make the host hand off requests of others.
    let reply = call(&server, "hand-off?kind=events&queue_id=x");
    assert!(
        !reply.text.to_lowercase().contains("x-spindle"),
        "{}",
        reply.text
    );
}

/// The rights are those of the manifest, together with the ones that all components have.
#[test]
fn a_component_can_do_only_what_it_was_granted() {
    let server = start();
    let run = |statement: &str| {
        let query: String = form_urlencoded::byte_serialize(statement.as_bytes()).collect();
        call(&server, &format!("sql?statement={query}"))
    };
    for statement in [
        "SELECT count(*) FROM users",
        "SELECT hash FROM api_keys WHERE user_id = 1",
        "WITH known AS (SELECT id FROM users) SELECT count(*) FROM known",
    ] {
        let reply = run(statement);
        assert_eq!(reply.status, 200, "{statement}: {}", reply.text);
    }
    for statement in [
        "SELECT password_hash FROM users",
        "SELECT * FROM users",
        "WITH message_search_insert AS (SELECT password_hash FROM users) SELECT * FROM message_search_insert",
        "SELECT label FROM api_keys",
        "INSERT INTO api_keys (hash, user_id, created) VALUES (x'00', 1, 0)",
        "UPDATE api_keys SET user_id = 1",
        "DELETE FROM api_keys",
        "SELECT client FROM sessions",
        "INSERT INTO sessions (hash, user_id, created, last_used, client) VALUES (x'00', 1, 0, 0, '')",
        "UPDATE sessions SET user_id = 1",
        "DELETE FROM sessions",
        "SELECT hash FROM sign_in_links",
        "INSERT INTO sign_in_links (hash, user_id, created) VALUES (x'00', 1, 0)",
        "DELETE FROM sign_in_links",
        "UPDATE users SET role = 100",
        "UPDATE users SET password_hash = ''",
        "SELECT content FROM messages",
        "SELECT block FROM message_search_data",
        "SELECT sql FROM sqlite_schema",
        "SELECT name FROM pragma_table_info('users')",
        "PRAGMA table_info(users)",
        "CREATE TABLE mine (a)",
        "DROP TABLE messages",
        "SELECT load_extension('x')",
    ] {
        let reply = run(statement);
        assert_eq!(reply.status, 409, "{statement}: {}", reply.text);
        let is_denied = reply.text.contains("not authorized") || reply.text.contains("prohibited");
        assert!(is_denied, "{statement}: {}", reply.text);
    }
}

/// ATTACH would open any file; only the granted databases exist.
#[test]
fn a_component_reaches_no_other_file() {
    let server = start();
    assert_eq!(call(&server, "attach").status, 409);
    assert_eq!(call(&server, "open?name=other").status, 409);
    let reply = call(
        &server,
        "sql?statement=ATTACH%20DATABASE%20%27/tmp/x.db%27%20AS%20y",
    );
    assert_eq!(reply.status, 409, "{}", reply.text);
    let reply = call(&server, "fetch?url=http://127.0.0.1:1/");
    assert!(
        reply.status >= 400 || reply.text.contains("rror"),
        "{}",
        reply.text
    );
}
