//! What the job that collects queues has to delete: ended queues, and rows of the log that no queue needs.

use spindle_store::{DbError, event_delivery, queue_positions};

use super::inner::Inner;
use super::service::EventService;
use super::shared::AT_ONCE;

/// The work for the job that collects queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Ended queues whose rows are to be deleted.
    pub ended: Vec<String>,
    /// No queue needs log rows up to and including this one.
    pub prune_below: i64,
}

impl EventService {
    /// The rows that the collection job must delete now; `None` until the service has
    /// found every queue. Blocks.
    pub fn collection(&self) -> Result<Option<Collection>, anyhow::Error> {
        let inner = &self.inner;
        if inner.is_shared() {
            return Ok(Some(collection_of_all(inner)?));
        }
        let counted = inner
            .follower
            .log
            .with_reader(|db| event_delivery::queue_fingerprint(db))?;
        if counted != inner.table.fingerprint() {
            return Ok(None);
        }
        let end = inner.follower.log.end();
        // Only durably acknowledged rows may be deleted.
        let positions = inner.journal.positions()?;
        let mut ended = Vec::new();
        let mut keep_from = end;
        for queue in inner.table.all() {
            if queue.lock().is_ended() {
                ended.push(queue.id.to_string());
            } else {
                let position = positions.get(&*queue.id);
                let next = position.map_or(queue.base_seq + 1, |position| position.next_seq);
                keep_from = keep_from.min(next);
            }
        }
        ended.sort_unstable();
        Ok(Some(Collection {
            ended,
            prune_below: keep_from.saturating_sub(1),
        }))
    }
}

/// As [`EventService::collection`], from what all nodes have stored. Blocks.
fn collection_of_all(inner: &Inner) -> Result<Collection, DbError> {
    inner.follower.log.with_reader(|db| {
        let ended = queue_positions::ended(db, AT_ONCE)?;
        let first_needed = queue_positions::first_needed(db)?;
        let end = inner.follower.log.end();
        Ok(Collection {
            ended,
            prune_below: first_needed.unwrap_or(end).min(end).saturating_sub(1),
        })
    })
}
