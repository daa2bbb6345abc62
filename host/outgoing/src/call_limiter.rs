//! Limits concurrent calls to services, in total and for each service, with back-off for services
//! that do not answer.
//!
//! A service receives one call at a time until it has answered, then a few. After some consecutive calls without an
//! answer it is paused, longer each time; then a single call tries again. Services that have not answered lately share
//! a fraction of the permits, so that even many of them leave the rest to the others. Nothing here sends anything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most concurrent calls.
const MAX_CALLS: usize = 256;
/// Of these, to services that have not answered their last call.
const MAX_CALLS_TO_UNPROVEN: usize = 128;
/// Most concurrent calls to one service that answers.
const MAX_CALLS_PER_SERVICE: usize = 8;
/// Time until a call that got no permit is retried.
const RETRY_AFTER: Duration = Duration::from_secs(2);
/// Consecutive calls without an answer after which a service is paused.
const MAX_FAILURES: u32 = 3;
/// The first pause; doubled each time.
const MIN_BACKOFF: Duration = Duration::from_secs(10);
/// The longest pause.
const MAX_BACKOFF: Duration = Duration::from_secs(600);
/// Most services that are remembered.
const MAX_SERVICES: usize = 4096;

/// The limiter; clones share its state.
#[derive(Clone, Debug, Default)]
pub struct CallLimiter(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    active: usize,
    active_unproven: usize,
    services: HashMap<String, Service>,
}

/// The state of one service. Times are running time.
#[derive(Debug, Default)]
struct Service {
    active: usize,
    /// Whether it answered its last call.
    is_proven: bool,
    /// Calls without an answer since the last answer.
    failures: u32,
    last_failure: Duration,
    not_before: Duration,
}

/// The outcome of a call, as evidence about its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There was an answer, of any status.
    Answered,
    /// There was no answer.
    NoAnswer,
    /// Nothing was sent, which says nothing about the service.
    NotCalled,
}

/// A permit for one call, returned when it is dropped.
#[derive(Debug)]
pub struct CallPermit {
    limiter: CallLimiter,
    service: String,
    was_proven: bool,
    began: Duration,
}

impl CallLimiter {
    /// The number of further calls that the total limit allows.
    #[must_use]
    pub fn available(&self) -> usize {
        MAX_CALLS - self.table().active
    }

    /// Acquires a permit for a call to `service` at the running time `now`.
    ///
    /// # Errors
    /// The time after which the caller should retry.
    pub fn acquire(&self, service: &str, now: Duration) -> Result<CallPermit, Duration> {
        let mut table = self.table();
        let table = &mut *table;
        if table.services.len() >= MAX_SERVICES && !table.services.contains_key(service) {
            table.evict(now);
        }
        let known = table.services.entry(service.to_owned()).or_default();
        if known.not_before > now {
            return Err(known.not_before - now);
        }
        let was_proven = known.is_proven;
        let most = if was_proven { MAX_CALLS_PER_SERVICE } else { 1 };
        let is_full = table.active >= MAX_CALLS
            || (!was_proven && table.active_unproven >= MAX_CALLS_TO_UNPROVEN);
        if is_full || known.active >= most {
            return Err(RETRY_AFTER);
        }
        known.active += 1;
        table.active += 1;
        table.active_unproven += usize::from(!was_proven);
        Ok(CallPermit {
            limiter: self.clone(),
            service: service.to_owned(),
            was_proven,
            began: now,
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Evicts services that are neither being called nor paused; if too many are left, also paused ones.
    fn evict(&mut self, now: Duration) {
        let services = &mut self.services;
        services.retain(|_, known| known.active > 0 || known.not_before > now);
        if services.len() >= MAX_SERVICES {
            services.retain(|_, known| known.active > 0);
        }
    }
}

impl Service {
    fn record_answer(&mut self) {
        self.is_proven = true;
        self.failures = 0;
        self.not_before = Duration::ZERO;
    }

    /// Records a call without an answer. Concurrent calls count as one.
    fn record_failure(&mut self, began: Duration, now: Duration) {
        self.is_proven = false;
        if self.failures > 0 && began < self.last_failure {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        self.last_failure = now;
        if let Some(times) = self.failures.checked_sub(MAX_FAILURES) {
            let pause = MIN_BACKOFF.saturating_mul(1 << times.min(16));
            self.not_before = now + pause.min(MAX_BACKOFF);
        }
    }
}

impl CallPermit {
    /// Returns the permit at the running time `now`, with the outcome of the call.
    pub fn release(self, verdict: Verdict, now: Duration) {
        let mut table = self.limiter.table();
        if let Some(known) = table.services.get_mut(&self.service) {
            match verdict {
                Verdict::Answered => known.record_answer(),
                Verdict::NoAnswer => known.record_failure(self.began, now),
                Verdict::NotCalled => {}
            }
        }
        drop(table);
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        let mut table = self.limiter.table();
        table.active -= 1;
        table.active_unproven -= usize::from(!self.was_proven);
        if let Some(known) = table.services.get_mut(&self.service) {
            known.active -= 1;
        }
    }
}

/// The service of an address: its host and port.
#[must_use]
pub fn service_of(url: &str) -> String {
    let uri = url.parse::<http::Uri>().ok();
    let authority = uri.as_ref().and_then(|uri| {
        let port = uri.port_u16().or_else(|| match uri.scheme_str() {
            Some("http") => Some(80),
            Some("https") => Some(443),
            _ => None,
        });
        Some(format!("{}:{}", uri.host()?.to_ascii_lowercase(), port?))
    });
    authority.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn prove(limiter: &CallLimiter, service: &str) {
        let permit = limiter.acquire(service, at(0)).unwrap();
        permit.release(Verdict::Answered, at(0));
    }

    #[test]
    fn a_service_has_one_permit_until_it_answers() {
        let limiter = CallLimiter::default();
        let first = limiter.acquire("a", at(0)).unwrap();
        assert_eq!(limiter.acquire("a", at(0)).unwrap_err(), RETRY_AFTER);
        first.release(Verdict::Answered, at(1));
        let held: Vec<CallPermit> = (0..MAX_CALLS_PER_SERVICE)
            .map(|_| limiter.acquire("a", at(1)).unwrap())
            .collect();
        assert_eq!(limiter.acquire("a", at(1)).unwrap_err(), RETRY_AFTER);
        assert_eq!(limiter.available(), MAX_CALLS - MAX_CALLS_PER_SERVICE);
        drop(held);
        assert_eq!(limiter.available(), MAX_CALLS);
        assert_eq!(limiter.table().active_unproven, 0);
    }

    #[test]
    fn services_without_answers_cannot_use_up_the_permits_of_others() {
        let limiter = CallLimiter::default();
        prove(&limiter, "good");
        let names: Vec<String> = (0..MAX_CALLS_TO_UNPROVEN)
            .map(|number| number.to_string())
            .collect();
        let held: Vec<CallPermit> = names
            .iter()
            .map(|name| limiter.acquire(name, at(0)).unwrap())
            .collect();
        assert_eq!(limiter.acquire("new", at(0)).unwrap_err(), RETRY_AFTER);
        limiter.acquire("good", at(0)).unwrap();
        drop(held);
        limiter.acquire("new", at(0)).unwrap();
    }

    #[test]
    fn pauses_grow_with_each_failure_and_an_answer_ends_them() {
        let limiter = CallLimiter::default();
        prove(&limiter, "a");
        let mut now = at(0);
        let mut silence = |times: u32| {
            for _ in 0..times {
                let permit = limiter.acquire("a", now).unwrap();
                now += at(1);
                permit.release(Verdict::NoAnswer, now);
            }
            let pause = limiter.acquire("a", now).err().unwrap_or_default();
            now += pause;
            pause.as_secs()
        };
        assert_eq!(silence(2), 0);
        let pauses: Vec<u64> = (0..8).map(|_| silence(1)).collect();
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 600, 600]);
        let permit = limiter.acquire("a", now).unwrap();
        permit.release(Verdict::NotCalled, now);
        limiter
            .acquire("a", now)
            .unwrap()
            .release(Verdict::Answered, now);
        assert_eq!(limiter.acquire("a", now).map(drop), Ok(()));
        assert!(limiter.table().services["a"].is_proven);
    }

    #[test]
    fn calls_that_fail_together_count_once() {
        let limiter = CallLimiter::default();
        prove(&limiter, "a");
        let held: Vec<CallPermit> = (0..MAX_CALLS_PER_SERVICE)
            .map(|_| limiter.acquire("a", at(0)).unwrap())
            .collect();
        for permit in held {
            permit.release(Verdict::NoAnswer, at(10));
        }
        assert_eq!(limiter.table().services["a"].failures, 1);
        limiter.acquire("a", at(10)).unwrap();
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let limiter = CallLimiter::default();
        let held = limiter.acquire("held", at(0)).unwrap();
        for number in 0..3 * MAX_SERVICES {
            prove(&limiter, &number.to_string());
        }
        assert!(limiter.table().services.len() <= MAX_SERVICES);
        assert!(limiter.table().services.contains_key("held"));
        drop(held);
    }

    #[test]
    fn a_service_is_a_host_and_a_port() {
        for (url, service) in [
            ("http://Example.org/hook?x=1", "example.org:80"),
            ("https://example.org/other", "example.org:443"),
            ("https://user@example.org:8443", "example.org:8443"),
            ("http://[::1]:9/", "[::1]:9"),
            ("nonsense", ""),
        ] {
            assert_eq!(service_of(url), service, "{url}");
        }
    }
}
