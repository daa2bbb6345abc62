//! Clients that send large bodies.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use spindle_tests::{Options, Server};

use crate::attack::{Attack, Work, is_set};

const SOCKETS: usize = 60;
const LENGTH: usize = 25 << 20;

pub const OF_STRANGERS: Attack = Attack::new("large bodies of strangers", |server| {
    unfinished(server, &head("", LENGTH))
});

pub const OF_AN_ACCOUNT: Attack = Attack::new("large bodies of an account", |server| {
    let attacker = server.user("guest");
    let credentials = spindle_tests::client::basic(&attacker.email, &attacker.api_key);
    unfinished(
        server,
        &head(&format!("authorization: {credentials}\r\n"), LENGTH),
    )
});

fn head(authorization: &str, length: usize) -> String {
    format!(
        "POST /api/v1/user_uploads HTTP/1.1\r\nhost: x\r\n{authorization}content-length: {length}\r\n\
         content-type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
    )
}

/// Sends most of a body on each socket, and never its end.
fn unfinished(server: &Server, head: &str) -> Work {
    let (address, head) = (server.address().to_owned(), head.to_owned());
    Box::new(move |is_over| {
        std::thread::scope(|scope| {
            for _ in 0..SOCKETS {
                scope.spawn(|| send_most(&address, &head, is_over));
            }
        });
    })
}

fn send_most(address: &str, head: &str, is_over: &AtomicBool) {
    let mut socket = TcpStream::connect(address).expect("connect");
    let patience = Some(Duration::from_millis(200));
    socket.set_write_timeout(patience).expect("timeout");
    let _ = socket.write_all(head.as_bytes());
    let piece = vec![b'x'; 64 << 10];
    let mut left = LENGTH - (1 << 20);
    while left > 0 && !is_set(is_over) {
        // The server may stop reading, or may have closed the connection.
        match socket.write(&piece) {
            Ok(written) => left = left.saturating_sub(written),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    while !is_set(is_over) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn large_bodies_without_credentials_are_withstood() {
    OF_STRANGERS.is_withstood();
}

/// Sends a whole body before it reads, as many clients do; returns the answer.
fn sent_first(server: &Server, authorization: &str, length: usize) -> String {
    let mut socket = TcpStream::connect(server.address()).expect("connect");
    let head = head(authorization, length);
    socket.write_all(head.as_bytes()).expect("write");
    let rest = vec![b'x'; length - "--b\r\n".len()];
    socket.write_all(&rest).expect("the whole body is sent");
    let mut answer = [0; 4096];
    let read = socket.read(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

/// A request without credentials is refused by its head, and the client reads the refusal even if
/// it sends the whole body first.
#[test]
fn a_client_without_credentials_reads_why_its_large_body_is_refused() {
    let server = Server::spawn(Options::default());
    let made_up = spindle_tests::client::basic("nobody@example.com", &"k".repeat(32));
    for authorization in [String::new(), format!("authorization: {made_up}\r\n")] {
        let answer = sent_first(&server, &authorization, LENGTH);
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        assert!(answer.contains("UNAUTHORIZED"), "{answer}");
    }
}

/// The same holds for a body that is larger than the largest file allowed.
#[test]
fn a_client_reads_that_its_body_is_too_large() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    let credentials = spindle_tests::client::basic(&user.email, &user.api_key);
    let authorization = format!("authorization: {credentials}\r\n");
    let answer = sent_first(&server, &authorization, 30 << 20);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}
