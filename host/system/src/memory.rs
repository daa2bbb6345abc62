//! Bounds of this whole process, for work that another process has started.

use rustix::process::{Resource, Rlimit, setrlimit};

/// Limits what this process may allocate and compute from now on; beyond it, it ends. Where the system refuses that, there is no
/// limit.
pub fn limit(bytes: u64, seconds: u64) {
    for (resource, most) in [(Resource::As, bytes), (Resource::Cpu, seconds)] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        let _ = setrlimit(resource, limit);
    }
}
