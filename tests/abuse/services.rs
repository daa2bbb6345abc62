//! Outgoing webhook services that do not answer, and one that does.
//!
//! The test checks an order, not a duration: the good service is called and its answer is written
//! while calls to the others are still pending.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use spindle_tests::{Options, Queue, Server, User, unique};

/// Messages to each bot whose service does not answer: more than one batch claims.
const MESSAGES: usize = 30;

/// A service that runs `serve` for each connection, on its own thread.
fn service(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listener");
    let url = format!("http://{}/", listener.local_addr().expect("address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    url
}

/// Never answers; its open connections can be inspected.
fn silent() -> (String, Receiver<TcpStream>) {
    let (sender, connections) = channel();
    let url = service(move |stream| {
        // The receiver is gone when the test is over.
        let _ = sender.send(stream);
    });
    (url, connections)
}

/// Sends one byte now and then, and never completes the answer.
fn slow() -> String {
    service(|mut stream| {
        let body = " ".repeat(9999);
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{body}");
        for byte in answer.bytes() {
            if stream.write_all(&[byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    })
}

/// Sends an endless answer, as fast as it is read.
fn endless() -> String {
    service(|mut stream| {
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let mut going_on = stream.write_all(head).is_ok();
        while going_on {
            let chunk = format!("10000\r\n{}\r\n", " ".repeat(1 << 16));
            going_on = stream.write_all(chunk.as_bytes()).is_ok();
        }
    })
}

fn good() -> String {
    service(|mut stream| {
        let mut seen = [0; 1 << 16];
        // A single read holds the request, which is small.
        if stream.read(&mut seen).is_ok() {
            let body = r#"{"content": "answered"}"#;
            let length = body.len();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes());
        }
    })
}

fn bot(owner: &User, url: &str) -> i64 {
    let (short_name, full_name) = (unique("helper"), unique("Helper "));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
        ("bot_type", "3"),
        ("payload_url", url),
    ];
    let made = owner.post("/bots", &pairs).ok();
    made["user_id"].as_i64().expect("user_id")
}

fn write_to(user: &User, bot: i64) {
    let to = format!("[{bot}]");
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "hello"),
    ];
    user.post("/messages", &pairs).ok();
}

/// Whether the caller has kept its end open.
fn is_open(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).expect("nonblocking");
    let mut seen = [0; 1 << 16];
    loop {
        match stream.read(&mut seen) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn a_service_that_does_not_answer_delays_no_other() {
    let server = Server::spawn(Options {
        extra: ["--bot-networks", "127.0.0.0/8"]
            .map(str::to_owned)
            .to_vec(),
        ..Options::default()
    });
    let (attacker, user) = (server.user("member"), server.user("member"));
    let good = bot(&user, &good());
    let mut queue = Queue::of(&user, &["message"]);
    let mut ask = || {
        write_to(&user, good);
        queue.expect(|event| {
            let message = &event["message"];
            message["sender_id"] == good && message["content"] == "answered"
        });
    };
    ask();

    let (url, connections) = silent();
    let others = [slow(), endless(), url].map(|url| bot(&attacker, &url));
    for other in others {
        for _ in 0..MESSAGES {
            write_to(&attacker, other);
        }
    }
    let mut first = connections
        .recv_timeout(Duration::from_secs(20))
        .expect("a call");
    ask();
    assert!(
        is_open(&mut first),
        "the good service was asked only after the silent one was given up"
    );
    assert!(
        connections.try_recv().is_err(),
        "a service that has not answered is called by one call at a time"
    );
    // Waiting calls are not lost: they have not been attempted.
    let waiting: i64 = server
        .database()
        .query_row(
            "SELECT count(*) FROM bot_calls WHERE bot_id = ?1",
            [others[2]],
            |row| row.get(0),
        )
        .expect("a number");
    assert_eq!(waiting, MESSAGES as i64);
}
