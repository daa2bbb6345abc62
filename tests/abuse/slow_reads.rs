//! Reads that take as long as a statement may.
//!
//! They come from a test component (`tests/components/misbehave`) that runs any statement: a search
//! that takes two seconds needs more messages than a short test can write.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Duration;

use spindle_tests::{Options, Server, misbehave};

use crate::bystander::Bystander;

/// A statement that runs until it is interrupted.
const ENDLESS: &str = "WITH%20RECURSIVE%20n(i)%20AS%20(SELECT%201%20UNION%20ALL%20SELECT%20i%2B1%20FROM%20n)%20\
                       SELECT%20count(*)%20FROM%20n";

/// The repository's manifest with that component.
fn start() -> Server {
    Server::spawn(Options {
        manifest: Some(misbehave::manifest("select = [\"entries\"]\n")),
        ..Options::default()
    })
}

/// Sends a request and waits for its answer without a timeout.
fn exchange(server: &Server, request: &str) -> String {
    let mut socket = TcpStream::connect(server.address()).expect("connect");
    socket.write_all(request.as_bytes()).expect("write");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn eight_slow_reads_at_once_are_withstood() {
    let server = start();
    let mut bystander = Bystander::new(&server);
    bystander.beside(|is_over| {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let request = format!(
                        "GET /misbehave/sql?statement={ENDLESS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                    );
                    while !is_over.load(Ordering::SeqCst) {
                        let answer = exchange(&server, &request);
                        let stopped = answer.contains("interrupt");
                        assert!(stopped || answer.contains("too many slow reads"), "{answer}");
                        // The refusal arrives immediately.
                        std::thread::sleep(Duration::from_millis(20));
                    }
                });
            }
        });
    });
}
