//! Moves of large topics across kills: a started move is completed, and each message is in exactly
//! one event (ADR 0029).

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Options, PATIENCE, Queue, Server, until, until_within};

const LARGE: usize = 6000;
/// Longer than the interval of the job that finishes moves.
const FINISHING: u64 = 3;

fn number(server: &Server, sql: &str) -> i64 {
    let row = server.database().query_row(sql, [], |row| row.get(0));
    row.expect("a number")
}

#[test]
fn a_started_move_is_completed_after_kills() {
    let mut server = Server::spawn(Options::default());
    let user = server.user("moderator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let ids = fixture::messages(&server, &channel, "t", &[&user], LARGE);
    let mut queue = Queue::of(&user, &["update_message", "message"]);
    let (client, named) = (user.client.clone(), ids[LARGE / 3]);
    let request = std::thread::spawn(move || {
        let pairs = [("topic", "✔ t"), ("propagate_mode", "change_all")];
        let call = Call::new("PATCH", &format!("/messages/{named}")).form(&pairs);
        // Probably interrupted by the kill.
        let _ = client.try_send(&call);
    });
    // Once its first part is committed, the move will be completed.
    let moves = "SELECT count(*) FROM message_moves";
    let left = "SELECT count(*) FROM messages WHERE topic = 't'";
    until_within(
        PATIENCE,
        Duration::from_millis(1),
        "the move begins",
        || (number(&server, moves) > 0).then_some(()),
    );
    server.kill();
    server.restart();
    // Each time after another part at least, and in the middle of the next one.
    for _ in 0..2 {
        let before = number(&server, left);
        server.advance(FINISHING);
        until_within(
            PATIENCE,
            Duration::from_millis(1),
            "the move goes on",
            || {
                let now = number(&server, left);
                (now < before || now == 0).then_some(())
            },
        );
        server.kill();
        server.restart();
    }
    request.join().expect("the request");
    server.advance(FINISHING);
    until("the move ends", || {
        (number(&server, moves) == 0).then_some(())
    });
    assert_eq!(number(&server, left), 0);
    let events = queue.until(|event| event["type"] == "message");
    let mut received: Vec<i64> = Vec::new();
    for event in &events {
        if event["type"] == "update_message" {
            let part = serde_json::from_value(event["message_ids"].clone());
            received.extend::<Vec<i64>>(part.expect("ids"));
        }
    }
    assert_eq!(received.len(), LARGE, "each is in one event");
    let received: BTreeSet<i64> = received.into_iter().collect();
    assert_eq!(received, ids.iter().copied().collect());
    let notices = events.iter().filter(|event| event["type"] == "message");
    assert_eq!(notices.count(), 1);
    let sql = "SELECT count(*) FROM messages WHERE json_array_length(edit_history) = 1";
    assert_eq!(
        number(&server, sql),
        i64::try_from(LARGE).expect("a number")
    );
    let findings = server.admin(&["check"]);
    assert_eq!(findings["findings"], json!([]), "{findings}");
}
