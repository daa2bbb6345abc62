//! Ends waiting polls whose key or session has ended, and queues that ended with the role of their owner.
//!
//! The log row names only the account; its queues and the credentials of its polls are checked in the database.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use spindle_domain::UserId;
use spindle_store::{Db, event_delivery, keys};

use super::answer::PollOutcome;
use super::cached_row::CachedRow;
use super::inner::Inner;
use super::queue::{Credential, QueueState};

impl Inner {
    /// Refuses the waiting polls whose credentials are no longer valid, if a row says that some have ended.
    pub(super) fn end_credentials(&self, db: &dyn Db, rows: &[Arc<CachedRow>]) {
        let ended = rows.iter().filter_map(|row| row.row().ended_credentials());
        let accounts: BTreeSet<UserId> = ended.collect();
        for user_id in accounts.iter().copied() {
            // Recorded first, so that a poll that starts now is found below or finds the record.
            self.ended_credentials.note(user_id);
            for queue in self.waiting.of_user(user_id) {
                let waiter = |state: &QueueState| {
                    let waiter = state.waiter.as_ref()?;
                    Some((waiter.ticket, waiter.credential.clone()?))
                };
                let Some((ticket, credential)) = waiter(&queue.lock()) else {
                    continue;
                };
                if is_valid(db, user_id, &credential) {
                    continue;
                }
                let mut state = queue.lock();
                if waiter(&state).is_some_and(|(current, _)| current == ticket) {
                    self.release(&queue, &mut state, PollOutcome::Unauthorized);
                }
            }
        }
        self.end_deleted_queues(db, &accounts);
    }

    /// Ends the queues of these accounts that were deleted, before later events reach them: what they receive is what
    /// their owner could see until then.
    fn end_deleted_queues(&self, db: &dyn Db, accounts: &BTreeSet<UserId>) {
        if accounts.is_empty() {
            return;
        }
        let mut existing = HashMap::new();
        for queue in self.table.of_users(accounts) {
            let known = existing
                .entry(queue.user_id)
                .or_insert_with(|| event_delivery::queues_of(db, queue.user_id));
            match known {
                Ok(ids) if ids.iter().any(|id| **id == *queue.id) => {}
                Ok(_) => {
                    self.table.remove(&queue.id);
                    self.refuse(&queue);
                }
                // Maintenance finds it later.
                Err(error) => tracing::error!(%error, "the queues of an account cannot be read"),
            }
        }
    }

    /// Returns true if the credentials of a new poll have ended.
    pub(super) async fn has_ended(
        self: &Arc<Self>,
        user_id: UserId,
        credential: Credential,
    ) -> bool {
        if !self.ended_credentials.concern(user_id) {
            return false;
        }
        let inner = Arc::clone(self);
        let reading = tokio::task::spawn_blocking(move || {
            let read = inner
                .follower
                .log
                .with_reader(|db| Ok(is_valid(db, user_id, &credential)));
            read.unwrap_or(true)
        });
        !reading.await.unwrap_or(true)
    }
}

/// If the database cannot be read, the client's next request is refused instead.
fn is_valid(db: &dyn Db, user_id: UserId, credential: &[u8]) -> bool {
    keys::is_valid(db, user_id, credential).unwrap_or_else(|error| {
        tracing::error!(%error, "credentials cannot be looked up");
        true
    })
}
