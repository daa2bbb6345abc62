//! The throughput that is left for others while two guests compute endlessly, measured in turns with a server without
//! loops.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use tokio::task::JoinHandle;

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::{closed_loop, median_of};
use crate::servers;
use crate::table::Table;

const LOOPS: usize = 2;
const CONNECTIONS: usize = 32;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    table.section("Two guests in an endless loop beside others");
    if let Some(folder) = &plan.before {
        let left = measure(plan, folder).await?;
        table.value("hello beside loops / alone, before", left, "", "");
    }
    let left = measure(plan, &servers::root()).await?;
    table.goal("hello beside loops / alone", left, "", true, 0.9);
    Ok(())
}

/// The requests per second of other clients while the loops run, relative to the figure without loops: the median of
/// all rounds.
async fn measure(plan: &Plan, folder: &Path) -> Result<f64> {
    let data_dir = tempfile::tempdir()?;
    // The components of this version: an older one may have no loop.
    let manifest = servers::root().join("bench/loops.spin.toml");
    let server = servers::spindle_of(folder, data_dir.path(), &manifest, &[])?;
    let address = &server.process.address;
    let hello = Prepared::new("GET", "/hello", None, &[]);
    let load = async || closed_loop(address, CONNECTIONS, plan.duration, |_| hello.clone()).await;
    let mut ratios = Vec::new();
    for _ in 0..plan.rounds {
        let alone = load().await?;
        let loops = Loops::start(address);
        let beside = load().await?;
        loops.stop().await?;
        ratios.push(beside.per_second / alone.per_second);
    }
    Ok(median_of(ratios))
}

/// Requests that loop until the host stops them, each followed by another one.
struct Loops {
    has_ended: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<Result<()>>>,
}

impl Loops {
    fn start(address: &str) -> Self {
        let has_ended = Arc::new(AtomicBool::new(false));
        let one = || {
            let (address, has_ended) = (address.to_owned(), Arc::clone(&has_ended));
            tokio::spawn(async move {
                let request = Prepared::new("GET", "/misbehave/loop", None, &[]);
                while !has_ended.load(Ordering::Relaxed) {
                    // Stopped by the host, it is answered by an error.
                    let answer = Connection::open(&address).await?.send(&request).await?;
                    anyhow::ensure!(answer.status >= 500, "a loop ended: {}", answer.status);
                }
                Ok(())
            })
        };
        let tasks = (0..LOOPS).map(|_| one()).collect();
        Self { has_ended, tasks }
    }

    async fn stop(self) -> Result<()> {
        self.has_ended.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.await??;
        }
        Ok(())
    }
}
