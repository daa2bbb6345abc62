//! The separate process that compiles components.

use spindle_runtime::Tier;
use spindle_system::clock::millis;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

/// A program that compiles components into the cache and exits.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Path of the program.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// The additional argument for the baseline compiler.
    pub baseline: OsString,
    /// The additional argument for a low priority and for exiting with this process.
    pub background: OsString,
}

impl Compiler {
    /// Runs the program while a start waits for it; returns whether it succeeded. A failure is only
    /// logged: this process then compiles the missing components, and reports its own error.
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
            Ok(status) => tracing::warn!(%status, "the compiler process failed"),
            Err(error) => tracing::warn!(%error, "the compiler process cannot be started"),
        }
        false
    }
}
