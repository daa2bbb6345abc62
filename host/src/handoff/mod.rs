//! Tasks that components hand off to the host: holding polls, sending blobs, calling identity providers.
//!
//! A task arrives in two ways. In `spindle serve` a component's answer carries a task, and the
//! front calls a [`spindle_front::HandOff`]. Under Spin, components call [`InternalApi`] over HTTP
//! with the shared token. Both give the client the same answer. `callers` says which component may
//! use which route.

mod blob;
mod callers;
mod figures;
mod identity;
mod internal;
mod poll;
mod server;

use std::collections::HashMap;
use std::sync::Arc;

use spindle_wire::internal::Task;

use spindle_blobs::BlobStore;
use spindle_front::HandOff;
use spindle_ops::Figures;
use spindle_queues::EventService;

pub use identity::SignIns;
pub use internal::InternalApi;
pub use server::{InternalServer, serve};

/// The services for the kinds of task, to be given to the front.
#[must_use]
pub fn hand_offs(
    events: &EventService,
    blobs: &BlobStore,
    figures: Figures,
    sign_ins: Arc<SignIns>,
) -> HashMap<String, Arc<dyn HandOff>> {
    let deleted = poll::DeletedQueues(events.clone());
    let sign_ins: Arc<dyn HandOff> = Arc::new(identity::PerformedSignIns(sign_ins));
    let services: [(&str, Arc<dyn HandOff>); 8] = [
        (Task::POLL, Arc::new(poll::HeldPolls(events.clone()))),
        (Task::QUEUE_DELETED, Arc::new(deleted)),
        (Task::BLOB, Arc::new(blob::SentBlobs(blobs.clone()))),
        (Task::FIGURES, Arc::new(figures::ShownFigures(figures))),
        (Task::IDENTITY_BEGIN, Arc::clone(&sign_ins)),
        (Task::IDENTITY_COMPLETE, Arc::clone(&sign_ins)),
        (Task::IDENTITY_SIGN_OUT, Arc::clone(&sign_ins)),
        (Task::IDENTITY_ICON, sign_ins),
    ];
    services
        .into_iter()
        .map(|(kind, service)| (kind.to_owned(), service))
        .collect()
}

#[cfg(test)]
mod tests;
