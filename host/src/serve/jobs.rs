//! All jobs, the same within `spindle serve` and under Spin, and their dependencies.

use std::path::PathBuf;
use std::sync::Arc;

use ipnet::IpNet;

use spindle_archive::export::BuildExports;
use spindle_blobs::BlobStore;
use spindle_database::Location;
use spindle_jobs::Job;
use spindle_jobs::actions::ACTION_JOBS;
use spindle_jobs::apps::{AppRunner, FetchForApps, KeepAppCode, RunApps};
use spindle_jobs::bots::CallBots;
use spindle_jobs::collect::CollectQueues;
use spindle_jobs::files::DeleteBlobs;
use spindle_jobs::mail::{MailLinks, SendMails};
use spindle_jobs::push::CallPushService;
use spindle_mail::Mailer;
use spindle_outgoing::{AddressGuard, PushService};
use spindle_queues::EventService;
use spindle_system::clock::Clock;

use super::app_runner::{self, Runner};

/// The services that jobs use, in addition to the store.
pub(super) struct Needs {
    /// Knows which queues are over, and which are polled.
    pub(super) events: EventService,
    /// The database of which snapshots are taken.
    pub(super) database: Location,
    /// Where files are kept.
    pub(super) blobs: BlobStore,
    /// Says how long services are left alone.
    pub(super) clock: Clock,
    /// The address under which clients reach the server, without a slash at its end.
    pub(super) site: String,
    /// Where machine code of apps is kept.
    pub(super) code_cache: PathBuf,
    /// Networks that outgoing bots and apps may call although they are not public.
    pub(super) bot_networks: Vec<IpNet>,
    /// The push service, where one is configured.
    pub(super) push_service: Option<PushService>,
    /// The way of mails, where one is configured.
    pub(super) mailer: Option<Mailer>,
    /// What links in mails are signed with.
    pub(super) link_secret: String,
}

/// Every job; the jobs of the push service and of mail only where they are configured.
pub(super) fn all(needs: Needs) -> Vec<Box<dyn Job>> {
    let mut jobs: Vec<Box<dyn Job>> = Vec::new();
    for job in ACTION_JOBS {
        jobs.push(Box::new(*job));
    }
    let apps_blobs = needs.blobs.clone();
    let events = needs.events.clone();
    let is_polled = Box::new(move |queue: &str| events.is_polled(queue));
    jobs.push(Box::new(CollectQueues(needs.events)));
    jobs.push(Box::new(DeleteBlobs(needs.blobs.clone())));
    jobs.push(Box::new(BuildExports::new(
        needs.database,
        needs.blobs,
        needs.clock.clone(),
    )));
    if let Some(service) = needs.push_service {
        jobs.push(Box::new(CallPushService::new(service, needs.site.clone())));
    }
    if let Some(mailer) = needs.mailer {
        let links = MailLinks {
            site: needs.site.as_str().into(),
            secret: needs.link_secret.as_bytes().into(),
        };
        jobs.push(Box::new(SendMails::new(mailer, links)));
    }
    let runner: Arc<dyn AppRunner> = Arc::new(Runner::new(&needs.code_cache));
    let tidy = Box::new(move |installed| app_runner::tidy(&needs.code_cache, &installed));
    let (compiler, blobs) = (Arc::clone(&runner), apps_blobs.clone());
    jobs.push(Box::new(KeepAppCode::new(compiler, blobs, tidy)));
    let site = needs.site.clone();
    jobs.push(Box::new(RunApps::new(runner, apps_blobs, site, is_polled)));
    let guard = AddressGuard::new(needs.bot_networks.clone());
    jobs.push(Box::new(FetchForApps::new(guard)));
    let guard = AddressGuard::new(needs.bot_networks);
    jobs.push(Box::new(CallBots::new(guard, needs.clock, needs.site)));
    jobs
}
