//! Editing, moving and deleting messages in channels of 10, 1,000 and 10,000 subscribers. Each change
//! sends an event to every subscriber, so the cost may grow linearly with them.

use std::time::Instant;

use anyhow::{Result, ensure};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::median_of;
use crate::servers::{self, Spindle};
use crate::setup;
use crate::table::Table;

const SIZES: [i64; 3] = [10, 1_000, 10_000];
/// Messages of one round.
const MESSAGES: usize = 20;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let mut database = setup::database(data_dir.path())?;
    let tx = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    setup::readers(&tx, SIZES.into_iter().max().unwrap_or_default())?;
    for size in SIZES {
        setup::channel_of_readers(&tx, &format!("people {size}"), size)?;
    }
    tx.commit()?;
    table.section("Changing messages, by the number of subscribers");
    let mut connection = Connection::open(&spindle.process.address).await?;
    let mut deletions = Vec::new();
    for size in SIZES {
        let (mut edits, mut moves, mut deletes) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            let ids = send(&spindle, &mut connection, &format!("people {size}")).await?;
            let mut change = async |method: &str, form: &[(&str, &str)]| {
                let started = Instant::now();
                for id in &ids {
                    let path = format!("/api/v1/messages/{id}");
                    let request = Prepared::new(method, &path, spindle.owner.credentials(), form);
                    let answer = connection.send(&request).await?.json()?;
                    ensure!(answer["result"] == "success", "{answer}");
                }
                Ok(started.elapsed().as_secs_f64() * 1000.0 / MESSAGES as f64)
            };
            edits.push(change("PATCH", &[("content", "other **text**")]).await?);
            moves.push(change("PATCH", &[("topic", "elsewhere")]).await?);
            deletes.push(change("DELETE", &[]).await?);
        }
        for (name, rounds) in [("edited", edits), ("moved", moves)] {
            let name = format!("PATCH /messages/{{id}}, {name}, {size} subscribers");
            table.value(&name, median_of(rounds), "ms", "");
        }
        let milliseconds = median_of(deletes);
        let name = format!("DELETE /messages/{{id}}, {size} subscribers");
        table.value(&name, milliseconds, "ms", "");
        deletions.push(milliseconds);
    }
    if let [_, thousand, many] = deletions.as_slice() {
        let name = "DELETE, ten times the subscribers / ten times the time";
        table.goal(name, many / (10.0 * thousand), "", false, 1.5);
    }
    Ok(())
}

/// Messages of the owner, who may change them; their ids.
async fn send(spindle: &Spindle, connection: &mut Connection, to: &str) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    for _ in 0..MESSAGES {
        let form = [
            ("type", "channel"),
            ("to", to),
            ("topic", "measuring"),
            ("content", "a message that will not stay as it is"),
        ];
        let credentials = spindle.owner.credentials();
        let request = Prepared::new("POST", "/api/v1/messages", credentials, &form);
        let answer = connection.send(&request).await?.json()?;
        ensure!(answer["result"] == "success", "{answer}");
        ids.extend(answer["id"].as_i64());
    }
    Ok(ids)
}
