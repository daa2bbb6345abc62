//! What each metric means, in the words that `/metrics` shows.
//!
//! One list of all of them, so that docs/TELEMETRY.md and the text of `/metrics` can be held
//! against each other. It must not count anything.

/// Says what each metric means; without labels, which the documentation lists.
pub(super) fn describe() {
    for (name, meaning) in COUNTERS {
        metrics::describe_counter!(*name, *meaning);
    }
    for (name, meaning) in GAUGES {
        metrics::describe_gauge!(*name, *meaning);
    }
    for (name, meaning) in HISTOGRAMS {
        metrics::describe_histogram!(*name, *meaning);
    }
}

const COUNTERS: &[(&str, &str)] = &[
    (
        "spindle_http_requests_total",
        "Answered requests, by component and class of status; without a component: refused before one was called",
    ),
    (
        "spindle_component_refusals_total",
        "Requests that no instance took or that took too long, by reason",
    ),
    (
        "spindle_component_failures_total",
        "Requests that failed because their instance did",
    ),
    (
        "spindle_instance_failures_total",
        "Instances that ended early: traps, too much memory, too much computing",
    ),
    (
        "spindle_rate_limited_total",
        "Requests that were one too many for their user or address",
    ),
    (
        "spindle_tls_handshakes_total",
        "TLS handshakes, by how they ended",
    ),
    (
        "spindle_sqlite_transactions_total",
        "Write transactions made durable",
    ),
    (
        "spindle_sqlite_groups_total",
        "Flushes to the disk, each of one or more transactions",
    ),
    (
        "spindle_sqlite_failed_groups_total",
        "Flushes that failed, and with them their transactions",
    ),
    (
        "spindle_sqlite_expired_turns_total",
        "Transactions rolled back because they kept the writer too long",
    ),
    (
        "spindle_timer_runs_total",
        "Runs of timers, by job and outcome",
    ),
    (
        "spindle_push_calls_total",
        "Calls to the push service, by outcome",
    ),
    (
        "spindle_thread_restarts_total",
        "Threads that had ended and were started again, by thread",
    ),
];

const GAUGES: &[(&str, &str)] = &[
    ("spindle_build_info", "1; the version is a label"),
    (
        "spindle_process_start_time_seconds",
        "When the process started, in UNIX seconds",
    ),
    (
        "spindle_process_resident_bytes",
        "Resident memory of the process",
    ),
    (
        "spindle_process_open_files",
        "Open file descriptors of the process",
    ),
    ("spindle_http_connections", "Connections of clients"),
    ("spindle_instances", "Instances alive, by component"),
    (
        "spindle_memory_budget_bytes",
        "What the memory budget leaves to clients",
    ),
    (
        "spindle_memory_held_bytes",
        "How much of it is held, by purpose",
    ),
    (
        "spindle_components_unoptimized",
        "Components that run what the baseline compiler made, until their optimized code is there",
    ),
    (
        "spindle_events_working",
        "1 while the event log is followed and what clients acknowledge is written down",
    ),
    ("spindle_database_bytes", "Size of the database file"),
    (
        "spindle_database_wal_bytes",
        "Size of the database's write-ahead log",
    ),
    (
        "spindle_disk_free_bytes",
        "Room left on the disk of the database",
    ),
    (
        "spindle_disk_full",
        "1 while writes are refused because there is no room, or only the reserve",
    ),
];

const HISTOGRAMS: &[(&str, &str)] = &[
    (
        "spindle_http_request_seconds",
        "Time from the head of a request until its answer, polls held for events included, by component",
    ),
    (
        "spindle_component_seconds",
        "Time that a component took over a request, waiting for an instance included, by component",
    ),
    (
        "spindle_sqlite_turn_wait_seconds",
        "Time that a write transaction waited for its turn",
    ),
    (
        "spindle_sqlite_commit_seconds",
        "Time of one flush to the disk",
    ),
];
