//! `spin:sqlite` as a component sees it, through a real component.

use crate::common::{self, encode, start, start_with};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_work_synchronously_and_asynchronously() {
    let server = start().await;
    let insert = "INSERT INTO entries (writer, number) VALUES (7, 8), (9, 10)";
    assert_eq!(server.sql(insert).await.body, "");
    assert_eq!(
        server.sql("SELECT writer, number FROM entries").await.body,
        "7|8\n9|10"
    );
    let path = format!("/misbehave/sql-async?statement={}", encode(insert));
    assert_eq!(server.get(&path).await.body, "\nchanges 2 rowid 4");
    let select =
        encode("SELECT 1, 2.5, 'x', NULL, x'0102' UNION ALL SELECT 2, 3.5, 'y', NULL, x''");
    let answer = server
        .get(&format!("/misbehave/sql-async?statement={select}"))
        .await;
    assert_eq!(
        answer.body,
        "1|2.5|x|null|2 bytes\n2|3.5|y|null|0 bytes\nchanges 0 rowid 0"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_first_statement_of_a_string_runs() {
    let server = start().await;
    let two = "INSERT INTO entries (writer) VALUES (1); INSERT INTO entries (writer) VALUES (2)";
    assert_eq!(server.sql(two).await.status, 200);
    assert_eq!(
        server
            .sql("SELECT count(*) FROM entries; nonsense")
            .await
            .body,
        "1"
    );
    assert_eq!(server.sql("-- nothing").await.body, "");
}

async fn script(server: &common::Server, statements: &[&str]) -> Vec<String> {
    let text = encode(&statements.join("\n"));
    let answer = server
        .get(&format!("/misbehave/script?statements={text}"))
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.split('\n').map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_keep_or_undo_everything() {
    let server = start().await;
    let insert = "INSERT INTO entries (writer) VALUES (1)";
    let count = "SELECT count(*) FROM entries";
    let lines = script(
        &server,
        &["BEGIN IMMEDIATE", insert, count, "ROLLBACK", count],
    )
    .await;
    assert_eq!(lines, ["", "", "1", "", "0", "changes 1 rowid 1"]);
    let lines = script(
        &server,
        &[
            "BEGIN IMMEDIATE",
            insert,
            "SAVEPOINT a",
            insert,
            "ROLLBACK TO a",
            "RELEASE a",
            "COMMIT",
            count,
        ],
    )
    .await;
    assert_eq!(lines[7], "1");
    // A failed statement leaves the rest of the transaction alone.
    let lines = script(
        &server,
        &[
            "BEGIN IMMEDIATE",
            insert,
            "INSERT INTO entries (id) VALUES (1)",
            "COMMIT",
            count,
        ],
    )
    .await;
    assert!(lines[2].contains("UNIQUE"), "{lines:?}");
    assert_eq!(lines[4], "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_transaction_sees_one_state_and_cannot_write() {
    let server = start().await;
    let count = "SELECT count(*) FROM entries";
    let lines = script(
        &server,
        &[
            "BEGIN",
            count,
            "INSERT INTO entries (writer) VALUES (1)",
            "COMMIT",
            "COMMIT",
            "BEGIN",
            "BEGIN",
        ],
    )
    .await;
    assert_eq!(lines[1], "0");
    assert!(lines[2].contains("BEGIN IMMEDIATE"), "{lines:?}");
    assert_eq!(lines[3], "");
    assert!(lines[4].contains("no transaction"), "{lines:?}");
    assert!(lines[6].contains("already"), "{lines:?}");
    assert_eq!(server.number("SELECT count(*) FROM entries").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counters_are_those_of_the_own_connection() {
    let server = start().await;
    server
        .sql("INSERT INTO entries (id, writer) VALUES (41, 1)")
        .await;
    let upsert =
        "INSERT INTO entries (id, writer) VALUES (41, 2) ON CONFLICT DO UPDATE SET writer = 2";
    assert_eq!(script(&server, &[upsert]).await, ["", "changes 1 rowid 0"]);
    assert_eq!(
        script(&server, &["CREATE TABLE other (a)"]).await,
        ["", "changes 0 rowid 0"]
    );
    assert_eq!(
        script(&server, &["SELECT 1"]).await,
        ["1", "changes 0 rowid 0"]
    );
    let same = "INSERT INTO other (rowid, a) VALUES (41, 1)";
    assert_eq!(script(&server, &[same]).await, ["", "changes 1 rowid 41"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_and_settings_are_out_of_reach() {
    let server = start().await;
    let file = server.directory.path().join("stolen.db");
    let refused = [
        "ATTACH DATABASE ':memory:' AS other".to_owned(),
        "DETACH DATABASE main".to_owned(),
        format!("VACUUM INTO '{}'", file.display()),
        "PRAGMA journal_mode = delete".to_owned(),
        "PRAGMA synchronous = off".to_owned(),
        "PRAGMA writable_schema = on".to_owned(),
        "PRAGMA query_only = off".to_owned(),
        "SELECT load_extension('x')".to_owned(),
        "CREATE TEMP TABLE t (a)".to_owned(),
        "RELEASE spindle_member".to_owned(),
    ];
    for statement in refused {
        let answer = server.sql(&statement).await;
        assert_eq!(answer.status, 409, "{statement}: {answer:?}");
    }
    assert!(!file.exists());
    assert_eq!(server.get("/misbehave/attach").await.status, 409);
    assert!(
        server
            .get("/misbehave/open?name=other")
            .await
            .body
            .contains("AccessDenied")
    );
    assert_eq!(server.sql("PRAGMA foreign_keys").await.body, "1");
    assert!(
        server
            .sql("PRAGMA table_info(entries)")
            .await
            .body
            .contains("writer")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dying_guest_leaves_nothing_behind() {
    let server = start_with("computing_ms = 300", |_| {}).await;
    for path in ["open-transaction-then-trap", "open-transaction-then-loop"] {
        let answer = server.get(&format!("/misbehave/{path}")).await;
        answer.is_error(500, "INTERNAL_SERVER_ERROR");
        // The turn is free again immediately: this does not wait for its limit.
        let write = server.get("/misbehave/write?writer=1");
        let answer = tokio::time::timeout(Duration::from_secs(3), write)
            .await
            .unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(
        server
            .number("SELECT count(*) FROM entries WHERE writer = -1")
            .await,
        0
    );
    assert_eq!(
        server
            .number("SELECT count(*) FROM entries WHERE writer = 1")
            .await,
        2
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_writers_meet_no_lock() {
    const WRITERS: usize = 64;
    const EACH: usize = 10;
    let server = start().await;
    let address = server.address;
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            tokio::spawn(async move {
                for number in 1..=EACH {
                    let head = format!(
                        "GET /misbehave/write?writer={writer} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n"
                    );
                    let answer = common::request(address, head).await;
                    assert_eq!((answer.status, answer.body), (200, number.to_string()));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let expected = i64::try_from(WRITERS * EACH).unwrap();
    assert_eq!(
        server.number("SELECT count(*) FROM entries").await,
        expected
    );
    let statistics = server.database.statistics();
    assert_eq!(
        statistics.failed_groups() + statistics.expired_transactions(),
        0
    );
    // How many share a commit depends on the machine; most do.
    assert!(
        statistics.groups() < statistics.transactions() * 3 / 4,
        "{} groups of {} transactions",
        statistics.groups(),
        statistics.transactions()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_await_inside_a_transaction_costs_only_the_own_instance() {
    let server = start().await;
    // The second request waits inside the instance that would have to run for
    // its turn to come; the limits of waiting end that, and others write again.
    let (held, other) = tokio::join!(
        server.get("/misbehave/hold-transaction?ms=300"),
        server.get("/misbehave/write?writer=5"),
    );
    let written = [&held, &other]
        .iter()
        .filter(|answer| answer.status == 200)
        .count();
    assert!(written >= 1, "{held:?} {other:?}");
    assert_eq!(server.get("/misbehave/write?writer=6").await.status, 200);
    let expected = i64::try_from(written + 1).unwrap();
    assert_eq!(
        server.number("SELECT count(*) FROM entries").await,
        expected
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_without_end_is_interrupted() {
    let server = start().await;
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let answer = server.sql(endless).await;
    assert_eq!(answer.status, 409);
    assert!(answer.body.contains("interrupt"), "{answer:?}");
}
