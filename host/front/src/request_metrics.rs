//! Metrics of requests by component and status class.
//!
//! The handles are created once, when the application is loaded: a lookup for each request would cost
//! more than counting. A recorder must be installed before that.

use http::StatusCode;
use metrics::{Counter, Histogram};
use spindle_runtime::PoolError;
use std::time::{Duration, Instant};

/// Counters of responses by status class: 2xx, 3xx, 4xx and everything else.
pub(super) struct ResponseCounters([Counter; 4]);

impl ResponseCounters {
    /// `counter` creates the counter for a value of the label `status`.
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

/// The metrics of one component.
pub(super) struct RequestMetrics {
    requests: ResponseCounters,
    duration: Histogram,
    in_component: Histogram,
    overloaded: Counter,
    late: Counter,
}

impl RequestMetrics {
    pub(super) fn new(component: &str) -> Self {
        let requests = ResponseCounters::new(|status| {
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

    /// Records the time that the component took for a request, or why it did not handle it.
    pub(super) fn record_component(&self, took: Duration, error: Option<&PoolError>) {
        match error {
            Some(PoolError::Overloaded) => self.overloaded.increment(1),
            Some(PoolError::Deadline) => self.late.increment(1),
            // Failures are counted where their cause is known.
            Some(PoolError::Failed(_)) | None => {}
        }
        self.in_component.record(took.as_secs_f64());
    }

    /// Records the response to a request that began at `started`.
    pub(super) fn record(&self, status: StatusCode, started: Instant) {
        self.requests.count(status);
        self.duration.record(started.elapsed().as_secs_f64());
    }
}
