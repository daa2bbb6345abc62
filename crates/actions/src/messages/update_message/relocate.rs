//! Where messages go, which of them, and whether the actor may send them there.

use spindle_domain::ChannelId;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::permission::{CHANNEL, REALM};
use spindle_domain::policy::{
    Age, MessageAccessFacts, Move, MoveFacts, Reason, SendFacts, may_move_messages,
    may_read_message, may_send_to_channel, move_limit,
};
use spindle_domain::text::{normalise_topic, toggles_resolved};
use spindle_store::channel_facts::{self, ChannelFactsRow};
use spindle_store::message_changes::{self, TopicPart};
use spindle_store::{Db, messages::MessageRow};

use super::{MessageUpdate, PropagateMode};
use crate::access::access_channel::{access_channel, facts};
use crate::access::access_message::AccessedMessage;
use crate::access::permissions::holds;
use crate::messages::send_message::check_topic_policy;
use crate::text::fold;
use crate::{ActionError, Actor};

/// A move that is permitted.
pub(super) struct Relocation {
    /// How.
    pub(super) kind: Move,
    /// The channel that the messages leave; the same as `to` when only the topic changes.
    pub(super) from: ChannelFactsRow,
    /// The channel that they go to.
    pub(super) to: ChannelFactsRow,
    /// The topic that they go to.
    pub(super) topic: String,
    /// The messages that go, ascending.
    pub(super) message_ids: Vec<i64>,
}

/// The move that a change asks for; none when nothing would move.
pub(super) fn relocation(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    accessed: &AccessedMessage,
    update: &MessageUpdate,
) -> Result<Option<Relocation>, ActionError> {
    let Some(from) = &accessed.channel else {
        return Ok(None);
    };
    let message = &accessed.message;
    let topic = match &update.topic {
        Some(topic) => normalise_topic(topic, crate::EMPTY_TOPIC_DISPLAY_NAME),
        None => message.topic.clone(),
    };
    let leaves_channel = update.channel_id.is_some_and(|id| id != from.id);
    let Some(kind) = kind_of(&message.topic, &topic, leaves_channel) else {
        return Ok(None);
    };
    check_permission(actor, from, kind)?;
    let realm = actor.realm_settings();
    let setting = |name| realm.get(name).as_i64();
    let limit = move_limit(
        actor.role,
        kind,
        setting("move_messages_within_stream_limit_seconds"),
        setting("move_messages_between_streams_limit_seconds"),
    );
    let seconds = now - message.date_sent;
    if !(Age { seconds, limit }).is_within_limit() {
        return Err(Reason::TooLate.into());
    }
    let to = destination(db, actor, from, update.channel_id, &topic, kind)?;
    let sent_since = limit.map_or(i64::MIN, |limit| now.saturating_sub(limit));
    let message_ids = messages_to_move(db, actor, message, from, update, sent_since)?;
    Ok(Some(Relocation {
        kind,
        from: from.clone(),
        to,
        topic,
        message_ids,
    }))
}

fn kind_of(old: &str, new: &str, leaves_channel: bool) -> Option<Move> {
    match (old != new, leaves_channel) {
        (false, false) => None,
        (false, true) => Some(Move::Channel),
        (true, true) if toggles_resolved(old, new) => Some(Move::ResolveElsewhere),
        (true, true) => Some(Move::Both),
        (true, false) if toggles_resolved(old, new) => Some(Move::Resolve),
        (true, false) => Some(Move::Topic),
    }
}

fn check_permission(actor: &Actor, from: &ChannelFactsRow, kind: Move) -> Result<(), ActionError> {
    let realm = |name| holds(REALM, &from.realm_held, name, actor.role);
    let channel = |name| holds(CHANNEL, &from.held, name, actor.role);
    let facts = MoveFacts {
        is_archived: from.is_archived,
        kind,
        holds_resolve: realm("can_resolve_topics_group") || channel("can_resolve_topics_group"),
        holds_move_within: realm("can_move_messages_between_topics_group")
            || channel("can_move_messages_within_channel_group"),
        holds_move_out: realm("can_move_messages_between_channels_group")
            || channel("can_move_messages_out_of_channel_group"),
    };
    may_move_messages(&facts).check()?;
    Ok(())
}

/// The channel that messages go to, as it looks with regard to the topic there. Whoever sends
/// them there must be allowed to write there; within a channel, to start the topic.
fn destination(
    db: &dyn Db,
    actor: &Actor,
    from: &ChannelFactsRow,
    channel_id: Option<i64>,
    topic: &str,
    kind: Move,
) -> Result<ChannelFactsRow, ActionError> {
    let may_start =
        |row: &ChannelFactsRow| holds(CHANNEL, &row.held, "can_create_topic_group", actor.role);
    let row = match channel_id.filter(|_| kind.changes_channel()) {
        Some(id) => {
            let reference = ChannelReference::Id(ChannelId(id));
            let row = access_channel(db, actor, &reference, topic)?;
            let facts = SendFacts {
                channel: facts(&row, actor.role),
                holds_send_permission: holds(
                    CHANNEL,
                    &row.held,
                    "can_send_message_group",
                    actor.role,
                ),
                would_create_forbidden_topic: !row.topic_exists && !may_start(&row),
            };
            may_send_to_channel(actor.role, &facts).check()?;
            row
        }
        None => {
            let (realm_id, user_id) = (actor.realm_id.get(), actor.user_id.get());
            let row = channel_facts::by_id(db, realm_id, user_id, &fold(topic), from.id)?
                .ok_or(Reason::NoAccess)?;
            if kind != Move::Resolve && !row.topic_exists && !may_start(&row) {
                return Err(Reason::TopicCreationExcluded.into());
            }
            row
        }
    };
    if kind != Move::Resolve {
        check_topic_policy(&row, actor, topic)?;
    }
    Ok(row)
}

/// The messages that go along, among those that the actor reads. `sent_since`: UNIX seconds
/// from which on messages are young enough.
fn messages_to_move(
    db: &dyn Db,
    actor: &Actor,
    message: &MessageRow,
    from: &ChannelFactsRow,
    update: &MessageUpdate,
    sent_since: i64,
) -> Result<Vec<i64>, ActionError> {
    let first_id = match update.propagate_mode {
        PropagateMode::One => return Ok(vec![message.id]),
        PropagateMode::Later => message.id,
        PropagateMode::All => 0,
    };
    let facts = MessageAccessFacts {
        role: actor.role,
        is_recipient: false,
        channel: Some(facts(from, actor.role)),
    };
    let reads_everything = may_read_message(&facts).is_allowed();
    let part = TopicPart {
        channel_id: from.id,
        topic_folded: &fold(&message.topic),
        first_id,
        only_received_by: (!reads_everything).then(|| actor.user_id.get()),
    };
    let found = message_changes::in_topic(db, &part, sent_since)?;
    let total = i64::try_from(found.message_ids.len()).unwrap_or(i64::MAX);
    if found.young < total {
        return Err(ActionError::MoveMessagesTimeLimitExceeded {
            first_allowed: found.first_young.unwrap_or(message.id),
            total,
            allowed: found.young,
        });
    }
    Ok(found.message_ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_moves() {
        let table = [
            (("a", "a", false), None),
            (("a", "b", false), Some(Move::Topic)),
            (("a", "A", false), Some(Move::Topic)),
            (("a", "\u{2714} a", false), Some(Move::Resolve)),
            (("\u{2714} a", "a", false), Some(Move::Resolve)),
            (("a", "\u{2714} b", false), Some(Move::Topic)),
            (("a", "a", true), Some(Move::Channel)),
            (("a", "\u{2714} a", true), Some(Move::ResolveElsewhere)),
            (("\u{2714} a", "a", true), Some(Move::ResolveElsewhere)),
            (("a", "\u{2714} b", true), Some(Move::Both)),
        ];
        for ((old, new, leaves), expected) in table {
            assert_eq!(kind_of(old, new, leaves), expected, "{old} {new} {leaves}");
        }
    }
}
