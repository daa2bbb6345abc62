//! Connections to a real server.

mod pools;
mod transactions;
mod values;

use super::*;
use spindle_bindings::{
    spin::postgres::postgres::RangeBoundKind::*,
    spin::postgres::postgres::{DbDataType, DbValue, Interval, ParameterValue as P, QueryError},
};
use spindle_test_postgres::{Database, Server};
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

/// An empty database of the shared server and a connection to it; `None` where there is no server.
async fn connected() -> Option<(Database<'static>, PgConnection)> {
    let database = spindle_test_postgres::shared()?.database();
    let opened = with_connections(1).open(&database.url(), None).await;
    Some((database, opened.unwrap()))
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
