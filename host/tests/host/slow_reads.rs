//! Reads that take long keep no thread from the others, and come a few at a time.

use crate::common::start;
use std::time::Duration;

const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_are_served_beside_eight_slow_reads_of_one_client() {
    let server = std::sync::Arc::new(start().await);
    assert_eq!(server.sql("SELECT 1").await.body, "1");
    let slow: Vec<_> = (0..8)
        .map(|_| {
            let server = std::sync::Arc::clone(&server);
            tokio::spawn(async move { server.sql(ENDLESS).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(20)).await;
    for number in 0..100 {
        let insert = format!("INSERT INTO entries (number) VALUES ({number})");
        assert_eq!(server.sql(&insert).await.status, 200);
        assert_eq!(server.get("/hello").await.status, 200);
        if number == 0 {
            // They wait for each other, and each takes two seconds before it is stopped.
            assert!(!slow.iter().any(tokio::task::JoinHandle::is_finished));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut stopped = 0;
    for task in slow {
        let answer = task.await.unwrap();
        assert_eq!(answer.status, 409, "{answer:?}");
        if answer.body.contains("interrupt") {
            stopped += 1;
        } else {
            // It has waited for too long.
            assert!(answer.body.contains("too many slow reads"), "{answer:?}");
        }
    }
    assert!(stopped > 0);
    assert_eq!(server.number("SELECT count(*) FROM entries").await, 100);
}

/// As one account with a request on each of 32 connections: they wait for each other, and none is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_two_slow_snapshots_of_one_client_are_answered() {
    let server = std::sync::Arc::new(start().await);
    // On most machines slow enough to be counted as such.
    let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) \
                SELECT count(*) FROM n";
    let lines = ["BEGIN", long, "COMMIT"].join("\n");
    let script = format!(
        "/misbehave/script?statements={}",
        crate::common::encode(&lines)
    );
    let snapshots: Vec<_> = (0..32)
        .map(|_| {
            let (server, script) = (std::sync::Arc::clone(&server), script.clone());
            tokio::spawn(async move { server.get(&script).await })
        })
        .collect();
    for snapshot in snapshots {
        let answer = snapshot.await.unwrap();
        assert_eq!(answer.body, "\n100000\n\nchanges 0 rowid 0");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_read_within_a_transaction_keeps_its_snapshot() {
    let server = start().await;
    // On most machines longer than a read gets at first.
    let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) \
                SELECT count(*), (SELECT count(*) FROM entries) FROM n";
    let count = "SELECT count(*) FROM entries";
    let lines = crate::common::encode(&["BEGIN", count, long, count, "COMMIT", long].join("\n"));
    let script = format!("/misbehave/script?statements={lines}");
    let answer = server.get(&script).await;
    assert_eq!(
        answer.body,
        "\n0\n400000|0\n0\n\n400000|0\nchanges 0 rowid 0"
    );
}
