//! What transactions wait for: large snapshots for each other, and no transaction for a part of a large
//! change that follows it.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Database, DatabaseError, DatabaseOptions, Session};
use crate::memory::Client;

/// Counts for some milliseconds.
const SHORT: &str = "WITH RECURSIVE counted (number) AS \
    (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 30000) \
    SELECT count(*) FROM counted";
/// Counts for longer than a read may take that is not slow.
const LONG: &str = "WITH RECURSIVE counted (number) AS \
    (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 1000000) \
    SELECT count(*) FROM counted";
const LATE: Duration = Duration::from_secs(20);

fn open(folder: &tempfile::TempDir) -> Database {
    Database::open(&DatabaseOptions {
        // A group stays open for as long as transactions wait.
        group_window: LATE,
        ..DatabaseOptions::new(folder.path().join("x.db"))
    })
    .unwrap()
}

fn session(database: &Database, client: Option<Client>) -> Session {
    Session::new(database.clone(), None, Box::new(move || client))
}

async fn run(mut session: Session, statements: [&str; 3]) -> Result<(), DatabaseError> {
    for statement in statements {
        session.execute(statement, &[]).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_large_snapshots_waits_without_readers() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let large = ["BEGIN DEFERRED", SHORT, "COMMIT"];
    // The first one is learned.
    database
        .slow
        .learn("BEGIN DEFERRED", None, Duration::from_secs(3));
    let mut crowd = JoinSet::new();
    for number in 0..60 {
        let client = Client::Account(number);
        crowd.spawn(run(session(&database, Some(client)), large));
    }
    // Another client still finds a reader.
    let mut bystander = session(&database, Some(Client::Account(1000)));
    bystander.execute("SELECT 1", &[]).await.unwrap();
    while let Some(outcome) = crowd.join_next().await {
        outcome.unwrap().unwrap();
    }
}

/// As of a person with many requests at once, each of which reads slowly.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_reads_of_one_client_are_not_refused_for_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let client = Some(Client::Account(7));
    database.slow.learn(SHORT, client, Duration::from_secs(3));
    let mut own = JoinSet::new();
    for number in 0..32 {
        let begin = ["BEGIN", "BEGIN DEFERRED"][number % 2];
        let session = session(&database, client);
        own.spawn(run(session, [begin, SHORT, "COMMIT"]));
    }
    while let Some(outcome) = own.join_next().await {
        outcome.unwrap().unwrap();
    }
}

/// They leave readers to others.
#[tokio::test]
async fn one_client_has_few_snapshots_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let mut open = Vec::new();
    loop {
        let mut next = session(&database, Some(Client::Account(7)));
        let begin = timeout(Duration::from_millis(20), next.execute("BEGIN", &[])).await;
        match begin {
            Ok(begun) => begun.unwrap(),
            Err(_) => break,
        };
        open.push(next);
    }
    assert_eq!(open.len(), super::slow::max_snapshots_of_client());
    let mut other = session(&database, Some(Client::Account(8)));
    other.execute("BEGIN", &[]).await.unwrap();
    let mut own = session(&database, None);
    own.execute("BEGIN", &[]).await.unwrap();
    open.pop();
    let mut next = session(&database, Some(Client::Account(7)));
    next.execute("BEGIN", &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_that_was_slow_is_remembered_by_how_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let snapshot = |begin| run(session(&database, None), [begin, LONG, "COMMIT"]);
    snapshot("BEGIN").await.unwrap();
    assert!(!database.slow.knows("BEGIN"));
    assert!(!database.slow.knows("BEGIN DEFERRED"));
    snapshot("BEGIN DEFERRED").await.unwrap();
    assert!(database.slow.knows("BEGIN DEFERRED"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_of_a_large_change_keeps_no_other_transaction_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let mut first = session(&database, None);
    first
        .execute("CREATE TABLE rows (number)", &[])
        .await
        .unwrap();
    first.execute("BEGIN IMMEDIATE", &[]).await.unwrap();
    first
        .execute("INSERT INTO rows VALUES (1)", &[])
        .await
        .unwrap();
    let mut part = session(&database, None);
    let begin = tokio::spawn(async move {
        part.execute("BEGIN EXCLUSIVE", &[]).await.unwrap();
        part
    });
    while database.writer.queued() == 0 {
        tokio::task::yield_now().await;
    }
    // The part waits, so the group stays open; it is flushed before the part begins.
    let committed = timeout(LATE / 2, first.execute("COMMIT", &[])).await;
    committed.expect("the part was flushed with it").unwrap();
    let mut part = begin.await.unwrap();
    part.execute("INSERT INTO rows VALUES (2)", &[])
        .await
        .unwrap();
    part.execute("COMMIT", &[]).await.unwrap();
}
