//! What transactions wait for: large snapshots for each other, and no transaction for a part of a large
//! change that follows it.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Database, DatabaseError, DatabaseOptions, Session};
use spindle_admission::memory::Client;
use spindle_admission::{Admission, Class, processors, readers_of_client_on};

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

/// A session of the server itself.
fn server_session(database: &Database) -> Session {
    Session::new(database.clone(), None, Box::new(|| None))
}

/// A session of a request with a ticket.
async fn session(database: &Database, admission: &Arc<Admission>, client: Client) -> Session {
    let ticket = admission.admit(client, Class::Ordinary).await.unwrap();
    let ticket = Arc::new(ticket);
    Session::new(
        database.clone(),
        None,
        Box::new(move || Some(Arc::clone(&ticket))),
    )
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
    let admission = Arc::new(Admission::default());
    let mut crowd = JoinSet::new();
    for number in 0..60 {
        let client = Client::Account(number);
        let session = session(&database, &admission, client).await;
        crowd.spawn(run(session, large));
    }
    // Another client still finds a reader.
    let mut bystander = session(&database, &admission, Client::Account(1000)).await;
    bystander.execute("SELECT 1", &[]).await.unwrap();
    while let Some(outcome) = crowd.join_next().await {
        outcome.unwrap().unwrap();
    }
}

/// Like a person with many concurrent requests, each of which reads slowly.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_reads_of_one_client_are_not_refused_for_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let admission = Arc::new(Admission::default());
    let client = Client::Account(7);
    let slow = Duration::from_secs(3);
    database.slow.learn(SHORT, Some(client), slow);
    let mut own = JoinSet::new();
    for number in 0..32 {
        let begin = ["BEGIN", "BEGIN DEFERRED"][number % 2];
        let (database, admission) = (database.clone(), Arc::clone(&admission));
        own.spawn(async move {
            let session = session(&database, &admission, client).await;
            run(session, [begin, SHORT, "COMMIT"]).await
        });
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
    let admission = Arc::new(Admission::default());
    let mut open = Vec::new();
    loop {
        let mut next = session(&database, &admission, Client::Account(7)).await;
        let begin = timeout(Duration::from_millis(20), next.execute("BEGIN", &[])).await;
        match begin {
            Ok(begun) => begun.unwrap(),
            Err(_) => break,
        };
        open.push(next);
    }
    assert_eq!(open.len(), readers_of_client_on(processors()));
    let mut other = session(&database, &admission, Client::Account(8)).await;
    other.execute("BEGIN", &[]).await.unwrap();
    let mut own = server_session(&database);
    own.execute("BEGIN", &[]).await.unwrap();
    open.pop();
    let mut next = session(&database, &admission, Client::Account(7)).await;
    next.execute("BEGIN", &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_that_was_slow_is_remembered_by_how_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let snapshot = |begin| run(server_session(&database), [begin, LONG, "COMMIT"]);
    snapshot("BEGIN").await.unwrap();
    assert!(!database.slow.knows("BEGIN", || None));
    assert!(!database.slow.knows("BEGIN DEFERRED", || None));
    snapshot("BEGIN DEFERRED").await.unwrap();
    assert!(database.slow.knows("BEGIN DEFERRED", || None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_of_a_large_change_keeps_no_other_transaction_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let mut first = server_session(&database);
    first
        .execute("CREATE TABLE rows (number)", &[])
        .await
        .unwrap();
    first.execute("BEGIN IMMEDIATE", &[]).await.unwrap();
    first
        .execute("INSERT INTO rows VALUES (1)", &[])
        .await
        .unwrap();
    let mut part = server_session(&database);
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

/// One part at most is before a transaction that comes after many.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_wait_for_each_other_outside_of_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder);
    let mut first = server_session(&database);
    let create = "CREATE TABLE turns (number INTEGER PRIMARY KEY, name)";
    first.execute(create, &[]).await.unwrap();
    first.execute("BEGIN IMMEDIATE", &[]).await.unwrap();
    let mut all = JoinSet::new();
    for _ in 0..5 {
        let part = "INSERT INTO turns (name) VALUES ('part')";
        let statements = ["BEGIN EXCLUSIVE", part, "COMMIT"];
        all.spawn(run(server_session(&database), statements));
    }
    while database.writer.queued() == 0 {
        tokio::task::yield_now().await;
    }
    let short = "INSERT INTO turns (name) VALUES ('short')";
    let statements = ["BEGIN IMMEDIATE", short, "COMMIT"];
    all.spawn(run(server_session(&database), statements));
    while database.writer.queued() == 1 {
        tokio::task::yield_now().await;
    }
    first.execute("COMMIT", &[]).await.unwrap();
    while let Some(outcome) = all.join_next().await {
        outcome.unwrap().unwrap();
    }
    let turn = "SELECT number FROM turns WHERE name = 'short'";
    let rows = first.execute(turn, &[]).await.unwrap().rows;
    assert_eq!(format!("{:?}", rows[0].values), "[Value::Integer(2)]");
}
