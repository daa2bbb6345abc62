//! What a connection does when a server answers, refuses, and does not answer.

use super::*;
use crate::testing::TestPostgres;
use crate::{either, params, statement};
use tokio_postgres::NoTls;

const SELECTS: Statement = statement!(either!(
    "SELECT 1",
    "SELECT $1::bigint, $2::float8, $3::text, $4::bytea, $5::text, \
     true, sum(9000000000000000000::bigint) FILTER (WHERE false), \
     (-123456789012)::numeric, 20000::numeric, 0::numeric, 1.5::numeric, \
     '[1, 2]'::jsonb, '[1,  2]'::json"
));

const SLEEPS: Statement = statement!(either!("SELECT 1", "SELECT 1 FROM pg_sleep(600)"));

#[test]
fn the_server_ends_a_statement_that_takes_too_long() {
    let Some(database) = TestPostgres::empty() else {
        return;
    };
    let db = database.open();
    db.limit_statements(Duration::from_secs(2)).unwrap();
    let ended = db.execute(SLEEPS, &[]).unwrap_err();
    assert!(matches!(ended, DbError::Overloaded(_)), "{ended:?}");
    assert!(db.execute(statement!("SELECT 1"), &[]).is_ok());
    let runs = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' \
                AND state = 'active' AND pid <> pg_backend_pid() AND datname = current_database()";
    assert_eq!(database.psql(runs), "0");
}

#[test]
fn a_statement_without_an_answer_gives_the_connection_up() {
    let Some(database) = TestPostgres::empty() else {
        return;
    };
    let db = database.open();
    db.limit_statements(Duration::from_millis(200)).unwrap();
    // As a server that is silent.
    db.run_script("SET statement_timeout = 0").unwrap();
    let refused = db.execute(SLEEPS, &[]).unwrap_err();
    assert!(matches!(&refused, DbError::Unreachable(text) if text.contains("no answer")));
    // What comes next would be the answer to the statement before.
    let refused = db.execute(statement!("SELECT 1"), &[]).unwrap_err();
    assert!(matches!(&refused, DbError::Unreachable(text) if text.contains("given up")));
}

#[test]
fn values_come_back() {
    let Some(database) = TestPostgres::empty() else {
        return;
    };
    let db = database.open();
    let sent = params![i64::MIN, 2.5, "t\u{e9}xt", vec![0_u8, 255], None::<&str>];
    let rows = db.execute(SELECTS, &sent).unwrap().rows;
    let text = |text: &str| Value::Text(text.to_owned());
    let expected = [
        &sent[..],
        &[
            Value::Integer(1),
            Value::Null,
            Value::Integer(-123_456_789_012),
            Value::Integer(20_000),
            Value::Integer(0),
            Value::Real(1.5),
            text("[1, 2]"),
            text("[1,  2]"),
        ],
    ];
    assert_eq!(rows, [expected.concat()]);
}

#[test]
fn a_server_that_cannot_be_used_is_refused_without_the_password() {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    server.psql(
        "postgres",
        "CREATE DATABASE latin TEMPLATE template0 ENCODING LATIN1",
    );
    let wrong = server
        .url("postgres")
        .replace(spindle_test_postgres::PASSWORD, "wrong-secret");
    let read_only = server.database();
    read_only.psql(&format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        read_only.name()
    ));
    let elsewhere = |address: &str| format!("postgres://u:wrong-secret@{address}/x");
    for (url, expected) in [
        (server.url("latin"), "LATIN1"),
        (wrong, "(SQLSTATE 28P01): check the user"),
        (server.url("missing"), "(SQLSTATE 3D000): create it"),
        (read_only.url(), "accepts no writes"),
        (elsewhere("h:port"), "URL"),
        (elsewhere("127.0.0.1:1"), "no server listens there"),
        (elsewhere("no-such-host.invalid"), "correct the host"),
        (
            format!("{}?sslmode=require", server.url("postgres")),
            "the URL requires TLS",
        ),
    ] {
        let refused = NativePg::open(&url, NoTls).err().unwrap().to_string();
        assert!(refused.contains(expected), "{refused}");
        assert!(!refused.contains("wrong-secret"), "{refused}");
    }
}

#[test]
fn changes_that_conflict_run_again_until_both_are_made() {
    use crate::{SilentReason, change_silently};
    const ADDS: Statement = statement!(either!(
        "SELECT 1",
        "INSERT INTO counts SELECT count(*) FROM counts RETURNING n"
    ));
    let Some(database) = TestPostgres::empty() else {
        return;
    };
    database.psql("CREATE TABLE counts (n bigint); CREATE TABLE changes_run_again ()");
    let writers = [(); 4].map(|()| {
        let db = database.open();
        std::thread::spawn(move || {
            for _ in 0..10 {
                let add = || {
                    change_silently(&db, SilentReason::Housekeeping, |tx| {
                        tx.execute(ADDS, &[]).map(|_| ())
                    })
                };
                // Tries are bounded; a client comes back later.
                while matches!(add(), Err(DbError::Conflict(_))) {}
            }
        })
    });
    for writer in writers {
        writer.join().unwrap();
    }
    // Each has seen all before it: without SERIALIZABLE, two would have the same number.
    let found = database.psql("SELECT count(*), count(DISTINCT n), max(n) FROM counts");
    assert_eq!(found, "40|40|39");
}
