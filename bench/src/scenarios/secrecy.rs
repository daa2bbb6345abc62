//! Timing side channels: whether the time of an answer reveals what its text hides. Sends pairs of requests
//! that must be indistinguishable alternately, and compares their first quartiles, since other load of the
//! machine can only increase a time.
//!
//! A goal of 5 % is the reliability test S2 of the project; a test would fail on a busy machine,
//! so it is measured here.

use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::servers::{self, Account};
use crate::table::Table;

/// Pairs of requests sent for one line.
const SAMPLES: usize = 1000;

/// Attempts to sign in as one account; a sixth within a minute would be refused.
const ATTEMPTS: usize = 4;

/// Accounts without a password, which cannot sign in.
const ACCOUNTS: usize = 10;

/// An object that exists but belongs to another user, and one that does not exist.
struct Pair {
    name: &'static str,
    /// Taken in turn.
    hidden: Vec<Prepared>,
    missing: Vec<Prepared>,
    samples: usize,
}

pub async fn run(_plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let accounts = (1..=ACCOUNTS)
        .map(|number| servers::create_user(data_dir.path(), number))
        .collect::<Result<Vec<_>>>()?;
    let mut connection = Connection::open(&spindle.process.address).await?;
    table.section("Answers that must not tell: something hidden against something missing");
    for pair in pairs(&mut connection, &spindle.owner, &accounts).await? {
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
    accounts: &[Account],
) -> Result<Vec<Pair>> {
    let [caller, ..] = accounts else {
        bail!("nobody to measure with");
    };
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
            hidden: vec![delete(&queue)],
            missing: vec![delete("00000000-0000-4000-8000-000000000000")],
            samples: SAMPLES,
        },
        Pair {
            name: "GET /messages/{message_id}: another's message",
            hidden: vec![get(&message)],
            missing: vec![get("999999999")],
            samples: SAMPLES,
        },
        Pair {
            name: "a wrong key for somebody",
            hidden: vec![own(&owner.email)],
            missing: vec![own("nobody@example.com")],
            samples: SAMPLES,
        },
        Pair {
            name: "POST /fetch_api_key: somebody without a password",
            hidden: accounts.iter().map(|one| sign_in(&one.email)).collect(),
            missing: (0..ACCOUNTS)
                .map(|number| sign_in(&format!("nobody{number}@example.com")))
                .collect(),
            samples: ACCOUNTS * ATTEMPTS,
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

/// The time for the hidden object, as a multiple of that for the missing one.
async fn ratio(connection: &mut Connection, pair: &Pair) -> Result<f64> {
    let (mut hidden, mut missing) = (Vec::new(), Vec::new());
    let requests = pair.hidden.iter().cycle().zip(pair.missing.iter().cycle());
    for (of_hidden, of_missing) in requests.take(pair.samples) {
        for (request, times) in [(of_hidden, &mut hidden), (of_missing, &mut missing)] {
            let sent = Instant::now();
            let answer = connection.send(request).await?;
            times.push(sent.elapsed().as_secs_f64());
            if !matches!(answer.status, 400 | 401) {
                bail!("{}: status {}", pair.name, answer.status);
            }
        }
    }
    Ok(first_quartile(hidden) / first_quartile(missing))
}

fn first_quartile(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 4]
}
