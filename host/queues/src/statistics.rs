//! Metrics of the service (`/metrics`).

use metrics::{Counter, Gauge, Histogram};

/// Metric handles, looked up once.
pub(super) struct Statistics {
    pub(super) delivered: Counter,
    pub(super) heartbeats: Counter,
    pub(super) expired: Counter,
    pub(super) overflown: Counter,
    pub(super) log_rows: Counter,
    pub(super) queues: Gauge,
    pub(super) ring_bytes: Gauge,
    pub(super) fan_out_seconds: Histogram,
    pub(super) uncounted: Gauge,
}

impl std::fmt::Debug for Statistics {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Statistics")
    }
}

impl Statistics {
    pub(super) fn new() -> Self {
        describe();
        Self {
            delivered: metrics::counter!("spindle_events_delivered_total"),
            heartbeats: metrics::counter!("spindle_event_heartbeats_total"),
            expired: metrics::counter!("spindle_event_queues_expired_total"),
            overflown: metrics::counter!("spindle_event_queues_overflown_total"),
            log_rows: metrics::counter!("spindle_event_log_rows_total"),
            queues: metrics::gauge!("spindle_event_queues"),
            ring_bytes: metrics::gauge!("spindle_event_ring_bytes"),
            fan_out_seconds: metrics::histogram!("spindle_event_fan_out_seconds"),
            uncounted: metrics::gauge!("spindle_event_queues_uncounted"),
        }
    }
}

fn describe() {
    metrics::describe_counter!(
        "spindle_events_delivered_total",
        "Events that were put into answers, repetitions included"
    );
    metrics::describe_counter!("spindle_event_heartbeats_total", "Heartbeats made");
    metrics::describe_counter!(
        "spindle_event_queues_expired_total",
        "Queues that ended because no client polled them"
    );
    metrics::describe_counter!(
        "spindle_event_queues_overflown_total",
        "Queues that ended because they were too far behind"
    );
    metrics::describe_counter!(
        "spindle_event_log_rows_total",
        "Rows read from the event log"
    );
    metrics::describe_gauge!("spindle_event_queues", "Queues known");
    metrics::describe_gauge!("spindle_event_polls_waiting", "Polls that are being held");
    metrics::describe_gauge!("spindle_event_ring_bytes", "Memory for recent log rows");
    metrics::describe_histogram!(
        "spindle_event_fan_out_seconds",
        "Time from reading new log rows to having woken the last poll they concern"
    );
    metrics::describe_gauge!(
        "spindle_event_queues_uncounted",
        "Queues whose undelivered events are still to be counted for the bound"
    );
}
