//! The work that no request waits for, the same within `spindle serve` and beside Spin.

use std::path::PathBuf;
use std::sync::Arc;

use ipnet::IpNet;

use crate::blobs::BlobStore;
use crate::clock::Clock;
use crate::events::EventService;
use crate::export::BuildExports;
use crate::services::{AddressGuard, PushService};
use crate::timers::{
    CallBots, CallPushService, CleanFiles, CleanInvitations, CollectQueues,
    DeliverScheduledMessages, ExpireMessages, FinishChanges, InternalCalls, Job, MeasureChannels,
    PromoteFullMembers,
};

/// What the jobs work with.
pub(super) struct Needs {
    pub(super) events: EventService,
    pub(super) database: PathBuf,
    pub(super) blobs: BlobStore,
    pub(super) clock: Clock,
    /// How components are reached.
    pub(super) calls: Arc<dyn InternalCalls>,
    /// Networks that outgoing bots may call although they are not public.
    pub(super) bot_networks: Vec<IpNet>,
    pub(super) push_service: Option<PushService>,
}

/// Every job; that of the push service only where one is configured.
pub(super) fn all(needs: Needs) -> Vec<Box<dyn Job>> {
    let mut jobs: Vec<Box<dyn Job>> = vec![
        Box::new(CollectQueues(needs.events)),
        Box::new(DeliverScheduledMessages),
        Box::new(ExpireMessages),
        Box::new(FinishChanges),
        Box::new(MeasureChannels),
        Box::new(PromoteFullMembers),
        Box::new(CleanInvitations),
        Box::new(CleanFiles),
        Box::new(BuildExports::new(
            needs.database,
            needs.blobs,
            needs.clock.clone(),
        )),
        Box::new(CallBots::new(
            AddressGuard::new(needs.bot_networks),
            needs.clock,
            needs.calls,
        )),
    ];
    if let Some(service) = needs.push_service {
        jobs.push(Box::new(CallPushService(service)));
    }
    jobs
}
