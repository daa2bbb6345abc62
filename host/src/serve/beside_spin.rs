//! `spindle events`: the services that components need from a native process, for use next to `spin up`.
//!
//! The event-queue service, blobs and jobs, on an address that only the components call.
//! Works on the database that Spin uses; its other files are in the same directory, where that is a file. The first start
//! creates the organization, as `spindle serve` does.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, Result, bail};

use super::database_check::DatabaseCheck;
use super::first_start::{self, InitialOrganization, Services};
use super::parts::{watch_blobs, watch_events};
use super::signals::stop_requested;
use super::{identity, jobs, usage_stats};
use crate::admin::Session;
use crate::handoff::{InternalApi, InternalServer, serve};
use spindle_archive::import;
use spindle_blobs::BlobStore;
use spindle_config::address;
use spindle_config::claim::claim;
use spindle_config::data_dir::{DataDir, create_private_database, create_private_folder};
use spindle_config::{BucketOptions, MailOptions};
use spindle_database::Location;
use spindle_front::{RateLimiter, TokenBuckets};
use spindle_jobs::{JobStore, Jobs};
use spindle_mail::Mailer;
use spindle_ops::{Figures, Health, Scope, ServerState};
use spindle_outgoing::PushService;
use spindle_queues::{EventOptions, EventService};
use spindle_system::clock::Clock;
use spindle_system::disk_space::DiskSpace;

/// The options of the service.
#[derive(Clone, Debug)]
pub struct BesideSpin {
    /// The database that Spin uses.
    pub database: Location,
    /// The directory of files: the database's, if the database is in one.
    pub data: DataDir,
    /// Address that the components call.
    pub listen: SocketAddr,
    /// Shared with the components, which have it as the variable `internal_token`.
    pub token: String,
    /// The address on which Spin listens.
    pub app_url: String,
    /// The address for clients, when it is another one.
    pub external_url: Option<String>,
    /// Requests per minute of one user; 0: no limit.
    pub rate_limit_user: u32,
    /// Requests per minute of all bots of one user; `None` means five times a user's.
    pub rate_limit_bots: Option<u32>,
    /// Requests per minute of one address; 0: no limit.
    pub rate_limit_address: u32,
    /// Networks that outgoing bots may call although they are not public.
    pub bot_networks: Vec<ipnet::IpNet>,
    /// The push service, when one is configured.
    pub push_service: Option<PushService>,
    /// The way of mails, if one is configured.
    pub mail: MailOptions,
    /// The folder of identity providers, if there are any.
    pub identity_providers: Option<PathBuf>,
    /// What links in mails are signed with: the variable `link_secret` of the components, or else the token.
    pub link_secret: Option<String>,
    /// The bucket in which files are kept, if they are in one.
    pub blobs: BucketOptions,
    /// Bytes of the disk that must stay free; with less, the service is not ready.
    pub disk_reserve: u64,
    /// Address of health and metrics; with `None` they are not served.
    pub ops_listen: Option<SocketAddr>,
}

/// Runs the service until it is asked to stop.
///
/// # Errors
/// The token is empty, another server uses the directory, the address is in use, or a file cannot be
/// used.
pub async fn run_events(options: BesideSpin, initial: InitialOrganization) -> Result<()> {
    if options.token.trim().is_empty() {
        bail!(
            "the token is empty; choose a long random one and give it to the components as internal_token"
        );
    }
    let mailer = {
        let site = options.external_url.as_ref().unwrap_or(&options.app_url);
        Mailer::of(&options.mail, site).map_err(anyhow::Error::msg)?
    };
    let providers = identity::providers(options.identity_providers.as_deref())?;
    let (data, database) = (&options.data, &options.database);
    create_private_folder(data.path())?;
    // Spin shares the directory and takes no lock on it.
    let _claim = claim(data.path(), "spindle events")?;
    let mut event_options = EventOptions::in_directory(data.path());
    event_options.database = database.clone();
    if let Some(file) = database.file() {
        event_options.journal = file.with_file_name("queues.db");
        data.require_no_unfinished_move(file)?;
        create_private_database(file)?;
        create_private_database(&event_options.journal)?;
    }
    if options.blobs.blobs.is_none() {
        create_private_folder(&data.blobs())?;
    }
    let blobs = BlobStore::of(&options.blobs, &data.blobs()).await?;
    let server = InternalServer::bind(options.listen)
        .await
        .with_context(|| format!("cannot listen on {}", options.listen))?;
    let address = server.address()?;
    let recorder = spindle_ops::install()?;
    let started = Arc::new(OnceLock::new());
    let disk_space = DiskSpace::new(data.path(), options.disk_reserve);
    disk_space.watch();
    let health = watched_health(database, &blobs, Arc::clone(&started));
    let health = Arc::new(health.with_check("disk", move || disk_space.check()));
    let _ops = match options.ops_listen {
        Some(address) => Some(
            spindle_ops::start(address, Arc::clone(&health), recorder.clone())
                .await
                .with_context(|| format!("cannot listen on {address} (--ops-listen)"))?,
        ),
        None => None,
    };
    let (credentials, sign_in_link) = {
        let (database, path) = (database.clone(), data.owner_zuliprc());
        let site = options.external_url.as_ref().unwrap_or(&options.app_url);
        let (site, data) = (site.clone(), data.clone());
        let services = Services {
            push: options.push_service.is_some(),
            mail: options.mail.is_on(),
            identity_providers: providers.listed(),
        };
        tokio::task::spawn_blocking(move || {
            if database.file().is_none() {
                import::require_ended(&data, &database)?;
            }
            let session = Session::open(database)?;
            address::note(&data, &site);
            let created =
                first_start::create_organization(&session, &path, &site, &initial.realm())?;
            session.mend_texts()?;
            session.announce_restart()?;
            services.note(&session)?;
            let link = first_start::first_sign_in_link(&session, &site);
            Ok::<_, anyhow::Error>((created.then_some(path), link))
        })
        .await??
    };
    let clock = Clock::new();
    let events = EventService::start(event_options, clock.clone())?;
    watch_events(&recorder, &events);
    watch_blobs(&recorder, &blobs);
    let _ = started.set(events.clone());
    let limits: Arc<dyn RateLimiter> = Arc::new(TokenBuckets::new(
        options.rate_limit_user,
        options.rate_limit_bots,
        options.rate_limit_address,
    ));
    recorder.watch_disk(data.path().to_owned());
    if let Some(file) = database.file() {
        recorder.watch_database(file.to_owned());
    }
    usage_stats::watch(&recorder, database.clone(), data.clone(), &events);
    let figures = Figures::new(recorder, Scope::EventService);
    let store = || match database {
        Location::File(file) => JobStore::file(file.clone(), clock.clone()),
        Location::Server(_) => JobStore::server(database.clone(), clock.clone()),
    };
    let jobs_store = store();
    let sign_ins = identity::start(providers, store(), &clock);
    let api = InternalApi::new(&options.token, events.clone(), blobs.clone(), Some(limits))
        .with_figures(figures)
        .with_sign_ins(sign_ins);
    let site = options.external_url.unwrap_or(options.app_url);
    let jobs = jobs::all(jobs::Needs {
        mailer,
        link_secret: options.link_secret.unwrap_or(options.token),
        events: events.clone(),
        database: database.clone(),
        blobs,
        clock: clock.clone(),
        site,
        code_cache: data.code_cache(),
        bot_networks: options.bot_networks,
        push_service: options.push_service,
    });
    let _jobs = Jobs::start(&clock, &jobs_store, jobs);
    health.set(ServerState::Ready);
    println!(
        "spindle {} holds event queues on http://{address}",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(path) = credentials {
        println!("  the owner's client configuration: {}", path.display());
    }
    if let Some(link) = sign_in_link {
        println!("  sign in as the owner, once, within 15 minutes: {link}");
    }
    let stop = async {
        stop_requested().await;
        health.set(ServerState::Stopping);
    };
    serve(server, api, stop).await;
    events.stop().await;
    Ok(())
}

/// Ready while the database can be read and events are delivered.
fn watched_health(
    database: &Location,
    blobs: &BlobStore,
    events: Arc<OnceLock<EventService>>,
) -> Health {
    let (database, blobs) = (DatabaseCheck::new(database.clone()), blobs.clone());
    Health::default()
        .with_warning("blobs", move || blobs.check())
        .with_check("database", move || database.check())
        .with_check("events", move || {
            events.get().map_or(Ok(()), EventService::check)
        })
}
