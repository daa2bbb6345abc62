//! Idle instances: the one used last is used next, so that those which only a busy moment needed are ended.
//!
//! Owns the order and the times.

use super::expiration::{IDLE, KEPT};
use std::time::{Duration, Instant};

/// Idle instances in the order in which they became idle.
pub(super) struct IdleList<T> {
    idle: Vec<(T, Instant)>,
    next_look: NextLook,
}

/// When the task that ends idle instances looks for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextLook {
    /// There is no such task.
    Never,
    /// When the kept instances have been idle for too long.
    Late,
    Soon,
}

/// What to do when an instance has become idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// To start the task that ends idle instances.
    Begin,
    /// To wake it: one more may be ended soon.
    Wake,
    Nothing,
}

impl<T> Default for IdleList<T> {
    fn default() -> Self {
        Self {
            idle: Vec::new(),
            next_look: NextLook::Never,
        }
    }
}

impl<T> IdleList<T> {
    pub(super) fn take(&mut self) -> Option<T> {
        self.idle.pop().map(|(instance, _)| instance)
    }

    /// Adds one that is idle from now on.
    pub(super) fn put(&mut self, instance: T, now: Instant, is_worth_keeping: bool) -> Then {
        self.idle.push((instance, now));
        let ends_soon = !is_worth_keeping || self.idle.len() > KEPT;
        let then = match self.next_look {
            NextLook::Never => Then::Begin,
            NextLook::Late if ends_soon => Then::Wake,
            NextLook::Late | NextLook::Soon => return Then::Nothing,
        };
        self.next_look = NextLook::Soon;
        then
    }

    /// Takes out the instances to end, and returns when to look again: all but a few after a short time, these few
    /// after `kept`, or as early if they are not worth keeping. When none are left, the task ends.
    pub(super) fn end(
        &mut self,
        now: Instant,
        kept: Duration,
        is_worth_keeping: impl Fn(&T) -> bool,
    ) -> (Vec<T>, Option<Duration>) {
        let spare = self.idle.len().saturating_sub(KEPT);
        let (mut ended, mut left, mut wait) = (Vec::new(), Vec::new(), None);
        for (index, (instance, since)) in self.idle.drain(..).enumerate() {
            let is_kept = index >= spare && is_worth_keeping(&instance);
            let lifetime = if is_kept { kept } else { IDLE.min(kept) };
            let rest = (since + lifetime).saturating_duration_since(now);
            if rest.is_zero() {
                ended.push(instance);
            } else {
                left.push((instance, since));
                wait = Some(wait.map_or(rest, |wait: Duration| wait.min(rest)));
            }
        }
        self.idle = left;
        self.next_look = match wait {
            None => NextLook::Never,
            Some(wait) if wait <= IDLE => NextLook::Soon,
            Some(_) => NextLook::Late,
        };
        (ended, wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTES: Duration = Duration::from_secs(300);

    #[test]
    fn the_instance_used_last_is_used_next() {
        let (mut list, now) = (IdleList::default(), Instant::now());
        list.put('a', now, true);
        list.put('b', now, true);
        let taken = (list.take(), list.take(), list.take());
        assert_eq!(taken, (Some('b'), Some('a'), None));
    }

    #[test]
    fn all_but_a_few_end_soon_and_those_later() {
        let (mut list, start) = (IdleList::default(), Instant::now());
        let later = |seconds| start + Duration::from_secs(seconds);
        for (number, instance) in "abcd".chars().enumerate() {
            list.put(instance, later(number as u64), true);
        }
        let (ended, wait) = list.end(later(1), MINUTES, |_| true);
        assert_eq!((ended, wait), (vec!['a'], Some(Duration::from_secs(1))));
        let (ended, wait) = list.end(later(10), MINUTES, |_| true);
        assert_eq!((ended, wait), (vec!['b'], Some(Duration::from_secs(292))));
        // One whose memory has grown is of no use while it is idle.
        let (ended, _) = list.end(later(10), MINUTES, |instance| *instance != 'd');
        assert_eq!(ended, ['d']);
        let (ended, wait) = list.end(later(302), MINUTES, |_| true);
        assert_eq!((ended, wait), (vec!['c'], None));
    }

    #[test]
    fn the_task_begins_with_the_first_and_is_woken_when_one_ends_soon() {
        let (mut list, now) = (IdleList::default(), Instant::now());
        assert_eq!(list.put('a', now, true), Then::Begin);
        assert_eq!(list.end(now, MINUTES, |_| true).1, Some(MINUTES));
        assert_eq!(list.put('b', now, true), Then::Nothing);
        assert_eq!(list.put('c', now, true), Then::Wake);
        assert_eq!(list.put('d', now, true), Then::Nothing, "it wakes soon");
        assert_eq!(list.end(now, MINUTES, |_| true).1, Some(IDLE));
        list.end(now + IDLE, MINUTES, |_| true);
        list.take();
        assert_eq!(list.put('e', now, false), Then::Wake);
        list.end(now + MINUTES, MINUTES, |_| true);
        assert_eq!(list.put('f', now, true), Then::Begin);
    }

    #[test]
    fn a_pool_that_keeps_none_ends_them_as_early() {
        let (mut list, start) = (IdleList::default(), Instant::now());
        list.put('a', start, true);
        let (ended, wait) = list.end(start, Duration::ZERO, |_| true);
        assert_eq!((ended, wait), (vec!['a'], None));
    }
}
