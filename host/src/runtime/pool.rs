//! Instances of one component and the fair, bounded line before them.
//!
//! Requests wait first come, first served, for one of a fixed number of slots. A component that exports
//! `spindle:direct` is then called directly, in an instance that serves no other request meanwhile
//! (`direct`). For others, wasmtime's `ProxyHandler` gives the requests to instances through WASI HTTP,
//! which are called concurrently. Both reuse their instances. An instance that traps, loops or hangs
//! harms only the requests inside it.

use super::code::{Code, CurrentCode};
use super::collect::{self, CollectError};
use super::direct::{CallError, Instances};
use super::engine::HostEngine;
use super::limits::PoolLimits;
use super::log::RequestId;
use super::memory_admission::MemoryAdmission;
use super::state::ComponentContext;
use super::workers::Workers;
use crate::low_priority::Computing;
use bytes::Bytes;
use http::Method;
use http::header::CONTENT_LENGTH;
use http_body_util::{BodyExt, Full};
use spindle_wire::internal::direct::from_request;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::component::Component;
use wasmtime_wasi_http::WasiBody;
use wasmtime_wasi_http::handler::{ExpirationError, InstantiationError, ProxyHandler};

/// How often a request that only reads is repeated where its instance had no room to grow, and the time in
/// between.
const ROOM_REPEATS: usize = 3;
const ROOM_PAUSE: Duration = Duration::from_millis(100);

/// Why a request got no answer from its component.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// Too many requests wait already, or this one waited too long, or there is no memory for it.
    #[error("too many requests wait for this component")]
    Overloaded,
    /// The component did not answer in time.
    #[error("the component did not answer in time")]
    Deadline,
    /// The component trapped, or answered with something that is no answer.
    #[error("the component failed: {0}")]
    Failed(String),
}

/// The pool of one component.
pub struct Pool {
    handler: ProxyHandler<Workers>,
    /// For direct calls, where the component offers them and they are allowed.
    direct: Option<Arc<Instances>>,
    component: Arc<ComponentContext>,
    limits: PoolLimits,
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
    memory_admission: MemoryAdmission,
}

impl Pool {
    /// Prepares `component` for instantiation; makes no instance yet.
    ///
    /// # Errors
    ///
    /// When the component imports what the host does not offer, or does not
    /// export the HTTP handler.
    pub fn new(
        engine: &HostEngine,
        component: &Component,
        context: Arc<ComponentContext>,
        limits: PoolLimits,
    ) -> wasmtime::Result<Self> {
        // Known before the first failure, so that a rate has something to begin with.
        for name in [
            "spindle_component_failures_total",
            "spindle_instance_failures_total",
        ] {
            metrics::counter!(name, "component" => context.id.to_string()).increment(0);
        }
        let code = CurrentCode::new(Code::link(engine, component)?);
        Ok(Self::of(Arc::new(code), context, limits))
    }

    /// Another pool of the same component, with other limits and instances of its own; its code is
    /// replaced with that of this one.
    #[must_use]
    pub fn beside(&self, limits: PoolLimits) -> Self {
        let code = Arc::clone(self.handler.state().code());
        Self::of(code, Arc::clone(&self.component), limits)
    }

    fn of(code: Arc<CurrentCode>, context: Arc<ComponentContext>, limits: PoolLimits) -> Self {
        let is_direct = limits.direct && code.get().direct.is_some();
        let instances = || Instances::new(Arc::clone(&code), Arc::clone(&context), limits);
        Self {
            direct: is_direct.then(instances),
            handler: ProxyHandler::new(Workers::new(code, Arc::clone(&context), limits)),
            component: context,
            limits,
            slots: Arc::new(Semaphore::new(limits.max_instances)),
            waiting: AtomicUsize::new(0),
            memory_admission: MemoryAdmission::default(),
        }
    }

    /// Has instances from now on run `component`, which is the same one compiled by another
    /// compiler. Existing instances finish their requests, accept no further ones, and end.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); everything stays as it is then.
    pub fn replace(&self, engine: &HostEngine, component: &Component) -> wasmtime::Result<()> {
        let code = Code::link(engine, component)?;
        self.handler.state().code().replace(code);
        Ok(())
    }

    /// The component's id.
    pub fn id(&self) -> &str {
        &self.component.id
    }

    /// Instances of the component that are alive now, in all its pools.
    pub fn instances(&self) -> usize {
        self.component.instances.load(Ordering::Relaxed)
    }

    /// Answers one request; `request_id` appears in the guest's log records.
    ///
    /// # Errors
    ///
    /// See [`PoolError`]; the reason of a failure has been logged.
    pub async fn handle(
        &self,
        request: http::Request<Bytes>,
        request_id: RequestId,
    ) -> Result<http::Response<Bytes>, PoolError> {
        self.handle_with(request, request_id, None).await
    }

    /// As [`handle`](Self::handle), with the priority that `computing` says, which also counts the processor time.
    /// (Through WASI HTTP, the priority is the ordinary one, and nothing is counted.)
    ///
    /// # Errors
    ///
    /// As [`handle`](Self::handle).
    pub(crate) async fn handle_with(
        &self,
        request: http::Request<Bytes>,
        request_id: RequestId,
        computing: Option<Computing>,
    ) -> Result<http::Response<Bytes>, PoolError> {
        let place = self.enter().await?;
        let has_low_priority = computing.as_ref().is_some_and(Computing::has_low_priority);
        let inside = self
            .memory_admission
            .enter(&self.component, &self.limits, has_low_priority)
            .await;
        let _inside = inside.ok_or(PoolError::Overloaded)?;
        if let Some(direct) = &self.direct {
            return self
                .answer_directly(direct, request, request_id, place, computing)
                .await;
        }
        let denied = self.denied();
        let _place = place;
        let is_head = request.method() == http::Method::HEAD;
        let answered = self.answer(request, &request_id).await;
        let response = answered.map_err(|error| self.or_no_room(error, denied))?;
        let (parts, body) = response.into_parts();
        // The length in an answer to HEAD is that of a body which does not come.
        let announced = parts.headers.get(CONTENT_LENGTH).filter(|_| !is_head);
        let announced = announced.and_then(|value| value.to_str().ok()?.parse().ok());
        // No timer here: an instance that does not end its body is ended.
        let most = self.limits.max_response_bytes;
        match collect::whole(body, announced, most, &self.component.memory).await {
            Ok(body) => Ok(http::Response::from_parts(parts, body)),
            Err(CollectError::NoRoom) => Err(PoolError::Overloaded),
            Err(CollectError::Failed(error)) => {
                Err(self.or_no_room(self.failed(&error, &request_id), denied))
            }
        }
    }

    /// Answers by a direct call. A request that only reads is repeated a few times where its instance had
    /// no room to grow, since others give memory back soon.
    async fn answer_directly(
        &self,
        direct: &Arc<Instances>,
        request: http::Request<Bytes>,
        request_id: RequestId,
        place: OwnedSemaphorePermit,
        computing: Option<Computing>,
    ) -> Result<http::Response<Bytes>, PoolError> {
        let (head, body) = request.into_parts();
        let mut encoded = from_request(&head, &body);
        let is_read = matches!(head.method, Method::GET | Method::HEAD);
        let mut repeats_left = if is_read { ROOM_REPEATS } else { 0 };
        drop((head, body));
        let mut place = place;
        loop {
            let denied = self.denied();
            let again = (repeats_left > 0).then(|| encoded.clone());
            let answered = direct
                .answer(encoded, request_id.clone(), place, computing.clone())
                .await;
            let error = match answered {
                Ok(response) => return Ok(response),
                Err(CallError::NoRoom) => PoolError::Overloaded,
                Err(CallError::Deadline) => PoolError::Deadline,
                Err(CallError::Failed(error)) => {
                    self.or_no_room(self.failed(&error, &request_id), denied)
                }
            };
            let (PoolError::Overloaded, Some(again)) = (&error, again) else {
                return Err(error);
            };
            tokio::time::sleep(ROOM_PAUSE).await;
            (encoded, repeats_left) = (again, repeats_left - 1);
            place = self.enter().await?;
        }
    }

    /// How often an instance of the component was not allowed to grow.
    fn denied(&self) -> u64 {
        self.component.denied.load(Ordering::Relaxed)
    }

    /// A failure beside which an instance was not allowed to grow is taken for its consequence: a
    /// guest without memory can only trap.
    fn or_no_room(&self, error: PoolError, denied: u64) -> PoolError {
        match error {
            PoolError::Failed(_) if self.denied() != denied => PoolError::Overloaded,
            other => other,
        }
    }

    async fn enter(&self) -> Result<OwnedSemaphorePermit, PoolError> {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return Ok(slot);
        }
        let _waiting = Waiting::new(&self.waiting, self.limits.queue_length)?;
        let slot = Arc::clone(&self.slots).acquire_owned();
        match tokio::time::timeout(self.limits.queue_wait, slot).await {
            Ok(Ok(slot)) => Ok(slot),
            _ => Err(PoolError::Overloaded),
        }
    }

    /// Has an instance answer; when there is no room for one more at this
    /// moment, tries again for a while, since others end soon.
    async fn answer(
        &self,
        request: http::Request<Bytes>,
        request_id: &RequestId,
    ) -> Result<http::Response<WasiBody>, PoolError> {
        let mut request = request.map(|body| {
            Full::new(body)
                .map_err(|never| match never {})
                .boxed_unsync()
        });
        let started = Instant::now();
        loop {
            let error = match self.handler.handle(request_id.clone(), request).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let error = match error.downcast::<InstantiationError<RequestId>>() {
                Ok(error) if started.elapsed() < Duration::from_secs(1) => error,
                Ok(error) => return Err(self.failed(&error.error, request_id)),
                Err(error) if error.is::<ExpirationError>() => return Err(PoolError::Deadline),
                Err(error) => return Err(self.failed(&error, request_id)),
            };
            request = error
                .request
                .into_inner()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn failed(&self, error: &dyn std::fmt::Debug, request_id: &RequestId) -> PoolError {
        let reason = format!("{error:?}");
        let reason = reason.lines().next().unwrap_or_default().to_owned();
        let request_id = request_id.as_str();
        tracing::error!(component = %self.component.id, request_id, reason, "component failed");
        metrics::counter!("spindle_component_failures_total", "component" => self.component.id.to_string())
            .increment(1);
        PoolError::Failed(reason)
    }
}

/// Counts a waiting request while it exists.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize, limit: usize) -> Result<Self, PoolError> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) >= limit {
            return Err(PoolError::Overloaded);
        }
        Ok(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
