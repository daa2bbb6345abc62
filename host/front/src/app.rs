//! A loaded application: its components, and what all requests share.

use super::compress::Compressor;
use super::error::FrontError;
use super::hand_off::HandOff;
use super::operations::Operations;
use super::options::{AppOptions, FrontLimits};
use super::rate::RateLimiter;
use super::request_metrics::RequestMetrics;
use super::router::Router;
use crate::traces::Traces;
use ipnet::IpNet;
use spindle_admission::memory::{Client, Memory};
use spindle_admission::{Admission, Class, Ticket};
use spindle_postgres::{Pools, Usage};
use spindle_runtime::Pool;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::SystemTime;

/// A loaded application. Cloning is cheap and shares everything.
#[derive(Clone)]
pub struct App {
    pub(super) inner: Arc<Inner>,
}

/// A component with its settings for the front.
pub(super) struct HostedComponent {
    pub(super) pool: Pool,
    /// Instances of the same component that serve one request at a time.
    pub(super) exclusive_pool: Pool,
    pub(super) max_body_bytes: usize,
    /// Whether requests with a body take as much as a password hash.
    pub(super) has_pictures: bool,
    /// Whether it is given the addresses of clients.
    pub(super) needs_client_address: bool,
    /// Whether requests count against the rate limits.
    pub(super) is_rate_limited: bool,
    pub(super) metrics: RequestMetrics,
}

pub(super) struct Inner {
    router: Router,
    pub(super) parts: Vec<Arc<HostedComponent>>,
    pub(super) limits: FrontLimits,
    pub(super) hand_offs: HashMap<String, Arc<dyn HandOff>>,
    pub(super) rate_limiter: Option<Arc<dyn RateLimiter>>,
    pub(super) admission: Arc<Admission>,
    pub(super) compressor: Compressor,
    /// The request that finds the account of a sender; with `None`, large bodies are accepted from
    /// all clients.
    pub(super) proof_path: Option<&'static str>,
    pub(super) trusted_proxies: Vec<IpNet>,
    /// Distinguishes request ids of this process from those of others.
    pub(super) epoch: u32,
    pub(super) next_request: AtomicU64,
    /// Of requests that reach no component.
    pub(super) refused: RequestMetrics,
    pub(super) operations: Operations,
    /// Connections of components to databases on a server.
    postgres: Arc<Pools>,
    pub(super) traces: Option<Arc<Traces>>,
    pub(super) access_log: bool,
}

impl Inner {
    pub(super) fn new(
        router: Router,
        parts: Vec<Arc<HostedComponent>>,
        postgres: Arc<Pools>,
        options: AppOptions,
    ) -> Self {
        let nanos = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        Self {
            router,
            parts,
            postgres,
            limits: options.limits,
            hand_offs: options.hand_offs,
            rate_limiter: options.rate_limiter,
            admission: options.admission,
            compressor: Compressor::default(),
            proof_path: options.proof_path,
            trusted_proxies: options.trusted_proxies,
            epoch: (nanos & u128::from(u32::MAX)) as u32,
            next_request: AtomicU64::new(1),
            refused: RequestMetrics::new(""),
            operations: Operations::new(options.operations),
            traces: options.traces,
            access_log: options.access_log,
        }
    }

    /// The budget of memory.
    pub(super) fn memory(&self) -> &Arc<Memory> {
        self.admission.memory()
    }

    pub(super) fn part_of(&self, path: &str) -> Option<&Arc<HostedComponent>> {
        let number = self.router.find(path);
        number.and_then(|number| self.parts.get(number))
    }

    /// Waits until a request of this client may begin.
    pub(super) async fn ticket(
        &self,
        client: Client,
        class: Class,
    ) -> Result<Arc<Ticket>, FrontError> {
        let ticket = self.admission.admit(client, class).await?;
        Ok(Arc::new(ticket))
    }
}

impl App {
    pub(super) fn new(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    /// Instances alive now, by component.
    pub fn instances(&self) -> Vec<(String, usize)> {
        let parts = self.inner.parts.iter();
        parts
            .map(|part| (part.pool.id().to_owned(), part.pool.instances()))
            .collect()
    }

    /// Connections to databases on a server at the moment.
    pub fn postgres_usage(&self) -> Usage {
        self.inner.postgres.usage()
    }
}
