//! Admission to a pool by memory: a request enters when there is memory for the instance that it is
//! expected to need.
//!
//! An instance reserves its memory while it serves a request, and a refusal ends it with its
//! requests. So when each request has an instance of its own, and these have recently become large,
//! requests wait here, first come, first served, before they begin. All others pass at the cost of
//! a few atomic operations: in shared instances the memory of one request is unknown. Must not know
//! what a component does.

use super::limits::PoolLimits;
use super::state::ComponentContext;
use crate::memory::MODEST_INSTANCE;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Requests after which an instance that has been large is forgotten.
const REMEMBERED: usize = 64;

/// With fewer exclusive instances than this in use, one more needs no room, as a person waits for it; each grows whatever
/// others hold. One of low priority, which takes long, has no such privilege.
const FIRST: usize = 3;

/// How large instances of a component become.
#[derive(Debug)]
pub struct Expected {
    now: AtomicU64,
    before: AtomicU64,
    /// Requests until what is before is forgotten.
    left: AtomicUsize,
}

impl Expected {
    /// For a component of which only the limit of `most` bytes is known. One with a higher limit
    /// than others is expected to need all of it until its first request has been served.
    #[must_use]
    pub fn new(most: usize, usual: usize) -> Self {
        let most = if most > usual { most as u64 } else { 0 };
        Self {
            now: AtomicU64::new(0),
            before: AtomicU64::new(most),
            left: AtomicUsize::new(1),
        }
    }

    /// An instance has, or would have, so many bytes.
    pub(super) fn seen(&self, bytes: u64) {
        if bytes > self.now.load(Relaxed) {
            self.now.fetch_max(bytes, Relaxed);
        }
    }

    /// A request has been served.
    fn served(&self) {
        if self.left.fetch_sub(1, Relaxed) == 1 {
            self.left.store(REMEMBERED, Relaxed);
            self.before.store(self.now.swap(0, Relaxed), Relaxed);
        }
    }

    fn bytes(&self) -> u64 {
        self.now.load(Relaxed).max(self.before.load(Relaxed))
    }
}

/// The memory admission of one pool.
#[derive(Default)]
pub(super) struct MemoryAdmission {
    /// Held by the first waiting request, which checks the budget; the others queue for it in
    /// order.
    head: Mutex<()>,
    inside: AtomicUsize,
}

/// A request that is inside.
pub(super) struct Inside<'d> {
    admission: &'d MemoryAdmission,
    component: &'d ComponentContext,
}

impl MemoryAdmission {
    /// Waits until there is memory for a request, for as long as it may take to be served; none:
    /// there was none in that time. In an exclusive instance, one without low priority does not wait for those that have it.
    pub(super) async fn enter<'d>(
        &'d self,
        component: &'d ComponentContext,
        limits: &PoolLimits,
        has_low_priority: bool,
    ) -> Option<Inside<'d>> {
        let is_alone = limits.concurrent_requests_per_instance == 1;
        let may_wait = is_alone && component.expected.bytes() > MODEST_INSTANCE;
        let comes_first = limits.is_exclusive && !has_low_priority;
        if !may_wait {
            self.inside.fetch_add(1, Relaxed);
        } else if !(comes_first && self.is_among_first()) {
            timeout(limits.deadline, self.wait(component)).await.ok()?;
        }
        Some(Inside {
            admission: self,
            component,
        })
    }

    /// Admits a request without room, and without the queue, as one of the first.
    fn is_among_first(&self) -> bool {
        let one_more = |inside| (inside < FIRST).then_some(inside + 1);
        self.inside.fetch_update(Relaxed, Relaxed, one_more).is_ok()
    }

    async fn wait(&self, component: &ComponentContext) {
        let _head = self.head.lock().await;
        loop {
            // Registers for wake-ups before it checks, so that none is missed.
            let mut freed = std::pin::pin!(component.memory.freed().notified());
            freed.as_mut().enable();
            if self.has_room(component) {
                self.inside.fetch_add(1, Relaxed);
                return;
            }
            freed.await;
        }
    }

    /// Whether the budget has the expected memory for all admitted requests and one more. A single
    /// request is always admitted after earlier instances have ended, since the budget may be
    /// smaller than the expectation.
    fn has_room(&self, component: &ComponentContext) -> bool {
        let (inside, large) = (self.inside.load(Relaxed), component.large.load(Relaxed));
        if inside == 0 && large == 0 {
            return true;
        }
        // A large instance takes no further request, and has its memory until it has ended.
        let instances = inside.max(large) as u64 + 1;
        let needed = instances.saturating_mul(component.expected.bytes());
        let left = component.memory.left_for_large_instances();
        needed <= left.saturating_add(component.held.load(Relaxed))
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.admission.inside.fetch_sub(1, Relaxed);
        let expected = &self.component.expected;
        let was_large = expected.bytes() > MODEST_INSTANCE;
        expected.served();
        if was_large {
            self.component.memory.look_again();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::testing::component;
    use super::*;
    use crate::memory::{Memory, Purpose};
    use std::sync::Arc;
    use std::time::Duration;

    const MIB: u64 = 1 << 20;
    const SOON: Duration = Duration::from_millis(20);

    fn limits(at_once: usize, deadline: Duration) -> PoolLimits {
        PoolLimits {
            concurrent_requests_per_instance: at_once,
            deadline,
            ..PoolLimits::default()
        }
    }

    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn what_was_large_is_remembered_for_some_requests() {
        let expected = Expected::new(144 << 20, 64 << 20);
        assert_eq!(expected.bytes(), 144 * MIB);
        expected.seen(3 * MIB);
        expected.served();
        assert_eq!(expected.bytes(), 3 * MIB);
        expected.seen(100 * MIB);
        for _ in 0..2 * REMEMBERED - 1 {
            expected.seen(2 * MIB);
            expected.served();
            assert_eq!(expected.bytes(), 100 * MIB);
        }
        expected.served();
        assert_eq!(expected.bytes(), 2 * MIB);
        assert_eq!(Expected::new(64 << 20, 64 << 20).bytes(), 0);
    }

    #[tokio::test]
    async fn small_instances_keep_nobody_out() {
        // No room at all.
        let component = component(Memory::of(0), 64 << 20);
        let admission = MemoryAdmission::default();
        let mut all = Vec::new();
        for _ in 0..100 {
            all.push(
                admission
                    .enter(&component, &limits(1, SOON), false)
                    .await
                    .unwrap(),
            );
        }
        drop(all);
        assert_eq!(admission.inside.load(Relaxed), 0);
    }

    #[tokio::test]
    async fn a_few_exclusive_ones_do_not_wait_for_those_of_low_priority() {
        // No room at all, and each is large.
        let component = component(Memory::of(0), 144 << 20);
        let (admission, limits) = (MemoryAdmission::default(), limits(16, SOON).exclusive(8));
        let enter = async |has_low_priority| {
            let entered = admission.enter(&component, &limits, has_low_priority);
            entered.await
        };
        let low = enter(true).await;
        assert!(low.is_some() && enter(true).await.is_none());
        let first = enter(false).await;
        let second = enter(false).await;
        assert!(first.is_some() && second.is_some() && enter(false).await.is_none());
        drop(low);
        assert!(enter(false).await.is_some());
    }

    #[tokio::test]
    async fn large_ones_come_one_after_another_in_the_order_in_which_they_came() {
        // Three quarters of it are for large instances: one of 100 MiB, and half of a second.
        let component = component(Memory::of(200 * MIB), 144 << 20);
        component.expected.served();
        component.expected.seen(100 * MIB);
        let (admission, limits) = (MemoryAdmission::default(), limits(1, LATE));
        let first = admission.enter(&component, &limits, false).await.unwrap();
        let mut second = std::pin::pin!(admission.enter(&component, &limits, false));
        let mut third = std::pin::pin!(admission.enter(&component, &limits, false));
        assert!(timeout(SOON, &mut second).await.is_err());
        assert!(timeout(SOON, &mut third).await.is_err());
        drop(first);
        // Even when the third one checks first.
        assert!(timeout(SOON, &mut third).await.is_err());
        let second = second.await.unwrap();
        assert!(timeout(SOON, &mut third).await.is_err());
        drop(second);
        assert!(third.await.is_some());
    }

    #[tokio::test]
    async fn who_waits_goes_on_when_others_give_memory_back() {
        let component = component(Memory::of(400 * MIB), 144 << 20);
        component.expected.served();
        component.expected.seen(100 * MIB);
        let others = component.memory.try_hold(Purpose::Connections, 200 * MIB);
        let (admission, limits) = (MemoryAdmission::default(), limits(1, LATE));
        let first = admission.enter(&component, &limits, false).await.unwrap();
        let mut second = std::pin::pin!(admission.enter(&component, &limits, false));
        assert!(timeout(SOON, &mut second).await.is_err());
        drop(others);
        assert!(second.await.is_some());
        drop(first);
    }

    #[tokio::test]
    async fn waiting_ends_with_the_time_that_a_request_has() {
        let component = component(Memory::of(200 * MIB), 144 << 20);
        component.expected.served();
        component.expected.seen(100 * MIB);
        let admission = MemoryAdmission::default();
        let first = admission
            .enter(&component, &limits(1, SOON), false)
            .await
            .unwrap();
        assert!(
            admission
                .enter(&component, &limits(1, SOON), false)
                .await
                .is_none()
        );
        // Nothing is known of shared instances.
        assert!(
            admission
                .enter(&component, &limits(2, SOON), false)
                .await
                .is_some()
        );
        drop(first);
        assert_eq!(admission.inside.load(Relaxed), 0);
    }

    #[tokio::test]
    async fn what_instances_of_the_component_have_already_is_room() {
        let component = component(Arc::default(), 144 << 20);
        component.expected.served();
        component.expected.seen(200 * MIB);
        let admission = MemoryAdmission::default();
        let _first = admission
            .enter(&component, &limits(1, SOON), false)
            .await
            .unwrap();
        assert!(
            admission
                .enter(&component, &limits(1, SOON), false)
                .await
                .is_none()
        );
        component.held.store(200 * MIB, Relaxed);
        assert!(
            admission
                .enter(&component, &limits(1, SOON), false)
                .await
                .is_some()
        );
    }

    #[tokio::test]
    async fn a_large_instance_has_its_memory_until_it_has_ended() {
        let component = component(Memory::of(200 * MIB), 144 << 20);
        component.expected.served();
        component.expected.seen(100 * MIB);
        let (admission, limits) = (MemoryAdmission::default(), limits(1, LATE));
        component.large.store(1, Relaxed);
        let instance = component.memory.try_hold(Purpose::Connections, 100 * MIB);
        let mut waiting = std::pin::pin!(admission.enter(&component, &limits, false));
        assert!(timeout(SOON, &mut waiting).await.is_err());
        component.large.store(0, Relaxed);
        drop(instance);
        assert!(waiting.await.is_some());
    }
}
