//! Creates the parts of a server from the configuration and connects them.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use bytes::Bytes;

use super::{identity, jobs, usage_stats};
use crate::handoff::{InternalApi, hand_offs};
use spindle_admission::Admission;
use spindle_admission::body::Body;
use spindle_admission::heap;
use spindle_admission::memory::{Memory, Purpose, Shares};
use spindle_blobs::BlobStore;
use spindle_config::data_dir::DataDir;
use spindle_config::{Config, MailOptions, Synchronous};
use spindle_database::Location;
use spindle_front::traces::Traces;
use spindle_front::{App, AppOptions, Compiler, Files, FrontLimits, RateLimiter, TokenBuckets};
use spindle_identity::Providers;
use spindle_jobs::{JobStore, Jobs};
use spindle_mail::Mailer;
use spindle_ops::{Figures, Recorder, Scope};
use spindle_outgoing::PushService;
use spindle_postgres::Statistics;
use spindle_queues::{EventOptions, EventService};
use spindle_runtime::PoolLimits;
use spindle_runtime::key_value::KeyValue;
use spindle_runtime::outbound_http::InternalService;
use spindle_sqlite::{Damage, Database, DatabaseOptions};
use spindle_system::clock::{Clock, serve_test_socket};
use spindle_system::disk_space::DiskSpace;
use spindle_system::secret::ComponentTokens;

/// Label of the one database, as the manifest names it.
const DATABASE: &str = "default";

/// The address of the event-queue service for components: a name that is only used inside the process.
const EVENTS_URL: &str = "http://events.spindle.internal";

/// The cheapest operation that requires an account.
const PROOF_PATH: &str = "/api/v1/users/me";

/// The running parts.
pub(super) struct Parts {
    /// Answers requests.
    pub(super) app: App,
    /// Holds polls.
    pub(super) events: EventService,
    traces: Option<Arc<Traces>>,
    _jobs: Jobs,
}

/// The state of the disk and of the database file, for health checks.
pub(super) struct Guards {
    pub(super) disk_space: Arc<DiskSpace>,
    pub(super) damage: Arc<Damage>,
}

/// The event-queue service for components, without a socket.
struct Inside(InternalApi);

#[async_trait::async_trait]
impl InternalService for Inside {
    async fn call(&self, request: http::Request<Bytes>) -> http::Response<Body> {
        self.0.handle(request).await
    }
}

fn link_secret(location: &Location, data: &DataDir) -> Result<String> {
    let new = spindle_system::secret::new_token().context("no random numbers")?;
    match location.link_secret(&new)? {
        Some(shared) => Ok(shared),
        None => Ok(data.internal_token(|| Ok(new))?),
    }
}

/// The data directory, the database and the address of a server.
#[derive(Clone, Copy)]
pub(super) struct ServerLocation<'a> {
    pub(super) data: &'a DataDir,
    pub(super) location: &'a Location,
    /// The address under which clients reach the server.
    pub(super) site: &'a str,
    /// Where files are kept.
    pub(super) blobs: &'a BlobStore,
}

/// Starts all parts. The database must be migrated.
pub(super) async fn start(
    config: &Config,
    server: ServerLocation<'_>,
    providers: Providers,
    clock: Clock,
    recorder: &Recorder,
    guards: &Guards,
) -> Result<Parts> {
    let ServerLocation {
        data,
        location,
        site,
        blobs,
    } = server;
    let memory = Arc::new(Memory::new(Shares::of(config.memory_budget.0)));
    let admission = Admission::new(
        Arc::clone(&memory),
        config.max_instances,
        config.request_queue,
    );
    heap::look_after(&memory);
    let file = match location {
        Location::File(path) => Some(open_file(config, path, &memory, guards)?),
        Location::Server(_) => None,
    };
    let store = || match &file {
        Some(database) => JobStore::shared(database.clone(), clock.clone()),
        None => JobStore::server(location.clone(), clock.clone()),
    };
    let jobs_store = store();
    let sign_ins = identity::start(providers, store(), &clock);
    let key_value = match &file {
        Some(_) => KeyValue::open(&data.key_value(), Some(Arc::clone(&guards.disk_space)))
            .await
            .context("cannot open the key-value stores")?,
        None => KeyValue::shared(location.clone()),
    };
    let event_options = event_options(config, server, &memory);
    let events = EventService::start(event_options, clock.clone())?;
    if let Some(database) = &file {
        database.on_commit(events.commit_listener());
    }
    let link_secret = link_secret(location, data)?;
    let tokens = ComponentTokens::new().context("no random numbers")?;
    let figures = Figures::new(recorder.clone(), Scope::Server);
    let inside = InternalApi::for_each(tokens.clone(), events.clone(), blobs.clone());
    let inside: Arc<dyn InternalService> = Arc::new(Inside(inside));
    let (manifest, files) = Files::of_application(config.manifest.as_deref())
        .context("cannot read this program's file")?;
    let cache_dir = config
        .code_cache
        .clone()
        .unwrap_or_else(|| data.code_cache());
    let app_code = cache_dir.clone();
    let traces = Traces::from_environment()?.map(Arc::new);
    let options = AppOptions {
        files,
        databases: file
            .map(|file| (DATABASE.to_owned(), file))
            .into_iter()
            .collect(),
        database_root: location.certificates()?,
        key_value: Some(key_value),
        compiler: Some(compiler(config, &cache_dir)),
        cache_dir,
        variables: variables(config, &link_secret, site),
        tokens: Some(tokens),
        limits: front_limits(config),
        admission: Arc::new(admission),
        pool: pool_limits(config),
        services: HashMap::from([(format!("{EVENTS_URL}:80"), inside)]),
        hand_offs: hand_offs(&events, blobs, figures, sign_ins),
        rate_limiter: Some(rate_limiter(config)),
        proof_path: Some(PROOF_PATH),
        trusted_proxies: config.trusted_proxies.0.clone(),
        clock: clock.clone(),
        traces: traces.clone(),
        access_log: config.access_log,
        operations: spindle_openapi::OPERATIONS,
    };
    let app = App::load(&manifest, options).await?;
    recorder.watch_disk(data.path().to_owned());
    match location {
        Location::File(path) => recorder.watch_database(path.clone()),
        Location::Server(_) => watch_postgres(recorder, &app),
    }
    watch_instances(recorder, &app);
    watch_events(recorder, &events);
    watch_blobs(recorder, blobs);
    usage_stats::watch(recorder, location.clone(), data.clone(), &events);
    watch_memory(recorder, memory);
    let jobs = jobs::all(jobs::Needs {
        events: events.clone(),
        database: location.clone(),
        blobs: blobs.clone(),
        clock: clock.clone(),
        site: site.to_owned(),
        code_cache: app_code,
        bot_networks: config.bot_networks.0.clone(),
        push_service: push_service(config)?,
        mailer: mailer(config, site)?,
        link_secret,
    });
    let jobs = Jobs::start(&clock, &jobs_store, jobs);
    Ok(Parts {
        app,
        events,
        traces,
        _jobs: jobs,
    })
}

/// The configured push service; the configuration has all of its options or none.
pub(super) fn push_service(config: &Config) -> Result<Option<PushService>> {
    let (Some(url), Some(id), Some(key)) = (
        &config.push_service,
        &config.push_service_id,
        &config.push_service_key_file,
    ) else {
        return Ok(None);
    };
    PushService::new(&url.0, id, key).map(Some)
}

/// The way of mails, where one is configured.
pub(super) fn mailer(config: &Config, site: &str) -> Result<Option<Mailer>> {
    Mailer::of(&MailOptions::from(config), site).map_err(anyhow::Error::msg)
}

/// This program, as the process that compiles components into the cache.
fn compiler(config: &Config, cache_dir: &Path) -> Compiler {
    let mut arguments: Vec<OsString> = ["components", "compile"].map(OsString::from).into();
    arguments.extend(["--code-cache".into(), cache_dir.into()]);
    if let Some(manifest) = &config.manifest {
        arguments.extend(["--manifest".into(), manifest.into()]);
    }
    Compiler {
        program: "/proc/self/exe".into(),
        arguments,
        baseline: "--baseline".into(),
        background: "--background".into(),
    }
}

/// Registers the metric of instances by component.
fn watch_instances(recorder: &Recorder, app: &App) {
    let app = app.clone();
    recorder.watch(move || {
        for (component, number) in app.instances() {
            metrics::gauge!("spindle_instances", "component" => component).set(number as f64);
        }
    });
}

/// Registers the metrics of the database's server.
fn watch_postgres(recorder: &Recorder, app: &App) {
    // They exist from the start, not only from the first request on.
    let statistics = Statistics::register();
    let app = app.clone();
    recorder.watch(move || {
        let _kept = &statistics;
        app.postgres_usage().show();
    });
}

/// Registers the metric of event delivery.
pub(super) fn watch_events(recorder: &Recorder, events: &EventService) {
    let events = events.clone();
    recorder.watch(move || {
        let works = events.check().is_ok();
        metrics::gauge!("spindle_events_working").set(f64::from(u8::from(works)));
    });
}

/// Registers the metric of the place of blobs.
pub(super) fn watch_blobs(recorder: &Recorder, blobs: &BlobStore) {
    let blobs = blobs.clone();
    recorder.watch(move || {
        let works = blobs.failure().is_none();
        metrics::gauge!("spindle_blobs_working").set(f64::from(u8::from(works)));
    });
}

/// Registers the metrics of the memory budget, by purpose.
fn watch_memory(recorder: &Recorder, memory: Arc<Memory>) {
    metrics::gauge!("spindle_memory_budget_bytes").set(memory.shares().given as f64);
    recorder.watch(move || {
        for purpose in Purpose::ALL {
            let held = memory.held_for(purpose);
            metrics::gauge!("spindle_memory_held_bytes", "purpose" => purpose.name())
                .set(held as f64);
        }
        metrics::gauge!("spindle_memory_excess_bytes").set(memory.excess() as f64);
    });
}

impl Parts {
    /// Stops the background work. Held polls must have been answered before.
    pub(super) async fn stop(&self) {
        self.events.stop().await;
        if let Some(traces) = self.traces.clone() {
            // Blocks until the collector has received the rest.
            let _ = tokio::task::spawn_blocking(move || traces.stop()).await;
        }
    }
}

fn open_file(
    config: &Config,
    path: &Path,
    memory: &Arc<Memory>,
    guards: &Guards,
) -> Result<Database> {
    Database::open(&DatabaseOptions {
        memory: Arc::clone(memory),
        synchronous: match config.synchronous {
            Synchronous::Full => spindle_sqlite::Synchronous::Full,
            Synchronous::Normal => spindle_sqlite::Synchronous::Normal,
        },
        disk_space: Some(Arc::clone(&guards.disk_space)),
        damage: Arc::clone(&guards.damage),
        repeat_changes: config.repeat_changes,
        ..DatabaseOptions::new(path)
    })
    .context("cannot open the database")
}

fn event_options(
    config: &Config,
    server: ServerLocation<'_>,
    memory: &Arc<Memory>,
) -> EventOptions {
    EventOptions {
        database: server.location.clone(),
        ring_bytes: usize::try_from(memory.shares().ring).unwrap_or(usize::MAX),
        memory: Arc::clone(memory),
        journal: server.data.queues(),
        max_events: config.queue_max_events,
        max_bytes: config.queue_max_bytes.0,
        ..EventOptions::for_database(server.data.database())
    }
}

/// Values of the manifest's variables that follow from the configuration.
pub(super) fn variables(
    config: &Config,
    link_secret: &str,
    site: &str,
) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::from([
        ("link_secret".to_owned(), link_secret.to_owned()),
        ("events_url".to_owned(), EVENTS_URL.to_owned()),
        ("site".to_owned(), site.to_owned()),
        ("app_keys".to_owned(), config.app_keys.to_string()),
    ]);
    if let Some(url) = &config.database_url {
        variables.insert("database_url".to_owned(), url.secret().to_owned());
        variables.insert("database_hosts".to_owned(), url.hosts());
    }
    if let Some(url) = &config.external_url {
        variables.insert("external_url".to_owned(), url.0.clone());
    }
    variables
}

fn front_limits(config: &Config) -> FrontLimits {
    FrontLimits {
        connections: config.max_connections,
        connections_per_address: config.max_connections_per_address,
        max_body_bytes: usize::try_from(config.body_limit.0).unwrap_or(usize::MAX),
        stop_timeout: Duration::from_secs(config.stop_timeout),
        ..FrontLimits::default()
    }
}

fn pool_limits(config: &Config) -> PoolLimits {
    PoolLimits {
        direct: config.direct_calls,
        deadline: Duration::from_secs(config.request_deadline),
        ..PoolLimits::default()
    }
}

/// The rate limiter; 0: no limit. Without limits it still caches the accounts of keys.
fn rate_limiter(config: &Config) -> Arc<dyn RateLimiter> {
    let (user, address) = (config.rate_limit_user, config.rate_limit_address);
    Arc::new(TokenBuckets::new(user, config.rate_limit_bots, address))
}

/// Serves the socket that moves the clock; replaces one left behind by a killed server.
pub(super) fn open_test_clock(clock: &Clock, path: &Path) -> Result<()> {
    use std::os::unix::fs::FileTypeExt as _;
    if path
        .symlink_metadata()
        .is_ok_and(|found| found.file_type().is_socket())
    {
        std::fs::remove_file(path).with_context(|| path.display().to_string())?;
    }
    let (clock, path) = (clock.clone(), path.to_owned());
    tokio::spawn(async move {
        if let Err(error) = serve_test_socket(clock, &path).await {
            tracing::error!(path = %path.display(), %error, "the test clock cannot be moved");
        }
    });
    Ok(())
}
