//! Clients that ask for much and read nothing.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spindle_tests::{Options, Server, User};

use crate::bystander::Bystander;
use crate::connections::connect;

/// More than there are threads for work that blocks.
const SOCKETS: usize = 600;

/// Opens sockets that ask for `path` and never read, with one more byte behind the request.
fn unread(server: &Server, user: &User, path: &str, is_over: &AtomicBool) {
    let credentials = spindle_tests::client::basic(&user.email, &user.api_key);
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: {credentials}\r\n\r\nG");
    let mut sockets = Vec::new();
    while !is_over.load(Ordering::SeqCst) {
        if sockets.len() < SOCKETS {
            let mut socket = connect(server);
            socket.write_all(request.as_bytes()).expect("write");
            sockets.push(socket);
        } else {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn files_that_are_not_read() {
    let server = Server::spawn(Options::default());
    let attacker = server.user("guest");
    let file = attacker.upload("/user_uploads", "large.bin", &vec![7; 10 << 20]);
    let path = file.ok()["url"].as_str().expect("url").to_owned();
    let mut bystander = Bystander::new(&server);
    bystander.beside(|is_over| unread(&server, &attacker, &path, is_over));
}

#[test]
fn answers_that_are_not_read() {
    let server = Server::spawn(Options::default());
    let attacker = server.user("guest");
    let mut bystander = Bystander::new(&server);
    let path = "/api/v1/openapi.json";
    bystander.beside(|is_over| unread(&server, &attacker, path, is_over));
}
