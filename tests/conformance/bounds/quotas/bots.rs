//! All bots of one person share one quota; the person has another.

use spindle_tests::{Queue, Server, User};

use super::super::refused;
use super::seed;
use crate::support::server;
use crate::users::bot_of;

fn bots(server: &Server) -> (User, User, User) {
    let owner = server.user("member");
    let [one, other] = [(); 2].map(|()| bot_of(server, &owner));
    (owner, one, other)
}

#[test]
fn what_one_bot_keeps_counts_for_the_others() {
    let (owner, one, other) = bots(server());
    let sql = "INSERT INTO saved_snippets (user_id, title, content, date_created) \
        SELECT ?1, 't' || i, 'c', 1 FROM n";
    seed(server(), 1000, sql, one.user_id);
    let add = |user: &User| user.post("/saved_snippets", &[("title", "t"), ("content", "c")]);
    refused(add(&one), 1000);
    refused(add(&other), 1000);
    add(&owner).ok();
    add(&server().bot()).ok();
}

#[test]
fn the_oldest_queue_of_all_bots_of_a_person_ends() {
    let (owner, one, other) = bots(server());
    let oldest = Queue::of(&one, &["message"]);
    let (kept, of_owner) = (
        Queue::of(&one, &["message"]),
        Queue::of(&owner, &["message"]),
    );
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 498) \
        INSERT INTO event_queues (id, realm_id, user_id, base_seq, created, idle_timeout_secs, \
            registration) SELECT hex(randomblob(16)), 1, ?1, base_seq, created, 600, registration \
        FROM n CROSS JOIN event_queues WHERE id = ?2";
    let many = rusqlite::params![one.user_id, kept.queue_id];
    server().database().execute(sql, many).expect("queues");
    let newest = Queue::of(&other, &["message"]);
    oldest.ends();
    for queue in [kept, newest, of_owner] {
        queue.fetch(-1, true).ok();
    }
}
