//! Statements and transactions: errors, what a guest leaves behind, COMMIT that is not awaited.

use super::*;

#[tokio::test]
async fn errors_carry_their_state_and_changes_their_number() {
    let Some((database, mut connection)) = connected().await else {
        return;
    };
    database.psql("CREATE TABLE t (x bigint PRIMARY KEY)");
    let insert = "INSERT INTO t VALUES ($1), ($1 + 1)";
    let changed = connection.execute(insert, vec![P::Int64(1)]).await;
    assert_eq!(changed.unwrap(), 2);
    let refused = connection
        .execute(insert, vec![P::Int64(2)])
        .await
        .unwrap_err();
    assert_eq!(state_of(&refused), "23505");
    let refused = connection
        .query("SELECT nothing", Vec::new())
        .await
        .unwrap_err();
    assert_eq!(state_of(&refused), "42703");
}

#[tokio::test]
async fn a_table_that_changes_its_columns_is_read_anew() {
    let Some((database, mut connection)) = connected().await else {
        return;
    };
    database.psql("CREATE TABLE t (x bigint); INSERT INTO t VALUES (7)");
    assert_eq!(number(&mut connection, "SELECT * FROM t").await, 7);
    database.psql("ALTER TABLE t ADD y bigint");
    let refused = connection.query("SELECT * FROM t", Vec::new()).await;
    assert_eq!(state_of(&refused.unwrap_err()), "0A000");
    assert_eq!(number(&mut connection, "SELECT * FROM t").await, 7);
}

#[tokio::test]
async fn nothing_of_a_guest_is_left_to_the_next_one() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    database.psql("CREATE TABLE t (x bigint)");
    let (postgres, url) = (with_connections(1), database.url());
    let pid = "SELECT pg_backend_pid()::bigint";
    let mut connection = postgres.open(&url, None).await.unwrap();
    let first = number(&mut connection, pid).await;
    connection.execute("BEGIN", Vec::new()).await.unwrap();
    connection
        .execute("INSERT INTO t VALUES (1)", Vec::new())
        .await
        .unwrap();
    connection.execute("COMMIT", Vec::new()).await.unwrap();
    drop(connection);
    let mut connection = postgres.open(&url, None).await.unwrap();
    assert_eq!(number(&mut connection, pid).await, first, "it was kept");
    connection.execute("BEGIN", Vec::new()).await.unwrap();
    connection
        .execute("INSERT INTO t VALUES (2)", Vec::new())
        .await
        .unwrap();
    drop(connection);
    let mut connection = postgres.open(&url, None).await.unwrap();
    let second = number(&mut connection, pid).await;
    assert_ne!(second, first);
    assert_eq!(number(&mut connection, "SELECT count(*) FROM t").await, 1);
    connection
        .execute("SET search_path = nowhere", Vec::new())
        .await
        .unwrap();
    drop(connection);
    let mut connection = postgres.open(&url, None).await.unwrap();
    assert_ne!(number(&mut connection, pid).await, second);
    assert_eq!(number(&mut connection, "SELECT count(*) FROM t").await, 1);
}

/// A transaction that only reads, as the store begins it.
const READS: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

#[tokio::test]
async fn a_transaction_is_begun_with_its_first_statement() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    database.psql("CREATE TABLE t (x bigint)");
    let (postgres, url) = (with_connections(1), database.url());
    let (pid, count) = ("SELECT pg_backend_pid()::bigint", "SELECT count(*) FROM t");
    let mut connection = postgres.open(&url, None).await.unwrap();
    let first = number(&mut connection, pid).await;
    for expected in [0, 1] {
        connection.query(READS, Vec::new()).await.unwrap();
        assert_eq!(number(&mut connection, count).await, expected);
        database.psql("INSERT INTO t VALUES (1)");
        assert_eq!(number(&mut connection, count).await, expected, "a snapshot");
        connection.query("COMMIT", Vec::new()).await.unwrap();
        assert_eq!(number(&mut connection, count).await, expected + 1);
    }
    // A statement that writes does not come before its transaction.
    let insert = "INSERT INTO t VALUES (2)";
    connection.query(READS, Vec::new()).await.unwrap();
    let refused = connection.execute(insert, Vec::new()).await.unwrap_err();
    assert_eq!(state_of(&refused), "25006");
    connection.execute("ROLLBACK", Vec::new()).await.unwrap();
    let begin = "BEGIN ISOLATION LEVEL SERIALIZABLE";
    for (end, expected) in [("ROLLBACK", 2), ("COMMIT", 3)] {
        connection.query(begin, Vec::new()).await.unwrap();
        assert_eq!(number(&mut connection, count).await, 2);
        connection.execute(insert, Vec::new()).await.unwrap();
        connection.query(end, Vec::new()).await.unwrap();
        assert_eq!(database.psql(count), expected.to_string());
    }
    // A BEGIN that was never sent leaves nothing.
    connection.query(begin, Vec::new()).await.unwrap();
    connection.query("COMMIT", Vec::new()).await.unwrap();
    connection.query(READS, Vec::new()).await.unwrap();
    drop(connection);
    let mut connection = postgres.open(&url, None).await.unwrap();
    assert_eq!(number(&mut connection, pid).await, first);
    connection.query(READS, Vec::new()).await.unwrap();
    assert_eq!(number(&mut connection, count).await, 3);
    connection.query("COMMIT", Vec::new()).await.unwrap();
    drop(connection);
    let mut connection = postgres.open(&url, None).await.unwrap();
    assert_eq!(number(&mut connection, pid).await, first);
}

#[tokio::test]
async fn a_connection_whose_commit_failed_unseen_is_closed() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    // The server forgets the prepared COMMIT while it is in use, so that it fails.
    database.psql(
        "CREATE FUNCTION forget() RETURNS bigint LANGUAGE plpgsql AS \
         $$BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN 7; END$$",
    );
    let (postgres, url) = (with_connections(1), database.url());
    let mut connection = postgres.open(&url, None).await.unwrap();
    for text in ["SELECT 7::bigint", "SELECT forget()"] {
        connection.query(READS, Vec::new()).await.unwrap();
        assert_eq!(number(&mut connection, text).await, 7);
        connection.query("COMMIT", Vec::new()).await.unwrap();
    }
    drop(connection);
    // The next statement meets the transaction that is still open; then there is a new connection.
    let mut connection = postgres.open(&url, None).await.unwrap();
    let refused = connection.query("SELECT 8::bigint", Vec::new()).await;
    assert_eq!(state_of(&refused.unwrap_err()), "25P02");
    drop(connection);
    let mut connection = postgres.open(&url, None).await.unwrap();
    assert_eq!(number(&mut connection, "SELECT 8::bigint").await, 8);
}
