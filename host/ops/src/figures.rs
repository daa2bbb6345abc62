//! The answer of GET /server_figures: the server's metrics for owners.
//!
//! Owns the form of that answer, which the OpenAPI document describes. Every number comes from
//! `/metrics`; nothing is counted here, and a component decides who may read it.

use serde_json::{Map, Value, json};

use super::recorder::{Recorder, SECONDS};
use super::samples::Samples;

/// The process that the figures describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole server.
    Server,
    /// The event-queue service next to Spin, which has no figures of requests.
    EventService,
}

/// The figures of this process.
#[derive(Clone, Debug)]
pub struct Figures {
    recorder: Recorder,
    scope: Scope,
}

impl Figures {
    /// Reads figures from `recorder`.
    #[must_use]
    pub fn new(recorder: Recorder, scope: Scope) -> Self {
        Self { recorder, scope }
    }

    /// The current fields of the answer. Reads files of the system, so it may block for a moment.
    pub fn fields(&self) -> Map<String, Value> {
        let text = self.recorder.render();
        let samples = Samples::read(&text);
        let (started_at, uptime) = self.recorder.started();
        let mut fields = Map::new();
        for (name, value) in [
            ("scope", json!(self.scope.name())),
            ("version", json!(env!("CARGO_PKG_VERSION"))),
            ("started_at", json!(started_at)),
            ("uptime_seconds", json!(uptime)),
            ("process", process(&samples)),
            ("requests", requests(&samples)),
            ("queues", queues(&samples)),
            ("database", database(&samples)),
            ("timers", timers(&samples)),
        ] {
            fields.insert(name.to_owned(), value);
        }
        fields
    }
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::EventService => "event_service",
        }
    }
}

fn process(samples: &Samples<'_>) -> Value {
    json!({
        "resident_bytes": samples.count("spindle_process_resident_bytes", &[]),
        "open_files": samples.count("spindle_process_open_files", &[]),
        "connections": samples.count("spindle_http_connections", &[]),
    })
}

fn requests(samples: &Samples<'_>) -> Value {
    const ANSWERS: &str = "spindle_http_requests_total";
    let components = samples.values(ANSWERS, "component");
    let of = |component: &str| {
        let answers: Map<String, Value> = ["2xx", "3xx", "4xx", "5xx"]
            .into_iter()
            .map(|status| {
                let labels = [("component", component), ("status", status)];
                (status.to_owned(), json!(samples.count(ANSWERS, &labels)))
            })
            .collect();
        let labels = [("component", component)];
        json!({
            "component": component,
            "answers": answers,
            "instances": samples.count("spindle_instances", &labels),
            "seconds": samples.durations("spindle_component_seconds", &labels, SECONDS),
        })
    };
    components.into_iter().map(of).collect()
}

fn queues(samples: &Samples<'_>) -> Value {
    json!({
        "live": samples.count("spindle_event_queues", &[]),
        "waiting_polls": samples.count("spindle_event_polls_waiting", &[]),
        "delivered_events": samples.count("spindle_events_delivered_total", &[]),
        "heartbeats": samples.count("spindle_event_heartbeats_total", &[]),
        "expired": samples.count("spindle_event_queues_expired_total", &[]),
        "overflown": samples.count("spindle_event_queues_overflown_total", &[]),
        "fan_out_seconds": samples.durations("spindle_event_fan_out_seconds", &[], SECONDS),
    })
}

fn database(samples: &Samples<'_>) -> Value {
    json!({
        "bytes": samples.count("spindle_database_bytes", &[]),
        "transactions": samples.count("spindle_sqlite_transactions_total", &[]),
        "groups": samples.count("spindle_sqlite_groups_total", &[]),
        "failed_groups": samples.count("spindle_sqlite_failed_groups_total", &[]),
        "wait_seconds": samples.durations("spindle_sqlite_turn_wait_seconds", &[], SECONDS),
        "flush_seconds": samples.durations("spindle_sqlite_commit_seconds", &[], SECONDS),
    })
}

fn timers(samples: &Samples<'_>) -> Value {
    const RUNS: &str = "spindle_timer_runs_total";
    let runs =
        |job: &str, outcome: &str| samples.count(RUNS, &[("timer", job), ("outcome", outcome)]);
    let jobs = samples.values(RUNS, "timer").into_iter();
    jobs.map(|job| json!({"job": job, "done": runs(job, "done"), "failed": runs(job, "failed")}))
        .collect()
}
