//! Token buckets: a burst of one minute's requests, then an even rate.
//!
//! Owns the arithmetic of a bucket and the limit on their number. The caller chooses the keys and handles a request
//! over the limit.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// The time in which an empty bucket fills.
const WINDOW: Duration = Duration::from_secs(60);

/// The result of taking a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Taken {
    /// Tokens left.
    pub(super) left: f64,
    /// The bucket held less than one token, so none was taken.
    pub(super) is_over: bool,
    /// Tokens of a full bucket.
    pub(super) capacity: f64,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    capacity: f64,
    at: Instant,
}

/// Buckets by key; at most `most` of them. All have the same capacity, unless one is given with the key.
pub(super) struct Buckets<K> {
    capacity: f64,
    most: usize,
    kept: HashMap<K, Bucket>,
}

impl Taken {
    /// Seconds until the bucket holds `wanted` tokens.
    pub(super) fn seconds_until(&self, wanted: f64) -> f64 {
        (wanted - self.left).max(0.0) * WINDOW.as_secs_f64() / self.capacity
    }
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    pub(super) fn new(limit: u32, most: usize) -> Self {
        Self {
            capacity: f64::from(limit),
            most,
            kept: HashMap::new(),
        }
    }

    /// The capacity of a bucket whose key came without one.
    pub(super) fn capacity(&self) -> f64 {
        self.capacity
    }

    /// Takes a token, if the bucket holds one.
    pub(super) fn take(&mut self, key: K, now: Instant) -> Taken {
        self.take_of(key, self.capacity, now)
    }

    /// As [`Self::take`], from a bucket of this capacity, whatever it was before.
    pub(super) fn take_of(&mut self, key: K, capacity: f64, now: Instant) -> Taken {
        let bucket = self.refill(key, capacity, now);
        let is_over = bucket.tokens < 1.0;
        if !is_over {
            bucket.tokens -= 1.0;
        }
        Taken {
            left: bucket.tokens,
            is_over,
            capacity,
        }
    }

    /// Takes `tokens` from a bucket of this capacity, whether it holds them or not. It then owes them, but never more
    /// than it gains in one window.
    pub(super) fn charge(&mut self, key: K, capacity: f64, tokens: f64, now: Instant) {
        let bucket = self.refill(key, capacity, now);
        bucket.tokens = (bucket.tokens - tokens).max(-capacity);
    }

    /// Puts a token back.
    pub(super) fn give_back(&mut self, key: &K) {
        if let Some(bucket) = self.kept.get_mut(key) {
            bucket.tokens = (bucket.tokens + 1.0).min(bucket.capacity);
        }
    }

    /// The bucket of `key` with the tokens that it has now; a new one is full.
    fn refill(&mut self, key: K, capacity: f64, now: Instant) -> &mut Bucket {
        self.make_room(&key, now);
        let full = Bucket {
            tokens: capacity,
            capacity,
            at: now,
        };
        let bucket = self.kept.entry(key).or_insert(full);
        bucket.capacity = capacity;
        *bucket = refilled(*bucket, now);
        bucket
    }

    /// Evicts buckets before one is added beyond the limit: first the ones that are full again, since they carry no
    /// information. If none is full, the fuller half goes, because an exhausted bucket must outlive any number of
    /// buckets that a client creates to evict it.
    fn make_room(&mut self, key: &K, now: Instant) {
        if self.kept.len() < self.most || self.kept.contains_key(key) {
            return;
        }
        let share = |bucket: &Bucket| refilled(*bucket, now).tokens / bucket.capacity;
        self.kept.retain(|_, bucket| share(bucket) < 1.0);
        if self.kept.len() <= self.most / 2 {
            return;
        }
        let mut all: Vec<(f64, K)> = self
            .kept
            .iter()
            .map(|(key, bucket)| (share(bucket), key.clone()))
            .collect();
        let half = all.len() / 2;
        all.select_nth_unstable_by(half, |one, other| other.0.total_cmp(&one.0));
        for (_, key) in all.into_iter().take(half.max(1)) {
            self.kept.remove(&key);
        }
    }
}

fn refilled(bucket: Bucket, now: Instant) -> Bucket {
    let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
    let tokens = bucket.tokens + passed * bucket.capacity / WINDOW.as_secs_f64();
    Bucket {
        tokens: tokens.min(bucket.capacity),
        at: now,
        ..bucket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_evenly() {
        let mut buckets = Buckets::new(60, 10);
        let start = Instant::now();
        for left in (0..60).rev() {
            assert_eq!(buckets.take("a", start).left, f64::from(left));
        }
        assert!(buckets.take("a", start).is_over);
        assert!(!buckets.take("b", start).is_over);
        let later = start + Duration::from_millis(1500);
        assert!(!buckets.take("a", later).is_over);
        assert!(buckets.take("a", later).is_over);
        buckets.give_back(&"a");
        assert!(!buckets.take("a", later).is_over);
    }

    #[test]
    fn a_bucket_with_a_capacity_of_its_own_fills_at_its_own_rate() {
        let mut buckets = Buckets::new(60, 10);
        let start = Instant::now();
        assert_eq!(buckets.take_of("a", 2.0, start).left, 1.0);
        assert!(!buckets.take_of("a", 2.0, start).is_over);
        let over = buckets.take_of("a", 2.0, start);
        assert!(over.is_over && over.seconds_until(1.0) == 30.0);
        // A larger capacity fills faster, from what is left.
        let later = start + Duration::from_secs(1);
        assert_eq!(buckets.take_of("a", 600.0, later).left, 9.0);
        assert_eq!(buckets.take_of("a", 5.0, later).left, 4.0);
    }

    #[test]
    fn a_charge_is_owed_for_one_window_at_most() {
        let mut buckets = Buckets::new(60, 10);
        let start = Instant::now();
        buckets.charge("a", 60.0, 59.0, start);
        assert_eq!(buckets.take("a", start).left, 0.0);
        buckets.charge("a", 60.0, 30.0, start);
        let over = buckets.take("a", start);
        assert!(over.is_over && over.seconds_until(1.0) == 31.0);
        let later = start + Duration::from_secs(31);
        assert_eq!(buckets.take("a", later).left, 0.0);
        buckets.charge("a", 60.0, 1e9, later);
        assert!(buckets.take("a", later + WINDOW).is_over);
        let one_more = later + WINDOW + Duration::from_secs(1);
        assert!(!buckets.take("a", one_more).is_over);
    }

    #[test]
    fn an_empty_bucket_outlives_any_number_of_others() {
        let mut buckets = Buckets::new(3, 100);
        let now = Instant::now();
        let take_all =
            |buckets: &mut Buckets<u32>, key| (0..4).map(|_| buckets.take(key, now)).last();
        assert!(take_all(&mut buckets, 0).unwrap().is_over);
        for key in 1..5000 {
            buckets.take(key, now);
            assert!(buckets.kept.len() <= 100);
        }
        assert!(buckets.take(0, now).is_over);
    }

    #[test]
    fn full_buckets_are_dropped_first() {
        let mut buckets = Buckets::new(60, 4);
        let start = Instant::now();
        for key in 0..4 {
            buckets.take(key, start);
        }
        let later = start + WINDOW;
        buckets.take(9, later);
        assert_eq!(buckets.kept.len(), 1);
    }
}
