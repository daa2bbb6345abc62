//! The time from `kill -9` to ready, with many unpolled queues and a long event log.

use std::time::Instant;

use anyhow::Result;

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::closed_loop;
use crate::servers::{self, Account};
use crate::table::Table;

/// Undelivered events at the time of the kill.
const EVENTS: usize = 100_000;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    table.section("Recovery after kill -9");
    let data_dir = tempfile::tempdir()?;
    let manifest = servers::root().join("spin.toml");
    let mut spindle = servers::spindle(data_dir.path(), &manifest, &["--synchronous", "normal"])?;
    let credentials = spindle.owner.credentials();

    let mut connection = Connection::open(&spindle.process.address).await?;
    let register = |account: &Account| {
        let form = [
            ("event_types", r#"["user_status"]"#),
            ("fetch_event_types", "[]"),
            ("idle_queue_timeout", "604800"),
        ];
        Prepared::new("POST", "/api/v1/register", account.credentials(), &form)
    };
    let accounts = servers::accounts_for_queues(data_dir.path(), plan.waiters)?;
    let others = accounts.iter().cycle().take(plan.waiters.saturating_sub(1));
    for account in others {
        connection.send(&register(account)).await?.json()?;
    }
    let answer = connection.send(&register(&spindle.owner)).await?.json()?;
    let queue_id = answer["queue_id"].as_str().unwrap_or_default().to_owned();
    // One event more than a queue may hold would end the queues, so most of the log is of a type
    // that these queues do not ask for; the scan still has to skip it.
    let message = Prepared::new(
        "POST",
        "/api/v1/messages",
        credentials,
        &[
            ("type", "stream"),
            ("to", "general"),
            ("topic", "log"),
            ("content", "x"),
            ("read_by_sender", "true"),
        ],
    );
    let mut written = 0.0;
    while (written as usize) < EVENTS {
        let duration = std::time::Duration::from_secs(5);
        let figures =
            closed_loop(&spindle.process.address, 32, duration, |_| message.clone()).await?;
        written += figures.per_second * duration.as_secs_f64();
    }
    let status = Prepared::new(
        "POST",
        "/api/v1/users/me/status",
        credentials,
        &[("status_text", "last")],
    );
    // The server has closed the first connection: it was idle for a minute and more.
    let mut connection = Connection::open(&spindle.process.address).await?;
    connection.send(&status).await?.json()?;

    spindle.process.kill()?;
    let again = servers::spindle(data_dir.path(), &manifest, &["--synchronous", "normal"])?;
    table.goal(
        &format!("ready with {} queues, {EVENTS} events", plan.waiters),
        again.started_in.as_secs_f64(),
        "s",
        false,
        2.0,
    );
    let poll = Prepared::new(
        "GET",
        "/api/v1/events",
        again.owner.credentials(),
        &[("queue_id", &queue_id), ("last_event_id", "-1")],
    );
    let polled = Instant::now();
    Connection::open(&again.process.address)
        .await?
        .send(&poll)
        .await?
        .json()?;
    table.value(
        "first poll after it",
        polled.elapsed().as_secs_f64() * 1000.0,
        "ms",
        "",
    );
    Ok(())
}
