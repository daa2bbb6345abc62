//! The delivery of messages that wait for their time: a component does it for those that are due.

use std::time::Duration;

use super::{CallFailed, InternalCalls, Job};

/// Calls `POST /internal/deliver_scheduled_messages` every five seconds: so much later than asked
/// for is a message at most.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeliverScheduledMessages;

#[async_trait::async_trait]
impl Job for DeliverScheduledMessages {
    fn name(&self) -> &'static str {
        "deliver-scheduled-messages"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/deliver_scheduled_messages"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(5)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        calls
            .post("/internal/deliver_scheduled_messages", String::new())
            .await
    }
}
