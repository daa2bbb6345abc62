//! The list of subscriptions of a user in 1,000 channels, with and without the subscribers.
//!
//! The cost must be proportional to the answer: the same account is also measured with the first channels
//! only.

use anyhow::{Context as _, Result, ensure};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::in_rounds;
use crate::servers::{self, Account, Spindle};
use crate::table::Table;

/// Channels that the account is in.
const CHANNELS: usize = 1_000;
/// Channels created by one request.
const BATCH: usize = 100;
/// Other subscribers of every channel.
const PEOPLE: usize = 20;

const PATH: &str = "/api/v1/users/me/subscriptions";

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let manifest = servers::root().join("spin.toml");
    let spindle = servers::spindle(data_dir.path(), &manifest, &[])?;
    let few = measure(plan, &spindle, table, "first channels").await?;
    fill(data_dir.path(), &spindle).await?;
    let many = measure(plan, &spindle, table, "1,000 channels").await?;
    let ratio = |index: usize| match (few.get(index), many.get(index)) {
        (Some(few), Some(many)) => many / few,
        _ => f64::NAN,
    };
    table.value("1,000 channels / first channels, p50", ratio(0), "", "");
    table.value("the same with subscribers", ratio(1), "", "");
    Ok(())
}

/// Makes the channels, with the same people in each.
async fn fill(data_dir: &std::path::Path, spindle: &Spindle) -> Result<()> {
    let people = (0..PEOPLE)
        .map(|number| servers::create_user(data_dir, number))
        .collect::<Result<Vec<Account>>>()?;
    let mut emails: Vec<&str> = people
        .iter()
        .map(|account| account.email.as_str())
        .collect();
    emails.push(&spindle.owner.email);
    let principals = serde_json::to_string(&emails)?;
    let mut connection = Connection::open(&spindle.process.address).await?;
    for batch in 0..CHANNELS / BATCH {
        let wishes: Vec<_> = (0..BATCH)
            .map(|number| serde_json::json!({"name": format!("channel {batch} {number}")}))
            .collect();
        let form = [
            ("subscriptions", serde_json::to_string(&wishes)?),
            ("principals", principals.clone()),
        ];
        let form = form.each_ref().map(|(name, value)| (*name, value.as_str()));
        let request = Prepared::new("POST", PATH, spindle.owner.credentials(), &form);
        let answer = connection.send(&request).await?.json()?;
        ensure!(answer["result"] == "success", "{answer}");
    }
    Ok(())
}

/// Medians of the 50th percentile in microseconds: without subscribers, and with them.
async fn measure(
    plan: &Plan,
    spindle: &Spindle,
    table: &mut Table,
    title: &str,
) -> Result<Vec<f64>> {
    table.section(&format!("GET /users/me/subscriptions, {title}"));
    let mut medians = Vec::new();
    for subscribers in ["false", "true", "partial"] {
        let path = format!("{PATH}?include_subscribers={subscribers}");
        let request = Prepared::new("GET", &path, spindle.owner.credentials(), &[]);
        let mut connection = Connection::open(&spindle.process.address).await?;
        let answer = connection.send(&request).await?;
        let size = answer.body.len() / 1024;
        answer.json()?["subscriptions"]
            .as_array()
            .context("no subscriptions")?;
        let address = &spindle.process.address;
        let figures = in_rounds(plan, address, 1, |_| request.clone()).await?;
        let name = format!("include_subscribers={subscribers}");
        table.throughput(&name, &figures, &format!("{size} KiB"));
        medians.push(figures.p50_us as f64);
    }
    Ok(medians)
}
