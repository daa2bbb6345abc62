//! The process that compiles in the place of this one.

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
}

impl Compiler {
    /// Runs it to its end. A failure is only logged: what is missing is compiled here then,
    /// which either succeeds or says why.
    pub(super) async fn run(&self) {
        let started = Instant::now();
        let status = tokio::process::Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .status();
        match status.await {
            Ok(status) if status.success() => {
                tracing::info!(duration = ?started.elapsed(), "components compiled");
            }
            Ok(status) => tracing::warn!(%status, "the process that compiles has failed"),
            Err(error) => tracing::warn!(%error, "no process can be started to compile"),
        }
    }
}
