//! Instances that are called through WASI HTTP, for wasmtime's `ProxyHandler`.
//!
//! Owns how such an instance begins, how many requests it accepts, and how its end is logged. Which
//! request goes to which instance is the handler's decision; how many enter is the pool's.

use super::code::{Code, CurrentCode};
use super::component::ComponentContext;
use super::engine::interrupt_computing;
use super::expiration::{Expiration, Lifetimes};
use super::growth::Size;
use super::limits::PoolLimits;
use super::log::{RequestId, Serving};
use super::state::GuestState;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wasmtime::component::GuestTaskId;
use wasmtime::{Store, StoreContextMut};
use wasmtime_wasi_http::WasiHttpView;
use wasmtime_wasi_http::handler::{HandlerState, Instance, Proxy, ShouldAccept, WorkerState};

/// Makes instances for the proxy handler.
pub(super) struct Workers {
    code: Arc<CurrentCode>,
    component: Arc<ComponentContext>,
    limits: PoolLimits,
    next_instance: AtomicU64,
}

impl Workers {
    /// Makes instances of the current `code`, within `limits`.
    pub(super) fn new(
        code: Arc<CurrentCode>,
        component: Arc<ComponentContext>,
        limits: PoolLimits,
    ) -> Self {
        Self {
            code,
            component,
            limits,
            next_instance: AtomicU64::new(1),
        }
    }

    /// The code that new instances run.
    pub(super) fn code(&self) -> &Arc<CurrentCode> {
        &self.code
    }
}

impl HandlerState for Workers {
    type StoreData = GuestState;
    type WorkerExpiration = Expiration;
    type WorkerState = Worker;

    async fn instantiate(&self) -> wasmtime::Result<Instance<GuestState, Expiration, Worker>> {
        let number = self.next_instance.fetch_add(1, Ordering::Relaxed);
        let state = GuestState::new(&self.component, number, self.limits.is_exclusive);
        let size = state.growth.size();
        let code = self.code.get();
        let mut store = Store::new(code.engine.engine(), state);
        store.limiter(|state| &mut state.growth);
        interrupt_computing(&mut store, self.limits.computing);
        let proxy: Proxy = code.pre.instantiate_async(&mut store).await?;
        Ok(Instance {
            store,
            proxy,
            view: GuestState::http,
            expiration: Expiration::new(
                Arc::clone(&self.component),
                Lifetimes::new(self.limits),
                size.clone(),
            ),
            state: Worker {
                code,
                limits: self.limits,
                component: Arc::clone(&self.component),
                size,
            },
        })
    }
}

/// The rules of one instance.
pub(super) struct Worker {
    /// Keeps the clock of its engine going, too.
    code: Arc<Code>,
    limits: PoolLimits,
    component: Arc<ComponentContext>,
    /// Of its memory.
    size: Size,
}

impl WorkerState for Worker {
    type StoreData = GuestState;
    type RequestData = RequestId;

    fn should_accept_request(&self, concurrent: usize, total: usize) -> ShouldAccept {
        let is_used_up = total >= self.limits.requests_per_instance;
        if is_used_up || self.code.is_replaced() || self.size.is_too_large() {
            ShouldAccept::Never
        } else if concurrent >= self.limits.concurrent_requests_per_instance {
            ShouldAccept::No
        } else {
            ShouldAccept::Yes
        }
    }

    fn on_request_start(
        &self,
        mut store: StoreContextMut<'_, GuestState>,
        request_id: RequestId,
        _: GuestTaskId,
    ) -> Pin<Box<dyn Future<Output = ()> + 'static + Send + Sync>> {
        store.set_epoch_deadline(1);
        let state = store.data_mut();
        state.begin_request();
        let serving: Serving = state.log.serve(request_id);
        let rows = state.rows.until_dropped();
        let deadline = tokio::time::sleep(self.limits.deadline);
        Box::pin(async move {
            let _request = (serving, rows);
            deadline.await;
        })
    }

    fn drop(&self, store: Store<GuestState>, result: Result<(), wasmtime::Error>) {
        if let Err(error) = result {
            let requests = store.data().log.all_requests();
            let reason = format!("{error:#}");
            let reason = reason.lines().last().unwrap_or_default();
            tracing::warn!(component = %self.component.id, requests, reason, "instance ended early");
            metrics::counter!("spindle_instance_failures_total", "component" => self.component.id.to_string())
                .increment(1);
        }
    }
}
