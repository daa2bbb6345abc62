//! Limits of statements and of the pool, and servers that are lost.

use super::*;

/// Waits until a connection sleeps.
async fn sleeps(database: &spindle_test_postgres::Database<'_>) {
    let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                    AND wait_event = 'PgSleep'";
    while database.psql(sleeping) != "1" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_cancelled_statement_ends_on_the_server() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    let (postgres, url) = (with_connections(1), database.url());
    let mut connection = postgres.open(&url, None).await.unwrap();
    tokio::select! {
        slept = connection.query("SELECT pg_sleep(600)", Vec::new()) => panic!("{slept:?}"),
        () = sleeps(&database) => {}
    }
    drop(connection);
    let mut connection = postgres.open(&url, None).await.unwrap();
    let running = "SELECT count(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'";
    while number(&mut connection, running).await > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_statement_has_a_time_limit_and_a_result_a_size() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    let limits = PgLimits {
        statement: Duration::from_millis(300),
        result_bytes: 100_000,
        ..PgLimits::default()
    };
    let (postgres, url) = (postgres(limits), database.url());
    let mut connection = postgres.open(&url, None).await.unwrap();
    let refused = connection
        .query("SELECT pg_sleep(600)", Vec::new())
        .await
        .unwrap_err();
    assert!(
        format!("{refused:?}").contains("longer than 300ms"),
        "{refused:?}"
    );
    assert!(connection.query("SELECT 1", Vec::new()).await.is_err());
    let mut connection = postgres.open(&url, None).await.unwrap();
    let large = "SELECT repeat('x', 1000) FROM generate_series(1, 200)";
    let refused = connection.query(large, Vec::new()).await.unwrap_err();
    assert!(
        format!("{refused:?}").contains("larger than 100000 bytes"),
        "{refused:?}"
    );
    assert_eq!(number(&mut connection, "SELECT 7::bigint").await, 7);
}

#[tokio::test]
async fn a_pool_is_bounded_and_waiting_for_it_ends() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    let limits = PgLimits {
        connections: 2,
        wait: Duration::from_millis(200),
        ..PgLimits::default()
    };
    let (postgres, url) = (postgres(limits), database.url());
    let one = postgres.open(&url, None).await.unwrap();
    let _other = postgres.open(&url, None).await.unwrap();
    let refused = postgres.open(&url, None).await.err().unwrap();
    let expected = "no connection became free within 200ms";
    assert!(
        matches!(&refused, Error::ConnectionFailed(text) if text == expected),
        "{refused:?}"
    );
    drop(one);
    assert!(postgres.open(&url, None).await.is_ok());
}

#[tokio::test]
async fn two_hundred_requests_share_a_pool() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    database.psql("CREATE TABLE t (x bigint)");
    let (postgres, url) = (with_connections(16), database.url());
    let requests = (0..200).map(|request| {
        let (postgres, url) = (postgres.clone(), url.clone());
        tokio::spawn(async move {
            let mut connection = postgres.open(&url, None).await?;
            connection.execute("BEGIN", Vec::new()).await?;
            let insert = "INSERT INTO t VALUES ($1)";
            connection.execute(insert, vec![P::Int64(request)]).await?;
            connection.execute("COMMIT", Vec::new()).await
        })
    });
    for request in requests.collect::<Vec<_>>() {
        request.await.unwrap().unwrap();
    }
    assert_eq!(database.psql("SELECT count(*), max(x) FROM t"), "200|199");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_comes_back_is_used_again() {
    let Some(server) = Server::start(&["fsync=off"]) else {
        spindle_test_postgres::shared();
        return;
    };
    let database = server.database();
    let (postgres, url) = (with_connections(2), database.url());
    let mut kept = postgres.open(&url, None).await.unwrap();
    let mut busy = postgres.open(&url, None).await.unwrap();
    for connection in [&mut kept, &mut busy] {
        assert_eq!(number(connection, "SELECT 7::bigint").await, 7);
    }
    drop(kept);
    server.kill();
    // A process of the server may live a moment longer than the one that was killed.
    let lost = loop {
        if let Err(lost) = busy.query("SELECT 1", Vec::new()).await {
            break lost;
        }
    };
    // Such a process reports when it ends on its own.
    let is_lost = match &lost {
        Error::QueryFailed(QueryError::Text(_)) => true,
        Error::QueryFailed(QueryError::DbError(error)) => error.code == "57P01",
        _ => false,
    };
    assert!(is_lost, "{lost:?}");
    drop(busy);
    // The end of the other connection may be noticed a moment later, too.
    let refused = loop {
        if let Err(refused) = postgres.open(&url, None).await {
            break refused;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert!(matches!(refused, Error::ConnectionFailed(_)), "{refused:?}");
    server.start_again();
    let mut connection = postgres.open(&url, None).await.unwrap();
    assert_eq!(number(&mut connection, "SELECT 7::bigint").await, 7);
    // An operator's restart says so to who runs a statement.
    let (sleeping, _) = tokio::join!(
        connection.query("SELECT pg_sleep(600)", Vec::new()),
        async {
            sleeps(&database).await;
            tokio::task::block_in_place(|| server.stop());
        }
    );
    assert_eq!(state_of(&sleeping.unwrap_err()), "57P01");
    server.start_again();
}

#[tokio::test]
async fn a_server_that_refuses_says_why_without_the_password() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    let wrong = database
        .url()
        .replace(spindle_test_postgres::PASSWORD, "wrong-secret");
    let missing = server.url("missing");
    for (url, code) in [(wrong, "28P01"), (missing, "3D000")] {
        let refused = with_connections(1).open(&url, None).await.err().unwrap();
        let Error::ConnectionFailed(text) = refused else {
            panic!("{refused:?}");
        };
        assert!(
            text.contains(code) && !text.contains("wrong-secret"),
            "{text}"
        );
    }
}
