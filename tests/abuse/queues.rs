//! Event queues: many queues with long narrows, and many waiting polls.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use spindle_tests::Server;
use spindle_tests::client::basic;

use crate::attack::{Attack, is_set};
use crate::attacker::{Attacker, at_once};
use crate::connections::connect_from;
use crate::scene;

/// Every message of the bystander is matched against all of them.
pub const LONG_NARROWS: Attack = Attack::new("queues with long narrows", |server| {
    let attackers = Attacker::several(server, "member", 4);
    let narrow = json!(vec![["topic", "work"]; 50]).to_string();
    Box::new(move |is_over| {
        at_once(&attackers, 2, is_over, |member, _| {
            let pairs = [
                ("event_types", "[\"message\"]"),
                ("fetch_event_types", "[]"),
                ("all_public_streams", "true"),
                ("narrow", &narrow),
            ];
            member.call(is_over, "POST", "/register", &pairs);
        });
    })
});

/// Queues of the account whose polls wait.
const QUEUES: usize = 500;
/// Its waiting polls.
const POLLS: usize = 2000;

/// Each message of the bystander answers one poll of each queue; then the next poll is made.
pub const HELD_POLLS: Attack = Attack::new("polls held by the thousand", |server| {
    let user = server.user("member");
    let pairs = [
        ("event_types", "[\"message\"]"),
        ("fetch_event_types", "[]"),
        ("all_public_streams", "true"),
    ];
    let first = user.post("/register", &pairs).ok()["queue_id"].clone();
    let more = format!(
        "INSERT INTO event_queues (id, realm_id, user_id, base_seq, created, idle_timeout_secs,
             registration)
         SELECT 'held-' || i || '-' || hex(randomblob(8)), 1, ?1, base_seq, created, 600,
             registration
         FROM n CROSS JOIN event_queues WHERE id = '{}'",
        first.as_str().expect("an id")
    );
    scene::fill(server, QUEUES - 1, user.user_id, &more);
    let queues = queues_of(server, user.user_id);
    let credentials = basic(&user.email, &user.api_key);
    let address = server.address().to_owned();
    Box::new(move |is_over| {
        let poll = |number: usize| {
            let queue = &queues[number % queues.len()];
            let request = format!(
                "GET /api/v1/events?queue_id={queue}&last_event_id=-1 HTTP/1.1\r\nhost: x\r\n\
                 authorization: {credentials}\r\n\r\n"
            );
            let mut socket = connect_from(3, &address);
            socket.set_nonblocking(true).expect("a socket");
            let _ = socket.write_all(request.as_bytes());
            socket
        };
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

fn queues_of(server: &Server, user_id: i64) -> Vec<String> {
    let database = server.database();
    let ids = "SELECT id FROM event_queues WHERE user_id = ?1";
    let ids = database.rows(ids, [user_id], |row| row.get(0));
    ids.expect("ids")
}

#[test]
fn queues_with_long_narrows_are_withstood() {
    LONG_NARROWS.is_withstood();
}

#[test]
fn thousands_of_waiting_polls_are_withstood() {
    HELD_POLLS.is_withstood();
}
