//! Compiles components soon after their installation, so that events rarely wait for it, and removes machine code that no
//! app needs.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use spindle_actions::apps::{InstalledComponent, installed_components, log_unusable_component};
use spindle_blobs::BlobStore;
use spindle_store::Connection;

use super::{AppRunner, component};
use crate::{Job, JobFailed, JobStore};

/// Between two looks for new apps.
const EVERY: Duration = Duration::from_secs(5);
/// Seconds between two removals. Code of a removed app stays for a day, in case it is installed again.
const TIDIED_EVERY: i64 = 24 * 60 * 60;

/// Removes code that is not of a component with one of these hashes.
type Tidy = Box<dyn Fn(HashSet<String>) -> Result<usize, String> + Send + Sync>;

/// Each node does this for its own folder.
pub struct KeepAppCode {
    runner: Arc<dyn AppRunner>,
    blobs: BlobStore,
    tidy: Arc<Tidy>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// Hashes of the installed components that were compiled, or cannot be.
    hashes: HashSet<String>,
    /// UNIX seconds.
    tidied: i64,
}

impl KeepAppCode {
    /// `tidy` may block.
    #[must_use]
    pub fn new(runner: Arc<dyn AppRunner>, blobs: BlobStore, tidy: Tidy) -> Self {
        Self {
            runner,
            blobs,
            tidy: Arc::new(tidy),
            kept: Mutex::default(),
        }
    }

    async fn compile(
        &self,
        store: &JobStore,
        installed: InstalledComponent,
    ) -> Result<(), JobFailed> {
        let InstalledComponent { hash, key } = installed;
        let (runner, blobs) = (Arc::clone(&self.runner), self.blobs.clone());
        let compiling = {
            let hash = hash.clone();
            move || match component(&blobs, &key) {
                Ok(bytes) => runner.compile(&hash, Box::new(|| bytes)),
                // It may be removed by now. If not, its first event reads it again.
                Err(error) => {
                    tracing::warn!(key, %error, "the component of an app cannot be read");
                    Ok(())
                }
            }
        };
        let compiled = tokio::task::spawn_blocking(compiling).await;
        let Err(reason) = compiled.unwrap_or_else(|error| Err(error.to_string())) else {
            return Ok(());
        };
        let log =
            move |db: &dyn Connection, now: i64| log_unusable_component(db, now, &hash, &reason);
        store.run(log).await
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait::async_trait]
impl Job for KeepAppCode {
    fn name(&self) -> &'static str {
        "keep-app-code"
    }

    fn every(&self) -> Duration {
        EVERY
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        let look = |db: &dyn Connection, now: i64| Ok((installed_components(db)?, now));
        let (installed, now) = store.run(look).await?;
        let hashes: HashSet<String> = installed.iter().map(|one| one.hash.clone()).collect();
        self.kept().hashes.retain(|hash| hashes.contains(hash));
        for component in installed {
            // Before it is compiled: a failure must not repeat that in five seconds.
            let is_new = self.kept().hashes.insert(component.hash.clone());
            if is_new {
                self.compile(store, component).await?;
            }
        }
        if now < self.kept().tidied + TIDIED_EVERY {
            return Ok(());
        }
        self.kept().tidied = now;
        let tidy = Arc::clone(&self.tidy);
        let tidied = tokio::task::spawn_blocking(move || tidy(hashes)).await?;
        match tidied.map_err(JobFailed::Other)? {
            0 => {}
            files => tracing::info!(files, "removed machine code of apps"),
        }
        Ok(())
    }
}
