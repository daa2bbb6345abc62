//! Limits of a component's instance pool.

use std::time::Duration;

/// Limits of one component's pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolLimits {
    /// Most concurrent requests in one instance that is called through WASI HTTP.
    pub concurrent_requests_per_instance: usize,
    /// Requests after which an instance is replaced.
    pub requests_per_instance: usize,
    /// Longest time from entering an instance to the complete answer.
    pub deadline: Duration,
    /// Longest time that a guest may compute without a new request beginning.
    pub computing: Duration,
    /// Most bytes of one answer.
    pub max_response_bytes: usize,
    /// How long the last idle instances are kept.
    pub idle_kept: Duration,
    /// Whether components that offer it are called directly; else through WASI HTTP, as all others.
    pub direct: bool,
    /// Whether each instance has a thread of its own, and a ticket that limits what it computes.
    pub is_exclusive: bool,
}

impl PoolLimits {
    /// The limits for a pool of exclusive instances, which serve one request at a time. The pool keeps none idle, since
    /// they are large.
    #[must_use]
    pub fn exclusive(self) -> Self {
        Self {
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
            concurrent_requests_per_instance: 16,
            // To make an instance takes as long as to answer several requests.
            requests_per_instance: 1024,
            deadline: Duration::from_secs(30),
            computing: Duration::from_secs(4),
            max_response_bytes: 32 << 20,
            idle_kept: Duration::from_secs(300),
            direct: true,
            is_exclusive: false,
        }
    }
}
