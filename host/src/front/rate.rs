//! Rate limits: counting here, refusing in the components.
//!
//! Requests are counted by a hash of their Authorization header, or by address
//! when they have none. Until a key has proven to be one it also counts against
//! its address, so that guessing keys, or making some up, is as slow as any other
//! anonymous use. The verdict travels in `x-spindle-rate-limit`; whether a key is
//! one is asked in `x-spindle-unproven` and said by the component, which alone
//! knows whether it has looked.

use http::{HeaderMap, HeaderName, HeaderValue};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Whether the component is to say if the credentials are somebody's.
pub const UNPROVEN: HeaderName = HeaderName::from_static("x-spindle-unproven");

/// Buckets kept; beyond it, full ones are dropped first.
const MAX_BUCKETS: usize = 100_000;

/// Who a request is counted for.
pub struct Caller<'a> {
    /// The client's address.
    pub address: IpAddr,
    /// The value of `Authorization`, if there is one.
    pub authorization: Option<&'a HeaderValue>,
}

/// What the counter says; the same fields as the protocol's headers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Requests allowed in a minute.
    pub limit: u32,
    /// Requests left now.
    pub remaining: u32,
    /// When all are available again, UNIX seconds.
    pub reset: u64,
    /// Whether this request is one too many.
    pub over: bool,
    /// Seconds until the next one is accepted.
    pub retry_after: f64,
}

impl Verdict {
    /// The value of `x-spindle-rate-limit`.
    pub fn header(&self) -> Option<HeaderValue> {
        let text = format!(
            "limit={};remaining={};reset={};over={};retry-after={:.3}",
            self.limit,
            self.remaining,
            self.reset,
            u8::from(self.over),
            self.retry_after
        );
        HeaderValue::from_str(&text).ok()
    }
}

/// What came of counting one request.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counted {
    /// `None` when the request is not limited.
    pub verdict: Option<Verdict>,
    /// Whether the component is to say if the credentials are somebody's.
    pub unproven: bool,
}

/// Counts requests before they reach a component.
pub trait RateLimiter: Send + Sync + 'static {
    /// Counts one request.
    fn count(&self, caller: &Caller<'_>) -> Counted;

    /// Learns whether credentials that were unproven are somebody's.
    fn answered(&self, caller: &Caller<'_>, proven: bool);
}

/// Token buckets: a minute's requests may come at once, then evenly.
pub struct TokenBuckets {
    user: u32,
    address: u32,
    hasher: RandomState,
    buckets: Mutex<HashMap<u64, Bucket>>,
    refused: metrics::Counter,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
    /// A component has found the account of this key.
    proven: bool,
}

impl TokenBuckets {
    /// Requests a minute for a user and for an address; 0 is no limit.
    pub fn new(user: u32, address: u32) -> Self {
        Self {
            user,
            address,
            hasher: RandomState::new(),
            buckets: Mutex::default(),
            refused: metrics::counter!("spindle_rate_limited_total"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Bucket>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key_of(&self, authorization: &HeaderValue) -> u64 {
        self.hasher
            .hash_one(("authorization", authorization.as_bytes()))
    }

    fn key_of_address(&self, kind: &str, address: IpAddr) -> u64 {
        // Whoever has one IPv6 address has a whole /64 of them.
        let address = match address {
            IpAddr::V4(v4) => u128::from(v4.to_bits()),
            IpAddr::V6(v6) => v6.to_bits() >> 64 << 64,
        };
        self.hasher.hash_one((kind, address))
    }

    /// Takes `cost` from a bucket; says what is left.
    fn take(&self, key: u64, limit: u32, cost: f64, now: Instant) -> (Verdict, bool) {
        let capacity = f64::from(limit);
        let rate = capacity / 60.0;
        let mut buckets = self.lock();
        if buckets.len() >= MAX_BUCKETS && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| now.duration_since(bucket.at) < Duration::from_secs(60));
            if buckets.len() >= MAX_BUCKETS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket {
            tokens: capacity,
            at: now,
            proven: false,
        });
        let elapsed = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + elapsed * rate).min(capacity);
        bucket.at = now;
        let over = bucket.tokens < 1.0;
        if !over {
            bucket.tokens -= cost;
        }
        let missing = (1.0 - bucket.tokens).max(0.0);
        let until_full = (capacity - bucket.tokens) / rate;
        let verdict = Verdict {
            limit,
            remaining: bucket.tokens.max(0.0) as u32,
            reset: unix_seconds() + until_full.ceil() as u64,
            over,
            retry_after: if over { missing / rate } else { 0.0 },
        };
        (verdict, bucket.proven)
    }
}

impl RateLimiter for TokenBuckets {
    fn count(&self, caller: &Caller<'_>) -> Counted {
        let counted = self.judge(caller);
        if counted.verdict.is_some_and(|verdict| verdict.over) {
            self.refused.increment(1);
        }
        counted
    }

    fn answered(&self, caller: &Caller<'_>, proven: bool) {
        let Some(authorization) = caller.authorization else {
            return;
        };
        let now = Instant::now();
        if !proven {
            if self.address != 0 {
                let key = self.key_of_address("failed", caller.address);
                self.take(key, self.address, 1.0, now);
            }
            return;
        }
        let key = self.key_of(authorization);
        let mut buckets = self.lock();
        if buckets.len() < MAX_BUCKETS || buckets.contains_key(&key) {
            let full = Bucket {
                tokens: f64::from(self.user),
                at: now,
                proven: true,
            };
            buckets.entry(key).or_insert(full).proven = true;
        }
    }
}

impl TokenBuckets {
    fn judge(&self, caller: &Caller<'_>) -> Counted {
        let now = Instant::now();
        let Some(authorization) = caller.authorization else {
            if self.address == 0 {
                return Counted::default();
            }
            let key = self.key_of_address("address", caller.address);
            return Counted {
                verdict: Some(self.take(key, self.address, 1.0, now).0),
                unproven: false,
            };
        };
        let counted =
            (self.user != 0).then(|| self.take(self.key_of(authorization), self.user, 1.0, now));
        let proven = match counted {
            Some((_, proven)) => proven,
            None => self
                .lock()
                .get(&self.key_of(authorization))
                .is_some_and(|bucket| bucket.proven),
        };
        let mut verdict = counted.map(|(verdict, _)| verdict);
        if self.address != 0 && !proven {
            let key = self.key_of_address("failed", caller.address);
            let (failures, _) = self.take(key, self.address, 0.0, now);
            if failures.over {
                verdict = Some(failures);
            }
        }
        Counted {
            verdict,
            unproven: !proven,
        }
    }
}

fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// What the limiter needs to know of a request.
pub(super) fn caller(headers: &HeaderMap, address: IpAddr) -> Caller<'_> {
    Caller {
        address,
        authorization: headers.get(http::header::AUTHORIZATION),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anonymous() -> Caller<'static> {
        Caller {
            address: "127.0.0.1".parse().unwrap(),
            authorization: None,
        }
    }

    fn with(key: &HeaderValue) -> Caller<'_> {
        Caller {
            authorization: Some(key),
            ..anonymous()
        }
    }

    #[test]
    fn the_request_after_the_last_one_is_over() {
        let limiter = TokenBuckets::new(3, 2);
        let key = HeaderValue::from_static("Basic abc");
        let count = |caller: &Caller<'_>| limiter.count(caller).verdict.unwrap();
        for left in [2, 1, 0] {
            let verdict = count(&with(&key));
            assert_eq!((verdict.remaining, verdict.over), (left, false));
        }
        let verdict = count(&with(&key));
        assert!(verdict.over && verdict.retry_after > 19.0 && verdict.retry_after <= 20.0);
        assert!(!count(&with(&HeaderValue::from_static("Basic other"))).over);
        assert_eq!(count(&anonymous()).limit, 2);
    }

    #[test]
    fn guessing_keys_is_slowed_down_but_proven_keys_are_not() {
        let limiter = TokenBuckets::new(100, 3);
        let is_over = |key: &HeaderValue| limiter.count(&with(key)).verdict.unwrap().over;
        let good = HeaderValue::from_static("Basic good");
        assert!(limiter.count(&with(&good)).unproven);
        limiter.answered(&with(&good), true);
        assert!(!limiter.count(&with(&good)).unproven);
        for guess in 0..3 {
            let key = HeaderValue::from_str(&format!("Basic {guess}")).unwrap();
            assert!(!is_over(&key));
            limiter.answered(&with(&key), false);
        }
        assert!(is_over(&HeaderValue::from_static("Basic last")));
        assert!(!is_over(&good));
    }

    #[test]
    fn zero_is_no_limit() {
        let limiter = TokenBuckets::new(0, 0);
        assert_eq!(limiter.count(&anonymous()), Counted::default());
        let key = HeaderValue::from_static("x");
        assert_eq!(limiter.count(&with(&key)).verdict, None);
    }
}
