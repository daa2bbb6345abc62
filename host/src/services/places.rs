//! Which services may be called now: a bounded number of calls at once, in all and to each service,
//! and pauses for those that give no answer.
//!
//! A service is called by one call at a time until it has answered, then by a few. After some calls
//! without an answer in a row it is left alone for a while, longer each time; then one call tries.
//! Services that have not answered lately share a part of the places, so that they cannot take
//! those of the others, however many they are. Nothing here sends anything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Calls at once.
const ALL: usize = 256;
/// Of these, to services that have not answered their last call.
const UNPROVEN: usize = 128;
/// Calls at once to one service that answers.
const EACH: usize = 8;
/// Until a call that finds no place is tried again.
const NO_PLACE: Duration = Duration::from_secs(2);
/// Calls without an answer, one after the other, from which on a service is left alone.
const PATIENCE: u32 = 3;
/// For how long at first; twice as long each further time.
const FIRST_PAUSE: Duration = Duration::from_secs(10);
/// For how long at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// Services that are remembered.
const REMEMBERED: usize = 4096;

/// The places; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Places(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    taken: usize,
    taken_unproven: usize,
    services: HashMap<String, Service>,
}

/// What is known of one service. Times are running time.
#[derive(Debug, Default)]
struct Service {
    taken: usize,
    /// It has answered its last call.
    is_proven: bool,
    /// Calls without an answer since the last answer.
    silent: u32,
    last_silent: Duration,
    not_before: Duration,
}

/// What came of a call, as far as its service is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There was an answer, whatever it says.
    Answered,
    /// There was none.
    Silent,
    /// Nothing was sent: that says nothing about the service.
    NotCalled,
}

/// A place for one call; whoever drops it gives it back.
#[derive(Debug)]
pub struct Place {
    places: Places,
    service: String,
    was_proven: bool,
    began: Duration,
}

impl Places {
    /// How many calls find a place, if their services have one.
    #[must_use]
    pub fn room(&self) -> usize {
        ALL - self.table().taken
    }

    /// A place for a call to `service` at the running time `now`.
    ///
    /// # Errors
    /// The time after which it is worth asking again.
    pub fn take(&self, service: &str, now: Duration) -> Result<Place, Duration> {
        let mut table = self.table();
        let table = &mut *table;
        if table.services.len() >= REMEMBERED && !table.services.contains_key(service) {
            table.forget(now);
        }
        let known = table.services.entry(service.to_owned()).or_default();
        if known.not_before > now {
            return Err(known.not_before - now);
        }
        let was_proven = known.is_proven;
        let most = if was_proven { EACH } else { 1 };
        let is_full = table.taken >= ALL || (!was_proven && table.taken_unproven >= UNPROVEN);
        if is_full || known.taken >= most {
            return Err(NO_PLACE);
        }
        known.taken += 1;
        table.taken += 1;
        table.taken_unproven += usize::from(!was_proven);
        Ok(Place {
            places: self.clone(),
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
    /// Makes room for others: what is not being called or left alone is asked anew.
    fn forget(&mut self, now: Duration) {
        let services = &mut self.services;
        services.retain(|_, known| known.taken > 0 || known.not_before > now);
        if services.len() >= REMEMBERED {
            services.retain(|_, known| known.taken > 0);
        }
    }
}

impl Service {
    fn answered(&mut self) {
        self.is_proven = true;
        self.silent = 0;
        self.not_before = Duration::ZERO;
    }

    /// Calls that were under way together count as one.
    fn was_silent(&mut self, began: Duration, now: Duration) {
        self.is_proven = false;
        if self.silent > 0 && began < self.last_silent {
            return;
        }
        self.silent = self.silent.saturating_add(1);
        self.last_silent = now;
        if let Some(times) = self.silent.checked_sub(PATIENCE) {
            let pause = FIRST_PAUSE.saturating_mul(1 << times.min(16));
            self.not_before = now + pause.min(LONGEST_PAUSE);
        }
    }
}

impl Place {
    /// Gives the place back at the running time `now`, with what the call has shown.
    pub fn leave(self, verdict: Verdict, now: Duration) {
        let mut table = self.places.table();
        if let Some(known) = table.services.get_mut(&self.service) {
            match verdict {
                Verdict::Answered => known.answered(),
                Verdict::Silent => known.was_silent(self.began, now),
                Verdict::NotCalled => {}
            }
        }
        drop(table);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.places.table();
        table.taken -= 1;
        table.taken_unproven -= usize::from(!self.was_proven);
        if let Some(known) = table.services.get_mut(&self.service) {
            known.taken -= 1;
        }
    }
}

/// What calls to this address share: host and port.
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

    fn prove(places: &Places, service: &str) {
        let place = places.take(service, at(0)).unwrap();
        place.leave(Verdict::Answered, at(0));
    }

    #[test]
    fn a_service_has_one_place_until_it_answers() {
        let places = Places::default();
        let first = places.take("a", at(0)).unwrap();
        assert_eq!(places.take("a", at(0)).unwrap_err(), NO_PLACE);
        first.leave(Verdict::Answered, at(1));
        let held: Vec<Place> = (0..EACH)
            .map(|_| places.take("a", at(1)).unwrap())
            .collect();
        assert_eq!(places.take("a", at(1)).unwrap_err(), NO_PLACE);
        assert_eq!(places.room(), ALL - EACH);
        drop(held);
        assert_eq!(places.room(), ALL);
        assert_eq!(places.table().taken_unproven, 0);
    }

    #[test]
    fn the_silent_cannot_take_the_places_of_those_who_answer() {
        let places = Places::default();
        prove(&places, "good");
        let names: Vec<String> = (0..UNPROVEN).map(|number| number.to_string()).collect();
        let held: Vec<Place> = names
            .iter()
            .map(|name| places.take(name, at(0)).unwrap())
            .collect();
        assert_eq!(places.take("new", at(0)).unwrap_err(), NO_PLACE);
        places.take("good", at(0)).unwrap();
        drop(held);
        places.take("new", at(0)).unwrap();
    }

    #[test]
    fn silence_makes_pauses_that_grow_and_an_answer_ends_them() {
        let places = Places::default();
        prove(&places, "a");
        let mut now = at(0);
        let mut silence = |times: u32| {
            for _ in 0..times {
                let place = places.take("a", now).unwrap();
                now += at(1);
                place.leave(Verdict::Silent, now);
            }
            let pause = places.take("a", now).err().unwrap_or_default();
            now += pause;
            pause.as_secs()
        };
        assert_eq!(silence(2), 0);
        let pauses: Vec<u64> = (0..8).map(|_| silence(1)).collect();
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 600, 600]);
        let place = places.take("a", now).unwrap();
        place.leave(Verdict::NotCalled, now);
        places.take("a", now).unwrap().leave(Verdict::Answered, now);
        assert_eq!(places.take("a", now).map(drop), Ok(()));
        assert!(places.table().services["a"].is_proven);
    }

    #[test]
    fn calls_that_fail_together_count_once() {
        let places = Places::default();
        prove(&places, "a");
        let held: Vec<Place> = (0..EACH)
            .map(|_| places.take("a", at(0)).unwrap())
            .collect();
        for place in held {
            place.leave(Verdict::Silent, at(10));
        }
        assert_eq!(places.table().services["a"].silent, 1);
        places.take("a", at(10)).unwrap();
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let places = Places::default();
        let held = places.take("held", at(0)).unwrap();
        for number in 0..3 * REMEMBERED {
            prove(&places, &number.to_string());
        }
        assert!(places.table().services.len() <= REMEMBERED);
        assert!(places.table().services.contains_key("held"));
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
