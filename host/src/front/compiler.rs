//! The process that compiles in the place of this one.

use crate::clock::millis;
use crate::runtime::Tier;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

/// A program that fills the cache and ends.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Its file.
    pub program: PathBuf,
    /// What it is told.
    pub arguments: Vec<OsString>,
    /// What it is told besides, to use the baseline compiler.
    pub baseline: OsString,
    /// What it is told besides, to give way to everything else and to end with this process.
    pub background: OsString,
}

impl Compiler {
    /// Runs it to its end while a start waits for it; tells whether it did all it was to. A
    /// failure is only logged: what is missing then is compiled in another way, which either
    /// succeeds or says why.
    pub(super) async fn run(&self, tier: Tier) -> bool {
        let more = (tier == Tier::Baseline).then_some(&self.baseline);
        self.run_with(tier, more).await
    }

    /// As [`run`](Self::run), with the optimizing compiler, while requests are answered.
    pub(super) async fn run_in_background(&self) -> bool {
        self.run_with(Tier::Optimized, Some(&self.background)).await
    }

    async fn run_with(&self, tier: Tier, more: Option<&OsString>) -> bool {
        let started = Instant::now();
        let status = tokio::process::Command::new(&self.program)
            .args(&self.arguments)
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .status();
        match status.await {
            Ok(status) if status.success() => {
                let duration_ms = millis(started.elapsed());
                tracing::info!(?tier, duration_ms, "components compiled");
                return true;
            }
            Ok(status) => tracing::warn!(%status, "the process that compiles has failed"),
            Err(error) => tracing::warn!(%error, "no process can be started to compile"),
        }
        false
    }
}
