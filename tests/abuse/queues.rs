//! Event queues: many queues with long narrows, and many waiting polls.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use spindle_tests::client::basic;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Server, User};

use crate::attack::{Attack, is_set, pause};
use crate::connections::connect_from;
use crate::scene;

/// Queues of the account whose polls wait.
const QUEUES: usize = 500;
/// Its waiting polls.
const POLLS: usize = 2000;

/// Each message of the bystander answers one poll of each queue; then the next poll is made.
pub const HELD_POLLS: Attack = Attack::new("polls held by the thousand", |server| {
    let user = server.user("member");
    let polls = Polls::of_many_queues(server, &user);
    Box::new(move |is_over| {
        let poll = |number| polls.begin(3, number);
        let mut sockets: Vec<TcpStream> = Vec::new();
        while !is_set(is_over) {
            if sockets.len() < POLLS {
                sockets.push(poll(sockets.len()));
                continue;
            }
            std::thread::sleep(Duration::from_millis(300));
            // As many polls as the rate limit lets one account renew.
            let answered = sockets
                .iter_mut()
                .enumerate()
                .filter_map(|(number, socket)| {
                    let mut byte = [0];
                    match socket.read(&mut byte) {
                        Err(error) if error.kind() == ErrorKind::WouldBlock => None,
                        _ => Some(number),
                    }
                });
            let answered: Vec<usize> = answered.take(1).collect();
            for number in answered {
                sockets[number] = poll(number);
            }
        }
    })
});

/// Messages that each queue of the account has received, and the length of their texts: six megabytes, and less than ends a
/// queue.
const RECEIVED: usize = 600;
const TEXT: usize = 10_000;
/// How long the answers stay unread, until their polls are repeated.
const UNREAD_FOR: Duration = Duration::from_secs(5);

/// Each queue has much to tell, and no answer is read.
pub const UNREAD: Attack = Attack::new("unread answers to polls", |server| {
    let user = server.user("member");
    let channel = fixture::channel(server, ChannelKind::Public, &[&user]).id();
    let polls = Polls::of_many_queues(server, &user);
    let text = "x".repeat(TEXT);
    let message = [
        ("type", "channel"),
        ("to", channel.as_str()),
        ("topic", "long"),
        ("content", text.as_str()),
    ];
    for _ in 0..RECEIVED {
        user.post("/messages", &message).ok();
    }
    Box::new(move |is_over| {
        while !is_set(is_over) {
            let mut sockets = Vec::new();
            while sockets.len() < QUEUES && !is_set(is_over) {
                sockets.push(polls.begin(6, sockets.len()));
            }
            pause(is_over, UNREAD_FOR);
        }
    })
});

/// Polls of the queues of one account.
struct Polls {
    address: String,
    credentials: String,
    queues: Vec<String>,
}

impl Polls {
    /// Of as many queues as an account may have; the server has none but one of them in memory.
    fn of_many_queues(server: &Server, user: &User) -> Self {
        let pairs = [
            ("event_types", "[\"message\"]"),
            ("fetch_event_types", "[]"),
            ("all_public_streams", "true"),
        ];
        let first = user.post("/register", &pairs).ok()["queue_id"].clone();
        let more = format!(
            "INSERT INTO event_queues (id, realm_id, user_id, base_seq, created,
                 idle_timeout_secs, registration)
             SELECT 'held-' || i || '-' || hex(randomblob(8)), 1, ?1, base_seq, created, 600,
                 registration
             FROM n CROSS JOIN event_queues WHERE id = '{}'",
            first.as_str().expect("an id")
        );
        scene::fill(server, QUEUES - 1, user.user_id, &more);
        let ids = "SELECT id FROM event_queues WHERE user_id = ?1";
        let ids = server
            .database()
            .rows(ids, [user.user_id], |row| row.get(0));
        Self {
            address: server.address().to_owned(),
            credentials: basic(&user.email, &user.api_key),
            queues: ids.expect("ids"),
        }
    }

    /// Asks for all events of a queue, from a local address that ends with `own`.
    fn begin(&self, own: u8, number: usize) -> TcpStream {
        let queue = &self.queues[number % self.queues.len()];
        let request = format!(
            "GET /api/v1/events?queue_id={queue}&last_event_id=-1 HTTP/1.1\r\nhost: x\r\n\
             authorization: {}\r\n\r\n",
            self.credentials
        );
        let mut socket = connect_from(own, &self.address);
        socket.set_nonblocking(true).expect("a socket");
        let _ = socket.write_all(request.as_bytes());
        socket
    }
}

#[test]
fn thousands_of_waiting_polls_are_withstood() {
    HELD_POLLS.is_withstood();
}

#[test]
fn unread_answers_to_polls_are_withstood() {
    UNREAD.is_withstood();
}
