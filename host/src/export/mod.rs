//! Data exports: archives of the organization in Zulip's layout (docs/protocol/archive.md).
//!
//! Owns how an archive is put together; what leaves is selected by the statements of
//! `spindle_store::archive`, and the records of exports belong to `spindle_actions`, which run where
//! those of all jobs do. An archive is read from one snapshot of the database and is stored as a blob when it is whole. Whatever
//! ends the program in between, the export is still pending and is built again.

mod build;
mod files;
mod messages;
mod pack;
mod people;
mod snapshot;
mod tables;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use spindle_actions::ActionError;
use spindle_store::DbError;

use crate::blobs::{BlobError, BlobStore};
use crate::clock::Clock;
use crate::database::Location;
use crate::jobs::{Job, JobFailed, JobStore, StopWhenDropped};

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
    /// The server stops; the export is built after the next start.
    #[error("the server stops")]
    Stopped,
}

/// Builds what was asked for, one archive after the other.
#[derive(Debug, Clone)]
pub struct BuildExports {
    database: Location,
    blobs: BlobStore,
    clock: Clock,
}

impl BuildExports {
    /// Takes snapshots of this database, and stores into `blobs`.
    #[must_use]
    pub const fn new(database: Location, blobs: BlobStore, clock: Clock) -> Self {
        Self {
            database,
            blobs,
            clock,
        }
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
        let stopped = Arc::new(AtomicBool::new(false));
        let _guard = StopWhenDropped(Arc::clone(&stopped));
        let (job, store) = (self.clone(), store.clone());
        let building = tokio::task::spawn_blocking(move || job.build_all(&store, &stopped));
        building.await?.map_err(JobFailed::other)
    }
}
