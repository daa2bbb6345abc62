//! Rate limits: the host counts requests, the components refuse them.
//!
//! A request is counted for the account of its credentials, a key in a header or the token of a session in
//! a cookie, or for its address when it has none. Only a component can find the account of a key: until then the request is
//! charged to its address before it is admitted, and the charge is returned when the account is known. So
//! guessing keys, or inventing some, is as slow as any other anonymous use, also with concurrent requests.
//! A key is identified by itself: the rest of the header, which a client may write in many ways, is ignored.
//!
//! `spindle_wire::internal` owns the headers for the verdict, and for the request to report the account.

use super::buckets::{Buckets, Taken};
use http::{HeaderMap, HeaderValue};
use spindle_wire::internal::{self, Verdict};
use spindle_wire::{basic_auth, session_cookie};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

/// Buckets kept of accounts, and of addresses.
const MAX_BUCKETS: usize = 100_000;
/// Keys whose account is remembered. A forgotten key is looked up again.
const MAX_KEYS: usize = 100_000;

/// The sender of a request, for counting.
pub struct Caller<'a> {
    /// The client's address.
    pub address: IpAddr,
    /// The value of `Authorization`, if there is one.
    pub authorization: Option<&'a HeaderValue>,
    /// The token of the session's cookie, if there is one; it counts where there is no `Authorization`.
    pub session: Option<&'a str>,
}

/// The result of counting one request.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counted {
    /// `None` when the request is not limited.
    pub verdict: Option<Verdict>,
    /// Whether the component is to report the account of the credentials.
    pub unproven: bool,
    /// The account of the credentials, when it is known.
    pub account: Option<i64>,
}

impl Counted {
    /// Whether this request exceeds the limit.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.verdict.is_some_and(|verdict| verdict.over)
    }

    /// The part of it that is passed to the component.
    #[must_use]
    pub const fn for_component(&self) -> internal::Counted {
        internal::Counted {
            verdict: self.verdict,
            unproven: self.unproven,
        }
    }
}

/// Counts requests before they reach a component.
pub trait RateLimiter: Send + Sync + 'static {
    /// Counts one request.
    fn count(&self, caller: &Caller<'_>) -> Counted;

    /// Learns the account of credentials that were unproven; `None`: they are no account's.
    fn answered(&self, caller: &Caller<'_>, account: Option<i64>);
}

/// Counts in memory.
pub struct TokenBuckets {
    user: u32,
    address: u32,
    hasher: RandomState,
    state: Mutex<State>,
    refused: metrics::Counter,
}

struct State {
    accounts: Buckets<i64>,
    /// Requests without credentials.
    anonymous: Buckets<u128>,
    /// Requests with credentials that are not proven, by address as well.
    unproven: Buckets<u128>,
    /// Accounts by the hash of a key.
    keys: HashMap<u64, i64>,
}

impl State {
    fn remember(&mut self, key: u64, account: i64) {
        if self.keys.len() >= MAX_KEYS && !self.keys.contains_key(&key) {
            self.keys.clear();
        }
        self.keys.insert(key, account);
    }
}

impl TokenBuckets {
    /// Requests a minute for a user and for an address; 0 is no limit.
    pub fn new(user: u32, address: u32) -> Self {
        Self {
            user,
            address,
            hasher: RandomState::new(),
            state: Mutex::new(State {
                accounts: Buckets::new(user, MAX_BUCKETS),
                anonymous: Buckets::new(address, MAX_BUCKETS),
                unproven: Buckets::new(address, MAX_BUCKETS),
                keys: HashMap::new(),
            }),
            refused: metrics::counter!("spindle_rate_limited_total"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The hash under which a key or token is remembered; `None` for a header that holds none,
    /// which no component accepts either. Keys themselves are not kept. No token is as long as a
    /// key.
    fn key_of(&self, caller: &Caller<'_>) -> Option<u64> {
        match (caller.authorization, caller.session) {
            (Some(authorization), _) => {
                let credentials = basic_auth::parse_value(authorization).ok()?;
                Some(self.hasher.hash_one(credentials.key))
            }
            (None, token) => Some(self.hasher.hash_one(token?)),
        }
    }

    fn count_request(&self, caller: &Caller<'_>) -> Counted {
        let now = Instant::now();
        let group = address_group(caller.address);
        if caller.authorization.is_none() && caller.session.is_none() {
            let verdict = (self.address != 0).then(|| {
                let buckets = &mut self.lock().anonymous;
                let taken = buckets.take(group, now);
                verdict(buckets, taken)
            });
            return Counted {
                verdict,
                ..Counted::default()
            };
        }
        let key = self.key_of(caller);
        let mut state = self.lock();
        if let Some(account) = key.and_then(|key| state.keys.get(&key).copied()) {
            let buckets = &mut state.accounts;
            return Counted {
                verdict: (self.user != 0).then(|| {
                    let taken = buckets.take(account, now);
                    verdict(buckets, taken)
                }),
                unproven: false,
                account: Some(account),
            };
        }
        let mut first = (self.user != 0).then(|| {
            let left = state.accounts.capacity() - 1.0;
            let is_over = false;
            verdict(&state.accounts, Taken { left, is_over })
        });
        if self.address != 0 {
            let taken = state.unproven.take(group, now);
            if taken.is_over {
                first = Some(verdict(&state.unproven, taken));
            }
        }
        Counted {
            verdict: first,
            unproven: true,
            account: None,
        }
    }
}

impl RateLimiter for TokenBuckets {
    fn count(&self, caller: &Caller<'_>) -> Counted {
        let counted = self.count_request(caller);
        if counted.is_over() {
            self.refused.increment(1);
        }
        counted
    }

    fn answered(&self, caller: &Caller<'_>, account: Option<i64>) {
        let (Some(key), Some(account)) = (self.key_of(caller), account) else {
            return;
        };
        let mut state = self.lock();
        state.remember(key, account);
        if self.address != 0 {
            state.unproven.give_back(&address_group(caller.address));
        }
        if self.user != 0 {
            state.accounts.take(account, Instant::now());
        }
    }
}

/// The group that an address is counted in: the whole /64 of an IPv6 address, since a client has
/// all of it.
pub(super) fn address_group(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits() >> 64 << 64,
    }
}

fn verdict<K: std::hash::Hash + Eq + Clone>(buckets: &Buckets<K>, taken: Taken) -> Verdict {
    let Taken { left, is_over } = taken;
    let until_full = buckets.seconds_until(buckets.capacity(), left);
    Verdict {
        limit: buckets.capacity() as i64,
        remaining: left.max(0.0) as i64,
        reset: unix_seconds() + until_full.ceil() as i64,
        over: is_over,
        retry_after: if is_over {
            buckets.seconds_until(1.0, left)
        } else {
            0.0
        },
    }
}

fn unix_seconds() -> i64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        })
}

/// What the limiter needs to know of a request.
pub(super) fn caller(headers: &HeaderMap, address: IpAddr) -> Caller<'_> {
    Caller {
        address,
        authorization: headers.get(http::header::AUTHORIZATION),
        session: session_cookie::token(headers, false),
    }
}

#[cfg(test)]
mod tests;
