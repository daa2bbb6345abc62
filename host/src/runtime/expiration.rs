//! When an instance ends: hung, used up, or idle for too long.
//!
//! A second line of defence behind the deadline of each request, polled even while a guest blocks its
//! instance. A few idle instances are kept longer, so that the next request need not wait for a new
//! one.

use super::limits::PoolLimits;
use super::state::ComponentContext;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::time::Sleep;
use wasmtime_wasi_http::handler::{WorkerExpiration, WorkerStatus};

/// Number of idle instances of a component that are kept for `idle_kept`.
pub(super) const KEPT: usize = 2;

/// Time limits for each state of an instance.
pub(super) struct Lifetimes {
    requests: Duration,
    post_return: Duration,
    idle: Duration,
    idle_kept: Duration,
}

impl Lifetimes {
    pub(super) fn new(limits: PoolLimits) -> Self {
        Self {
            requests: limits.deadline + Duration::from_secs(1),
            post_return: Duration::from_secs(5),
            idle: Duration::from_secs(1),
            idle_kept: limits.idle_kept,
        }
    }
}

/// The expiration timer of one instance.
pub(super) struct Expiration {
    component: Arc<ComponentContext>,
    lifetimes: Lifetimes,
    sleep: Pin<Box<Sleep>>,
}

impl Expiration {
    pub(super) fn new(component: Arc<ComponentContext>, lifetimes: Lifetimes) -> Self {
        Self {
            component,
            sleep: Box::pin(tokio::time::sleep(lifetimes.requests)),
            lifetimes,
        }
    }
}

impl WorkerExpiration for Expiration {
    fn poll(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        status: WorkerStatus,
        start: Instant,
    ) -> Poll<()> {
        let kept = self.component.instances.load(Ordering::Relaxed) <= KEPT;
        let lifetime = match status {
            WorkerStatus::Requests => self.lifetimes.requests,
            WorkerStatus::PostReturn => self.lifetimes.post_return,
            WorkerStatus::Idle if kept => self.lifetimes.idle_kept,
            WorkerStatus::Idle => self.lifetimes.idle,
        };
        let deadline = (start + lifetime).into();
        if self.sleep.deadline() != deadline {
            self.sleep.as_mut().reset(deadline);
        }
        self.sleep.as_mut().poll(cx)
    }
}
