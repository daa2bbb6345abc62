//! The identity providers of a server, the same within `spindle serve` and under Spin.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use spindle_identity::Providers;
use spindle_jobs::JobStore;
use spindle_system::clock::Clock;

use crate::handoff::SignIns;

/// The providers of a folder, where one is configured.
pub(super) fn providers(folder: Option<&Path>) -> Result<Providers> {
    Providers::of(folder).map_err(anyhow::Error::msg)
}

/// Begins to learn the providers; sign-ins run their actions on `store`.
pub(super) fn start(providers: Providers, store: JobStore, clock: &Clock) -> Arc<SignIns> {
    providers.warm_up();
    Arc::new(SignIns::new(providers, store, clock.clone()))
}
