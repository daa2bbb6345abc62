//! Channel messages: whether the sender may write to the channel and topic, and may mention that many users.

use spindle_domain::errors::ClientError;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{
    ChannelFacts, MessageAccessFacts, may_mention_everybody, may_read_message,
};
use spindle_domain::text::normalise_topic;
use spindle_domain::{UserId, permission, realm_setting};
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::{Db, subscriptions, topic_standing};

use super::{ReadBy, Recipient, RecipientChannel};
use crate::access::access_channel::facts;
use crate::access::permissions::holds;
use crate::messages::content::Content;
use crate::messages::sending_access::{Writing, access_for_writing};
use crate::text::{check_printable_topic, fold};
use crate::{ActionError, Actor};

/// Checks everything about a channel message but its content.
pub(super) fn access_recipient(
    db: &dyn Db,
    actor: &Actor,
    channel: &ChannelReference,
    topic: &str,
    content: &Content,
) -> Result<Recipient, ActionError> {
    let topic = printable_topic(topic)?;
    let row = access_for_writing(db, actor, channel, &topic, Writing::Message)?;
    let channel_facts = facts(&row, actor.role);
    check_topic_policy(&row, actor, &topic)?;
    let topic_participants = check_wildcards(db, actor, &row, &topic, content)?;
    Ok(Recipient {
        read_by: ReadBy::Senders,
        conversation_id: row.conversation_id,
        newly_visible: Vec::new(),
        display_recipient: serde_json::Value::from(row.name.as_str()).to_string(),
        channel: Some(RecipientChannel {
            id: row.id,
            is_public: !row.invite_only,
            topic,
            starts_topic: !row.topic_exists,
            is_first: row.first_message_id.is_none(),
            is_recently_active: row.is_recently_active,
            topic_participants,
            further_recipients: further_recipients(content, channel_facts),
        }),
    })
}

/// The topic as it would be stored.
pub(super) fn printable_topic(topic: &str) -> Result<String, ActionError> {
    check_printable_topic(topic.trim())?;
    Ok(normalise_topic(topic, crate::EMPTY_TOPIC_DISPLAY_NAME))
}

/// See docs/protocol/conventions.md#topics-policy, `topics_policy` of the channel, else of the
/// organization.
pub(in crate::messages) fn check_topic_policy(
    row: &ChannelFactsRow,
    actor: &Actor,
    topic: &str,
) -> Result<(), ActionError> {
    let policy = match row.topics_policy.as_str() {
        "inherit" => actor.realm_settings().text(realm_setting!("topics_policy")),
        own => own.to_owned(),
    };
    let problem = match policy.as_str() {
        "disable_empty_topic" if topic.is_empty() => Some("This channel demands a topic"),
        "empty_topic_only" if !topic.is_empty() => Some("This channel has no topics"),
        _ => None,
    };
    problem.map_or(Ok(()), |text| Err(ActionError::bad_request(text)))
}

/// Checks wildcard mentions; returns the participants of the topic if they are mentioned.
pub(in crate::messages) fn check_wildcards(
    db: &dyn Db,
    actor: &Actor,
    row: &ChannelFactsRow,
    topic: &str,
    content: &Content,
) -> Result<Vec<UserId>, ActionError> {
    let permission = permission!(REALM, "can_mention_many_users_group");
    let holds_permission = holds(permission, &row.realm_held, actor.role);
    let may_mention = |people| may_mention_everybody(people, holds_permission).is_allowed();
    if content.rendered.channel_wildcard && !may_mention(subscriptions::count(db, row.id)?) {
        return Err(ClientError::StreamWildcardMentionNotAllowed.into());
    }
    if !content.rendered.topic_wildcard {
        return Ok(Vec::new());
    }
    let mut participants = topic_standing::participants(db, row.id, &fold(topic))?;
    if let Err(position) = participants.binary_search(&actor.user_id) {
        participants.insert(position, actor.user_id);
    }
    if !may_mention(i64::try_from(participants.len()).unwrap_or(i64::MAX)) {
        return Err(ClientError::TopicWildcardMentionNotAllowed.into());
    }
    Ok(participants)
}

/// People mentioned by name who could read the message without being subscribed.
pub(in crate::messages) fn further_recipients(
    content: &Content,
    channel: ChannelFacts,
) -> Vec<UserId> {
    let may_read = |user_id: &UserId| {
        let role = content.roles.get(user_id).copied();
        role.is_some_and(|role| {
            let facts = MessageAccessFacts {
                role,
                is_recipient: true,
                channel: Some(ChannelFacts {
                    is_subscribed: false,
                    grants_content_access: false,
                    administers: false,
                    ..channel
                }),
            };
            may_read_message(&facts).is_allowed()
        })
    };
    content
        .mentioned_users
        .iter()
        .copied()
        .filter(may_read)
        .collect()
}
