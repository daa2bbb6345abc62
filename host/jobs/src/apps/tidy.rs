//! Removes machine code of apps that are no longer installed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spindle_actions::apps::installed_components;
use spindle_store::Connection;

use crate::{Job, JobFailed, JobStore};

const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes code that is not of a component with one of these hashes.
type Tidy = Box<dyn Fn(Vec<String>) -> Result<usize, String> + Send + Sync>;

/// Tidies the folder of this node at its start and once a day.
pub struct TidyAppCode {
    tidy: Arc<Tidy>,
    has_run: AtomicBool,
}

impl TidyAppCode {
    /// `tidy` may block.
    #[must_use]
    pub fn new(tidy: Tidy) -> Self {
        Self {
            tidy: Arc::new(tidy),
            has_run: AtomicBool::new(false),
        }
    }
}

#[async_trait::async_trait]
impl Job for TidyAppCode {
    fn name(&self) -> &'static str {
        "tidy-app-code"
    }

    fn every(&self) -> Duration {
        EVERY
    }

    async fn sooner(&self) {
        if self.has_run.swap(true, Ordering::Relaxed) {
            std::future::pending().await
        }
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        let installed = |db: &dyn Connection, _: i64| installed_components(db);
        let installed = store.run(installed).await?;
        let tidy = Arc::clone(&self.tidy);
        let tidied = tokio::task::spawn_blocking(move || tidy(installed)).await?;
        match tidied.map_err(JobFailed::Other)? {
            0 => {}
            files => tracing::info!(files, "removed machine code of apps"),
        }
        Ok(())
    }
}
