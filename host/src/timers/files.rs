//! The cleaning up of files that no message names and of blobs that nobody needs.

use std::time::Duration;

use super::{CallFailed, InternalCalls, Job};

/// Calls `POST /internal/clean-files` every ten minutes; which files are due is decided there.
#[derive(Debug, Clone, Copy)]
pub struct CleanFiles;

#[async_trait::async_trait]
impl Job for CleanFiles {
    fn name(&self) -> &'static str {
        "clean-files"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/clean-files"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(600)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        calls.post("/internal/clean-files", String::new()).await
    }
}
