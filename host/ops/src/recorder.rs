//! The recorder behind the `metrics` macros, and probes that run when metrics are scraped.
//!
//! Every part of the host counts with the macros `counter!`, `gauge!` and `histogram!`; the
//! names are `spindle_<subsystem>_<noun>_<unit>`. Labels must come from a bounded set, never
//! from a client. What each metric means is in docs/TELEMETRY.md.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// Bucket bounds of histograms of durations, in seconds: from a point read to a held poll.
pub(super) const SECONDS: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 60.0,
];

/// Bucket bounds for durations of operations: fewer, because there are many operations.
const SECONDS_OF_OPERATIONS: &[f64] = &[
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];

/// How often histograms are folded into their buckets without a scrape.
const UPKEEP: Duration = Duration::from_secs(5);

/// Sets gauges whose values are read on demand.
type Probe = Box<dyn Fn() + Send + Sync>;

/// Renders the metrics.
#[derive(Clone)]
pub struct Recorder {
    handle: Arc<PrometheusHandle>,
    probes: Arc<Mutex<Vec<Probe>>>,
    started: (SystemTime, Instant),
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Recorder")
    }
}

/// Installs the recorder of the process and starts its upkeep; call it once, inside a runtime.
pub fn install() -> anyhow::Result<Recorder> {
    let recorder = builder()?.build_recorder();
    let handle = Arc::new(recorder.handle());
    metrics::set_global_recorder(recorder).map_err(|error| anyhow::anyhow!("{error}"))?;
    super::describe::describe();
    let started = (SystemTime::now(), Instant::now());
    metrics::gauge!("spindle_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    metrics::gauge!("spindle_process_start_time_seconds").set(unix_seconds(started.0) as f64);
    let upkeep = Arc::clone(&handle);
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            upkeep.run_upkeep();
        }
    });
    let recorder = Recorder {
        handle,
        probes: Arc::default(),
        started,
    };
    recorder.watch(super::process::update);
    Ok(recorder)
}

fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)?
        .set_buckets_for_metric(
            Matcher::Full("spindle_operation_seconds".to_owned()),
            SECONDS_OF_OPERATIONS,
        )
}

impl Recorder {
    /// A recorder that is not installed, for tests.
    pub fn apart() -> Result<Self, BuildError> {
        Ok(Self {
            handle: Arc::new(builder()?.build_recorder().handle()),
            probes: Arc::default(),
            started: (SystemTime::now(), Instant::now()),
        })
    }

    /// Adds a probe that sets its gauges at each scrape; it may block for a moment.
    pub fn watch(&self, probe: impl Fn() + Send + Sync + 'static) {
        let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        probes.push(Box::new(probe));
    }

    /// Adds a gauge of the free space on the disk of a file or directory.
    pub fn watch_disk(&self, path: PathBuf) {
        self.watch(move || {
            if let Ok(disk) = rustix::fs::statvfs(&path) {
                let free = disk.f_bavail.saturating_mul(disk.f_frsize);
                metrics::gauge!("spindle_disk_free_bytes").set(free as f64);
            }
        });
    }

    /// Adds gauges of the sizes of a database.
    pub fn watch_database(&self, path: PathBuf) {
        let mut log = path.clone().into_os_string();
        log.push("-wal");
        let log = PathBuf::from(log);
        self.watch(move || {
            let size = |path| std::fs::metadata(path).map_or(0, |found| found.len()) as f64;
            metrics::gauge!("spindle_database_bytes").set(size(&path));
            metrics::gauge!("spindle_database_wal_bytes").set(size(&log));
        });
    }

    /// All metrics in the text format of Prometheus.
    pub fn render(&self) -> String {
        for probe in self
            .probes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            probe();
        }
        self.handle.render()
    }

    /// When the process started, in UNIX seconds, and how many seconds ago that is.
    pub(super) fn started(&self) -> (u64, u64) {
        (
            unix_seconds(self.started.0),
            self.started.1.elapsed().as_secs(),
        )
    }
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::builder;

    #[test]
    fn durations_become_histograms() {
        let recorder = builder().unwrap().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            metrics::histogram!("spindle_test_wait_seconds").record(0.002);
        });
        assert!(
            handle
                .render()
                .contains("spindle_test_wait_seconds_bucket{le=\"0.0025\"} 1")
        );
    }
}
