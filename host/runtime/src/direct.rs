//! Direct calls: a whole request into an instance, a whole response out, without WASI HTTP.
//!
//! Owns the instances for such calls. Each serves one request at a time, on the task of its caller, and is
//! kept for the next one. One that traps, or is stopped by a limit, ends with its request; a call whose caller
//! has gone is finished nevertheless. See docs/adr/0046-a-direct-call.md.

use super::code::{Code, CurrentCode};
use super::component::ComponentContext;
use super::detach_on_drop::DetachOnDrop;
use super::engine::interrupt_computing;
use super::growth::Size;
use super::idle::{IdleList, Then};
use super::limits::PoolLimits;
use super::log::RequestId;
use super::state::GuestState;
use bytes::Bytes;
use spindle_admission::memory::{Memory, Purpose};
use spindle_wire::Response;
use spindle_wire::internal::direct::{self, Answer};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use wasmtime::Store;
use wasmtime::component::{InstancePre, TypedFunc};

/// How long a request waits for room for a new instance, while others end.
const ROOM_PATIENCE: Duration = Duration::from_secs(1);

/// Why a call has no answer.
pub(super) enum CallError {
    /// It took too long.
    Deadline,
    /// The memory budget has no room for the instance or its answer, or no ticket became free.
    Overloaded,
    /// The instance failed, or could not be made, or its answer is none.
    Failed(wasmtime::Error),
}

impl From<wasmtime::Error> for CallError {
    fn from(error: wasmtime::Error) -> Self {
        Self::Failed(error)
    }
}

/// The instances of one pool.
pub(super) struct Instances {
    code: Arc<CurrentCode>,
    component: Arc<ComponentContext>,
    limits: PoolLimits,
    next: AtomicU64,
    idle: Mutex<IdleList<Instance>>,
    /// Wakes the task that ends idle instances.
    one_more: Arc<Notify>,
}

/// An instance between two requests, or with one.
struct Instance {
    store: Store<GuestState>,
    answer: TypedFunc<(Vec<u8>,), (Vec<u8>,)>,
    body: TypedFunc<(), (Vec<u8>,)>,
    code: Arc<Code>,
    size: Size,
    served: usize,
}

impl Instances {
    pub(super) fn new(
        code: Arc<CurrentCode>,
        component: Arc<ComponentContext>,
        limits: PoolLimits,
    ) -> Arc<Self> {
        Arc::new(Self {
            code,
            component,
            limits,
            next: AtomicU64::new(1),
            idle: Mutex::default(),
            one_more: Arc::default(),
        })
    }

    /// Answers `request`; its ticket is held until it has been served.
    pub(super) async fn answer(
        self: &Arc<Self>,
        request: Vec<u8>,
        request_id: RequestId,
    ) -> Result<Response, CallError> {
        DetachOnDrop::new(Arc::clone(self).run(request, request_id)).await
    }

    async fn run(
        self: Arc<Self>,
        request: Vec<u8>,
        request_id: RequestId,
    ) -> Result<Response, CallError> {
        let mut instance = self.take().await?;
        let memory = &self.component.memory;
        let call = instance.call(request, request_id.clone(), &self.limits, memory);
        let answered = match tokio::time::timeout(self.limits.deadline, call).await {
            Ok(answered) => answered,
            Err(_) => Err(CallError::Deadline),
        };
        // A guest that is refused memory, or a share of the processors, can only trap.
        let answered = match answered {
            Err(CallError::Failed(_)) if instance.store.data().was_refused() => {
                Err(CallError::Overloaded)
            }
            answered => answered,
        };
        match &answered {
            Ok(_) => self.keep(instance),
            Err(CallError::Overloaded) => {}
            Err(CallError::Deadline) => self.note_end(&request_id, "guest timed out"),
            Err(CallError::Failed(error)) => {
                let reason = format!("{error:#}");
                self.note_end(&request_id, reason.lines().last().unwrap_or_default());
            }
        }
        answered
    }

    /// An idle instance, or a new one. When there is no room for one more at this moment, tries again for
    /// a while, since others end soon.
    async fn take(&self) -> Result<Instance, CallError> {
        while let Some(instance) = self.idle_one() {
            if !instance.code.is_replaced() {
                return Ok(instance);
            }
        }
        let started = Instant::now();
        loop {
            match self.instantiate().await {
                Err(_) if started.elapsed() < ROOM_PATIENCE => {}
                outcome => return outcome.map_err(CallError::Failed),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn idle_one(&self) -> Option<Instance> {
        self.idle().take()
    }

    async fn instantiate(&self) -> wasmtime::Result<Instance> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let code = self.code.get();
        let exports = code
            .direct
            .ok_or_else(|| wasmtime::format_err!("the component has no direct export"))?;
        let state = GuestState::new(&self.component, number, self.limits.is_exclusive);
        let size = state.growth.size();
        let mut store = Store::new(code.engine.engine(), state);
        store.limiter(|state| &mut state.growth);
        interrupt_computing(&mut store, self.limits.computing);
        let pre: &InstancePre<GuestState> = code.instance_pre();
        let instance = pre.instantiate_async(&mut store).await?;
        Ok(Instance {
            answer: instance.get_typed_func(&mut store, exports.answer)?,
            body: instance.get_typed_func(&mut store, exports.body)?,
            store,
            code,
            size,
            served: 0,
        })
    }

    /// Keeps an instance that has answered for the next request, if it may serve one.
    fn keep(self: &Arc<Self>, instance: Instance) {
        let is_used_up = instance.served >= self.limits.requests_per_instance;
        if is_used_up || instance.code.is_replaced() || instance.size.is_too_large() {
            return;
        }
        let is_worth_keeping = instance.size.is_worth_keeping();
        let then = self.idle().put(instance, Instant::now(), is_worth_keeping);
        match then {
            Then::Begin => self.look_after(),
            Then::Wake => self.one_more.notify_one(),
            Then::Nothing => {}
        }
    }

    /// Ends idle instances in time, until there are none.
    fn look_after(self: &Arc<Self>) {
        let (instances, one_more) = (Arc::downgrade(self), Arc::clone(&self.one_more));
        tokio::spawn(async move {
            loop {
                let Some(wait) = instances.upgrade().and_then(|all| all.end_idle()) else {
                    return;
                };
                // Woken or not, it looks again.
                let _ = tokio::time::timeout(wait, one_more.notified()).await;
            }
        });
    }

    /// Ends the instances that have been idle for long; returns when to look again, if any are left.
    fn end_idle(&self) -> Option<Duration> {
        let kept = self.limits.idle_kept;
        let (ended, wait) = self.idle().end(Instant::now(), kept, |instance| {
            !instance.code.is_replaced() && instance.size.is_worth_keeping()
        });
        // Not while others wait for the list.
        drop(ended);
        wait
    }

    fn note_end(&self, request_id: &RequestId, reason: &str) {
        let requests = request_id.as_str();
        tracing::warn!(component = %self.component.id, requests, reason, "instance ended early");
        metrics::counter!("spindle_instance_failures_total", "component" => self.component.id.to_string())
            .increment(1);
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, IdleList<Instance>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Instance {
    async fn call(
        &mut self,
        request: Vec<u8>,
        request_id: RequestId,
        limits: &PoolLimits,
        memory: &Arc<Memory>,
    ) -> Result<Response, CallError> {
        self.served += 1;
        self.store.set_epoch_deadline(1);
        let state = self.store.data_mut();
        state.begin_request();
        let _serving = state.log.serve(request_id);
        let _rows = state.rows.until_dropped();
        let (bytes,) = self.answer.call_async(&mut self.store, (request,)).await?;
        let answer = direct::to_response(Bytes::from(bytes));
        match answer.ok_or_else(|| wasmtime::format_err!("the answer is no response"))? {
            Answer::Whole(response) => Ok(response),
            Answer::Head(response, length) => self.complete(response, length, limits, memory).await,
        }
    }

    /// Fetches a large body, when the budget has room for it.
    async fn complete(
        &mut self,
        response: Response,
        length: usize,
        limits: &PoolLimits,
        memory: &Arc<Memory>,
    ) -> Result<Response, CallError> {
        let most = limits.max_response_bytes;
        if length > most {
            return Err(wasmtime::format_err!("the answer is larger than {most} bytes").into());
        }
        let mut held = memory.hold_nothing(Purpose::Transfers);
        if !held.grow(length as u64) {
            return Err(CallError::Overloaded);
        }
        let (body,) = self.body.call_async(&mut self.store, ()).await?;
        if body.len() != length {
            let error = wasmtime::format_err!("the answer has {} of {length} bytes", body.len());
            return Err(error.into());
        }
        Ok(response.map(|_| Bytes::from(body)))
    }
}
