//! The descriptions of all metrics, as `/metrics` shows them.
//!
//! One list, so that docs/TELEMETRY.md can be compared with the text of `/metrics`.

/// Registers the description of each metric; the documentation lists the labels.
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
        "Runs of jobs, by job and outcome",
    ),
    (
        "spindle_push_calls_total",
        "Calls to the push service, by outcome",
    ),
    (
        "spindle_thread_restarts_total",
        "Threads that had ended and were started again, by thread",
    ),
    (
        "spindle_operation_requests_total",
        "Answered requests, by operation and class of status; without an operation: of none that the interface has",
    ),
    (
        "spindle_messages_total",
        "Messages ever sent, deleted ones included",
    ),
    (
        "spindle_postgres_failures_total",
        "Requests that did not get a connection or a result from the database's server, by reason",
    ),
    (
        "spindle_postgres_conflicts_total",
        "Transactions that the database's server has undone because of another one, by the part that makes them again",
    ),
    (
        "spindle_process_cpu_seconds_total",
        "Processor time of the process, in whole seconds",
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
        "spindle_process_anonymous_bytes",
        "Resident memory that the process has made: what memory_budget bounds",
    ),
    (
        "spindle_process_file_bytes",
        "Resident pages of files, which the system takes back when it needs room",
    ),
    (
        "spindle_process_open_files_limit",
        "Most file descriptors that the process may have",
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
        "spindle_memory_excess_bytes",
        "What the program itself takes beyond its share of the budget, and clients do not get",
    ),
    (
        "spindle_components_unoptimized",
        "Components that run what the baseline compiler made, until their optimized code is there",
    ),
    (
        "spindle_events_working",
        "1 while the event log is followed and what clients acknowledge is written down",
    ),
    (
        "spindle_blobs_working",
        "0 while files in the bucket cannot be used, as far as requests have shown",
    ),
    ("spindle_database_bytes", "Size of the database"),
    (
        "spindle_database_wal_bytes",
        "Size of the database's write-ahead log",
    ),
    (
        "spindle_disk_free_bytes",
        "Free space on the disk of the database",
    ),
    (
        "spindle_disk_full",
        "1 while writes are refused because only the reserve or less is free",
    ),
    ("spindle_accounts", "Active accounts, by kind"),
    ("spindle_files", "Uploaded files"),
    ("spindle_files_bytes", "Bytes of all uploaded files"),
    (
        "spindle_files_quota_bytes",
        "Most bytes of all uploaded files; infinite without a limit",
    ),
    (
        "spindle_push_calls_waiting",
        "Calls that the push service is still to get",
    ),
    (
        "spindle_bot_calls_waiting",
        "Calls that services of bots are still to get",
    ),
    (
        "spindle_event_lag_rows",
        "Rows of the event log that are committed and not yet read for delivery",
    ),
    (
        "spindle_event_outbox_rows",
        "Events that are committed and have no position in the event log yet",
    ),
    (
        "spindle_postgres_connections",
        "Connections of components to the database's server, by state",
    ),
    (
        "spindle_postgres_connections_limit",
        "Most connections that components may have to the database's server",
    ),
    (
        "spindle_postgres_waiting_requests",
        "Requests that wait for a connection to the database's server",
    ),
    (
        "spindle_backup_last_success_seconds",
        "When the last backup was made, in UNIX seconds; 0 when none was",
    ),
    (
        "spindle_tls_certificate_end_seconds",
        "When the certificate in use ends, in UNIX seconds",
    ),
];

const HISTOGRAMS: &[(&str, &str)] = &[
    (
        "spindle_operation_seconds",
        "Time from the head of a request until the server had its answer or began to hold it, by operation",
    ),
    (
        "spindle_http_request_seconds",
        "Time from the head of a request until its answer, polls held for events included, by component",
    ),
    (
        "spindle_component_seconds",
        "Time that a component took over a request, waiting for an instance included, by component",
    ),
    (
        "spindle_postgres_wait_seconds",
        "Time that a request waited for a connection to the database's server",
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
