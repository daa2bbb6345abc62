//! Services of bots that give no answer, beside one that does.
//!
//! What is expected is an order, no time: the good service is asked and its answer written while
//! calls to the others are still under way.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use spindle_tests::{Options, Queue, Server, User, unique};

/// Messages to each bot whose service gives no answer: more than one claim has ever taken.
const MESSAGES: usize = 30;

/// A service that hands each connection to `serve`, on a thread of its own.
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

/// Never answers; its connections can be looked at.
fn silent() -> (String, Receiver<TcpStream>) {
    let (sender, connections) = channel();
    let url = service(move |stream| {
        // Nobody looks any more when the test is over.
        let _ = sender.send(stream);
    });
    (url, connections)
}

/// Answers a byte every now and then, and is never done.
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

/// Answers without end, as fast as it is read.
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
        // One piece holds the request, which is small.
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

/// Whether the caller has not closed its end.
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
fn a_service_that_gives_no_answer_is_in_nobodys_way() {
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
    // What waits is not lost: it has not been attempted.
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
