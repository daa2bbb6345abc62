//! Data exports: archives of the organization in Zulip's layout (docs/protocol/archive.md).
//!
//! Owns how an archive is built. The statements of `spindle_store::archive` select its content; the records of exports
//! belong to `spindle_actions`, which run like all jobs. An archive is read from one snapshot of the database and
//! stored as a blob once it is complete. If the program ends in between, the export is still pending and is built
//! again. Of several servers on one database, one claims it; another one takes over when the claim is not renewed
//! (docs/adr/0058-archives-on-postgresql.md).

mod apps;
mod build;
mod files;
mod messages;
mod pack;
mod people;
mod snapshot;
mod tables;

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spindle_actions::ActionError;
use spindle_actions::exports::{PendingExport, claim_export, fail_export, prolong_export};
use spindle_store::{Connection, DbError};
use tokio::task::JoinError;

use spindle_blobs::{BlobError, BlobStore};
use spindle_database::Location;
use spindle_jobs::{Job, JobFailed, JobStore, StopWhenDropped};
use spindle_system::clock::Clock;
use spindle_system::low_priority::LONG;

/// Why an archive cannot be built.
#[derive(Debug, thiserror::Error)]
enum ExportError {
    #[error(transparent)]
    Database(#[from] DbError),
    #[error(transparent)]
    Action(#[from] ActionError),
    #[error(transparent)]
    Blob(#[from] BlobError),
    #[error("the archive cannot be written: {0}")]
    Io(#[from] std::io::Error),
    #[error("a row is not what it should be: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{0}")]
    Strange(&'static str),
    /// The server stops, or another one builds the export.
    #[error("the server stops, or another one builds the export")]
    Stopped,
}

impl ExportError {
    /// Whether the connection to the database or the bucket was lost in between. If so, the export is built again from
    /// another snapshot.
    fn is_lost(&self) -> bool {
        match self {
            Self::Database(error) | Self::Action(ActionError::Store(error)) => error.is_temporary(),
            Self::Blob(error) => error.is_temporary(),
            // As the writer and the reader of a blob say it.
            Self::Io(error) => error
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<BlobError>())
                .is_some_and(BlobError::is_temporary),
            _ => false,
        }
    }
}

/// Time between two prolongations of a claim, of which several may fail.
const PROLONG_EVERY: Duration = Duration::from_secs(20);

/// The builder of exports on a database that one server uses: what it has claimed before a crash is still its own.
const ONLY_BUILDER: &str = "the only server";

/// Builds what was asked for, one archive after the other.
#[derive(Debug, Clone)]
pub struct BuildExports {
    database: Location,
    blobs: BlobStore,
    clock: Clock,
    /// How claims name this server; random where several share a database.
    builder: Arc<str>,
}

impl BuildExports {
    /// Takes snapshots of this database, and stores into `blobs`.
    #[must_use]
    pub fn new(database: Location, blobs: BlobStore, clock: Clock) -> Self {
        let builder = match database.is_shared() {
            true => format!("{:016x}", RandomState::new().hash_one(std::process::id())).into(),
            false => ONLY_BUILDER.into(),
        };
        Self {
            database,
            blobs,
            clock,
            builder,
        }
    }

    /// Packs with low priority. The transactions that record the archive run on an ordinary thread, since other
    /// transactions wait for them.
    async fn build(
        self,
        store: JobStore,
        export: PendingExport,
        stopped: Arc<AtomicBool>,
    ) -> Result<Result<(), ExportError>, JoinError> {
        let packing = LONG.run({
            let (export, stopped) = (export.clone(), Arc::clone(&stopped));
            move || self.pack(&export, &stopped)
        });
        let packed = match packing.await? {
            Ok(packed) => packed,
            Err(error) => return Ok(Err(error)),
        };
        let storing = move || Self::store(packed, &store, &export, &stopped);
        tokio::task::spawn_blocking(storing).await
    }

    /// Builds an export that this server has claimed, and renews the claim while it builds. If another server has the
    /// claim or this one stops, the build ends without a result.
    async fn build_claimed(
        &self,
        store: &JobStore,
        export: PendingExport,
    ) -> Result<(), JobFailed> {
        let stopped = Arc::new(AtomicBool::new(false));
        let _guard = StopWhenDropped(Arc::clone(&stopped));
        let id = export.id;
        let mut building = tokio::spawn({
            let (job, store) = (self.clone(), store.clone());
            let (export, stopped) = (export.clone(), Arc::clone(&stopped));
            job.build(store, export, stopped)
        });
        let built = loop {
            let next = self.clock.running_time() + PROLONG_EVERY;
            tokio::select! {
                built = &mut building => break built??,
                () = self.clock.wait_until(next) => {}
            }
            let builder = Arc::clone(&self.builder);
            let prolonged = store.run(move |db, now| prolong_export(db, now, &builder, id));
            // Without an answer, the next try is soon enough.
            if matches!(prolonged.await, Ok(false)) {
                tracing::warn!(export = id, "another server builds this data export now");
                stopped.store(true, Ordering::Relaxed);
            }
        };
        match built {
            Ok(()) => tracing::info!(export = id, "a data export was built"),
            Err(_) if stopped.load(Ordering::Relaxed) => {}
            Err(error) if error.is_lost() => return Err(JobFailed::other(error)),
            Err(error) => {
                tracing::error!(export = id, %error, "a data export has failed");
                let builder = Arc::clone(&self.builder);
                let fail = move |db: &dyn Connection, now| fail_export(db, now, &builder, &export);
                store.run(fail).await?;
            }
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl Job for BuildExports {
    fn name(&self) -> &'static str {
        "build-exports"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(5)
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        loop {
            let builder = Arc::clone(&self.builder);
            let claim = move |db: &dyn Connection, now| claim_export(db, now, &builder);
            let Some(export) = store.run(claim).await? else {
                return Ok(());
            };
            tracing::info!(export = export.id, "a data export is begun");
            self.build_claimed(store, export).await?;
        }
    }
}
