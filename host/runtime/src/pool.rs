//! The instances of one component.
//!
//! A component that exports `spindle:direct` is called directly, in an instance that serves no other request at the
//! same time (`direct`). For others, wasmtime's `ProxyHandler` passes requests to instances through WASI HTTP,
//! concurrently. Both reuse their instances. An instance that traps, loops or hangs harms only the requests inside it.
//! Admission has decided that a request may run.

use super::code::{Code, CurrentCode};
use super::collect::{self, CollectError};
use super::component::ComponentContext;
use super::direct::{CallError, Instances};
use super::engine::HostEngine;
use super::limits::PoolLimits;
use super::log::RequestId;
use super::workers::Workers;
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http_body_util::{BodyExt, Full};
use spindle_admission::Overloaded;
use spindle_wire::internal::direct::from_request;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use wasmtime::component::Component;
use wasmtime_wasi_http::WasiBody;
use wasmtime_wasi_http::handler::{ExpirationError, InstantiationError, ProxyHandler};

/// Why a request got no answer from its component.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// There is no memory for the request, or no share of what it needs.
    #[error("the server is overloaded")]
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
}

impl From<Overloaded> for PoolError {
    fn from(_: Overloaded) -> Self {
        Self::Overloaded
    }
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

    /// Another pool of the same component, with other limits and instances of its own; its code is replaced together
    /// with this pool's.
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
        }
    }

    /// Has instances from now on run `component`, which is the same one compiled by another
    /// compiler. Existing instances finish their requests, accept no further ones, and end.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); an error changes nothing.
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
        if let Some(direct) = &self.direct {
            let (head, body) = request.into_parts();
            let answered = direct.answer(from_request(&head, &body), request_id.clone());
            return answered.await.map_err(|error| match error {
                CallError::Overloaded => PoolError::Overloaded,
                CallError::Deadline => PoolError::Deadline,
                CallError::Failed(error) => self.failed(&error, &request_id),
            });
        }
        let is_head = request.method() == http::Method::HEAD;
        let response = self.answer(request, &request_id).await?;
        let (parts, body) = response.into_parts();
        // The length in an answer to HEAD describes a body that is not sent.
        let announced = parts.headers.get(CONTENT_LENGTH).filter(|_| !is_head);
        let announced = announced.and_then(|value| value.to_str().ok()?.parse().ok());
        // No timer here: an instance that does not end its body is ended.
        let most = self.limits.max_response_bytes;
        match collect::whole(body, announced, most, &self.component.memory).await {
            Ok(body) => Ok(http::Response::from_parts(parts, body)),
            Err(CollectError::NoRoom) => Err(PoolError::Overloaded),
            Err(CollectError::Failed(error)) => Err(self.failed(&error, &request_id)),
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
