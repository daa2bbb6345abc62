//! The options of an application, and the limits derived from them for each component.

use super::compiler::Compiler;
use super::files::Files;
use super::hand_off::HandOff;
use super::rate::RateLimiter;
use super::router::RouteError;
use crate::traces::Traces;
use ipnet::IpNet;
use spindle_admission::Admission;
use spindle_manifest::{Application, ComponentSettings, Manifest, ManifestError, VariableSource};
use spindle_runtime::key_value::KeyValue;
use spindle_runtime::outbound_http::InternalService;
use spindle_runtime::{EngineLimits, PoolLimits};
use spindle_sqlite::Database;
use spindle_system::clock::Clock;
use spindle_system::secret::ComponentTokens;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Linear memory of an instance in MiB, unless the manifest gives it.
pub const DEFAULT_MEMORY_MIB: usize = 64;

/// Limits of the HTTP server.
#[derive(Debug, Clone, Copy)]
pub struct FrontLimits {
    /// Most connections, including held polls.
    pub connections: usize,
    /// Longest time for the head of a request, from its first byte.
    pub header_timeout: Duration,
    /// The window in which a client must transfer an average of 1 KiB/s of a body, in either direction.
    pub body_timeout: Duration,
    /// Longest time a connection may stay silent between requests.
    pub idle_timeout: Duration,
    /// Most bytes of a body, unless the manifest says otherwise.
    pub max_body_bytes: usize,
    /// Most connections of one address; trusted proxies are exempt.
    pub connections_per_address: usize,
    /// Longest time that the server waits for requests in flight when it stops.
    pub stop_timeout: Duration,
}

impl Default for FrontLimits {
    fn default() -> Self {
        Self {
            connections: 16_384,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            max_body_bytes: 1 << 20,
            connections_per_address: 2048,
            stop_timeout: Duration::from_secs(10),
        }
    }
}

/// The options of an application, besides its manifest.
#[derive(Default)]
pub struct AppOptions {
    /// The source of its files.
    pub files: Files,
    /// Databases by label.
    pub databases: HashMap<String, Database>,
    /// Certificates (PEM) of database servers; `None` means the ones that browsers trust.
    pub database_root: Option<String>,
    /// The file of all key-value stores.
    pub key_value: Option<KeyValue>,
    /// The directory of the machine code cache; created with mode 0700.
    pub cache_dir: PathBuf,
    /// Compiles missing components into the cache; with `None`, this process compiles.
    pub compiler: Option<Compiler>,
    /// Values of variables; they take precedence over the environment.
    pub variables: BTreeMap<String, String>,
    /// Tokens by which components authenticate, as their variables `internal_token`; with `None`, all components share
    /// the one in `variables`.
    pub tokens: Option<ComponentTokens>,
    /// Limits of the HTTP server.
    pub limits: FrontLimits,
    /// Limits of concurrent requests, within the budget of memory.
    pub admission: Arc<Admission>,
    /// Limits of each pool, unless the manifest says otherwise.
    pub pool: PoolLimits,
    /// Services inside the host by origin, such as `http://127.0.0.1:3001`.
    pub services: HashMap<String, Arc<dyn InternalService>>,
    /// Services for hand-offs, by kind.
    pub hand_offs: HashMap<String, Arc<dyn HandOff>>,
    /// The rate limiter; `None` means no rate limit.
    pub rate_limiter: Option<Arc<dyn RateLimiter>>,
    /// The path of an operation that requires an account; called to authenticate the sender of a large body. with
    /// `None`, large bodies are received from all clients.
    pub proof_path: Option<&'static str>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The clock of the components.
    pub clock: Clock,
    /// Traces requests; `None` disables tracing.
    pub traces: Option<Arc<Traces>>,
    /// Whether the access log is enabled.
    pub access_log: bool,
    /// Method, path and id of each operation with metrics of its own.
    pub operations: &'static [(&'static str, &'static str, &'static str)],
}

/// Why an application could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The manifest is invalid.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A route is invalid.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// A component's file cannot be read.
    #[error("component {0:?}: cannot read {1}: {2}; has it been built?")]
    Source(String, PathBuf, std::io::Error),
    /// A component does not compile, or imports what the host does not offer.
    #[error("component {0:?}: {1}")]
    Component(String, String),
    /// The engine or its cache cannot be set up.
    #[error("{0}")]
    Engine(String),
}

/// Reads the manifest at `path` and fills in its variables.
pub(super) fn read_application(
    path: &Path,
    files: &Files,
    variables: BTreeMap<String, String>,
    tokens: Option<ComponentTokens>,
) -> Result<Application, LoadError> {
    let text = files
        .read(path)
        .map_err(|error| ManifestError::Read(path.to_owned(), error))?;
    let manifest = Manifest::parse_file(path, &text)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let source = VariableSource {
        tokens,
        ..VariableSource::with_environment(variables)
    };
    Ok(manifest.resolve(directory, &source)?)
}

pub(super) fn engine_limits(
    components: &[ComponentSettings],
    options: &AppOptions,
) -> EngineLimits {
    // Idle instances, instances that are ending, and calls of the host itself need slots as well.
    let instances = options.admission.most_at_once() + components.len() * 8 + 256;
    let memory = components.iter().map(memory_bytes).max();
    EngineLimits {
        instances: u32::try_from(instances).unwrap_or(u32::MAX),
        memory_bytes: memory.unwrap_or(DEFAULT_MEMORY_MIB << 20),
    }
}

/// Linear memory of an instance.
pub(super) fn memory_bytes(settings: &ComponentSettings) -> usize {
    settings.tuning.memory_mib.unwrap_or(DEFAULT_MEMORY_MIB) << 20
}

pub(super) fn pool_limits(settings: &ComponentSettings, options: &AppOptions) -> PoolLimits {
    let (tuning, default) = (&settings.tuning, options.pool);
    PoolLimits {
        concurrent_requests_per_instance: tuning
            .concurrent_requests_per_instance
            .unwrap_or(default.concurrent_requests_per_instance),
        requests_per_instance: tuning
            .requests_per_instance
            .unwrap_or(default.requests_per_instance),
        deadline: tuning
            .deadline_ms
            .map_or(default.deadline, Duration::from_millis),
        computing: tuning
            .computing_ms
            .map_or(default.computing, Duration::from_millis),
        max_response_bytes: tuning
            .max_response_bytes
            .unwrap_or(default.max_response_bytes),
        ..default
    }
}
