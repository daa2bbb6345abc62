//! Rate limits: the host counts requests, the components refuse them.
//!
//! A request is counted for the account of its credentials, a key in a header or the token of a session in a cookie, or
//! for its address when it has none. Only a component can find the account of a key: until then the request is charged
//! to its address before it is admitted, and the charge is returned when the account is known. So guessing keys, or
//! inventing some, is as slow as any other anonymous use, also with concurrent requests. Only the key identifies a
//! client: the rest of the header, which may be written in many ways, is ignored.
//!
//! `spindle_wire::internal` owns the headers for the verdict, and for the request to report the account.

use super::buckets::{Buckets, Taken};
use http::HeaderValue;
use http::request::Parts;
use spindle_wire::internal::{self, Account, Verdict};
use spindle_wire::{basic_auth, session_cookie};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

/// Buckets kept of accounts, and of addresses.
const MAX_BUCKETS: usize = 100_000;
/// Requests of all bots of a user together, for each request of a user.
const BOTS: u32 = 5;
/// Bytes written to the database that count as one more request.
pub const WRITTEN_PER_REQUEST: u64 = 16 << 10;
/// Keys whose account is remembered. A forgotten key is looked up again.
const MAX_KEYS: usize = 100_000;

/// The sender of a request, for counting.
pub struct Caller<'a> {
    /// The client's address.
    pub address: IpAddr,
    /// The value of `Authorization`, if there is one.
    pub authorization: Option<&'a HeaderValue>,
    /// The token of the session's cookie, or the key of an incoming webhook, if there is one; it counts where there is no
    /// `Authorization`.
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
    pub account: Option<Account>,
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

/// Who is charged for what a request has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payer {
    /// The account of its credentials.
    Account(Account),
    /// Its address, if no component has proved its credentials.
    Unproven(IpAddr),
    /// Its address, if it has no credentials.
    Anonymous(IpAddr),
}

/// Counts requests before they reach a component.
pub trait RateLimiter: Send + Sync + 'static {
    /// Counts one request.
    fn count(&self, caller: &Caller<'_>) -> Counted;

    /// Replaces the known account of credentials, if it has changed.
    fn renewed(&self, caller: &Caller<'_>, account: Account);

    /// Records the account of unproven credentials; `None` if they belong to no account, or no longer do.
    fn answered(&self, caller: &Caller<'_>, account: Option<Account>);

    /// Charges for the bytes that a request has written to the database.
    fn wrote(&self, payer: Payer, bytes: u64);
}

/// Counts in memory.
pub struct TokenBuckets {
    user: u32,
    bots: u32,
    address: u32,
    hasher: RandomState,
    state: Mutex<KnownClients>,
    refused: metrics::Counter,
}

struct KnownClients {
    accounts: Buckets<i64>,
    /// All bots of one owner together, by the owner's id.
    bots: Buckets<i64>,
    /// Bots with a rate of their own, by their ids.
    single_bots: Buckets<i64>,
    /// Requests without credentials.
    anonymous: Buckets<u128>,
    /// Requests with credentials that are not proven, by address as well.
    unproven: Buckets<u128>,
    /// Accounts by the hash of a key.
    keys: HashMap<u64, Account>,
}

impl KnownClients {
    /// The bucket of an account, and its place there.
    fn bucket(&mut self, account: Account) -> (&mut Buckets<i64>, i64) {
        match account.owner_id {
            _ if account.requests_per_minute.is_some() => (&mut self.single_bots, account.user_id),
            Some(owner_id) => (&mut self.bots, owner_id),
            None => (&mut self.accounts, account.user_id),
        }
    }

    fn take(&mut self, account: Account, now: Instant) -> Taken {
        let (buckets, key) = self.bucket(account);
        match account.requests_per_minute {
            Some(rate) => buckets.take_of(key, f64::from(rate), now),
            None => buckets.take(key, now),
        }
    }

    fn remember(&mut self, key: u64, account: Account) {
        if self.keys.len() >= MAX_KEYS && !self.keys.contains_key(&key) {
            self.keys.clear();
        }
        self.keys.insert(key, account);
    }
}

impl TokenBuckets {
    /// Requests a minute for a user, for all bots of a user together (`None`: [`BOTS`] times as many as for a user),
    /// and for an address; 0 means no limit.
    pub fn new(user: u32, bots: Option<u32>, address: u32) -> Self {
        let bots = bots.unwrap_or(user.saturating_mul(BOTS));
        Self {
            user,
            bots,
            address,
            hasher: RandomState::new(),
            state: Mutex::new(KnownClients {
                accounts: Buckets::new(user, MAX_BUCKETS),
                bots: Buckets::new(bots, MAX_BUCKETS),
                single_bots: Buckets::new(bots, MAX_BUCKETS),
                anonymous: Buckets::new(address, MAX_BUCKETS),
                unproven: Buckets::new(address, MAX_BUCKETS),
                keys: HashMap::new(),
            }),
            refused: metrics::counter!("spindle_rate_limited_total"),
        }
    }

    /// Whether requests of this account are limited.
    const fn limits(&self, account: Account) -> bool {
        match account.owner_id {
            _ if account.requests_per_minute.is_some() => true,
            Some(_) => self.bots != 0,
            None => self.user != 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, KnownClients> {
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
                verdict(buckets.take(group, now))
            });
            return Counted {
                verdict,
                ..Counted::default()
            };
        }
        let key = self.key_of(caller);
        let mut state = self.lock();
        if let Some(account) = key.and_then(|key| state.keys.get(&key).copied()) {
            return Counted {
                verdict: self
                    .limits(account)
                    .then(|| verdict(state.take(account, now))),
                unproven: false,
                account: Some(account),
            };
        }
        let mut first = (self.user != 0).then(|| {
            let capacity = state.accounts.capacity();
            verdict(Taken {
                left: capacity - 1.0,
                is_over: false,
                capacity,
            })
        });
        if self.address != 0 {
            let taken = state.unproven.take(group, now);
            if taken.is_over {
                first = Some(verdict(taken));
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

    fn renewed(&self, caller: &Caller<'_>, account: Account) {
        let Some(key) = self.key_of(caller) else {
            return;
        };
        if let Some(known) = self.lock().keys.get_mut(&key) {
            *known = account;
        }
    }

    fn answered(&self, caller: &Caller<'_>, account: Option<Account>) {
        let Some(key) = self.key_of(caller) else {
            return;
        };
        let (group, now) = (address_group(caller.address), Instant::now());
        let mut state = self.lock();
        let Some(account) = account else {
            // Ended credentials are charged to the address, not to their former account.
            if let Some(former) = state.keys.remove(&key) {
                let (buckets, place) = state.bucket(former);
                buckets.give_back(&place);
                if self.address != 0 {
                    state.unproven.take(group, now);
                }
            }
            return;
        };
        state.remember(key, account);
        if self.address != 0 {
            state.unproven.give_back(&group);
        }
        if self.limits(account) {
            state.take(account, now);
        }
    }

    fn wrote(&self, payer: Payer, bytes: u64) {
        let requests = (bytes / WRITTEN_PER_REQUEST) as f64;
        if requests == 0.0 {
            return;
        }
        let (now, of_address) = (Instant::now(), f64::from(self.address));
        let mut state = self.lock();
        match payer {
            Payer::Account(account) if self.limits(account) => {
                let (buckets, key) = state.bucket(account);
                let rate = account.requests_per_minute.map(f64::from);
                let capacity = rate.unwrap_or(buckets.capacity());
                buckets.charge(key, capacity, requests, now);
            }
            Payer::Unproven(address) if self.address != 0 => {
                let group = address_group(address);
                state.unproven.charge(group, of_address, requests, now);
            }
            Payer::Anonymous(address) if self.address != 0 => {
                let group = address_group(address);
                state.anonymous.charge(group, of_address, requests, now);
            }
            _ => {}
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

fn verdict(taken: Taken) -> Verdict {
    let until_full = taken.seconds_until(taken.capacity);
    Verdict {
        limit: taken.capacity as i64,
        remaining: taken.left.max(0.0) as i64,
        reset: unix_seconds() + until_full.ceil() as i64,
        over: taken.is_over,
        retry_after: if taken.is_over {
            taken.seconds_until(1.0)
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
pub(super) fn caller(head: &Parts, address: IpAddr) -> Caller<'_> {
    let session = internal::webhook_key(&head.uri);
    Caller {
        address,
        authorization: head.headers.get(http::header::AUTHORIZATION),
        session: session.or_else(|| session_cookie::token(&head.headers, false)),
    }
}

#[cfg(test)]
mod tests;
