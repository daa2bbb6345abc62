//! A database without free space.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthContext, Authorization};

use super::{Database, DatabaseError, DatabaseOptions, Session};
use crate::room::Room;
use crate::runtime::bindings::spin::sqlite::sqlite::{Error, Value};

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
    let room = Room::new(folder.path(), 0);
    let database = Database::open(&DatabaseOptions {
        room: Some(Arc::clone(&room)),
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
    assert!(room.check().unwrap_err().contains("full"));
    assert!(write(&database, 100).await.is_err_and(|e| e.is_full()));

    // The disk has space, so the next check ends the shortage.
    bound(&database, 1000);
    room.watch();
    let started = Instant::now();
    while room.is_short() {
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
        room: Some(Room::new(folder.path(), u64::MAX)),
        ..DatabaseOptions::new(folder.path().join("x.db"))
    })
    .unwrap();
    let create = "CREATE TABLE rows (number INTEGER, content BLOB)";
    let mut session = Session::new(database.clone(), None, Box::new(|| None));
    for sql in [create, "BEGIN IMMEDIATE"] {
        let error = session.execute(sql, &[]).await.unwrap_err();
        assert!(error.is_full(), "{error}");
    }
    database
        .write(|connection| Ok::<_, DatabaseError>(connection.execute_batch(create)?))
        .await
        .unwrap();
    session.execute("SELECT * FROM rows", &[]).await.unwrap();
}
