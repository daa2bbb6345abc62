//! Concurrent writers, 1 to 64: throughput must not fall, and tail latency must not rise sharply.

use anyhow::Result;

use crate::Plan;
use crate::http::Prepared;
use crate::load::{closed_loop, median};
use crate::servers;
use crate::table::Table;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    table.section("Concurrent writers, POST /users/me/status, synchronous=FULL");
    let counts = [1, 2, 4, 8, 16, 32, 64];
    let mut rounds = vec![Vec::new(); counts.len()];
    for round in 0..plan.rounds {
        for (writers, figures) in counts.iter().zip(&mut rounds) {
            let request = |number: usize| {
                Prepared::new(
                    "POST",
                    "/api/v1/users/me/status",
                    spindle.owner.credentials(),
                    &[("status_text", &format!("writer {number} round {round}"))],
                )
            };
            figures.push(
                closed_loop(&spindle.process.address, *writers, plan.duration, request).await?,
            );
        }
    }
    let medians: Vec<_> = rounds.into_iter().map(median).collect();
    for (writers, figures) in counts.iter().zip(&medians) {
        table.throughput(&format!("{writers} writers"), figures, "");
    }
    let best = medians
        .iter()
        .map(|figures| figures.per_second)
        .fold(0.0, f64::max);
    if let Some(last) = medians.last() {
        table.goal("64 writers / best", last.per_second / best, "", true, 0.8);
    }
    Ok(())
}
