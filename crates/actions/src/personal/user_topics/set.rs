//! Sets the caller's policy for a topic (docs/protocol/topics.md#set_user_topic).

use spindle_domain::limits::quotas::Quota;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::{ChannelId, VisibilityPolicy};
use spindle_store::{Connection, Db, user_topics};

use super::checked_topic;
use crate::access::access_channel::access_channel;
use crate::messages::topic_policy::{PolicyChange, set_topic_policy};
use crate::quota::Meter;
use crate::text::fold;
use crate::{ActionError, Actor, change};

/// The parameters of the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicPolicyInput {
    /// By id; by name only from old clients.
    pub channel: ChannelReference,
    /// As sent.
    pub topic: String,
    pub policy: VisibilityPolicy,
}

/// Sets the caller's policy for a topic, which need not hold a message, at `now` (UNIX seconds). A policy that is
/// already set stays, without an event.
///
/// # Errors
/// [`ActionError::BadRequest`] for a topic that is not valid and for one topic too many; `ClientError::StreamDoesNotExist`
/// for a channel that the caller may not know of, unless a policy of theirs is taken back.
pub fn set_user_topic(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &TopicPolicyInput,
) -> Result<(), ActionError> {
    let topic = checked_topic(&input.topic)?;
    let user_id = actor.user_id;
    change::if_needed(db, actor.realm_id, now, |tx| {
        let channel_id = match access_channel(tx, actor, &input.channel, "") {
            Ok(row) => row.id,
            Err(error) => left_behind(tx, actor, input, topic)?.ok_or(error)?,
        };
        let change = PolicyChange {
            user_ids: &[user_id],
            channel_id,
            topic,
            policy: input.policy,
        };
        let topics = Meter::start(tx, Quota::UserTopics, user_id)?;
        let events = set_topic_policy(tx, now, &change)?;
        topics.check(tx)?;
        Ok(change::outcome((), events))
    })
}

/// A user can take a setting back when the channel is out of their sight: its id, if
/// there is anything to take back.
fn left_behind(
    db: &dyn Db,
    actor: &Actor,
    input: &TopicPolicyInput,
    topic: &str,
) -> Result<Option<ChannelId>, ActionError> {
    let (ChannelReference::Id(id), VisibilityPolicy::Inherit) = (&input.channel, input.policy)
    else {
        return Ok(None);
    };
    let own = spindle_store::id_list([actor.user_id]);
    let found = user_topics::of_users(db, &own, *id, &fold(topic))?;
    Ok(found
        .iter()
        .any(|row| row.policy != VisibilityPolicy::Inherit)
        .then_some(*id))
}
