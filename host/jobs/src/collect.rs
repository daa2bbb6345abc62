//! The collection of queues that are over and of log rows that no queue needs: the event-queue
//! service knows which, an action deletes them.

use std::time::Duration;

use spindle_actions::queues::collect_queues;
use spindle_store::Connection;

use super::{Job, JobFailed, JobStore};
use spindle_queues::EventService;

/// Queues that are deleted in one transaction; the rest follows a minute later.
const AT_ONCE: usize = 1000;

/// Deletes the queues that the service names, once a minute.
#[derive(Debug, Clone)]
pub struct CollectQueues(pub EventService);

#[async_trait::async_trait]
impl Job for CollectQueues {
    fn name(&self) -> &'static str {
        "collect-queues"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(60)
    }

    fn is_for_one_node(&self) -> bool {
        true
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        let service = self.0.clone();
        let collection = tokio::task::spawn_blocking(move || service.collection()).await?;
        let Some(mut collection) = collection.map_err(JobFailed::other)? else {
            // Queues have just changed; the next run deletes them.
            return Ok(());
        };
        collection.ended.truncate(AT_ONCE);
        let collect = move |db: &dyn Connection, now: i64| {
            collect_queues(db, now, &collection.ended, collection.prune_below)
        };
        store.run(collect).await.map(|_| ())
    }
}
