//! Policies of users for a topic move with its messages, with the last part of a move, when the old
//! topic is empty.
//!
//! Where two topics become one, the stronger policy wins: followed before unmuted before muted, and
//! muted only where both topics were.

use std::collections::{BTreeMap, BTreeSet};

use spindle_domain::{ChannelId, MessageId, UserId, VisibilityPolicy};
use spindle_events::Event;
use spindle_store::WriteTx;
use spindle_store::message_changes::{self, TopicPart};
use spindle_store::user_topics::{self, UserPolicy};

use super::change::Change;
use super::relocate::Relocation;
use crate::ActionError;
use crate::messages::readers::Readers;
use crate::messages::topic_policy::{PolicyChange, set_topic_policy};
use crate::text::fold;

/// Moves the policies of the topic that was left, if it was left for good; returns the events.
pub(super) fn carry_over(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    there: &Relocation,
) -> Result<Vec<Event>, ActionError> {
    let old_topic = change.old_topic;
    let (old_folded, new_folded) = (fold(old_topic), fold(&there.topic));
    if there.from.id == there.to.id && old_folded == new_folded {
        return Ok(Vec::new());
    }
    let rest = TopicPart {
        channel_id: there.from.id,
        topic_folded: &old_folded,
        first_id: MessageId::MIN,
        last_id: there.newest_id,
        only_received_by: None,
    };
    if message_changes::has_any(tx, &rest)? {
        return Ok(Vec::new());
    }
    let old = user_topics::of_topic(tx, there.from.id, &old_folded)?;
    if old.is_empty() && !there.to.topic_exists {
        return Ok(Vec::new());
    }
    let users: Vec<UserId> = old.iter().map(|row| row.user_id).collect();
    let old = by_user(&old);
    let there_already = by_user(&user_topics::of_topic(tx, there.to.id, &new_folded)?);
    let mut targets: BTreeMap<VisibilityPolicy, Vec<UserId>> = BTreeMap::new();
    let concerned = old.keys().chain(there_already.keys());
    for user_id in concerned.copied().collect::<BTreeSet<UserId>>() {
        let of = |map: &BTreeMap<UserId, VisibilityPolicy>| {
            map.get(&user_id).copied().unwrap_or_default()
        };
        let policy = if there.to.topic_exists {
            merged(of(&old), of(&there_already))
        } else {
            of(&old)
        };
        // In a topic without messages, a policy is overwritten only for users who have set one for
        // the old topic.
        if there.to.topic_exists || old.contains_key(&user_id) {
            targets.entry(policy).or_default().push(user_id);
        }
    }
    let mut events = set(
        tx,
        change.now,
        (there.from.id, old_topic),
        &users,
        VisibilityPolicy::Inherit,
    )?;
    let allowed = readers_of(tx, change, there, &targets)?;
    for (policy, mut users) in targets {
        users.retain(|user_id| allowed.contains(user_id));
        let place = (there.to.id, there.topic.as_str());
        events.extend(set(tx, change.now, place, &users, policy)?);
    }
    Ok(events)
}

fn by_user(rows: &[UserPolicy]) -> BTreeMap<UserId, VisibilityPolicy> {
    rows.iter().map(|row| (row.user_id, row.policy)).collect()
}

/// The policy for two topics that become one.
fn merged(one: VisibilityPolicy, other: VisibilityPolicy) -> VisibilityPolicy {
    match one.max(other) {
        VisibilityPolicy::Muted if one != other => VisibilityPolicy::Inherit,
        strongest => strongest,
    }
}

/// The users who read the messages where they are now.
fn readers_of(
    tx: &WriteTx<'_>,
    change: &Change<'_>,
    there: &Relocation,
    targets: &BTreeMap<VisibilityPolicy, Vec<UserId>>,
) -> Result<BTreeSet<UserId>, ActionError> {
    let users: Vec<UserId> = targets.values().flatten().copied().collect();
    let realm_id = change.actor.realm_id;
    // The messages left for the last part may have been deleted in between.
    let message_ids = match there.message_ids.as_slice() {
        [] => &[change.message_id],
        message_ids => message_ids,
    };
    let readers = Readers::of_channel(tx, realm_id, there.to.id, message_ids, &users)?;
    Ok(readers.users().collect())
}

fn set(
    tx: &WriteTx<'_>,
    now: i64,
    (channel_id, topic): (ChannelId, &str),
    user_ids: &[UserId],
    policy: VisibilityPolicy,
) -> Result<Vec<Event>, ActionError> {
    if user_ids.is_empty() {
        return Ok(Vec::new());
    }
    let change = PolicyChange {
        user_ids,
        channel_id,
        topic,
        policy,
    };
    set_topic_policy(tx, now, &change)
}

#[cfg(test)]
mod tests {
    use VisibilityPolicy::{Followed, Inherit, Muted, Unmuted};

    use super::*;

    #[test]
    fn hearing_of_a_topic_wins() {
        let table = [
            ((Inherit, Inherit), Inherit),
            ((Muted, Inherit), Inherit),
            ((Muted, Muted), Muted),
            ((Muted, Unmuted), Unmuted),
            ((Unmuted, Inherit), Unmuted),
            ((Followed, Muted), Followed),
            ((Unmuted, Followed), Followed),
        ];
        for ((one, other), expected) in table {
            assert_eq!(merged(one, other), expected);
            assert_eq!(merged(other, one), expected);
        }
    }
}
