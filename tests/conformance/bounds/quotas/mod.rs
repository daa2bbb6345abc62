//! Quotas: at the quota, one more object is refused and nothing changes; above it, after an import,
//! all operations except growth work.

mod accounts;
mod bots;
mod shared;
mod shares;
mod texts;

use spindle_tests::{Call, Server, User};

/// A kind of object that belongs to one account.
#[derive(Clone)]
struct Case {
    limit: i64,
    /// Adds one for each row of `n`; `?1` is the account.
    sql: String,
    method: &'static str,
    path: String,
    pairs: Vec<(&'static str, String)>,
}

pub(in super::super) fn seed(server: &Server, count: i64, sql: &str, owner: i64) {
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) {sql}"
    );
    let database = server.database();
    let sql = sql.replace("?1", &owner.to_string());
    database
        .execute_batch(&sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

fn call(user: &User, case: &Case) -> spindle_tests::Reply {
    let pairs: Vec<(&str, &str)> = case.pairs.iter().map(|(k, v)| (*k, v.as_str())).collect();
    user.send(Call::new(case.method, &case.path).form(&pairs))
}

fn post(limit: i64, sql: &str, path: &str, pairs: &[(&'static str, &str)]) -> Case {
    Case {
        limit,
        sql: sql.to_owned(),
        method: "POST",
        path: path.to_owned(),
        pairs: pairs.iter().map(|(k, v)| (*k, (*v).to_owned())).collect(),
    }
}

const LATER: &str = "4000000000";
