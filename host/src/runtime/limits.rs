//! Limits of a component's instance pool.

use std::time::Duration;

/// Limits of one component's pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolLimits {
    /// Most requests inside instances at once, and thus most instances: in the worst case, when each
    /// request waits in a synchronous call, each needs its own.
    pub max_instances: usize,
    /// Most requests inside one instance at once, where it is called through WASI HTTP.
    pub concurrent_requests_per_instance: usize,
    /// Requests after which an instance is replaced.
    pub requests_per_instance: usize,
    /// Most requests waiting for an instance; more are refused.
    pub queue_length: usize,
    /// Longest wait for an instance.
    pub queue_wait: Duration,
    /// Longest time from entering an instance to the complete answer.
    pub deadline: Duration,
    /// Most processor time that a guest may use without a new request beginning; through WASI HTTP, most time in which
    /// it computes.
    pub computing: Duration,
    /// Most bytes of one answer.
    pub max_response_bytes: usize,
    /// How long the last idle instances are kept.
    pub idle_kept: Duration,
    /// Whether components that offer it are called directly; else through WASI HTTP, as all others.
    pub direct: bool,
    /// Whether this is a pool of exclusive instances, each of which has a thread of its own: their number
    /// is the limit on what they compute.
    pub is_exclusive: bool,
}

impl PoolLimits {
    /// The limits for a pool of at most `at_once` exclusive instances, which serve one request at a
    /// time. The pool keeps none idle, since they are large.
    #[must_use]
    pub fn exclusive(self, at_once: usize) -> Self {
        Self {
            max_instances: at_once,
            concurrent_requests_per_instance: 1,
            is_exclusive: true,
            idle_kept: Duration::from_secs(1),
            ..self
        }
    }
}

impl Default for PoolLimits {
    fn default() -> Self {
        Self {
            max_instances: 96,
            concurrent_requests_per_instance: 16,
            // To make an instance takes as long as to answer several requests.
            requests_per_instance: 1024,
            queue_length: 1024,
            queue_wait: Duration::from_secs(10),
            deadline: Duration::from_secs(30),
            computing: Duration::from_secs(2),
            max_response_bytes: 32 << 20,
            idle_kept: Duration::from_secs(300),
            direct: true,
            is_exclusive: false,
        }
    }
}
