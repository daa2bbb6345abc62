//! Runs apps: an action claims an event, an engine computes on a thread that may block, and another action makes the effects.
//!
//! A few apps run at the same time, each once. What a server does not finish because it ends, another one or the next start
//! does again: effects are made with the end of their event. Compiling and calling components is up to the engine.

mod code;
mod fetches;

pub use code::KeepAppCode;
pub use fetches::FetchForApps;

use std::io::Read as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use spindle_actions::apps::{
    ClaimedRun, Committed, claim_app_event, commit_app_effects, fail_app_event, prolong_app_run,
};
use spindle_blobs::{BlobKey, BlobStore};
use spindle_domain::RealmId;
use spindle_domain::apps::limits::RUNNING;
use spindle_domain::apps::{AppEvent, Effect, Entry};
use spindle_store::Connection;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use super::{Job, JobFailed, JobStore};

/// Between two looks for events, where commits of others are not noticed: under Spin and on PostgreSQL.
const EVERY: Duration = Duration::from_millis(250);

/// Between two prolongations of the claim of an event whose component is compiled.
const PROLONGED_EVERY: Duration = Duration::from_secs(5);

const REALM: RealmId = RealmId::ONLY;

/// Reads a component from its blob.
pub type Load<'l> = Box<dyn FnOnce() -> Vec<u8> + 'l>;

/// Computes the effects of an event.
pub trait AppRunner: Send + Sync + 'static {
    /// Whether the component with this hash was compiled before.
    fn is_compiled(&self, hash: &str) -> bool;

    /// Compiles it, and blocks until that is done.
    ///
    /// # Errors
    /// Why it cannot be used, for the owner of the app.
    fn compile(&self, hash: &str, load: Load<'_>) -> Result<(), String>;

    /// Blocks while it computes. `hash` is the SHA-256 of the component, in hexadecimal.
    ///
    /// # Errors
    /// Why there are no effects, for the owner of the app.
    fn run(
        &self,
        hash: &str,
        load: Load<'_>,
        event: &AppEvent,
        values: &[Entry],
    ) -> Result<Vec<Effect>, String>;
}

/// Claims events that are due and runs their apps.
pub struct RunApps {
    shared: Arc<Shared>,
    under_way: Mutex<JoinSet<()>>,
}

/// Whether a client polls the queue with an id.
pub type IsPolled = Box<dyn Fn(&str) -> bool + Send + Sync>;

struct Shared {
    runner: Arc<dyn AppRunner>,
    blobs: BlobStore,
    site: Arc<str>,
    is_polled: IsPolled,
    slots: Arc<Semaphore>,
    /// A run has ended, and its slot is free.
    again: Notify,
    /// Where commits of this process are noticed.
    commits: OnceLock<Option<tokio::sync::Mutex<watch::Receiver<u64>>>>,
    /// Why the outcome of a run could not be recorded; for the next run of the job.
    failed: Mutex<Option<JobFailed>>,
}

impl RunApps {
    /// `site` is the address under which clients reach the server, without a slash at its end.
    #[must_use]
    pub fn new(
        runner: Arc<dyn AppRunner>,
        blobs: BlobStore,
        site: String,
        is_polled: IsPolled,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                runner,
                blobs,
                site: site.into(),
                is_polled,
                slots: Arc::new(Semaphore::new(RUNNING)),
                again: Notify::new(),
                commits: OnceLock::new(),
                failed: Mutex::default(),
            }),
            under_way: Mutex::default(),
        }
    }
}

#[async_trait::async_trait]
impl Job for RunApps {
    fn name(&self) -> &'static str {
        "run-apps"
    }

    fn every(&self) -> Duration {
        EVERY
    }

    /// People wait for answers: the events are written with a commit.
    async fn sooner(&self) {
        tokio::select! {
            () = self.shared.again.notified() => {}
            () = self.shared.committed() => {}
        }
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        let shared = &self.shared;
        shared
            .commits
            .get_or_init(|| store.commits().map(tokio::sync::Mutex::new));
        if let Some(error) = shared.failed().take() {
            return Err(error);
        }
        while let Ok(slot) = Arc::clone(&shared.slots).try_acquire_owned() {
            let claim = |db: &dyn Connection, now: i64| claim_app_event(db, REALM, now);
            let Some(claimed) = store.run(claim).await? else {
                return Ok(());
            };
            let (shared, store) = (Arc::clone(shared), store.clone());
            let mut under_way = self
                .under_way
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            // Ended runs are removed.
            while under_way.try_join_next().is_some() {}
            under_way.spawn(async move {
                if let Err(error) = shared.make(&store, claimed, slot).await {
                    *shared.failed() = Some(error);
                }
                shared.again.notify_one();
            });
        }
        Ok(())
    }
}

impl Shared {
    async fn committed(&self) {
        let Some(commits) = self.commits.get().and_then(Option::as_ref) else {
            return std::future::pending().await;
        };
        if commits.lock().await.changed().await.is_err() {
            // The database is closed: the server ends.
            std::future::pending().await
        }
    }

    /// Computes one event and makes its effects.
    async fn make(
        self: &Arc<Self>,
        store: &JobStore,
        claimed: ClaimedRun,
        slot: OwnedSemaphorePermit,
    ) -> Result<(), JobFailed> {
        let claimed = Arc::new(claimed);
        let (shared, hash) = (Arc::clone(self), claimed.component_hash.clone());
        let is_compiled = tokio::task::spawn_blocking(move || shared.runner.is_compiled(&hash));
        let slot = if is_compiled.await? {
            slot
        } else {
            // Compiling may take minutes, in which other apps run.
            drop(slot);
            match self.compile(store, &claimed).await? {
                Some(Ok(slot)) => slot,
                Some(Err(reason)) => return self.fail(store, claimed, reason).await,
                None => return Ok(()),
            }
        };
        let computed = self.compute(&claimed).await;
        drop(slot);
        let reason = match computed {
            Ok(effects) => {
                let (run, shared) = (Arc::clone(&claimed), Arc::clone(self));
                let commit = move |db: &dyn Connection, now: i64| {
                    let (site, is_polled) = (&*shared.site, &*shared.is_polled);
                    commit_app_effects(db, REALM, now, site, &run, &effects, is_polled)
                };
                match store.run(commit).await {
                    Ok(Committed::Made | Committed::Discarded | Committed::Refused) => {
                        return Ok(());
                    }
                    Err(error) => error.to_string(),
                }
            }
            Err(reason) => reason,
        };
        self.fail(store, claimed, reason).await
    }

    async fn fail(
        &self,
        store: &JobStore,
        claimed: Arc<ClaimedRun>,
        reason: String,
    ) -> Result<(), JobFailed> {
        // The reason may hold texts of people: the log of the app has it.
        tracing::warn!(app = claimed.name, "an app failed");
        let fail =
            move |db: &dyn Connection, now: i64| fail_app_event(db, REALM, now, &claimed, &reason);
        store.run(fail).await
    }

    /// Compiles the component of a claimed event, then waits until fewer apps run; `None` when the claim has ended.
    async fn compile(
        self: &Arc<Self>,
        store: &JobStore,
        claimed: &Arc<ClaimedRun>,
    ) -> Result<Option<Result<OwnedSemaphorePermit, String>>, JobFailed> {
        let (shared, run) = (Arc::clone(self), Arc::clone(claimed));
        let compiling = tokio::task::spawn_blocking(move || {
            let load = load(&shared.blobs, &run.component_key);
            shared.runner.compile(&run.component_hash, load)
        });
        let slots = Arc::clone(&self.slots);
        let ready = async move {
            match compiling.await? {
                Ok(()) => slots
                    .acquire_owned()
                    .await
                    .map(Ok)
                    .map_err(JobFailed::other),
                Err(reason) => Ok(Err(reason)),
            }
        };
        tokio::pin!(ready);
        // The claim is kept as long.
        loop {
            tokio::select! {
                slot = &mut ready => return slot.map(Some),
                () = tokio::time::sleep(PROLONGED_EVERY) => {}
            }
            let run = Arc::clone(claimed);
            let prolong = move |db: &dyn Connection, now: i64| prolong_app_run(db, now, &run);
            if !store.run(prolong).await? {
                return Ok(None);
            }
        }
    }

    /// Computes on a thread that may block.
    async fn compute(self: &Arc<Self>, claimed: &Arc<ClaimedRun>) -> Result<Vec<Effect>, String> {
        let (shared, run) = (Arc::clone(self), Arc::clone(claimed));
        let computed = tokio::task::spawn_blocking(move || {
            let load = load(&shared.blobs, &run.component_key);
            let hash = &run.component_hash;
            shared.runner.run(hash, load, &run.event, &run.values)
        });
        computed
            .await
            .unwrap_or_else(|error| Err(error.to_string()))
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<JobFailed>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Without the component the engine says what is wrong, and a later attempt may succeed.
fn load<'r>(blobs: &'r BlobStore, key: &'r str) -> Load<'r> {
    Box::new(move || {
        component(blobs, key).unwrap_or_else(|error| {
            tracing::error!(key, %error, "the component of an app cannot be read");
            Vec::new()
        })
    })
}

fn component(blobs: &BlobStore, key: &str) -> Result<Vec<u8>, JobFailed> {
    let missing = || JobFailed::other("there is no such blob");
    let parsed = BlobKey::parse(key).ok_or_else(missing)?;
    let blob = blobs.get_blocking(&parsed).map_err(JobFailed::other)?;
    let mut bytes = Vec::new();
    blob.ok_or_else(missing)?
        .into_reader()
        .read_to_end(&mut bytes)
        .map_err(JobFailed::other)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
