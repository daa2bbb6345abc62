//! Tests that the table of limits (`docs/LIMITS.md`) matches the host.

use spindle_admission::memory::Shares;
use spindle_admission::{
    HASHES_WAITING, ORDINARY, ORDINARY_OF_CLIENT, TRANSFERS, WAITING, hashes_on,
    readers_of_client_on, slow_on,
};
use spindle_blobs::{LARGEST_OBJECT, MOST_PARTS};
use spindle_domain::limits::table::{Bound, SERVER};
use spindle_front::{FrontLimits, MAX_ANONYMOUS_BODY, WRITTEN_PER_REQUEST};
use spindle_identity::{CALL_TIMEOUT, MAX_ANSWER_BYTES, MAX_CALLS_OF_PROVIDER};
use spindle_manifest::{Manifest, Tuning};
use spindle_queues::{EventOptions, READING_THREADS};
use spindle_runtime::{PoolLimits, RETIRED_ABOVE};
use std::collections::BTreeMap;
use std::path::Path;

/// The settings of a component in spin.toml.
fn tuning(component: &str) -> Tuning {
    let path = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../spin.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let manifest = Manifest::parse(&text).unwrap();
    manifest.component[component].tool.spindle.clone()
}

/// The numbers of the table, by the names of its rows.
fn numbers() -> BTreeMap<&'static str, u64> {
    let options = spindle_config::defaults().unwrap().resolve().unwrap();
    let (front, pool) = (FrontLimits::default(), PoolLimits::default());
    let files = tuning("files");
    let database = spindle_sqlite::DatabaseOptions::new("unused");
    let events = EventOptions::in_directory(Path::new("unused"));
    let shares = Shares::of(options.memory_budget.0);
    let postgres = spindle_postgres::PgLimits::default();
    assert!(postgres.statement.as_secs() < options.request_deadline);
    assert_eq!(front.connections, options.max_connections);
    assert_eq!(front.max_body_bytes as u64, options.body_limit.0);
    assert_eq!(ORDINARY, options.max_instances);
    assert_eq!(WAITING, options.request_queue);
    assert_eq!(events.max_events, options.queue_max_events);
    assert_eq!(events.max_bytes, options.queue_max_bytes.0);
    assert_eq!(events.ring_bytes as u64, shares.ring);
    // A picture fits in addition to small instances.
    assert!((files.memory_mib.unwrap() as u64) << 20 <= shares.given - shares.kept);
    assert_eq!(TRANSFERS.1, 16);
    BTreeMap::from([
        ("connections", options.max_connections as u64),
        (
            "connections of one",
            options.max_connections_per_address as u64,
        ),
        ("requests of one", ORDINARY_OF_CLIENT as u64),
        ("requests at once", options.max_instances as u64),
        ("waiting requests", options.request_queue as u64),
        ("time of a request", options.request_deadline),
        ("body", options.body_limit.0),
        ("body with a file", files.max_body_bytes.unwrap() as u64),
        ("large bodies", TRANSFERS.0 as u64),
        // On the smallest machine.
        ("passwords and pictures", hashes_on(2) as u64),
        ("waiting passwords and pictures", HASHES_WAITING as u64),
        ("slow requests", slow_on(2).0 as u64),
        ("readers of one", readers_of_client_on(2) as u64),
        ("written by a request", WRITTEN_PER_REQUEST),
        ("body without an account", MAX_ANONYMOUS_BODY as u64),
        ("answer", pool.max_response_bytes as u64),
        ("memory", options.memory_budget.0),
        ("bodies and answers of one", shares.transfers_of_one),
        ("instance", (spindle_front::DEFAULT_MEMORY_MIB << 20) as u64),
        ("instance in use", RETIRED_ABOVE as u64),
        ("polls that read the database", READING_THREADS as u64),
        ("time of a statement", database.statement_limit.as_secs()),
        ("connections to PostgreSQL", postgres.connections as u64),
        ("waiting for PostgreSQL", postgres.wait.as_secs()),
        (
            "time of a statement on PostgreSQL",
            postgres.statement.as_secs(),
        ),
        ("result on PostgreSQL", postgres.result_bytes as u64),
        ("calls to a provider", MAX_CALLS_OF_PROVIDER as u64),
        ("time of a call to a provider", CALL_TIMEOUT.as_secs()),
        ("answer of a provider", MAX_ANSWER_BYTES as u64),
        ("file in a bucket", LARGEST_OBJECT),
        ("parts in a bucket", MOST_PARTS as u64),
        ("events of a queue", options.queue_max_events),
        ("bytes of a queue", options.queue_max_bytes.0),
    ])
}

#[test]
fn the_table_of_limits_has_the_numbers_of_the_host() {
    let rows = SERVER.iter().map(|row| {
        let Bound::At(limit, _) = row.bound else {
            panic!("{} has no number", row.name);
        };
        (row.name, u64::try_from(limit).unwrap())
    });
    let rows: BTreeMap<&str, u64> = rows.collect();
    assert_eq!(rows, numbers());
}
