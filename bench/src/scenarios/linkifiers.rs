//! Messages in an organization with 200 linkifiers: the time grows with the length, not faster.
//! The texts are the worst of their kind: every word is almost a match.

use anyhow::{Result, ensure};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::{closed_loop, median};
use crate::servers::{self, Spindle};
use crate::table::Table;

const LINKIFIERS: usize = 200;
const LENGTHS: [usize; 4] = [1_250, 2_500, 5_000, 10_000];
/// Eight times the length may take this many times as long.
const MOST_GROWTH: f64 = 12.0;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    add_linkifiers(&spindle).await?;
    table.section("Sending a message, 200 linkifiers");
    let mut rounds = vec![Vec::new(); LENGTHS.len()];
    for _ in 0..plan.rounds {
        for (length, figures) in LENGTHS.iter().zip(&mut rounds) {
            let content = content(*length);
            let to = format!("[\"{}\"]", spindle.owner.email);
            let request = |_| {
                Prepared::new(
                    "POST",
                    "/api/v1/messages",
                    spindle.owner.credentials(),
                    &[("type", "direct"), ("to", &to), ("content", &content)],
                )
            };
            let address = &spindle.process.address;
            figures.push(closed_loop(address, 1, plan.duration, request).await?);
        }
    }
    let medians: Vec<_> = rounds.into_iter().map(median).collect();
    for (length, figures) in LENGTHS.iter().zip(&medians) {
        table.throughput(&format!("{length} characters"), figures, "");
    }
    if let (Some(shortest), Some(longest)) = (medians.first(), medians.last()) {
        let growth = longest.p50_us as f64 / shortest.p50_us.max(1) as f64;
        table.goal("10,000 / 1,250 characters", growth, "", false, MOST_GROWTH);
    }
    Ok(())
}

async fn add_linkifiers(spindle: &Spindle) -> Result<()> {
    let mut connection = Connection::open(&spindle.process.address).await?;
    for number in 0..LINKIFIERS {
        let request = Prepared::new(
            "POST",
            "/api/v1/realm/filters",
            spindle.owner.credentials(),
            &[
                ("pattern", &format!("[A-Z]+{number}-(?P<id>[0-9]+)")),
                ("url_template", "https://tracker.example/{id}"),
            ],
        );
        let answer = connection.send(&request).await?;
        ensure!(answer.status == 200, "a linkifier was refused");
    }
    Ok(())
}

/// Words that begin like a match; a few are one.
fn content(length: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= length {
            break;
        }
        let end = if number % 50 == 0 { "7" } else { "x" };
        text.push_str(&format!("ABC{}-{end} ", number % LINKIFIERS));
    }
    text.truncate(length);
    text
}
