//! Which statements are known to be slow, and for which clients.
//!
//! One statement may be slow for one client and quick for another: it depends on the parameters, and on how much the
//! client may see. So a statement counts as slow only for the clients for which it was slow lately. Any other client
//! runs it as a quick one for as long as those take: were it slow for all, a client that reads much would make all
//! others wait in the queue of slow reads.

use super::SLOW;
use crate::memory::Client;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// A statement counts as slow for this multiple of its duration, so that the threads that accept
/// connections and deliver events spend at most a thousandth of their time on it.
const REMEMBERED_FACTOR: u32 = 1000;
const MAX_REMEMBERED: Duration = Duration::from_secs(3600);
/// Most statements remembered. The components have some hundreds.
const MAX_STATEMENTS: usize = 1024;
/// Most clients remembered for one statement; a client that is forgotten is found slow again.
const MAX_CLIENTS: usize = 256;

/// What is known of a statement before a client runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Expected {
    /// It has not been slow.
    Quick,
    /// It has been slow, but not for this client.
    SlowForOthers,
    /// It has been slow for this client.
    Slow,
}

/// The statements known to be slow.
#[derive(Default)]
pub(super) struct KnownStatements {
    /// A bit for each length of a slow statement, modulo the number of bits: a filter that spares
    /// most statements the lookup.
    lengths: [AtomicU64; 16],
    statements: RwLock<HashMap<Box<str>, Known>>,
}

/// Until when a statement counts as slow, for any client and for each.
struct Known {
    until: Instant,
    clients: HashMap<Option<Client>, Instant>,
}

impl KnownStatements {
    /// What is to be expected of `sql`. The client is looked up only where that matters.
    pub(super) fn expected(&self, sql: &str, client: impl FnOnce() -> Option<Client>) -> Expected {
        let (word, bit) = self.filter_bit(sql);
        if word.is_none_or(|word| word.load(Ordering::Relaxed) & bit == 0) {
            return Expected::Quick;
        }
        let statements = self.statements.read();
        let statements = statements.unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let Some(known) = statements.get(sql).filter(|known| now < known.until) else {
            return Expected::Quick;
        };
        match known.clients.get(&client()) {
            Some(until) if now < *until => Expected::Slow,
            _ => Expected::SlowForOthers,
        }
    }

    /// Records the duration of `sql` for `client`, if it was slow.
    pub(super) fn learn(&self, sql: &str, client: Option<Client>, took: Duration) {
        if took < SLOW {
            return;
        }
        let now = Instant::now();
        let until = now + (took * REMEMBERED_FACTOR).min(MAX_REMEMBERED);
        let statements = self.statements.write();
        let mut statements = statements.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = statements.get_mut(sql) {
            known.learn(client, now, until);
            return;
        }
        if statements.len() >= MAX_STATEMENTS {
            statements.clear();
        }
        let clients = HashMap::from([(client, until)]);
        statements.insert(sql.into(), Known { until, clients });
        drop(statements);
        let (word, bit) = self.filter_bit(sql);
        if let Some(word) = word {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn filter_bit(&self, sql: &str) -> (Option<&AtomicU64>, u64) {
        let word = sql.len() / 64 % self.lengths.len();
        (self.lengths.get(word), 1 << (sql.len() % 64))
    }
}

impl Known {
    fn learn(&mut self, client: Option<Client>, now: Instant, until: Instant) {
        self.until = until.max(self.until);
        if let Some(known) = self.clients.get_mut(&client) {
            *known = until.max(*known);
            return;
        }
        if self.clients.len() >= MAX_CLIENTS {
            self.clients.retain(|_, until| now < *until);
        }
        if self.clients.len() >= MAX_CLIENTS {
            self.clients.clear();
        }
        self.clients.insert(client, until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Option<Client> = Some(Client::Account(1));
    const TWO: Option<Client> = Some(Client::Account(2));

    #[test]
    fn a_statement_is_slow_for_a_time_that_follows_from_what_it_took() {
        let known = KnownStatements::default();
        let expected = |sql| known.expected(sql, || ONE);
        assert_eq!(expected("SELECT 1"), Expected::Quick);
        known.learn("SELECT 1", ONE, Duration::from_millis(9));
        assert_eq!(expected("SELECT 1"), Expected::Quick);
        known.learn("SELECT 1", ONE, Duration::from_millis(10));
        assert_eq!(expected("SELECT 1"), Expected::Slow);
        assert_eq!(expected("SELECT 2"), Expected::Quick);
        assert_eq!(expected("SELECT 12"), Expected::Quick);
        let statements = known.statements.read().unwrap();
        let one = &statements["SELECT 1"];
        assert_eq!(one.clients[&ONE], one.until);
        let left = one.until.saturating_duration_since(Instant::now());
        assert!(left > Duration::from_secs(9) && left <= Duration::from_secs(10));
    }

    #[test]
    fn what_is_slow_for_one_client_is_not_for_another() {
        let known = KnownStatements::default();
        known.learn("SELECT 1", ONE, SLOW);
        assert_eq!(known.expected("SELECT 1", || TWO), Expected::SlowForOthers);
        assert_eq!(known.expected("SELECT 1", || None), Expected::SlowForOthers);
        known.learn("SELECT 1", TWO, SLOW);
        assert_eq!(known.expected("SELECT 1", || TWO), Expected::Slow);
        assert_eq!(known.expected("SELECT 1", || ONE), Expected::Slow);
    }

    #[test]
    fn both_lists_are_bounded() {
        let known = KnownStatements::default();
        for number in 0..3 * MAX_CLIENTS {
            let client = i64::try_from(number).ok().map(Client::Account);
            known.learn("SELECT 1", client, SLOW);
            assert_eq!(known.expected("SELECT 1", || client), Expected::Slow);
        }
        for number in 0..3 * MAX_STATEMENTS {
            known.learn(&format!("SELECT {number}"), ONE, SLOW);
        }
        let statements = known.statements.read().unwrap();
        assert!(statements.len() <= MAX_STATEMENTS);
        assert!(
            statements
                .values()
                .all(|one| one.clients.len() <= MAX_CLIENTS)
        );
    }
}
