//! Slow networks: heads and bodies sent byte by byte, and transfers that are slow but legitimate.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use spindle_tests::client::basic;
use spindle_tests::{Options, Server};

use crate::attack::{self, Attack, Work, is_set, pause};
use crate::connections::{connect_from, connect_to};

/// Sockets that send a byte at a time.
const SLOW: usize = 400;
/// Clients behind a slow network.
const HONEST: usize = 30;
/// Bytes per second of such a client.
const PACE: usize = 200_000;
/// Interval between its chunks.
const STEP: Duration = Duration::from_millis(100);

pub const HEADS: Attack = Attack::new("heads byte by byte", |server| {
    let head = format!(
        "GET /api/v1/users/me HTTP/1.1\r\nhost: x\r\nx-slow: {}",
        "slow ".repeat(1000)
    );
    byte_by_byte(server, "", &head)
});

pub const BODIES: Attack = Attack::new("bodies byte by byte", |server| {
    let user = server.user("guest");
    let head = format!(
        "POST /api/v1/messages HTTP/1.1\r\nhost: x\r\nauthorization: {}\r\ncontent-length: 60000\r\n\
         content-type: application/x-www-form-urlencoded\r\n\r\n",
        basic(&user.email, &user.api_key)
    );
    byte_by_byte(server, &head, &format!("content={}", "x".repeat(10_000)))
});

/// Many sockets, each of which sends `first` immediately and then one byte of `rest` per interval.
/// A socket that the server closes is opened again.
fn byte_by_byte(server: &Server, first: &str, rest: &str) -> Work {
    let address = server.address().to_owned();
    let (first, rest) = (first.to_owned(), rest.to_owned());
    Box::new(move |is_over| {
        let open = || {
            let mut socket = connect_to(&address);
            let _ = socket.write_all(first.as_bytes());
            (socket, 0)
        };
        let mut sockets: Vec<(TcpStream, usize)> = Vec::new();
        while !is_set(is_over) {
            if sockets.len() < SLOW {
                sockets.push(open());
            }
            for entry in &mut sockets {
                let byte = rest.as_bytes()[entry.1 % rest.len()];
                if entry.0.write_all(&[byte]).is_ok() {
                    entry.1 += 1;
                } else {
                    *entry = open();
                }
            }
            pause(is_over, Duration::from_millis(5));
        }
    })
}

/// Uploads at the speed of a bad network, which take most of the attack: each succeeds.
pub const UPLOADS: Attack = Attack::new("slow uploads", |server| {
    let address = server.address().to_owned();
    let user = server.user("member");
    let credentials = basic(&user.email, &user.api_key);
    let content = vec![b'x'; amount()];
    let mut body =
        b"--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"slow.txt\"\r\n\r\n"
            .to_vec();
    body.extend_from_slice(&content);
    body.extend_from_slice(b"\r\n--b--\r\n");
    let head = format!(
        "POST /api/v1/user_uploads HTTP/1.1\r\nhost: x\r\nauthorization: {credentials}\r\n\
         content-length: {}\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n",
        body.len()
    );
    Box::new(move |is_over| {
        many(|| {
            let mut socket = connect_from(5, &address);
            socket.write_all(head.as_bytes()).expect("the head");
            let started = Instant::now();
            for (number, piece) in body.chunks(PACE / 10).enumerate() {
                keep_pace(started, number);
                if is_set(is_over) {
                    return;
                }
                socket.write_all(piece).expect("progress counts");
            }
            let mut answer = [0; 12];
            socket.read_exact(&mut answer).expect("an answer");
            assert_eq!(&answer, b"HTTP/1.1 200");
        });
    })
});

/// Downloads at that speed: each is complete.
pub const DOWNLOADS: Attack = Attack::new("slow downloads", |server| {
    let address = server.address().to_owned();
    let user = server.user("member");
    // More than the system's socket buffers hold.
    let length = amount().max(400_000);
    let file = user.upload("/user_uploads", "slow.bin", &vec![7; length]);
    let path = file.ok()["url"].as_str().expect("url").to_owned();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: {}\r\nconnection: close\r\n\r\n",
        basic(&user.email, &user.api_key)
    );
    Box::new(move |is_over| {
        many(|| {
            let mut socket = connect_from(4, &address);
            socket.write_all(request.as_bytes()).expect("the request");
            let started = Instant::now();
            let mut received = Vec::new();
            for number in 0.. {
                keep_pace(started, number);
                if is_set(is_over) {
                    return;
                }
                let mut piece = (&socket).take(PACE as u64 / 10);
                let count = piece.read_to_end(&mut received);
                if count.expect("progress counts") == 0 {
                    break;
                }
            }
            let received = received.len();
            assert!(received > length, "{received} of {length} bytes");
        });
    })
});

/// Bytes that take two thirds of the attack at that speed.
fn amount() -> usize {
    let seconds = usize::try_from(attack::length().as_secs()).expect("a length");
    (seconds * PACE * 2 / 3).min(20_000_000)
}

fn keep_pace(started: Instant, number: usize) {
    let due = started + STEP * u32::try_from(number).unwrap_or(u32::MAX);
    std::thread::sleep(due.saturating_duration_since(Instant::now()));
}

fn many(one: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 0..HONEST {
            scope.spawn(&one);
        }
    });
}

#[test]
fn requests_that_come_byte_by_byte_are_answered() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    let body = format!("type=direct&to=[{}]&content=slow", user.user_id);
    let request = format!(
        "POST /api/v1/messages HTTP/1.1\r\nhost: x\r\nauthorization: {}\r\ncontent-length: {}\r\n\
         content-type: application/x-www-form-urlencoded\r\n\r\n{body}",
        basic(&user.email, &user.api_key),
        body.len()
    );
    let mut socket = connect_to(server.address());
    for _ in 0..2 {
        for byte in request.as_bytes() {
            socket.write_all(&[*byte]).expect("the server reads on");
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut status = [0; 12];
        socket.read_exact(&mut status).expect("an answer");
        assert_eq!(&status, b"HTTP/1.1 200");
        let mut rest = [0; 4096];
        assert!(socket.read(&mut rest).expect("the rest of it") > 0);
    }
}

#[test]
fn requests_sent_byte_by_byte_are_withstood() {
    attack::are_withstood(&[HEADS, BODIES]);
}

#[test]
fn slow_legitimate_transfers_succeed() {
    attack::are_withstood(&[UPLOADS, DOWNLOADS]);
}
