//! Clients that use more than their share: queues without polls, sockets that send slowly or do not
//! read. Others must not be affected (reliability tests R5 and R7).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use spindle_tests::{Options, Queue, Server, User};

/// The most events of a queue before it ends.
const BOUND: u64 = 10_000;

fn set_statuses(user: &User, from: u64, count: u64) {
    for number in from..from + count {
        let text = format!("status {number}");
        user.post("/users/me/status", &[("status_text", &text)])
            .ok();
    }
}

/// A client that never polls loses its queue at the bound; one that polls is served all along.
#[test]
fn a_queue_without_polls_ends_at_its_bound() {
    let server = Server::spawn(Options::default());
    let users: Vec<User> = (0..4).map(|_| server.user("member")).collect();
    let left = Queue::of(&users[0], &["user_status"]);
    let deaf = Queue::of(&users[0], &["message"]);
    let mut kept = Queue::of(&users[1], &["user_status"]);
    let share = BOUND / 4 / 2;
    let mut seen = 0;
    for half in 0..2 {
        std::thread::scope(|scope| {
            for (number, user) in (0_u64..).zip(&users) {
                let from = (half * 4 + number) * share;
                scope.spawn(move || set_statuses(user, from, share));
            }
        });
        seen += kept.poll().len() as u64;
        assert_eq!(seen, (half + 1) * 4 * share);
    }
    // At the bound all events are still there, in one answer.
    let body = left.fetch(-1, true).ok();
    assert_eq!(
        body["events"].as_array().map(Vec::len),
        Some(BOUND as usize)
    );
    set_statuses(&users[2], 0, 1);
    left.fetch(-1, true).error(400, "BAD_EVENT_QUEUE_ID");
    assert_eq!(kept.poll().len(), 1);
    assert_eq!(deaf.fetch(-1, true).ok()["events"], serde_json::json!([]));
}

/// Hundreds of sockets that send a head byte by byte, or half of a body, or do not read: an
/// ordinary request is still served, and the server closes the sockets.
#[test]
fn slow_clients_delay_no_others_and_are_disconnected() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    let address = server.address().to_owned();
    let open = |bytes: &[u8]| {
        let mut socket = TcpStream::connect(&address).expect("connect");
        socket.write_all(bytes).expect("write");
        socket
    };
    let started = Instant::now();
    let half_heads: Vec<TcpStream> = (0..300)
        .map(|_| open(b"GET /api/v1/server_settings HTTP/1.1\r\nhost: x\r\nx-slow: "))
        .collect();
    let half_bodies: Vec<TcpStream> = (0..100)
        .map(|_| {
            open(
                b"POST /api/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\
                  content-type: application/x-www-form-urlencoded\r\n\r\ntype=",
            )
        })
        .collect();
    // Requests large answers repeatedly, and reads none of them.
    let request = b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(50);
    let deaf: Vec<TcpStream> = (0..20).map(|_| open(&request)).collect();

    for number in 0..100 {
        let sent = Instant::now();
        set_statuses(&user, number, 1);
        assert!(sent.elapsed() < Duration::from_secs(30), "a request waited");
    }
    for mut socket in half_heads.into_iter().chain(half_bodies) {
        let limit = Duration::from_secs(60).saturating_sub(started.elapsed());
        socket
            .set_read_timeout(Some(limit.max(Duration::from_millis(1))))
            .expect("timeout");
        let mut answer = Vec::new();
        let end = socket.read_to_end(&mut answer);
        assert!(end.is_ok(), "a slow socket is still open after a minute");
    }
    drop(deaf);
    user.get("/users/me", &[]).ok();
}
