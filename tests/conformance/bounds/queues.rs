//! Event queues: how many an account may have, and how much a registration may request.

use serde_json::json;
use spindle_tests::Queue;

use super::refused;
use crate::support::server;

const QUEUES: i64 = 500;

#[test]
fn above_the_limit_the_oldest_queue_of_an_account_ends() {
    let (user, other) = (server().user("guest"), server().user("member"));
    let (first, mut others) = (
        Queue::of(&user, &["message"]),
        Queue::of(&other, &["alert_words"]),
    );
    let second = Queue::of(&user, &["message"]);
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3) \
        INSERT INTO event_queues (id, realm_id, user_id, base_seq, created, idle_timeout_secs, \
            registration) SELECT hex(randomblob(16)), 1, ?1, base_seq, created, 600, registration \
        FROM n CROSS JOIN event_queues WHERE id = ?2";
    let many = rusqlite::params![user.user_id, second.queue_id, QUEUES - 2];
    server().database().execute(sql, many).expect("queues");
    first.fetch(-1, true).ok();
    let mut newest = Queue::of(&user, &["alert_words"]);
    first.ends();
    second.fetch(-1, true).ok();
    let count = "SELECT count(*) FROM event_queues WHERE user_id = ?1";
    let count: i64 = server()
        .database()
        .query_row(count, [user.user_id], |row| row.get(0))
        .expect("count");
    assert_eq!(count, QUEUES);
    // Other accounts keep their queues, and the new queue works.
    for (account, queue) in [(&user, &mut newest), (&other, &mut others)] {
        let words = [("alert_words", r#"["fire"]"#)];
        account.post("/users/me/alert_words", &words).ok();
        queue.until(|event| event["type"] == "alert_words");
    }
}

#[test]
fn the_parameters_of_a_queue_are_bounded() {
    let user = server().user("guest");
    let register = |name: &str, value: serde_json::Value| {
        let value = value.to_string();
        user.post("/register", &[(name, &value), ("fetch_event_types", "[]")])
    };
    let terms = |count: usize| json!(vec![["topic", "x"]; count]);
    register("narrow", terms(50)).ok();
    refused(register("narrow", terms(51)), 50);
    let operand = |length: usize| json!([["topic", "é".repeat(length)]]);
    register("narrow", operand(500)).ok();
    refused(register("narrow", operand(501)), 500);
    let types = |count: usize| json!(vec!["no such type"; count]);
    register("event_types", types(1000)).ok();
    refused(register("event_types", types(1001)), 1000);
}
