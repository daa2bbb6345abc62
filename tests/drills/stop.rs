//! SIGTERM under load: started requests are finished and answered, others have no effect, waiting
//! polls are answered, and after the next start all queues go on.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Queue, Server, User};

use crate::support::{
    Writers, assert_sound, contents, poll_in_background, received, signal, until,
};

const HELD: usize = 40;
const IN_FLIGHT: usize = 40;

/// A connection that has been used before, so that the server has accepted it.
fn connect(server: &Server) -> TcpStream {
    let mut socket = TcpStream::connect(server.address()).expect("connect");
    let timeout = Some(Duration::from_secs(30));
    socket.set_read_timeout(timeout).expect("timeout");
    socket
        .write_all(b"GET /api/v1/server_settings HTTP/1.1\r\nhost: x\r\n\r\n")
        .expect("write");
    let mut head = vec![0; 1 << 16];
    let read = socket.read(&mut head).expect("read");
    assert!(head[..read].starts_with(b"HTTP/1.1 200"));
    socket
}

fn request(user: &User, channel: &str, content: &str) -> Vec<u8> {
    use base64::Engine as _;
    let credentials = format!("{}:{}", user.email, user.api_key);
    let credentials = base64::engine::general_purpose::STANDARD.encode(credentials);
    let body = format!("type=channel&to={channel}&topic=stop&content={content}");
    let head = format!(
        "POST /api/v1/messages HTTP/1.1\r\nhost: x\r\nauthorization: Basic {credentials}\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

/// The status of the answer; `None` when the server closed without one.
fn status(mut socket: TcpStream) -> Option<u16> {
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    // Until it is closed or complete: answers end with a brace.
    while !answer.ends_with(b"}") {
        match socket.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(read) => answer.extend_from_slice(&chunk[..read]),
        }
    }
    let text = String::from_utf8_lossy(&answer);
    // Bytes of the first answer may still be unread.
    let last = text.rfind("HTTP/1.1 ")?;
    text[last + 9..].get(..3)?.parse().ok()
}

#[test]
fn a_busy_server_stops_consistently() {
    let mut server = Server::spawn(Options::default());
    let users: Vec<User> = (0..4).map(|_| server.user("member")).collect();
    let reader = server.user("member");
    let everybody: Vec<&User> = users.iter().chain([&reader]).collect();
    let channel = fixture::channel(&server, ChannelKind::Public, &everybody).id();
    let mut queue = Queue::of(&reader, &["message"]);
    let quiet: Vec<Queue> = (0..HELD)
        .map(|_| Queue::of(&reader, &["alert_words"]))
        .collect();
    let held: Vec<_> = quiet
        .iter()
        .map(|queue| poll_in_background(&reader, queue))
        .collect();
    let mut sockets: Vec<TcpStream> = (0..IN_FLIGHT).map(|_| connect(&server)).collect();
    let writers = Writers::start(&users, &channel);
    until("writers do not write", || {
        writers.written().acknowledged.len() > 10
    });
    assert!(held.iter().all(|poll| !poll.is_finished()));
    for (number, socket) in sockets.iter_mut().enumerate() {
        let request = request(&users[0], &channel, &format!("in-flight-{number}"));
        socket.write_all(&request).expect("write");
    }
    signal(&server, "-TERM");
    let started = Instant::now();
    let statuses: Vec<Option<u16>> = sockets.into_iter().map(status).collect();
    let status = server.wait_for_end();
    assert!(status.success(), "{status}");
    assert!(started.elapsed() < Duration::from_secs(30), "it hangs");
    let mut written = writers.stop();
    assert!(written.refused.is_empty(), "{:?}", written.refused);
    for poll in held {
        let body = poll.join().expect("the poll").ok();
        assert_eq!(body["events"][0]["type"], "heartbeat", "{body}");
    }

    server.restart();
    let stored = contents(&server.database().sqlite());
    let texts: BTreeSet<&str> = stored.values().map(String::as_str).collect();
    assert_eq!(texts.len(), stored.len(), "something was written twice");
    for (number, status) in statuses.iter().enumerate() {
        let is_stored = texts.contains(format!("in-flight-{number}").as_str());
        match status {
            Some(200) => assert!(is_stored, "{number} was acknowledged"),
            None => assert!(!is_stored, "{number} was stored and not answered"),
            Some(other) => assert!(!is_stored, "{number}: {other}"),
        }
    }
    let answered = statuses.iter().flatten().count();
    assert!(answered > 0, "nothing was in flight");
    let mut others = stored.clone();
    others.retain(|_, text| !text.starts_with("in-flight-"));
    assert_eq!(others, std::mem::take(&mut written.acknowledged));
    // Queues go on, the one that was behind and those with waiting polls.
    let expected: Vec<&String> = stored.values().collect();
    assert_eq!(received(&queue.poll()).iter().collect::<Vec<_>>(), expected);
    for queue in quiet {
        queue.fetch(0, true).ok();
    }
    assert_sound(&server);
}
