//! Counters of a database, for tests, `/metrics` and the benchmark.
//!
//! Only counts; decides nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counters since the database was opened.
#[derive(Debug, Default)]
pub struct Statistics {
    transactions: AtomicU64,
    groups: AtomicU64,
    failed_groups: AtomicU64,
    expired_transactions: AtomicU64,
    reads: AtomicU64,
}

impl Statistics {
    /// All at zero, and registered for `/metrics` at zero, so that rates have a first value.
    pub(super) fn new() -> Self {
        for name in [
            "spindle_sqlite_transactions_total",
            "spindle_sqlite_groups_total",
            "spindle_sqlite_failed_groups_total",
            "spindle_sqlite_expired_turns_total",
        ] {
            metrics::counter!(name).increment(0);
        }
        Self::default()
    }

    /// Write transactions made durable.
    pub fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Outer commits, each of one or more transactions.
    pub fn groups(&self) -> u64 {
        self.groups.load(Ordering::Relaxed)
    }

    /// Outer commits that failed.
    pub fn failed_groups(&self) -> u64 {
        self.failed_groups.load(Ordering::Relaxed)
    }

    /// Write transactions rolled back by their time limit.
    pub fn expired_transactions(&self) -> u64 {
        self.expired_transactions.load(Ordering::Relaxed)
    }

    /// Statements and closures run on read connections.
    pub fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    pub(super) fn waited(&self, wait: Duration) {
        metrics::histogram!("spindle_sqlite_turn_wait_seconds").record(wait.as_secs_f64());
    }

    pub(super) fn group_ended(&self, members: usize, duration: Duration, succeeded: bool) {
        if !succeeded {
            self.failed_groups.fetch_add(1, Ordering::Relaxed);
            metrics::counter!("spindle_sqlite_failed_groups_total").increment(1);
            return;
        }
        let count = u64::try_from(members).unwrap_or(u64::MAX);
        self.transactions.fetch_add(count, Ordering::Relaxed);
        self.groups.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("spindle_sqlite_transactions_total").increment(count);
        metrics::counter!("spindle_sqlite_groups_total").increment(1);
        metrics::histogram!("spindle_sqlite_commit_seconds").record(duration.as_secs_f64());
    }

    pub(super) fn transaction_expired(&self) {
        self.expired_transactions.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("spindle_sqlite_expired_turns_total").increment(1);
    }

    pub(super) fn read(&self) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }
}
