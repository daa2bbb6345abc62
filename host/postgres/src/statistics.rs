//! Metrics of the connections that components use, and of what the server undoes.
//!
//! Exported only where the database is on a server: the handles are made with the first pool, or when the metrics are
//! watched.

use metrics::{Counter, Histogram};
use spindle_bindings::spin::postgres::postgres::{Error, QueryError};
use spindle_database::conflicts_of;

/// Connections of all pools at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests have them.
    pub used: usize,
    /// Open, and free for the next request.
    pub idle: usize,
    /// Most that may be open.
    pub limit: usize,
    /// Requests that wait for one.
    pub waiting: usize,
}

impl Usage {
    /// Sets the gauges.
    pub fn show(self) {
        for (state, number) in [("used", self.used), ("idle", self.idle)] {
            metrics::gauge!("spindle_postgres_connections", "state" => state).set(number as f64);
        }
        metrics::gauge!("spindle_postgres_connections_limit").set(self.limit as f64);
        metrics::gauge!("spindle_postgres_waiting_requests").set(self.waiting as f64);
    }
}

/// Why a request did not get what it wanted from the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The server refused a connection, or did not answer.
    Unreachable,
    /// All connections stayed in use.
    Busy,
    /// A statement took too long.
    Slow,
}

/// Metric handles, looked up once.
pub struct Statistics {
    wait_seconds: Histogram,
    unreachable: Counter,
    busy: Counter,
    slow: Counter,
    conflicts: Counter,
}

impl Statistics {
    /// Registers the metrics; existing ones keep their values.
    #[must_use]
    pub fn register() -> Self {
        let failures =
            |reason| metrics::counter!("spindle_postgres_failures_total", "reason" => reason);
        Self {
            wait_seconds: metrics::histogram!("spindle_postgres_wait_seconds"),
            unreachable: failures("unreachable"),
            busy: failures("busy"),
            slow: failures("slow"),
            conflicts: conflicts_of("components"),
        }
    }

    pub(super) fn waited(&self, seconds: f64) {
        self.wait_seconds.record(seconds);
    }

    pub(super) fn failed(&self, failure: Failure) {
        match failure {
            Failure::Unreachable => self.unreachable.increment(1),
            Failure::Busy => self.busy.increment(1),
            Failure::Slow => self.slow.increment(1),
        }
    }

    /// Counts the error of a statement, if it is a conflict: the change that met it is made again.
    pub(super) fn refused(&self, error: &Error) {
        let Error::QueryFailed(QueryError::DbError(error)) = error else {
            return;
        };
        // A failure to serialize, or a deadlock.
        if ["40001", "40P01"].contains(&error.code.as_str()) {
            self.conflicts.increment(1);
        }
    }
}
