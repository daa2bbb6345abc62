//! Clients that request large answers and do not read them.

use std::io::Write as _;
use std::time::Duration;

use spindle_tests::{Server, User};

use crate::attack::{Attack, Work, is_set};
use crate::connections::connect_to;

/// More than the size of the thread pool for blocking work.
const SOCKETS: usize = 600;

pub const FILES: Attack = Attack::new("files that are not read", |server| {
    let attacker = server.user("guest");
    let file = attacker.upload("/user_uploads", "large.bin", &vec![7; 10 << 20]);
    let path = file.ok()["url"].as_str().expect("url").to_owned();
    unread(server, &attacker, &path)
});

pub const ANSWERS: Attack = Attack::new("answers that are not read", |server| {
    unread(server, &server.user("guest"), "/api/v1/openapi.json")
});

/// Opens sockets that request `path` and never read, with one more byte behind the request.
fn unread(server: &Server, user: &User, path: &str) -> Work {
    let address = server.address().to_owned();
    let credentials = spindle_tests::client::basic(&user.email, &user.api_key);
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: {credentials}\r\n\r\nG");
    Box::new(move |is_over| {
        let mut sockets = Vec::new();
        while !is_set(is_over) {
            if sockets.len() < SOCKETS {
                let mut socket = connect_to(&address);
                socket.write_all(request.as_bytes()).expect("write");
                sockets.push(socket);
            } else {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    })
}

#[test]
fn unread_answers_are_withstood() {
    ANSWERS.is_withstood();
}
