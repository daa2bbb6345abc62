//! Deletes messages that are older than they are kept (docs/protocol/messages.md#delete_message,
//! docs/protocol/events.md#delete_message, `message_retention_days`).
//!
//! A job calls it until nothing is left. A call is one short transaction with its events, so that
//! writers wait for a moment at most, and a message is deleted if and only if its event is in the
//! log.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_domain::{MessageId, RealmId};
use spindle_events::Event;
use spindle_store::retention::{self, ExpiredMessage, RetentionScope};
use spindle_store::{Connection, Freeing, Outcome, WriteTx, audit};

use super::erase::{Part, erase_parts};
use crate::{ActionError, change};

/// Messages that one transaction deletes at most.
const AT_ONCE: i64 = 100;
/// Deliveries that go with them, which are what takes time; more only with a single message.
const DELIVERIES_AT_ONCE: i64 = 2_000;

/// What one call has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpiredMessages {
    /// Messages that were deleted.
    pub deleted: usize,
    /// Nothing was left to do.
    pub is_complete: bool,
}

/// Deletes some messages that have expired at `now` (UNIX seconds): the oldest of one channel, or
/// of the direct messages.
pub fn expire_messages(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<ExpiredMessages, ActionError> {
    let db = &Freeing(db);
    // Most calls find nothing, and need not wait for the write lock.
    let Some(scope) = retention::first_scope(db, realm_id, now)? else {
        return Ok(ExpiredMessages {
            deleted: 0,
            is_complete: true,
        });
    };
    let deliveries = retention::deliveries(db, realm_id, scope, now, AT_ONCE)?;
    change::part(db, realm_id, now, |tx| {
        let expired = retention::oldest(tx, realm_id, scope, now, batch(&deliveries))?;
        let done = ExpiredMessages {
            deleted: expired.len(),
            is_complete: false,
        };
        if expired.is_empty() {
            // They are gone or kept longer since they were counted. The next call sees.
            return Ok(Outcome::Unchanged(done));
        }
        let events = delete(tx, realm_id, now, scope, expired)?;
        Ok(change::outcome(done, events))
    })
}

/// How many of the messages, given their numbers of deliveries, are deleted in one transaction.
fn batch(deliveries: &[i64]) -> i64 {
    let mut sum = 0;
    let fitting = deliveries.iter().take_while(|number| {
        sum += **number;
        sum <= DELIVERIES_AT_ONCE
    });
    i64::try_from(fitting.count()).map_or(AT_ONCE, |number| number.max(1))
}

/// Deletes the messages; the events are none where the channel has no readers.
fn delete(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    scope: RetentionScope,
    expired: Vec<ExpiredMessage>,
) -> Result<Vec<Event>, ActionError> {
    let number = expired.len();
    let mut topics: BTreeMap<String, Vec<MessageId>> = BTreeMap::new();
    for message in expired {
        topics.entry(message.topic).or_default().push(message.id);
    }
    topics.values_mut().for_each(|ids| ids.sort_unstable());
    let parts: Vec<Part<'_>> = topics
        .iter()
        .map(|(topic, message_ids)| Part { topic, message_ids })
        .collect();
    let channel_id = scope.channel_id();
    let events = erase_parts(tx, realm_id, now, channel_id, &parts, &[])?;
    let data = json!({"stream_id": channel_id, "messages": number}).to_string();
    audit::append(tx, realm_id, now, None, None, "messages_expired", &data)?;
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_by_what_it_delivered() {
        assert_eq!(batch(&[1; 100]), 100);
        assert_eq!(batch(&[1000; 100]), 2);
        assert_eq!(batch(&[1500, 501, 1]), 1);
        // A message is deleted in one piece, regardless of how many received it.
        assert_eq!(batch(&[50_000, 1]), 1);
        assert_eq!(batch(&[]), 1);
    }
}
