//! When an instance ends: hung, used up, or idle for too long.
//!
//! A second line of defence behind the deadline of each request, polled even while a guest blocks its
//! instance. A few idle instances are kept longer, so that the next request need not wait for a new
//! one, unless their memory has grown.

use super::component::ComponentContext;
use super::growth::Size;
use super::limits::PoolLimits;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::time::Sleep;
use wasmtime_wasi_http::handler::{WorkerExpiration, WorkerStatus};

/// Number of idle instances of a component that are kept for `idle_kept`.
pub(super) const KEPT: usize = 2;
/// How long other idle instances stay.
pub(super) const IDLE: Duration = Duration::from_secs(1);

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
            idle: IDLE,
            idle_kept: limits.idle_kept,
        }
    }

    /// How long an instance may stay unchanged. `instances` is the number of instances of its component.
    fn of(&self, status: WorkerStatus, instances: usize, size: &Size) -> Duration {
        match status {
            WorkerStatus::Requests => self.requests,
            WorkerStatus::PostReturn => self.post_return,
            WorkerStatus::Idle if instances <= KEPT && size.is_worth_keeping() => self.idle_kept,
            WorkerStatus::Idle => self.idle,
        }
    }
}

/// The expiration timer of one instance.
pub(super) struct Expiration {
    component: Arc<ComponentContext>,
    lifetimes: Lifetimes,
    size: Size,
    sleep: Pin<Box<Sleep>>,
}

impl Expiration {
    /// `size`: of the memory of the instance.
    pub(super) fn new(component: Arc<ComponentContext>, lifetimes: Lifetimes, size: Size) -> Self {
        Self {
            component,
            sleep: Box::pin(tokio::time::sleep(lifetimes.requests)),
            lifetimes,
            size,
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
        let instances = self.component.instances.load(Ordering::Relaxed);
        let lifetime = self.lifetimes.of(status, instances, &self.size);
        let deadline = (start + lifetime).into();
        if self.sleep.deadline() != deadline {
            self.sleep.as_mut().reset(deadline);
        }
        self.sleep.as_mut().poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_small_idle_instances_are_kept() {
        let limits = PoolLimits::default();
        let lifetimes = Lifetimes::new(limits);
        let (small, large) = (Size::of(4 << 20), Size::of((4 << 20) + 1));
        let idle = |instances, size| lifetimes.of(WorkerStatus::Idle, instances, size);
        assert_eq!(idle(KEPT, &small), limits.idle_kept);
        assert_eq!(idle(KEPT + 1, &small), Duration::from_secs(1));
        // The memory of an instance never shrinks, and nothing uses it while it is idle.
        assert_eq!(idle(1, &large), Duration::from_secs(1));
        let busy = lifetimes.of(WorkerStatus::Requests, 1, &large);
        assert!(busy > limits.deadline);
    }
}
