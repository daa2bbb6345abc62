//! The recorder behind the `metrics` macros, and the figures of the process itself.
//!
//! Every part of the host counts with the macros `counter!`, `gauge!` and `histogram!`; the
//! names are `spindle_<subsystem>_<noun>_<unit>`. Labels must come from a bounded set, never
//! from a client. Figures of the process are read when somebody asks.

use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// Bounds of all histograms of durations, in seconds: from a point read to a held poll.
const SECONDS: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 60.0,
];

/// How often histograms are folded into their buckets when nobody asks for them.
const UPKEEP: Duration = Duration::from_secs(5);

/// Renders what has been counted.
#[derive(Clone, Debug)]
pub struct Recorder {
    handle: Arc<PrometheusHandle>,
}

/// Installs the recorder of the process and keeps it tidy; call it once, inside a runtime.
///
/// # Errors
/// When a recorder is installed already.
pub fn install() -> anyhow::Result<Recorder> {
    let recorder = builder()?.build_recorder();
    let handle = Arc::new(recorder.handle());
    metrics::set_global_recorder(recorder).map_err(|error| anyhow::anyhow!("{error}"))?;
    metrics::describe_gauge!(
        "spindle_process_resident_bytes",
        "Resident memory of the process"
    );
    metrics::describe_gauge!(
        "spindle_process_open_files",
        "Open file descriptors of the process"
    );
    metrics::gauge!("spindle_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    let upkeep = Arc::clone(&handle);
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            upkeep.run_upkeep();
        }
    });
    Ok(Recorder { handle })
}

fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)
}

impl Recorder {
    /// Everything in the text format of Prometheus.
    pub fn render(&self) -> String {
        if let Some(bytes) = resident_bytes() {
            metrics::gauge!("spindle_process_resident_bytes").set(bytes);
        }
        if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
            metrics::gauge!("spindle_process_open_files").set(files.count() as f64);
        }
        self.handle.render()
    }
}

fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::{builder, resident_bytes};

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

    #[test]
    fn the_process_knows_its_memory() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 1e5));
    }
}
