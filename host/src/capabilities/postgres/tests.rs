//! Connections to a real server: values of all types, what a guest leaves behind, lost servers.

use super::*;
use crate::runtime::bindings::spin::postgres::postgres::{
    DbDataType, DbValue, Interval, ParameterValue as P, QueryError, RangeBoundKind::*,
};
use spindle_postgres::Server;
use std::time::Duration;

fn postgres(limits: PgLimits) -> Postgres {
    let allowed = AllowedHosts::parse(&["postgres://127.0.0.1:*"]).unwrap();
    Postgres::new(Arc::new(allowed), Arc::new(Pools::new(limits)))
}

fn with_connections(connections: usize) -> Postgres {
    postgres(PgLimits {
        connections,
        ..PgLimits::default()
    })
}

async fn one(connection: &mut PgConnection, sql: &str) -> DbValue {
    let rows = connection.query(sql, Vec::new()).await.unwrap();
    rows.rows.into_iter().next().unwrap().remove(0)
}

async fn number(connection: &mut PgConnection, sql: &str) -> i64 {
    match one(connection, sql).await {
        DbValue::Int64(number) => number,
        other => panic!("{other:?}"),
    }
}

fn state_of(error: &Error) -> &str {
    match error {
        Error::QueryFailed(QueryError::DbError(error)) => &error.code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn values_of_all_types_come_back() {
    let Some(server) = spindle_postgres::shared() else {
        return;
    };
    let database = server.database();
    let mut connection = with_connections(1)
        .open(&database.url(), None)
        .await
        .unwrap();
    let text = |text: &str| text.to_owned();
    let span = Interval {
        micros: 3,
        days: -2,
        months: 14,
    };
    let cases = [
        (
            "boolean",
            P::Boolean(true),
            DbValue::Boolean(true),
            DbDataType::Boolean,
        ),
        (
            "smallint",
            P::Int16(-7),
            DbValue::Int16(-7),
            DbDataType::Int16,
        ),
        (
            "integer",
            P::Int32(i32::MIN),
            DbValue::Int32(i32::MIN),
            DbDataType::Int32,
        ),
        (
            "bigint",
            P::Int64(i64::MAX),
            DbValue::Int64(i64::MAX),
            DbDataType::Int64,
        ),
        (
            "real",
            P::Floating32(1.5),
            DbValue::Floating32(1.5),
            DbDataType::Floating32,
        ),
        (
            "float8",
            P::Floating64(-0.25),
            DbValue::Floating64(-0.25),
            DbDataType::Floating64,
        ),
        (
            "text",
            P::Str(text("t\u{e9}xt")),
            DbValue::Str(text("t\u{e9}xt")),
            DbDataType::Str,
        ),
        (
            "bytea",
            P::Binary(vec![0, 255]),
            DbValue::Binary(vec![0, 255]),
            DbDataType::Binary,
        ),
        (
            "date",
            P::Date((2024, 2, 29)),
            DbValue::Date((2024, 2, 29)),
            DbDataType::Date,
        ),
        (
            "time",
            P::Time((23, 59, 1, 5000)),
            DbValue::Time((23, 59, 1, 5000)),
            DbDataType::Time,
        ),
        (
            "timestamp",
            P::Datetime((1999, 12, 31, 23, 59, 58, 1000)),
            DbValue::Datetime((1999, 12, 31, 23, 59, 58, 1000)),
            DbDataType::Datetime,
        ),
        (
            "timestamptz",
            P::Timestamp(86_400),
            DbValue::Datetime((1970, 1, 2, 0, 0, 0, 0)),
            DbDataType::Datetime,
        ),
        (
            "uuid",
            P::Uuid(text("9AA61D0B-8ce5-488d-8e9e-fedc346e6836")),
            DbValue::Uuid(text("9aa61d0b-8ce5-488d-8e9e-fedc346e6836")),
            DbDataType::Uuid,
        ),
        (
            "jsonb",
            P::Jsonb(b"{\"a\": [1, null]}".to_vec()),
            DbValue::Jsonb(b"{\"a\":[1,null]}".to_vec()),
            DbDataType::Jsonb,
        ),
        (
            "numeric",
            P::Decimal(text("-12.340")),
            DbValue::Decimal(text("-12.340")),
            DbDataType::Decimal,
        ),
        (
            "int4range",
            P::RangeInt32((Some((1, Inclusive)), Some((5, Exclusive)))),
            DbValue::RangeInt32((Some((1, Inclusive)), Some((5, Exclusive)))),
            DbDataType::RangeInt32,
        ),
        (
            "int8range",
            P::RangeInt64((None, Some((5, Exclusive)))),
            DbValue::RangeInt64((None, Some((5, Exclusive)))),
            DbDataType::RangeInt64,
        ),
        (
            "numrange",
            P::RangeDecimal((Some((text("0.5"), Exclusive)), None)),
            DbValue::RangeDecimal((Some((text("0.5"), Exclusive)), None)),
            DbDataType::RangeDecimal,
        ),
        (
            "int[]",
            P::ArrayInt32(vec![Some(1), None]),
            DbValue::ArrayInt32(vec![Some(1), None]),
            DbDataType::ArrayInt32,
        ),
        (
            "bigint[]",
            P::ArrayInt64(vec![None, Some(2)]),
            DbValue::ArrayInt64(vec![None, Some(2)]),
            DbDataType::ArrayInt64,
        ),
        (
            "numeric[]",
            P::ArrayDecimal(vec![Some(text("1.5")), None]),
            DbValue::ArrayDecimal(vec![Some(text("1.5")), None]),
            DbDataType::ArrayDecimal,
        ),
        (
            "text[]",
            P::ArrayStr(vec![Some(text("a")), None]),
            DbValue::ArrayStr(vec![Some(text("a")), None]),
            DbDataType::ArrayStr,
        ),
        (
            "interval",
            P::Interval(span),
            DbValue::Interval(span),
            DbDataType::Interval,
        ),
        (
            "inet",
            P::DbNull,
            DbValue::DbNull,
            DbDataType::Other(text("inet")),
        ),
        ("text", P::DbNull, DbValue::DbNull, DbDataType::Str),
    ];
    for (name, sent, expected, kind) in cases {
        let sql = format!("SELECT $1::{name} AS x");
        let rows = connection.query(&sql, vec![sent]).await.unwrap();
        assert_eq!(
            format!("{:?}", rows.rows),
            format!("{:?}", [[expected]]),
            "{name}"
        );
        let column = &rows.columns[0];
        assert_eq!(column.name, "x");
        assert_eq!(
            format!("{:?}", column.data_type),
            format!("{kind:?}"),
            "{name}"
        );
    }
    let unknown = one(&mut connection, "SELECT '7'::\"char\"").await;
    assert!(matches!(unknown, DbValue::Unsupported(bytes) if bytes == b"7"));
}

#[tokio::test]
async fn what_a_type_does_not_have_is_refused() {
    let Some(server) = spindle_postgres::shared() else {
        return;
    };
    let database = server.database();
    let mut connection = with_connections(1)
        .open(&database.url(), None)
        .await
        .unwrap();
    for bad in [
        P::Date((2023, 2, 29)),
        P::Time((24, 0, 0, 0)),
        P::Uuid("x".to_owned()),
        P::Decimal("1e".to_owned()),
        P::Jsonb(b"{".to_vec()),
    ] {
        let refused = connection.query("SELECT $1", vec![bad]).await.unwrap_err();
        assert!(matches!(refused, Error::BadParameter(_)), "{refused:?}");
    }
    // Types are strict, and the connection goes on.
    let refused = connection.query("SELECT $1::int", vec![P::Int64(1)]).await;
    assert!(matches!(
        refused,
        Err(Error::QueryFailed(QueryError::Text(_)))
    ));
    assert_eq!(number(&mut connection, "SELECT 7::bigint").await, 7);
}

#[tokio::test]
async fn errors_carry_their_state_and_changes_their_number() {
    let Some(server) = spindle_postgres::shared() else {
        return;
    };
    let database = server.database();
    database.psql("CREATE TABLE t (x bigint PRIMARY KEY)");
    let mut connection = with_connections(1)
        .open(&database.url(), None)
        .await
        .unwrap();
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
    let Some(server) = spindle_postgres::shared() else {
        return;
    };
    let database = server.database();
    database.psql("CREATE TABLE t (x bigint); INSERT INTO t VALUES (7)");
    let mut connection = with_connections(1)
        .open(&database.url(), None)
        .await
        .unwrap();
    assert_eq!(number(&mut connection, "SELECT * FROM t").await, 7);
    database.psql("ALTER TABLE t ADD y bigint");
    let refused = connection.query("SELECT * FROM t", Vec::new()).await;
    assert_eq!(state_of(&refused.unwrap_err()), "0A000");
    assert_eq!(number(&mut connection, "SELECT * FROM t").await, 7);
}

#[tokio::test]
async fn nothing_of_a_guest_is_left_to_the_next_one() {
    let Some(server) = spindle_postgres::shared() else {
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
    let Some(server) = spindle_postgres::shared() else {
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
    let Some(server) = spindle_postgres::shared() else {
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

#[tokio::test]
async fn a_cancelled_statement_ends_on_the_server() {
    let Some(server) = spindle_postgres::shared() else {
        return;
    };
    let database = server.database();
    let (postgres, url) = (with_connections(1), database.url());
    let mut connection = postgres.open(&url, None).await.unwrap();
    let sleeping = connection.query("SELECT pg_sleep(600)", Vec::new());
    let cancelled = tokio::time::timeout(Duration::from_millis(200), sleeping).await;
    assert!(cancelled.is_err());
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
    let Some(server) = spindle_postgres::shared() else {
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
    let Some(server) = spindle_postgres::shared() else {
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
    let Some(server) = spindle_postgres::shared() else {
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
        spindle_postgres::shared();
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
    // Such a process says so when it ends by itself.
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
            tokio::time::sleep(Duration::from_millis(200)).await;
            tokio::task::block_in_place(|| server.stop());
        }
    );
    assert_eq!(state_of(&sleeping.unwrap_err()), "57P01");
    server.start_again();
}

#[tokio::test]
async fn a_server_that_refuses_says_why_without_the_password() {
    let Some(server) = spindle_postgres::shared() else {
        return;
    };
    let database = server.database();
    let wrong = database
        .url()
        .replace(spindle_postgres::PASSWORD, "wrong-secret");
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
