//! The end of invitations that have ended long ago.

use std::time::Duration;

use super::{CallFailed, InternalCalls, Job};

/// Calls `POST /internal/clean_invitations` once an hour.
#[derive(Debug, Clone, Copy)]
pub struct CleanInvitations;

#[async_trait::async_trait]
impl Job for CleanInvitations {
    fn name(&self) -> &'static str {
        "clean-invitations"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/clean_invitations"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(3600)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        calls
            .post("/internal/clean_invitations", String::new())
            .await
    }
}
