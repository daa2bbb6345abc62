//! The memory of this process.

/// Limits what this process may allocate from now on; beyond it, it ends. Where the system refuses that, there is no limit.
pub fn limit(bytes: u64) {
    let limit = rustix::process::Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    let _ = rustix::process::setrlimit(rustix::process::Resource::As, limit);
}
