//! Deletes what an account has sent, a few messages in a transaction (ADR 0029).
//!
//! The deletion was stored with the deactivation of the account. Each part emits the events of the
//! messages that it deletes.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_domain::{ConversationId, MessageId, RealmId};
use spindle_store::message_erasures::{self, LOOKED_AT, SentRow};
use spindle_store::{Connection, DbError, Freeing, Outcome, audit, keys};

use super::erase::{Erased, erase};
use crate::{ActionError, Actor, change};

/// Messages that one part deletes at most.
const AT_ONCE: usize = 100;
/// Deliveries that go with them; more only with a single message.
const DELIVERIES_AT_ONCE: i64 = 2_000;

/// Makes the next part of the oldest deletion at `now` (UNIX seconds); false when there is none.
///
/// # Errors
/// [`ActionError`] when the database fails; the part is then undone.
pub fn erase_next(db: &dyn Connection, realm_id: RealmId, now: i64) -> Result<bool, ActionError> {
    let db = &Freeing(db);
    // Most calls find nothing, and need not wait for the write lock.
    let Some(erasure_id) = message_erasures::first(db, realm_id)? else {
        return Ok(false);
    };
    change::part(db, realm_id, now, |tx| {
        let Some(erasure) = message_erasures::find(tx, erasure_id)? else {
            return Ok(Outcome::Unchanged(true));
        };
        let caller = keys::caller_by_id(tx, erasure.user_id)?.ok_or(DbError::NoRow)?;
        let actor = Actor::from_row(caller);
        let newest = message_erasures::newest(tx, &erasure)?;
        let (looked_at, is_part) = part(&newest);
        let looked_at = newest.get(..looked_at).unwrap_or_default();
        let mut places: BTreeMap<(ConversationId, &str), Vec<&SentRow>> = BTreeMap::new();
        for sent in looked_at.iter().filter(|sent| sent.is_meant) {
            let place = (sent.conversation_id, sent.topic.as_str());
            places.entry(place).or_default().push(sent);
        }
        let (mut events, mut erased) = (Vec::new(), erasure.erased);
        for ((_, topic), sent) in places {
            let mut message_ids: Vec<MessageId> = sent.iter().map(|sent| sent.id).collect();
            message_ids.sort_unstable();
            erased += i64::try_from(message_ids.len()).unwrap_or_default();
            let channel_id = sent.first().and_then(|sent| sent.channel_id);
            let of_place = Erased {
                message_ids: &message_ids,
                place: channel_id.map(|channel_id| (channel_id, topic)),
            };
            events.extend(erase(tx, &actor, now, &of_place)?);
        }
        match looked_at.last().filter(|_| is_part) {
            Some(last) => message_erasures::advance(tx, erasure_id, last.id.before(), erased)?,
            None => {
                message_erasures::finish(tx, erasure_id)?;
                audit::append(
                    tx,
                    realm_id,
                    now,
                    Some(erasure.user_id),
                    Some(erasure.sender_id),
                    "user_messages_deleted",
                    &json!({"messages": erased}).to_string(),
                )?;
            }
        }
        Ok(change::outcome(true, events))
    })
}

/// How many of the newest messages one part looks at, and whether messages may be left then.
fn part(newest: &[SentRow]) -> (usize, bool) {
    let (mut messages, mut deliveries) = (0, 0);
    for (place, sent) in newest.iter().enumerate() {
        if !sent.is_meant {
            continue;
        }
        messages += 1;
        deliveries += sent.deliveries;
        if messages > 1 && (messages > AT_ONCE || deliveries > DELIVERIES_AT_ONCE) {
            return (place, true);
        }
    }
    (newest.len(), newest.len() == LOOKED_AT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(number: usize, is_meant: bool, deliveries: i64) -> Vec<SentRow> {
        let row = SentRow {
            id: MessageId(1),
            is_meant,
            channel_id: None,
            conversation_id: ConversationId(1),
            topic: String::new(),
            deliveries,
        };
        vec![row; number]
    }

    #[test]
    fn a_part_is_bounded_by_what_it_deletes() {
        assert_eq!(part(&[]), (0, false));
        assert_eq!(part(&sent(30, true, 2)), (30, false));
        assert_eq!(part(&sent(300, true, 2)), (100, true));
        assert_eq!(part(&sent(300, false, 2000)), (300, false));
        assert_eq!(part(&sent(LOOKED_AT, false, 2000)), (LOOKED_AT, true));
        assert_eq!(part(&sent(300, true, 1500)), (1, true));
        assert_eq!(part(&sent(300, true, 200)), (10, true));
    }
}
