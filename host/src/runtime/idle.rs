//! Idle instances: the one used last is used next, so that those which only a busy moment needed are ended.
//!
//! Owns the order and the times. Must not know what an instance is.

use super::expiration::{IDLE, KEPT};
use std::time::{Duration, Instant};

/// Idle instances in the order in which they became idle.
pub(super) struct IdleList<T> {
    idle: Vec<(T, Instant)>,
    /// Whether a task ends them in time.
    is_looked_after: bool,
}

impl<T> Default for IdleList<T> {
    fn default() -> Self {
        Self {
            idle: Vec::new(),
            is_looked_after: false,
        }
    }
}

impl<T> IdleList<T> {
    pub(super) fn take(&mut self) -> Option<T> {
        self.idle.pop().map(|(instance, _)| instance)
    }

    /// Adds one that is idle from now on; true when the caller is to look after the list.
    pub(super) fn put(&mut self, instance: T, now: Instant) -> bool {
        self.idle.push((instance, now));
        !std::mem::replace(&mut self.is_looked_after, true)
    }

    /// Takes out those to be ended, and tells when to look again: all but a few after a short time,
    /// those few after `kept`, or as early if they are not worth keeping. When none are left, nobody looks after
    /// the list any longer.
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
        self.is_looked_after = wait.is_some();
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
        assert!(list.put('a', now), "somebody has to look after it");
        assert!(!list.put('b', now));
        assert_eq!(
            (list.take(), list.take(), list.take()),
            (Some('b'), Some('a'), None)
        );
    }

    #[test]
    fn all_but_a_few_end_soon_and_those_later() {
        let (mut list, start) = (IdleList::default(), Instant::now());
        let later = |seconds| start + Duration::from_secs(seconds);
        for (number, instance) in "abcd".chars().enumerate() {
            list.put(instance, later(number as u64));
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
        assert!(
            list.put('e', later(303)),
            "nobody looks after an empty list"
        );
    }

    #[test]
    fn a_pool_that_keeps_none_ends_them_as_early() {
        let (mut list, start) = (IdleList::default(), Instant::now());
        list.put('a', start);
        let (ended, wait) = list.end(start, Duration::ZERO, |_| true);
        assert_eq!((ended, wait), (vec!['a'], None));
    }
}
