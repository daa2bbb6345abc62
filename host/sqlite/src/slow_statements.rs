//! Which statements were slow lately, and for which client: it depends on the parameters, and on how much the client
//! may see.

use spindle_admission::memory::Client;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Statements that take at least this long are slow; what counts is `StatementClock::took`.
const SLOW: Duration = Duration::from_millis(10);
/// A read that is not known to be slow is stopped after this time and runs again as a slow one.
pub(super) const FIRST_LIMIT: Duration = Duration::from_millis(50);
/// A statement counts as slow for this multiple of its duration, so that the threads that accept
/// connections and deliver events spend at most a thousandth of their time on it.
const REMEMBERED_FACTOR: u32 = 1000;
const MAX_REMEMBERED: Duration = Duration::from_secs(3600);
/// Most pairs of a statement and a client that are remembered.
const MAX_PAIRS: usize = 16_384;

/// `None` means any client.
type Key = (u64, Option<Client>);

/// The statements known to be slow.
#[derive(Default)]
pub(super) struct SlowStatements {
    /// Spares the lookup where no statement has been slow.
    has_any: AtomicBool,
    hasher: RandomState,
    until: RwLock<HashMap<Key, Instant>>,
}

impl SlowStatements {
    /// Whether `sql` was slow for `client`. The client is looked up only if statements are known at all.
    pub(super) fn knows(&self, sql: &str, client: impl FnOnce() -> Option<Client>) -> bool {
        if !self.has_any.load(Ordering::Relaxed) {
            return false;
        }
        let key = (self.hasher.hash_one(sql), client());
        let until = self.until.read().unwrap_or_else(PoisonError::into_inner);
        until.get(&key).is_some_and(|until| Instant::now() < *until)
    }

    /// Records the duration of `sql` for `client`, if it was slow.
    pub(super) fn learn(&self, sql: &str, client: Option<Client>, took: Duration) {
        if took < SLOW {
            return;
        }
        let now = Instant::now();
        let key = (self.hasher.hash_one(sql), client);
        let mut all = self.until.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_PAIRS && !all.contains_key(&key) {
            all.retain(|_, until| now < *until);
        }
        if all.len() >= MAX_PAIRS {
            all.clear();
        }
        let until = all.entry(key).or_insert(now);
        *until = (*until).max(now + (took * REMEMBERED_FACTOR).min(MAX_REMEMBERED));
        self.has_any.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Option<Client> = Some(Client::Account(1));
    const TWO: Option<Client> = Some(Client::Account(2));

    #[test]
    fn a_statement_is_slow_for_the_client_for_which_it_was() {
        let statements = SlowStatements::default();
        let knows = |sql, client| statements.knows(sql, || client);
        statements.learn("SELECT 1", ONE, SLOW - Duration::from_millis(1));
        assert!(!knows("SELECT 1", ONE));
        statements.learn("SELECT 1", ONE, SLOW);
        assert!(knows("SELECT 1", ONE));
        assert!(!knows("SELECT 1", TWO) && !knows("SELECT 1", None) && !knows("SELECT 2", ONE));
        let until = *statements.until.read().unwrap().values().next().unwrap();
        let left = until.saturating_duration_since(Instant::now());
        assert!(left > Duration::from_secs(9) && left <= Duration::from_secs(10));
    }

    #[test]
    fn the_number_of_pairs_is_bounded() {
        let statements = SlowStatements::default();
        for number in 0..3 * MAX_PAIRS {
            let client = i64::try_from(number).ok().map(Client::Account);
            statements.learn("SELECT 1", client, SLOW);
            assert!(statements.knows("SELECT 1", || client));
        }
        assert!(statements.until.read().unwrap().len() <= MAX_PAIRS);
    }
}
