//! The destination of a move, the messages that move, and whether the actor may move them.

use spindle_domain::errors::ClientError;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{
    Age, MessageAccessFacts, Move, MoveFacts, Reason, SendFacts, may_move_messages,
    may_read_message, may_send_to_channel, move_limit,
};
use spindle_domain::text::{normalise_topic, toggles_resolved};
use spindle_domain::{ChannelId, MessageId, MoveId, UserId, permission, realm_setting};
use spindle_store::channel_facts::{self, ChannelFactsRow};
use spindle_store::message_changes::TopicPart;
use spindle_store::message_moves::{self, Burden, NewTopic, NextPart};
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
    /// The messages that go in this part, ascending.
    pub(super) message_ids: Vec<MessageId>,
    /// How many have gone with this part.
    pub(super) count: i64,
    /// Messages of the old topic with higher ids have come after the move has begun.
    pub(super) newest_id: MessageId,
    /// The remainder for further parts; `None` with the last part, which most often is the first.
    pub(super) rest: Option<Rest>,
    /// Oldest time, in UNIX seconds, at which the messages may have been sent, if there is such a limit. Not yet
    /// checked for the messages that are left for further parts.
    pub(super) sent_since: Option<i64>,
    /// An earlier move, with parts to go, of one of the topics.
    pub(super) contested_by: Option<MoveId>,
}

/// The messages of a topic that go in further parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) first_id: MessageId,
    pub(super) last_id: MessageId,
    /// Only messages that were delivered to this user.
    pub(super) only_received_by: Option<UserId>,
}

/// The move that a change asks for; `None` when nothing would move.
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
    let seconds = |setting| realm.get(setting).as_i64();
    let limit = move_limit(
        actor.role,
        kind,
        seconds(realm_setting!("move_messages_within_stream_limit_seconds")),
        seconds(realm_setting!(
            "move_messages_between_streams_limit_seconds"
        )),
    );
    let seconds = now - message.date_sent;
    if !(Age { seconds, limit }).is_within_limit() {
        return Err(Reason::TooLate.into());
    }
    let to = destination(db, actor, from, update.channel_id, &topic, kind)?;
    let mut there = Relocation {
        kind,
        from: from.clone(),
        to,
        topic,
        message_ids: vec![message.id],
        count: 1,
        newest_id: MessageId::MAX,
        rest: None,
        sent_since: limit.map(|limit| now.saturating_sub(limit)),
        contested_by: None,
    };
    if update.propagate_mode != PropagateMode::One {
        let first_id = match update.propagate_mode {
            PropagateMode::Later => message.id,
            _ => MessageId::MIN,
        };
        take_others(db, actor, message, first_id, &mut there)?;
    }
    Ok(Some(there))
}

/// What kind of move it is; `None` when nothing would move.
pub(super) fn kind_of(old: &str, new: &str, leaves_channel: bool) -> Option<Move> {
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
    let realm = |permission| holds(permission, &from.realm_held, actor.role);
    let channel = |permission| holds(permission, &from.held, actor.role);
    let facts = MoveFacts {
        is_archived: from.is_archived,
        kind,
        holds_resolve: realm(permission!(REALM, "can_resolve_topics_group"))
            || channel(permission!(CHANNEL, "can_resolve_topics_group")),
        holds_move_within: realm(permission!(REALM, "can_move_messages_between_topics_group"))
            || channel(permission!(
                CHANNEL,
                "can_move_messages_within_channel_group"
            )),
        holds_move_out: realm(permission!(
            REALM,
            "can_move_messages_between_channels_group"
        )) || channel(permission!(
            CHANNEL,
            "can_move_messages_out_of_channel_group"
        )),
    };
    may_move_messages(&facts).check()?;
    Ok(())
}

/// The channel that messages move to, with the facts about the topic there. The mover must be allowed
/// to write there; within a channel, to start the topic.
fn destination(
    db: &dyn Db,
    actor: &Actor,
    from: &ChannelFactsRow,
    channel_id: Option<ChannelId>,
    topic: &str,
    kind: Move,
) -> Result<ChannelFactsRow, ActionError> {
    let may_start = |row: &ChannelFactsRow| {
        holds(
            permission!(CHANNEL, "can_create_topic_group"),
            &row.held,
            actor.role,
        )
    };
    let row = match channel_id.filter(|_| kind.changes_channel()) {
        Some(id) => {
            let reference = ChannelReference::Id(id);
            let row = access_channel(db, actor, &reference, topic)?;
            let facts = SendFacts {
                channel: facts(&row, actor.role),
                holds_send_permission: holds(
                    permission!(CHANNEL, "can_send_message_group"),
                    &row.held,
                    actor.role,
                ),
                would_create_forbidden_topic: !row.topic_exists && !may_start(&row),
            };
            may_send_to_channel(actor.role, &facts).check()?;
            row
        }
        None => {
            let (realm_id, member) = (actor.realm_id, actor.member());
            let row = channel_facts::by_id(db, realm_id, member, &fold(topic), from.id)?
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

/// Adds the messages that move along, among the messages that the actor reads: all of them, or as many as one part
/// takes.
fn take_others(
    db: &dyn Db,
    actor: &Actor,
    message: &MessageRow,
    first_id: MessageId,
    there: &mut Relocation,
) -> Result<(), ActionError> {
    let facts = MessageAccessFacts {
        role: actor.role,
        is_recipient: false,
        channel: Some(facts(&there.from, actor.role)),
    };
    let reads_everything = may_read_message(&facts).is_allowed();
    let all = Rest {
        first_id,
        last_id: MessageId::MAX,
        only_received_by: (!reads_everything).then_some(actor.user_id),
    };
    let found = next_part(db, there, &message.topic, all)?;
    let mut message_ids = found.message_ids;
    there.contested_by = found.contested_by;
    match found.rest {
        Some(last_id) => {
            // What cannot be seen may be newer than what can.
            if reads_everything {
                there.newest_id = message_ids.last().copied().unwrap_or(MessageId::MAX);
            }
            there.rest = Some(Rest { last_id, ..all });
            // The message that was named goes first, whatever its place.
            if let Err(place) = message_ids.binary_search(&message.id) {
                message_ids.insert(place, message.id);
            }
        }
        None if found.young.len() < message_ids.len() => {
            return Err(ClientError::MoveMessagesTimeLimitExceeded {
                first_allowed: found.young.first().copied().unwrap_or(message.id).into(),
                total: number(&message_ids),
                allowed: number(&found.young),
            }
            .into());
        }
        None => {}
    }
    there.count = number(&message_ids);
    there.message_ids = message_ids;
    Ok(())
}

fn number(message_ids: &[MessageId]) -> i64 {
    i64::try_from(message_ids.len()).unwrap_or(i64::MAX)
}

fn next_part(
    db: &dyn Db,
    there: &Relocation,
    old_topic: &str,
    of: Rest,
) -> Result<NextPart, ActionError> {
    let to = &there.to;
    let burden = Burden {
        changes_deliveries: there.kind.changes_channel(),
        given_to: there.gives_to_subscribers().then_some(to.id),
    };
    let target = NewTopic {
        channel_id: to.id,
        topic_folded: &fold(&there.topic),
    };
    let old_folded = fold(old_topic);
    let part = of.part(there.from.id, &old_folded);
    let sent_since = there.sent_since.unwrap_or(i64::MIN);
    Ok(message_moves::next_part(
        db, &part, target, burden, sent_since,
    )?)
}

impl Rest {
    fn part<'a>(&self, channel_id: ChannelId, topic_folded: &'a str) -> TopicPart<'a> {
        TopicPart {
            channel_id,
            topic_folded,
            first_id: self.first_id,
            last_id: self.last_id,
            only_received_by: self.only_received_by,
        }
    }
}

impl Relocation {
    /// Whether subscribers of the channel that messages go to read only what was delivered to
    /// them, so that it is delivered to them.
    pub(super) fn gives_to_subscribers(&self) -> bool {
        let to = &self.to;
        self.kind.changes_channel() && to.invite_only && !to.history_public_to_subscribers
    }

    /// Asks whether all messages are young enough, also those of further parts. Looks at each of
    /// them, so it is not for a transaction that writes.
    pub(super) fn check_ages(&self, db: &dyn Db, message: &MessageRow) -> Result<(), ActionError> {
        let (Some(rest), Some(sent_since)) = (self.rest, self.sent_since) else {
            return Ok(());
        };
        let all = Rest {
            last_id: MessageId::MAX,
            ..rest
        };
        let old_folded = fold(&message.topic);
        let part = all.part(self.from.id, &old_folded);
        let ages = message_moves::ages(db, &part, sent_since)?;
        if ages.young < ages.total {
            return Err(ClientError::MoveMessagesTimeLimitExceeded {
                first_allowed: ages.first_young.unwrap_or(message.id).into(),
                total: ages.total,
                allowed: ages.young,
            }
            .into());
        }
        Ok(())
    }

    /// Takes the next messages that are left in `old_topic`, except the one that the caller named, which moved with the
    /// first part.
    pub(super) fn take_next(
        &mut self,
        db: &dyn Db,
        old_topic: &str,
        named: MessageId,
    ) -> Result<(), ActionError> {
        let Some(rest) = self.rest else {
            return Ok(());
        };
        let mut found = next_part(db, self, old_topic, rest)?;
        found.message_ids.retain(|id| *id != named);
        self.rest = found.rest.map(|last_id| Rest { last_id, ..rest });
        self.count += number(&found.message_ids);
        self.message_ids = found.message_ids;
        Ok(())
    }
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
