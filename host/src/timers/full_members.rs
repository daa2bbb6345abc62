//! The passage of members into the full members, once their waiting period is over.

use std::time::Duration;

use super::{CallFailed, InternalCalls, Job};

/// Calls `POST /internal/promote_full_members` once an hour: waiting periods count days.
#[derive(Debug, Clone, Copy)]
pub struct PromoteFullMembers;

#[async_trait::async_trait]
impl Job for PromoteFullMembers {
    fn name(&self) -> &'static str {
        "promote-full-members"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/promote_full_members"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(3600)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        calls
            .post("/internal/promote_full_members", String::new())
            .await
    }
}
