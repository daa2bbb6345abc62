//! Counters and durations of requests, by component and class of status.
//!
//! The handles are made once, when the application is loaded: looking them up
//! for each request costs more than counting. A recorder has to be installed
//! before that.

use crate::runtime::PoolError;
use http::StatusCode;
use metrics::{Counter, Histogram};
use std::time::{Duration, Instant};

/// Answers by class of status: 2xx, 3xx, 4xx and everything else.
pub(super) struct Answers([Counter; 4]);

impl Answers {
    /// `counter` makes the one whose label `status` has this value.
    pub(super) fn new(counter: impl FnMut(&'static str) -> Counter) -> Self {
        Self(["2xx", "3xx", "4xx", "5xx"].map(counter))
    }

    pub(super) fn count(&self, status: StatusCode) {
        let [success, redirection, client, other] = &self.0;
        let counter = match status.as_u16() / 100 {
            2 => success,
            3 => redirection,
            4 => client,
            _ => other,
        };
        counter.increment(1);
    }
}

/// The handles of one component.
pub(super) struct Measures {
    requests: Answers,
    duration: Histogram,
    in_component: Histogram,
    overloaded: Counter,
    late: Counter,
}

impl Measures {
    pub(super) fn new(component: &str) -> Self {
        let requests = Answers::new(|status| {
            metrics::counter!("spindle_http_requests_total",
                "component" => component.to_owned(), "status" => status)
        });
        let duration = metrics::histogram!("spindle_http_request_seconds",
            "component" => component.to_owned());
        let in_component = metrics::histogram!("spindle_component_seconds",
            "component" => component.to_owned());
        let [overloaded, late] = ["overloaded", "deadline"].map(|reason| {
            metrics::counter!("spindle_component_refusals_total",
                "component" => component.to_owned(), "reason" => reason)
        });
        Self {
            requests,
            duration,
            in_component,
            overloaded,
            late,
        }
    }

    /// Counts what the component itself took over a request, or why it did not take it.
    pub(super) fn record_component(&self, took: Duration, error: Option<&PoolError>) {
        match error {
            Some(PoolError::Overloaded) => self.overloaded.increment(1),
            Some(PoolError::Deadline) => self.late.increment(1),
            // Failures are counted where their reason is known.
            Some(PoolError::Failed(_)) | None => {}
        }
        self.in_component.record(took.as_secs_f64());
    }

    /// Counts one answer to a request that began at `started`.
    pub(super) fn record(&self, status: StatusCode, started: Instant) {
        self.requests.count(status);
        self.duration.record(started.elapsed().as_secs_f64());
    }
}
