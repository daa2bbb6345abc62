//! Topics that people follow or unmute without doing so themselves: because of a message that
//! they send or are mentioned in, or because they take part
//! (docs/protocol/settings.md#user-settings, docs/protocol/messages.md,
//! `automatic_new_visibility_policy`).
//!
//! Works inside the transaction of its caller and returns the events. Bots are not people.

use spindle_domain::limits::quotas::Quota;
use spindle_domain::policy::{
    TopicDeed, TopicDeedSettings, policy_after_deed, policy_after_mention,
};
use spindle_domain::{ChannelId, MessageId, UserId, VisibilityPolicy, user_setting};
use spindle_events::Event;
use spindle_store::topic_standing::{self, StandingRow};
use spindle_store::{WriteTx, id_list, user_topics};

use super::content::Content;
use crate::messages::topic_policy::{PolicyChange, set_topic_policy};
use crate::text::fold;
use crate::{ActionError, Actor};

/// Topics for which one account may have a policy.
const LIMIT: i64 = Quota::UserTopics.limit();

/// The topic in which something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Topic<'a> {
    pub(crate) channel_id: ChannelId,
    /// Empty for the empty topic.
    pub(crate) name: &'a str,
    /// The message by which it happens.
    pub(crate) message_id: MessageId,
}

/// After a message was delivered at `now` (UNIX seconds): the events for its sender and for the
/// mentioned users, and the sender's new policy. At most one statement when nothing changes.
pub(super) fn after_sending(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    content: &Content,
    topic: Topic<'_>,
    deed: TopicDeed,
) -> Result<(Vec<Event>, Option<VisibilityPolicy>), ActionError> {
    let own_id = actor.user_id;
    let mentioned = &content.mentioned_users;
    let people = content.people.iter().copied();
    let mut concerned: Vec<UserId> = people.filter(|id| mentioned.contains(id)).collect();
    if may_change(actor, deed) {
        concerned.push(own_id);
    }
    let (mut followed, mut unmuted) = (Vec::new(), Vec::new());
    let mut own_policy = None;
    for row in standing(tx, concerned, topic)? {
        let mut policy = None;
        if row.received && mentioned.contains(&row.user_id) {
            policy = policy_after_mention(row.follows_where_mentioned, row.policy);
        }
        if row.user_id == own_id {
            policy = policy.or_else(|| after_deed(actor, deed, &row));
            own_policy = policy;
        }
        match policy {
            Some(VisibilityPolicy::Followed) => followed.push(row.user_id),
            Some(VisibilityPolicy::Unmuted) => unmuted.push(row.user_id),
            _ => {}
        }
    }
    let mut events = Vec::new();
    let mut is_own_set = false;
    for (user_ids, policy) in [
        (followed, VisibilityPolicy::Followed),
        (unmuted, VisibilityPolicy::Unmuted),
    ] {
        if !user_ids.is_empty() {
            let (emitted, changed) = set(tx, now, topic, &user_ids, policy)?;
            events.extend(emitted);
            is_own_set |= changed.contains(&own_id);
        }
    }
    Ok((events, own_policy.filter(|_| is_own_set)))
}

/// After `actor` has taken part in a topic at `now` (UNIX seconds) without sending a message, such
/// as by a reaction or a vote: the events for the actor.
pub(crate) fn after_participating(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    topic: Topic<'_>,
) -> Result<Vec<Event>, ActionError> {
    let deed = TopicDeed::Participates;
    if !may_change(actor, deed) {
        return Ok(Vec::new());
    }
    let own_id = actor.user_id;
    let rows = standing(tx, vec![own_id], topic)?;
    match rows.first().and_then(|row| after_deed(actor, deed, row)) {
        Some(policy) => Ok(set(tx, now, topic, &[own_id], policy)?.0),
        None => Ok(Vec::new()),
    }
}

/// Whether the deed could change a policy, so that the policies are worth reading.
fn may_change(actor: &Actor, deed: TopicDeed) -> bool {
    let muted = VisibilityPolicy::Muted;
    !actor.is_bot && policy_after_deed(deed_settings(actor), deed, true, muted).is_some()
}

fn after_deed(actor: &Actor, deed: TopicDeed, row: &StandingRow) -> Option<VisibilityPolicy> {
    let current = row.policy;
    let settings = deed_settings(actor);
    policy_after_deed(settings, deed, row.channel_muted, current).filter(|_| !actor.is_bot)
}

fn deed_settings(actor: &Actor) -> TopicDeedSettings {
    let settings = actor.settings();
    TopicDeedSettings {
        follow: settings.integer(user_setting!("automatically_follow_topics_policy")),
        unmute: settings.integer(user_setting!(
            "automatically_unmute_topics_in_muted_streams_policy"
        )),
    }
}

fn standing(
    tx: &WriteTx<'_>,
    user_ids: Vec<UserId>,
    topic: Topic<'_>,
) -> Result<Vec<StandingRow>, ActionError> {
    if user_ids.is_empty() {
        return Ok(Vec::new());
    }
    let (ids, folded) = (id_list(user_ids), fold(topic.name));
    Ok(topic_standing::of_users(
        tx,
        &ids,
        topic.channel_id,
        &folded,
        topic.message_id,
    )?)
}

/// Sets a policy for the users whose quota allows one more; returns the events and these users.
fn set(
    tx: &WriteTx<'_>,
    now: i64,
    topic: Topic<'_>,
    user_ids: &[UserId],
    policy: VisibilityPolicy,
) -> Result<(Vec<Event>, Vec<UserId>), ActionError> {
    // The users have not asked for this policy, so it is no error when they have too many already.
    let user_ids = user_topics::with_room(tx, &id_list(user_ids.iter().copied()), LIMIT)?;
    if user_ids.is_empty() {
        return Ok((Vec::new(), user_ids));
    }
    let change = PolicyChange {
        user_ids: &user_ids,
        channel_id: topic.channel_id,
        topic: topic.name,
        policy,
    };
    let events = set_topic_policy(tx, now, &change)?;
    Ok((events, user_ids))
}
