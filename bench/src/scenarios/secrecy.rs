//! Whether the time of an answer tells what its text does not: pairs of requests that must look
//! the same, sent in turn, as the ratio of their medians.
//!
//! A goal of 5 % is the reliability test S2 of the project; a test would fail on a busy machine,
//! so it is measured here.

use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::median_of;
use crate::servers::{self, Account};
use crate::table::Table;

/// Pairs of requests sent for one line.
const SAMPLES: usize = 1000;

/// Something that exists but is not the caller's, and something that does not exist.
struct Pair {
    name: &'static str,
    hidden: Prepared,
    missing: Prepared,
    samples: usize,
}

pub async fn run(_plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let caller = servers::create_user(data_dir.path(), 1)?;
    let mut connection = Connection::open(&spindle.process.address).await?;
    table.section("Answers that must not tell: something hidden against something missing");
    for pair in pairs(&mut connection, &spindle.owner, &caller).await? {
        let ratio = ratio(&mut connection, &pair).await?;
        table.goal(
            pair.name,
            (ratio - 1.0).abs() * 100.0,
            "% apart",
            false,
            5.0,
        );
    }
    Ok(())
}

async fn pairs(
    connection: &mut Connection,
    owner: &Account,
    caller: &Account,
) -> Result<Vec<Pair>> {
    let queue = field(connection, owner, "/api/v1/register", &[], "queue_id").await?;
    let form = [("type", "direct"), ("to", "[1]"), ("content", "hidden")];
    let message = field(connection, owner, "/api/v1/messages", &form, "id").await?;
    let delete = |queue_id: &str| {
        let form = [("queue_id", queue_id)];
        Prepared::new("DELETE", "/api/v1/events", caller.credentials(), &form)
    };
    let get = |id: &str| {
        let path = format!("/api/v1/messages/{id}");
        Prepared::new("GET", &path, caller.credentials(), &[])
    };
    let own = |email: &str| {
        let key = "0123456789abcdefghijklmnopqrstuv";
        Prepared::new("GET", "/api/v1/users/me", Some((email, key)), &[])
    };
    let sign_in = |name: &str| {
        let form = [("username", name), ("password", "a wrong password")];
        Prepared::new("POST", "/api/v1/fetch_api_key", None, &form)
    };
    Ok(vec![
        Pair {
            name: "DELETE /events: another's queue",
            hidden: delete(&queue),
            missing: delete("00000000-0000-4000-8000-000000000000"),
            samples: SAMPLES,
        },
        Pair {
            name: "GET /messages/{message_id}: another's message",
            hidden: get(&message),
            missing: get("999999999"),
            samples: SAMPLES,
        },
        Pair {
            name: "a wrong key for somebody",
            hidden: own(&owner.email),
            missing: own("nobody@example.com"),
            samples: SAMPLES,
        },
        // Attempts on an account are limited, so there are few samples; one hash takes long.
        Pair {
            name: "POST /fetch_api_key: somebody without a password",
            hidden: sign_in(&caller.email),
            missing: sign_in("nobody@example.com"),
            samples: 5,
        },
    ])
}

async fn field(
    connection: &mut Connection,
    account: &Account,
    path: &str,
    form: &[(&str, &str)],
    name: &str,
) -> Result<String> {
    let request = Prepared::new("POST", path, account.credentials(), form);
    let body = connection.send(&request).await?.json()?;
    Ok(match &body[name] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

/// The median time of what is hidden, as a multiple of that of what is missing.
async fn ratio(connection: &mut Connection, pair: &Pair) -> Result<f64> {
    let (mut hidden, mut missing) = (Vec::new(), Vec::new());
    for _ in 0..pair.samples {
        for (request, times) in [(&pair.hidden, &mut hidden), (&pair.missing, &mut missing)] {
            let sent = Instant::now();
            let answer = connection.send(request).await?;
            times.push(sent.elapsed().as_secs_f64());
            if !matches!(answer.status, 400 | 401) {
                bail!("{}: status {}", pair.name, answer.status);
            }
        }
    }
    Ok(median_of(hidden) / median_of(missing))
}
