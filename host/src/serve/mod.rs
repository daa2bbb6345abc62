//! `spindle serve`: all parts of the server in one process, from first start to graceful stop.
//!
//! Owns the order in which parts start and stop, and their connections. The parts are independent:
//! the application answers requests, the event service holds polls, jobs call actions.
//! Must not decide how a request is answered.

mod app_runner;
mod beside_spin;
mod database_check;
mod first_start;
mod identity;
mod jobs;
mod parts;
mod preflight;
mod signals;
mod supervisor;
mod usage_stats;

use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::net::TcpListener;

use spindle_archive::import;
use spindle_blobs::BlobStore;
use spindle_config::address;
use spindle_config::claim::claim;
use spindle_config::data_dir::DataDir;
use spindle_config::{BucketOptions, Config, MailOptions};
use spindle_database::Location;
use spindle_front::{Listener, Tls};
use spindle_ops::{Health, OpsServer, Recorder, ServerState};
use spindle_queues::EventService;
use spindle_system::clock::Clock;
use spindle_system::disk_space::DiskSpace;

pub use beside_spin::{BesideSpin, run_events};
use database_check::DatabaseCheck;
pub use first_start::InitialOrganization;
use first_start::Services;
pub(crate) use first_start::create_organization;
use parts::Guards;
pub use preflight::{Findings, preflight};
pub use signals::stop_requested;
use supervisor::Supervisor;

/// Default address of health and metrics, used if it is free.
const DEFAULT_OPS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 3001);

/// When the delivery thread has been inactive for this long, the server stops notifying the service
/// manager's watchdog, which then restarts it: a hung thread cannot be restarted from within. A
/// thread that ends is restarted by the event service.
const STANDSTILL: Duration = Duration::from_secs(60);

/// Runs the server until it is asked to stop. Tests move its clock through the socket `test_clock`.
///
/// # Errors
/// The data directory or an address is in use, the manifest or a component is invalid, or a file
/// cannot be used.
pub async fn run(
    config: Config,
    initial: InitialOrganization,
    test_clock: Option<PathBuf>,
) -> Result<()> {
    let data = DataDir::new(&config.data_dir);
    data.create()?;
    let _claim = claim(data.path(), "spindle serve")?;
    let location = Location::of(&config, &data);
    {
        let (data, location) = (data.clone(), location.clone());
        tokio::task::spawn_blocking(move || import::require_ended(&data, &location)).await??;
    }
    let supervisor = Supervisor::of_this_process();
    let tls = tls(&config)?;
    let providers = identity::providers(config.identity_providers.as_deref())?;
    preflight::app_keys(&config).context("app_keys")?;
    let blobs = BlobStore::of(&BucketOptions::from(&config), &data.blobs()).await?;
    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("cannot listen on {}", config.listen))?;
    let bound = listener.local_addr()?;
    let site = address::of(&config, bound);
    if let Some(file) = location.file() {
        data.require_no_unfinished_move(file)?;
        data.create_databases()?;
    }
    address::note(&data, &site);
    let welcome = {
        let (data, site) = (data.clone(), site.clone());
        let services = Services {
            push: config.push_service.is_some(),
            mail: MailOptions::from(&config).is_on(),
            identity_providers: providers.listed(),
        };
        let location = location.clone();
        let prepare = move || first_start::prepare(&data, &location, &site, &initial, &services);
        tokio::task::spawn_blocking(prepare).await??
    };
    let recorder = spindle_ops::install()?;
    let database = DatabaseCheck::new(location.clone());
    let started = Arc::new(OnceLock::<EventService>::new());
    let events = Arc::clone(&started);
    let disk_space = DiskSpace::new(data.path(), config.disk_reserve.0);
    disk_space.watch();
    let guards = Guards {
        disk_space: Arc::clone(&disk_space),
        damage: Arc::default(),
    };
    let damage = Arc::clone(&guards.damage);
    let health = Health::default()
        .with_check("disk", move || disk_space.check())
        .with_check("database", move || {
            damage.check().and_then(|()| database.check())
        })
        .with_check("events", move || {
            events.get().map_or(Ok(()), EventService::check)
        })
        .with_warning("blobs", {
            let blobs = blobs.clone();
            move || blobs.check()
        });
    let health = Arc::new(health);
    let _ops = start_ops(&config, &health, &recorder).await?;

    let clock = Clock::new();
    if let Some(path) = &test_clock {
        parts::open_test_clock(&clock, path)?;
    }
    if let Some(tls) = &tls {
        watch_certificate(&recorder, tls.clone());
    }
    let server = parts::ServerLocation {
        data: &data,
        location: &location,
        site: &site,
        blobs: &blobs,
    };
    let parts = parts::start(&config, server, providers, clock, &recorder, &guards).await?;
    let events = started.get_or_init(|| parts.events.clone()).clone();
    health.set(ServerState::Ready);
    println!("{}", welcome.text(address::scheme(&config), bound));
    supervisor.is_ready(move || events.idle_time() < STANDSTILL);
    read_again_at_hangup(tls.clone());

    let stopping = Arc::clone(&health);
    let stop = async move {
        stop_requested().await;
        supervisor.is_stopping();
        stopping.set(ServerState::Stopping);
        tracing::info!("stopping");
    };
    let listener = match tls {
        Some(tls) => Listener::with_tls(listener, tls).strict_for(config.hsts_max_age),
        None => Listener::from(listener),
    };
    parts.app.serve(listener, stop).await;
    parts.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// Loads the configured certificate and key; the configuration has both or neither.
fn tls(config: &Config) -> Result<Option<Tls>> {
    match (&config.tls_cert, &config.tls_key) {
        (Some(certificate), Some(key)) => Ok(Some(Tls::load(certificate, key)?)),
        _ => Ok(None),
    }
}

/// Registers the metric of the certificate's expiry.
fn watch_certificate(recorder: &Recorder, tls: Tls) {
    recorder.watch(move || {
        if let Some(ends) = tls.ends() {
            metrics::gauge!("spindle_tls_certificate_end_seconds").set(ends as f64);
        }
    });
}

/// Reloads the certificate at SIGHUP, so that a renewal needs no restart. Without TLS the signal is
/// ignored, except at a terminal, where it keeps its default action and ends the server.
fn read_again_at_hangup(tls: Option<Tls>) {
    if tls.is_none() && std::io::stdin().is_terminal() {
        return;
    }
    signals::at_hangup(move || match tls.as_ref().map(Tls::reload) {
        Some(Ok(())) => tracing::info!("certificate and key were reloaded"),
        Some(Err(error)) => tracing::error!(%error, "the certificate in use stays"),
        None => tracing::info!("there is no certificate to reload"),
    });
}

/// The address of health and metrics; `None` when they are disabled.
pub fn ops_address(config: &Config) -> Option<SocketAddr> {
    config.ops_listen.map_or(Some(DEFAULT_OPS), |ops| ops.0)
}

/// Starts the server of health and metrics. A configured address must be free; the default address may
/// be in use by another server.
async fn start_ops(
    config: &Config,
    health: &Arc<Health>,
    recorder: &Recorder,
) -> Result<Option<OpsServer>> {
    let asked_for = config.ops_listen.is_some();
    let Some(address) = ops_address(config) else {
        return Ok(None);
    };
    match spindle_ops::start(address, Arc::clone(health), recorder.clone()).await {
        Ok(server) => Ok(Some(server)),
        Err(error) if asked_for => {
            Err(error).with_context(|| format!("cannot listen on {address} (ops_listen)"))
        }
        Err(error) => {
            tracing::warn!(%address, %error, "health and metrics are not served; set ops_listen");
            Ok(None)
        }
    }
}
