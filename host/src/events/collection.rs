//! What the job that collects queues has to delete: ended queues, and rows of the log that no queue needs.

use spindle_store::event_delivery;

use super::service::EventService;
use super::shared;

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
    ///
    /// # Errors
    /// When the positions of queues cannot be read.
    pub fn collection(&self) -> Result<Option<Collection>, anyhow::Error> {
        let inner = &self.inner;
        if inner.is_shared() {
            return Ok(Some(shared::collection(inner)?));
        }
        let counted = inner
            .log
            .with_reader(|db| event_delivery::queue_fingerprint(db))?;
        if counted != inner.table.fingerprint() {
            return Ok(None);
        }
        let end = inner.log.end();
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
