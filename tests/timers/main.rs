//! Behaviour that depends on time: heartbeats, idle expiry, collection, and how waiting polls end
//! when the server stops. The server's clock is moved through its test socket
//! (docs/protocol/events.md#get_events, docs/protocol/events.md#queues).
//!
//! Every test has a server of its own, since a moved clock affects all of its clients.

mod audit;
mod channel_activity;
mod heartbeats;
mod idle_queues;
mod large_moves;
mod linkifiers;
mod retention;
mod stops;
mod stored_messages;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{
    Options, PATIENCE, Queue, Server, User, unix_now, until, until_the_next_second,
};

fn start() -> (Server, User) {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    (server, user)
}

fn poll_in_background(user: &User, queue: &Queue, last: i64) -> std::thread::JoinHandle<Value> {
    let (client, id) = (user.client.clone(), queue.queue_id.clone());
    std::thread::spawn(move || {
        let last = last.to_string();
        client
            .get("/events", &[("queue_id", &id), ("last_event_id", &last)])
            .ok()
    })
}

/// A large file over a slow line takes longer than any timeout for idle connections.
#[test]
fn a_slow_upload_with_progress_is_not_interrupted() {
    use std::io::{Read as _, Write as _};
    let (server, user) = start();
    let credentials = spindle_tests::client::basic(&user.email, &user.api_key);
    let part = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n";
    let piece = vec![7_u8; 40 << 10];
    let (pieces, end) = (40, "\r\n--b--\r\n");
    let length = part.len() + pieces * piece.len() + end.len();
    let head = format!(
        "POST /api/v1/user_uploads HTTP/1.1\r\nhost: x\r\nauthorization: {credentials}\r\n\
         content-length: {length}\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n{part}"
    );
    let mut socket = std::net::TcpStream::connect(server.address()).expect("connect");
    socket.write_all(head.as_bytes()).expect("write");
    for _ in 0..pieces {
        socket.write_all(&piece).expect("write");
        std::thread::sleep(Duration::from_secs(1));
    }
    socket.write_all(end.as_bytes()).expect("write");
    let mut answer = [0; 12];
    socket.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
}
