//! A database without free space, one that writes slowly, and results that exceed the memory budget.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthContext, Authorization};

use super::{Database, DatabaseError, DatabaseOptions, Session};
use spindle_admission::memory::{Memory, Purpose};
use spindle_bindings::spin::sqlite::sqlite::{Error, Value};
use spindle_system::disk_space::DiskSpace;

/// Limits the database to `further_pages` more pages, with a pragma that the authorizer denies.
fn bound(database: &Database, further_pages: i64) {
    let core = database.writer.core();
    let connection = &core.opened.connection;
    connection
        .authorizer(None::<fn(AuthContext<'_>) -> Authorization>)
        .unwrap();
    let pages: i64 = connection
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    connection
        .pragma_update_and_check(None, "max_page_count", pages + further_pages, |_| Ok(()))
        .unwrap();
}

/// Writes two rows in a transaction, in a way that needs new pages.
async fn write(database: &Database, number: i64) -> Result<(), DatabaseError> {
    let mut session = Session::new(database.clone(), None, Box::new(|| None));
    session.execute("BEGIN IMMEDIATE", &[]).await?;
    for _ in 0..2 {
        let insert = "INSERT INTO rows VALUES (?1, zeroblob(3000))";
        session.execute(insert, &[Value::Integer(number)]).await?;
    }
    session.execute("COMMIT", &[]).await?;
    Ok(())
}

async fn stored(database: &Database) -> Vec<(i64, i64)> {
    database
        .read(|connection| {
            let sql = "SELECT number, count(*) FROM rows GROUP BY number ORDER BY number";
            let mut select = connection.prepare(sql)?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok::<_, DatabaseError>(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        })
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_database_keeps_exactly_what_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let disk_space = DiskSpace::new(folder.path(), 0);
    let database = Database::open(&DatabaseOptions {
        disk_space: Some(Arc::clone(&disk_space)),
        ..DatabaseOptions::new(folder.path().join("x.db"))
    })
    .unwrap();
    let create = "CREATE TABLE rows (number INTEGER, content BLOB)";
    let mut session = Session::new(database.clone(), None, Box::new(|| None));
    session.execute(create, &[]).await.unwrap();
    bound(&database, 30);
    let tasks: Vec<_> = (0..60)
        .map(|number| {
            let database = database.clone();
            tokio::spawn(async move { (number, write(&database, number).await) })
        })
        .collect();
    let mut acknowledged = BTreeSet::new();
    for task in tasks {
        match task.await.unwrap() {
            (number, Ok(())) => {
                acknowledged.insert(number);
            }
            (_, Err(error)) => {
                assert!(error.is_full(), "{error}");
                assert!(error.to_string().contains("database or disk is full"));
                assert!(matches!(Error::from(error), Error::DatabaseFull));
            }
        }
    }
    assert!(!acknowledged.is_empty() && acknowledged.len() < 60);
    let expected: Vec<(i64, i64)> = acknowledged.iter().map(|number| (*number, 2)).collect();
    assert_eq!(stored(&database).await, expected);
    assert!(disk_space.check().unwrap_err().contains("full"));
    assert!(write(&database, 100).await.is_err_and(|e| e.is_full()));

    // The disk has space, so the next check ends the shortage.
    bound(&database, 1000);
    disk_space.watch();
    let started = Instant::now();
    while disk_space.is_short() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "writes stay refused"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    write(&database, 101).await.unwrap();
    assert_eq!(stored(&database).await.last(), Some(&(101, 2)));
}

#[tokio::test]
async fn the_reserve_is_for_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(&DatabaseOptions {
        disk_space: Some(DiskSpace::new(folder.path(), u64::MAX)),
        ..DatabaseOptions::new(folder.path().join("x.db"))
    })
    .unwrap();
    let create = "CREATE TABLE rows (number INTEGER, content BLOB)";
    let mut session = Session::new(database.clone(), None, Box::new(|| None));
    for sql in [create, "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE TRANSACTION"] {
        let error = session.execute(sql, &[]).await.unwrap_err();
        assert!(error.is_full(), "{error}");
    }
    database
        .write(|connection| Ok::<_, DatabaseError>(connection.execute_batch(create)?))
        .await
        .unwrap();
    session.execute("SELECT * FROM rows", &[]).await.unwrap();
}

#[tokio::test]
async fn half_of_the_reserve_is_for_changes_that_free_space() {
    let folder = tempfile::tempdir().unwrap();
    let disk = rustix::fs::statvfs(folder.path()).unwrap();
    // Other processes use the disk as well, but not as much as that.
    let reserve = disk.f_bavail * disk.f_frsize / 4 * 5;
    let database = Database::open(&DatabaseOptions {
        disk_space: Some(DiskSpace::new(folder.path(), reserve)),
        ..DatabaseOptions::new(folder.path().join("x.db"))
    })
    .unwrap();
    let mut session = Session::new(database, None, Box::new(|| None));
    for sql in ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
        let error = session.execute(sql, &[]).await.unwrap_err();
        assert!(error.is_full(), "{error}");
        let freeing = format!("{sql} TRANSACTION");
        for sql in [freeing.as_str(), "COMMIT"] {
            session.execute(sql, &[]).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_write_that_is_known_to_be_slow_leaves_the_runtime_to_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(&DatabaseOptions::new(folder.path().join("x.db"))).unwrap();
    let write = "INSERT INTO rows WITH RECURSIVE counted (number) AS \
         (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 1000000) \
         SELECT count(*) FROM counted";
    let ticks = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&ticks);
    let ticking = tokio::spawn(async move {
        loop {
            ticks.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let writing = tokio::spawn(async move {
        let mut session = Session::new(database.clone(), None, Box::new(|| None));
        let create = "CREATE TABLE rows (number INTEGER)";
        session.execute(create, &[]).await.unwrap();
        // The first one is learned.
        session.execute(write, &[]).await.unwrap();
        assert!(database.slow.knows(write, || None));
        session.execute("BEGIN IMMEDIATE", &[]).await.unwrap();
        let before = seen.load(Ordering::SeqCst);
        session.execute(write, &[]).await.unwrap();
        seen.load(Ordering::SeqCst) - before
    });
    assert!(writing.await.unwrap() > 0);
    ticking.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_counted_until_the_guest_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::of(800 << 10);
    let database = Database::open(&DatabaseOptions {
        memory: Arc::clone(&memory),
        ..DatabaseOptions::new(folder.path().join("x.db"))
    })
    .unwrap();
    let mut session = Session::new(database.clone(), None, Box::new(|| None));
    let mut run = async |sql: &str| session.execute(sql, &[]).await;
    run("CREATE TABLE rows (content)").await.unwrap();
    run("INSERT INTO rows VALUES (randomblob(300000)), (randomblob(300000))")
        .await
        .unwrap();
    let held = || memory.held_for(Purpose::Results);
    let one = "SELECT content FROM rows LIMIT 1";
    run(one).await.unwrap();
    assert!((300_000..400_000).contains(&held()), "{}", held());
    run("SELECT 1").await.unwrap();
    assert_eq!(held(), 0);
    // In transactions, and as rows that a write returns.
    for begin in ["BEGIN", "BEGIN IMMEDIATE"] {
        run(begin).await.unwrap();
        run(one).await.unwrap();
        assert!(held() > 300_000, "{begin}");
        run("COMMIT").await.unwrap();
        assert_eq!(held(), 0, "{begin}");
    }
    run("UPDATE rows SET content = content WHERE rowid = 1 RETURNING content")
        .await
        .unwrap();
    assert!(held() > 300_000);
    // Both are more than three quarters of what others leave.
    let others = memory.try_hold(Purpose::Connections, 100 << 10).unwrap();
    for sql in [
        "SELECT content FROM rows",
        "DELETE FROM rows RETURNING content",
    ] {
        let refused = run(sql).await;
        assert!(
            matches!(refused, Err(DatabaseError::NoMemory)),
            "{refused:?}"
        );
        assert_eq!(held(), 0);
    }
    drop(others);
    let count = run("SELECT count(*) FROM rows").await.unwrap();
    assert!(matches!(count.rows[0].values[0], Value::Integer(2)));
    run(one).await.unwrap();
    drop(session);
    assert_eq!(memory.held(), 0);
}
