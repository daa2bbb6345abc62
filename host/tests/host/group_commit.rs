//! Group commit, turns and readers, as native code of the host uses them.

use rusqlite::Connection;
use spindle_sqlite::{Database, DatabaseError, DatabaseOptions, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

async fn open(change: impl FnOnce(&mut DatabaseOptions)) -> (Database, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let mut options = DatabaseOptions::new(directory.path().join("test.db"));
    change(&mut options);
    let database = Database::open(&options).unwrap();
    let create =
        database.write(|c| Ok::<_, DatabaseError>(c.execute_batch("CREATE TABLE t (a UNIQUE)")?));
    create.await.unwrap();
    (database, directory)
}

fn insert(c: &Connection, value: i64) -> Result<usize, DatabaseError> {
    Ok(c.prepare_cached("INSERT INTO t VALUES (?1)")?
        .execute([value])?)
}

async fn count(database: &Database) -> i64 {
    let read = database.read(|c| {
        Ok::<i64, DatabaseError>(c.query_row("SELECT count(*) FROM t", [], |r| r.get(0))?)
    });
    read.await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_share_flushes_and_failures_stay_alone() {
    let (database, _directory) = open(|_| {}).await;
    let tasks: Vec<_> = (0..200)
        .map(|i| {
            let database = database.clone();
            // Every fourth fails after its insert and must leave nothing.
            tokio::spawn(async move {
                database
                    .write(move |c| {
                        insert(c, i)?;
                        if i % 4 == 0 {
                            return Err(DatabaseError::Rollback("as planned".to_owned()));
                        }
                        Ok(())
                    })
                    .await
            })
        })
        .collect();
    let mut failed = 0;
    for task in tasks {
        failed += usize::from(task.await.unwrap().is_err());
    }
    assert_eq!(failed, 50);
    assert_eq!(count(&database).await, 150);
    let statistics = database.statistics();
    assert_eq!(statistics.transactions(), 151);
    assert!(statistics.groups() < 100, "{} groups", statistics.groups());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_in_the_file() {
    let (database, directory) = open(|_| {}).await;
    let other = Connection::open(directory.path().join("test.db")).unwrap();
    for value in 0..20 {
        database.write(|c| insert(c, value)).await.unwrap();
        let seen: i64 = other
            .query_row("SELECT count(*) FROM t", [], |r| r.get(0))
            .unwrap();
        assert_eq!(seen, value + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_with_the_lock_is_waited_for() {
    let (database, directory) = open(|o| o.wait_limit = Duration::from_secs(1)).await;
    let mut other = Connection::open(directory.path().join("test.db")).unwrap();
    let lock = other
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    let refused = database.write(|c| insert(c, 1)).await;
    assert!(
        matches!(refused, Err(DatabaseError::Busy(_))),
        "{refused:?}"
    );
    let waiting = tokio::spawn({
        let database = database.clone();
        async move { database.write(|c| insert(c, 2)).await }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    lock.commit().unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(count(&database).await, 1);
    // The lock is not kept while no transaction is open.
    other.execute("INSERT INTO t VALUES (3)", []).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiter_that_gives_up_leaves_no_group_open() {
    let (database, directory) = open(|_| {}).await;
    for value in 0..50 {
        let first = database.write(|c| {
            std::thread::sleep(Duration::from_millis(1));
            insert(c, value)
        });
        let second = tokio::time::timeout(
            Duration::from_micros(200),
            database.write(|c| insert(c, -value - 1)),
        );
        let (first, _) = tokio::join!(first, second);
        first.unwrap();
    }
    let other = Connection::open(directory.path().join("test.db")).unwrap();
    other.busy_timeout(Duration::from_millis(500)).unwrap();
    other.execute("INSERT INTO t VALUES (1000)", []).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listeners_hear_of_commits_and_of_nothing_else() {
    let (database, _directory) = open(|_| {}).await;
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&heard);
    database.on_commit(move || {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    let mut commits = database.commits();
    database.write(|c| insert(c, 1)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(30), commits.changed())
        .await
        .unwrap()
        .unwrap();
    let undone = database
        .write(|_| Err::<(), _>(DatabaseError::Rollback("no".to_owned())))
        .await;
    assert!(undone.is_err());
    // The next commit is the second one of which they hear.
    database.write(|c| insert(c, 2)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(30), commits.changed())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(heard.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_work_while_a_writer_works() {
    let (database, _directory) = open(|_| {}).await;
    let (writes, is_written) = std::sync::mpsc::channel();
    let (has_read, may_end) = std::sync::mpsc::channel();
    let writing = tokio::spawn({
        let database = database.clone();
        async move {
            database
                .write(move |c| {
                    insert(c, 1)?;
                    writes.send(()).unwrap();
                    may_end.recv().unwrap();
                    Ok::<_, DatabaseError>(())
                })
                .await
        }
    });
    is_written.recv().unwrap();
    assert_eq!(count(&database).await, 0);
    has_read.send(()).unwrap();
    writing.await.unwrap().unwrap();
    assert_eq!(count(&database).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_carried_over_into_the_database_file() {
    let (database, directory) = open(|_| {}).await;
    for _ in 0..40 {
        database
            .write(|c| {
                for _ in 0..100 {
                    c.execute("INSERT INTO t VALUES (randomblob(2000))", [])?;
                }
                Ok::<_, DatabaseError>(())
            })
            .await
            .unwrap();
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    let path = directory.path().join("test.db");
    while std::fs::metadata(&path).unwrap().len() < 200_000 {
        assert!(Instant::now() < deadline, "nothing was checkpointed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// SQLite rolls back all of a group when a statement of one member is interrupted. The others have
/// done nothing wrong: they hear so, nothing of them is stored, and who comes next is not harmed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_in_the_group_of_an_interrupted_statement_may_try_again() {
    let (database, _directory) = open(|options| {
        options.statement_limit = Duration::from_millis(100);
        // The second one joins the group of the first.
        options.group_window = Duration::from_secs(60);
    })
    .await;
    let mut first = Session::new(database.clone(), None, Box::new(|| None));
    first.execute("BEGIN IMMEDIATE", &[]).await.unwrap();
    first
        .execute("INSERT INTO t VALUES (1)", &[])
        .await
        .unwrap();
    let second = tokio::spawn({
        let mut session = Session::new(database.clone(), None, Box::new(|| None));
        async move {
            session.execute("BEGIN IMMEDIATE", &[]).await.unwrap();
            let endless = "INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL \
                SELECT i + 1 FROM n) SELECT i FROM n";
            let interrupted = session.execute(endless, &[]).await;
            let after = session.execute("INSERT INTO t VALUES (0)", &[]).await;
            (interrupted, after)
        }
    });
    // It stands in the line, so the group stays open for it.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let undone = first.execute("COMMIT", &[]).await;
    assert!(
        matches!(undone, Err(DatabaseError::GroupUndone(_))),
        "{undone:?}"
    );
    let (interrupted, after) = second.await.unwrap();
    assert!(matches!(interrupted, Err(DatabaseError::Sqlite(_))));
    assert!(matches!(after, Err(DatabaseError::CommitFailed(_))));
    assert_eq!(count(&database).await, 0);
    database.write(|c| insert(c, 5)).await.unwrap();
    assert_eq!(count(&database).await, 1);
}
