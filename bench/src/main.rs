//! The benchmark: one table of the project and its baselines, measured in the same run.
//!
//! Absolute figures of a shared machine mean little, so every figure is printed next to a baseline (bare hyper,
//! `wasmtime serve`) measured in interleaved rounds, and the ratio is what counts. Nothing here is part of the tests: a
//! slow machine must not fail a build.

mod browser;
mod floor;
mod held;
mod http;
mod load;
mod scenarios;
mod servers;
mod setup;
mod table;
mod waiter;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Role>,

    /// Rounds of each measurement; the median is reported.
    #[arg(long, default_value_t = 5)]
    rounds: usize,

    /// Seconds of load in one round.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,

    /// Waiting polls of the largest fan-out and of the memory figure.
    #[arg(long, default_value_t = 10_000)]
    waiters: usize,

    /// Messages of the largest history that is read.
    #[arg(long, default_value_t = 1_000_000)]
    messages: i64,

    /// Only scenarios whose name contains this.
    #[arg(long)]
    only: Option<String>,

    /// A clone of another version, in which `cargo xtask serve` has built everything: `before` and `loops` measure it in
    /// turns with this one.
    #[arg(long)]
    before: Option<PathBuf>,

    /// Messages in the organization of `before`.
    #[arg(long, default_value_t = 1_000)]
    history: i64,

    /// The wasmtime command line (48) to compare with; left out when absent.
    #[arg(long, default_value = "target/bench-tools/bin/wasmtime")]
    wasmtime: PathBuf,
}

#[derive(Subcommand)]
enum Role {
    /// Serve as the bare hyper floor (used by the benchmark itself).
    Floor {
        #[arg(long)]
        listen: SocketAddr,
    },
}

/// The parameters of every scenario.
pub struct Plan {
    pub rounds: usize,
    pub duration: Duration,
    pub waiters: usize,
    pub messages: i64,
    pub wasmtime: Option<PathBuf>,
    pub before: Option<PathBuf>,
    pub history: i64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    if let Some(Role::Floor { listen }) = arguments.command {
        return runtime.block_on(floor::serve(listen));
    }
    let wasmtime = servers::root().join(&arguments.wasmtime);
    let plan = Plan {
        rounds: arguments.rounds.max(1),
        duration: Duration::from_secs_f64(arguments.seconds),
        waiters: arguments.waiters,
        messages: arguments.messages,
        wasmtime: wasmtime.exists().then_some(wasmtime),
        before: arguments.before,
        history: arguments.history,
    };
    runtime.block_on(scenarios::run(&plan, arguments.only.as_deref()))
}
