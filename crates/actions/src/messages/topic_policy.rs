//! Changes policies for a topic, whatever the cause: a request, a message that is sent, or a topic
//! that moves. It works inside the transaction of its caller and returns the events; permission is
//! decided by the caller.

use serde_json::Value;
use spindle_domain::{ChannelId, UserId, VisibilityPolicy};
use spindle_events::{Event, kinds};
use spindle_store::user_topics::{TopicPolicy, UserPolicy};
use spindle_store::{WriteTx, id_list, user_topics};

use crate::text::fold;
use crate::{ActionError, EMPTY_TOPIC_DISPLAY_NAME};

/// A new policy of users for a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PolicyChange<'a> {
    /// The users whose policy changes.
    pub(crate) user_ids: &'a [UserId],
    pub(crate) channel_id: ChannelId,
    /// The name to display; empty for the empty topic.
    pub(crate) topic: &'a str,
    pub(crate) policy: VisibilityPolicy,
}

/// Sets the policy of users for a topic at `now` (UNIX seconds), and returns the events: none for
/// users whose policy is this one already. At most four statements.
pub(crate) fn set_topic_policy(
    tx: &WriteTx<'_>,
    now: i64,
    change: &PolicyChange<'_>,
) -> Result<Vec<Event>, ActionError> {
    let topic_folded = fold(change.topic);
    let asked = id_list(change.user_ids.iter().copied());
    let policy = change.policy;
    let mut changed = user_topics::of_users(tx, &asked, change.channel_id, &topic_folded)?;
    changed.retain(|old| old.policy != policy);
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let user_ids: Vec<UserId> = changed.iter().map(|old| old.user_id).collect();
    let list = id_list(user_ids.iter().copied());
    if change.policy == VisibilityPolicy::Inherit {
        user_topics::clear(tx, &list, change.channel_id, &topic_folded)?;
    } else {
        let row = TopicPolicy {
            channel_id: change.channel_id,
            topic: change.topic,
            topic_folded: &topic_folded,
            policy,
        };
        user_topics::set(tx, &list, &row, now)?;
    }
    let event = kinds::TopicChange {
        stream_id: change.channel_id,
        topic_name: change.topic.to_owned(),
        last_updated: now,
        visibility_policy: policy,
        empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
    };
    let mut events = muted_topics_events(tx, change.policy, &changed)?;
    events.push(kinds::user_topic(event, &user_ids));
    Ok(events)
}

/// The older form of the event, for users whose list of muted topics has changed.
fn muted_topics_events(
    tx: &WriteTx<'_>,
    policy: VisibilityPolicy,
    changed: &[UserPolicy],
) -> Result<Vec<Event>, ActionError> {
    let muted = VisibilityPolicy::Muted;
    let concerned: Vec<UserId> = changed
        .iter()
        .filter(|old| policy == muted || old.policy == muted)
        .map(|old| old.user_id)
        .collect();
    if concerned.is_empty() {
        return Ok(Vec::new());
    }
    let lists = user_topics::muted(tx, &id_list(concerned), "")?;
    lists
        .into_iter()
        .map(|row| {
            let topics: Value = serde_json::from_str(&row.topics)
                .map_err(|error| ActionError::Internal(error.to_string()))?;
            Ok(kinds::muted_topics(
                row.user_id,
                topics,
                EMPTY_TOPIC_DISPLAY_NAME,
            ))
        })
        .collect()
}
