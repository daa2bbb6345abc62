//! The collection of queues that are over and of log rows that nobody needs: the service knows
//! which, a component deletes them, since the service does not write to the main database.

use std::time::Duration;

use super::{CallFailed, InternalCalls, Job};
use crate::events::EventService;

/// Queues named in one call; the rest follows a minute later.
const AT_ONCE: usize = 1000;

/// Calls `POST /internal/collect` once a minute.
#[derive(Debug, Clone)]
pub struct CollectQueues(pub EventService);

#[async_trait::async_trait]
impl Job for CollectQueues {
    fn name(&self) -> &'static str {
        "collect-queues"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/collect"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(60)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        let service = self.0.clone();
        let unknown = |error: String| CallFailed::Unreachable(error);
        let collection = tokio::task::spawn_blocking(move || service.collection())
            .await
            .map_err(|error| unknown(error.to_string()))?
            .map_err(|error| unknown(error.to_string()))?;
        let Some(mut collection) = collection else {
            // Queues have just come or gone; next time.
            return Ok(());
        };
        collection.ended.truncate(AT_ONCE);
        let ended = serde_json::Value::from(collection.ended).to_string();
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("ended", &ended)
            .append_pair("prune_below", &collection.prune_below.to_string())
            .finish();
        calls.post("/internal/collect", form).await
    }
}
