//! Makes the requests of apps and records their answers. A request whose outcome was not recorded is made again, with the
//! same `Idempotency-Key`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};
use spindle_actions::apps::{
    ClaimedFetch, FetchRequest, FinishedFetch, claim_app_fetches, finish_app_fetch,
};
use spindle_domain::apps::limits::ANSWER_BYTES;
use spindle_store::Connection;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::REALM;
use crate::{Job, JobFailed, JobStore};
use spindle_outgoing::{AddressGuard, CallRules, Failure, send};

/// Requests that are under way at the same time.
const AT_ONCE: usize = 16;
/// From the resolution of the name to the last byte of the answer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Makes requests that are due.
pub struct FetchForApps {
    shared: Arc<Shared>,
    under_way: Mutex<JoinSet<()>>,
}

struct Shared {
    guard: AddressGuard,
    slots: Arc<Semaphore>,
    /// Why an outcome could not be recorded; for the next run.
    failed: Mutex<Option<JobFailed>>,
}

impl FetchForApps {
    /// Calls the addresses that `guard` admits; public ones alone for apps that may call any public host.
    #[must_use]
    pub fn new(guard: AddressGuard) -> Self {
        Self {
            shared: Arc::new(Shared {
                guard,
                slots: Arc::new(Semaphore::new(AT_ONCE)),
                failed: Mutex::default(),
            }),
            under_way: Mutex::default(),
        }
    }
}

#[async_trait::async_trait]
impl Job for FetchForApps {
    fn name(&self) -> &'static str {
        "fetch-for-apps"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        let shared = &self.shared;
        if let Some(error) = shared.failed().take() {
            return Err(error);
        }
        let room = i64::try_from(shared.slots.available_permits()).unwrap_or(i64::MAX);
        if room == 0 {
            return Ok(());
        }
        let claim = move |db: &dyn Connection, now: i64| claim_app_fetches(db, REALM, now, room);
        for due in store.run(claim).await? {
            // There is one for each claimed request.
            let Ok(slot) = Arc::clone(&shared.slots).try_acquire_owned() else {
                break;
            };
            let (shared, store) = (Arc::clone(shared), store.clone());
            let mut under_way = self
                .under_way
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            while under_way.try_join_next().is_some() {}
            under_way.spawn(async move {
                if let Err(error) = shared.make(&store, due).await {
                    *shared.failed() = Some(error);
                }
                drop(slot);
            });
        }
        Ok(())
    }
}

impl Shared {
    async fn make(&self, store: &JobStore, due: ClaimedFetch) -> Result<(), JobFailed> {
        let answer = self.fetch(due.request).await;
        let is_final = matches!(answer, Err(Failure::Address | Failure::Forbidden));
        let finished = FinishedFetch {
            id: due.id,
            attempt: due.attempt,
            answer: answer.map_err(|failure| failure.to_string()),
            is_worth_repeating: !is_final,
        };
        let finish =
            move |db: &dyn Connection, now: i64| finish_app_fetch(db, REALM, now, &finished);
        store.run(finish).await
    }

    async fn fetch(&self, request: FetchRequest) -> Result<(u16, String), Failure> {
        let public = AddressGuard::default();
        let guard = match request.is_public {
            true => &public,
            false => &self.guard,
        };
        let request = http_request(request).ok_or(Failure::Address)?;
        let rules = CallRules {
            guard,
            timeout: TIMEOUT,
            max_answer: ANSWER_BYTES,
            tls: None,
        };
        let answer = send(request, &rules).await?;
        // Texts in the database have no NUL.
        let body = String::from_utf8_lossy(answer.body()).replace('\0', "\u{fffd}");
        Ok((answer.status().as_u16(), body))
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<JobFailed>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn http_request(request: FetchRequest) -> Option<http::Request<Bytes>> {
    let method = Method::from_bytes(request.method.as_bytes()).ok()?;
    let mut built = http::Request::builder()
        .method(method)
        .uri(request.url)
        .body(Bytes::from(request.body))
        .ok()?;
    for header in request.headers {
        let name = HeaderName::from_bytes(header.key.as_bytes()).ok()?;
        let mut value = HeaderValue::from_str(&header.value).ok()?;
        // It may hold a secret.
        value.set_sensitive(true);
        built.headers_mut().insert(name, value);
    }
    Some(built)
}
