//! Metrics of this process from the system: memory, processor time, open files and their limit.
//!
//! Read when metrics are scraped; keeps no state.

use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Sets the gauges of the process.
pub(super) fn update() {
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        for (line, name) in [
            ("VmRSS:", "spindle_process_resident_bytes"),
            ("RssAnon:", "spindle_process_anonymous_bytes"),
            ("RssFile:", "spindle_process_file_bytes"),
        ] {
            if let Some(bytes) = bytes_of(&status, line) {
                metrics::gauge!(name).set(bytes);
            }
        }
    }
    let seconds = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    metrics::counter!("spindle_process_cpu_seconds_total")
        .absolute(u64::try_from(seconds).unwrap_or(0));
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        metrics::gauge!("spindle_process_open_files").set(files.count() as f64);
    }
    let limit = getrlimit(Resource::Nofile).current;
    metrics::gauge!("spindle_process_open_files_limit")
        .set(limit.map_or(f64::INFINITY, |limit| limit as f64));
}

/// A size in `/proc/self/status`, which is given in KiB; in bytes.
fn bytes_of(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::bytes_of;

    #[test]
    fn anonymous_and_file_pages_are_told_apart() {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let of = |name| bytes_of(&status, name).unwrap();
        let (all, anonymous, files) = (of("VmRSS:"), of("RssAnon:"), of("RssFile:"));
        assert!(anonymous > 1e4 && files > 1e4, "{status}");
        assert!(anonymous + files <= all, "{status}");
        assert_eq!(bytes_of("VmRSS:\t  12 kB\n", "VmRSS:"), Some(12288.0));
        assert_eq!(bytes_of("", "VmRSS:"), None);
    }
}
