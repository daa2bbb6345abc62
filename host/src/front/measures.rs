//! Counters and durations of requests, by component and class of status.
//!
//! The handles are made once, when the application is loaded: looking them up
//! for each request costs more than counting. A recorder has to be installed
//! before that.

use http::StatusCode;
use metrics::{Counter, Histogram};
use std::time::Instant;

/// The handles of one component.
pub(super) struct Measures {
    /// 2xx, 3xx, 4xx and everything else.
    requests: [Counter; 4],
    duration: Histogram,
}

impl Measures {
    pub(super) fn new(component: &str) -> Self {
        let requests = ["2xx", "3xx", "4xx", "5xx"].map(|status| {
            metrics::counter!("spindle_http_requests_total",
                "component" => component.to_owned(), "status" => status)
        });
        let duration = metrics::histogram!("spindle_http_request_seconds",
            "component" => component.to_owned());
        Self { requests, duration }
    }

    /// Counts one answer to a request that began at `started`.
    pub(super) fn record(&self, status: StatusCode, started: Instant) {
        let [success, redirection, client, other] = &self.requests;
        let counter = match status.as_u16() / 100 {
            2 => success,
            3 => redirection,
            4 => client,
            _ => other,
        };
        counter.increment(1);
        self.duration.record(started.elapsed().as_secs_f64());
    }
}
