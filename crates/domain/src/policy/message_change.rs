//! Rules about changing messages that were sent: deleting, editing, moving.
//!
//! Whether the actor may read the message is checked before any of these rules (see
//! [`super::may_read_message`]). Archived channels stay unchanged.

use super::{Reason, Verdict};
use crate::Role;

/// How old a message is, and how old it may be for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Age {
    /// Seconds since it was sent.
    pub seconds: i64,
    /// The setting of the organization, in seconds; `None` means no limit.
    pub limit: Option<i64>,
}

impl Age {
    /// Whether the message is young enough.
    pub const fn is_within_limit(self) -> bool {
        match self.limit {
            Some(limit) => self.seconds <= limit,
            None => true,
        }
    }
}

/// What matters for deleting a message (docs/protocol/messages.md#delete_message).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeleteMessageFacts {
    /// It is in an archived channel.
    pub is_archived: bool,
    /// The actor holds `realm_can_delete_any_message_group`, or the channel's
    /// `can_delete_any_message_group`.
    pub holds_delete_any: bool,
    /// The actor, or a bot that the actor owns, has sent it.
    pub is_own: bool,
    /// The actor holds `realm_can_delete_own_message_group`, or the channel's
    /// `can_delete_own_message_group`.
    pub holds_delete_own: bool,
    /// With `realm_message_content_delete_limit_seconds`.
    pub age: Age,
}

/// May the actor delete the message? Users who may delete any message have no time limit.
pub const fn may_delete_message(facts: &DeleteMessageFacts) -> Verdict {
    if facts.is_archived {
        return Verdict::Denied(Reason::ChannelArchived);
    }
    if facts.holds_delete_any {
        return Verdict::Allowed;
    }
    if !facts.is_own || !facts.holds_delete_own {
        return Verdict::Denied(Reason::InsufficientPermission);
    }
    Verdict::when(facts.age.is_within_limit(), Reason::TooLate)
}

/// What matters for changing the text of a message (docs/protocol/messages.md#update_message).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditContentFacts {
    /// It is in an archived channel.
    pub is_archived: bool,
    /// `realm_allow_message_editing`.
    pub is_editing_allowed: bool,
    /// The actor has sent it.
    pub is_own: bool,
    /// With `realm_message_content_edit_limit_seconds`.
    pub age: Age,
}

/// May the actor change the text? Only the sender may.
pub const fn may_edit_content(facts: &EditContentFacts) -> Verdict {
    if facts.is_archived {
        return Verdict::Denied(Reason::ChannelArchived);
    }
    if !facts.is_editing_allowed || !facts.is_own {
        return Verdict::Denied(Reason::InsufficientPermission);
    }
    Verdict::when(facts.age.is_within_limit(), Reason::TooLate)
}

/// The kind of move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Only the mark of resolved topics is put on or taken off.
    Resolve,
    /// To another topic of the channel.
    Topic,
    /// To another channel, with its topic.
    Channel,
    /// To another channel; of the topic only the mark of resolved topics is put on or taken off.
    ResolveElsewhere,
    /// To another topic of another channel.
    Both,
}

impl Move {
    /// Whether the name of the topic changes, apart from its resolved mark.
    pub const fn renames_topic(self) -> bool {
        matches!(self, Self::Topic | Self::Both)
    }

    /// Whether the topic is resolved, or opened again, under its name.
    pub const fn resolves(self) -> bool {
        matches!(self, Self::Resolve | Self::ResolveElsewhere)
    }

    /// Whether the channel changes.
    pub const fn changes_channel(self) -> bool {
        matches!(self, Self::Channel | Self::ResolveElsewhere | Self::Both)
    }
}

/// What matters for moving a message (docs/protocol/messages.md#update_message); permissions of a
/// channel are those of the channel where the message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveFacts {
    /// The message is in an archived channel.
    pub is_archived: bool,
    /// The kind of move.
    pub kind: Move,
    /// The actor holds `realm_can_resolve_topics_group`, or the channel's
    /// `can_resolve_topics_group`.
    pub holds_resolve: bool,
    /// The actor holds `realm_can_move_messages_between_topics_group`, or the channel's
    /// `can_move_messages_within_channel_group`.
    pub holds_move_within: bool,
    /// The actor holds `realm_can_move_messages_between_channels_group`, or the channel's
    /// `can_move_messages_out_of_channel_group`.
    pub holds_move_out: bool,
}

/// May the actor move messages like this at all? Each part of the move has its permission: the
/// mark of the topic, its name, the channel. A topic of another name may have the mark or not, as
/// any topic that is begun (docs/CHANNELS.md). Ages are judged by [`move_limit`].
pub const fn may_move_messages(facts: &MoveFacts) -> Verdict {
    if facts.is_archived {
        return Verdict::Denied(Reason::ChannelArchived);
    }
    let kind = facts.kind;
    let resolves = !kind.resolves() || facts.holds_resolve;
    let renames = !kind.renames_topic() || facts.holds_move_within;
    let leaves = !kind.changes_channel() || facts.holds_move_out;
    Verdict::when(
        resolves && renames && leaves,
        Reason::InsufficientPermission,
    )
}

/// How old (in seconds) messages may be that the actor moves in this way; `None` means no limit.
/// `within` and `between` are `realm_move_messages_{within,between}_streams_limit_seconds`.
/// Moderators and those above them are bound by no limit, and resolving has none.
pub fn move_limit(
    role: Role,
    kind: Move,
    within: Option<i64>,
    between: Option<i64>,
) -> Option<i64> {
    let is_moderator = role.as_i64() <= Role::Moderator.as_i64();
    if is_moderator || kind == Move::Resolve {
        return None;
    }
    let within = within.filter(|_| kind.renames_topic());
    let between = between.filter(|_| kind.changes_channel());
    within.into_iter().chain(between).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn age(seconds: i64, limit: Option<i64>) -> Age {
        Age { seconds, limit }
    }

    #[test]
    fn deletion_asks_in_the_documented_order() {
        let own = DeleteMessageFacts {
            is_archived: false,
            holds_delete_any: false,
            is_own: true,
            holds_delete_own: true,
            age: age(10, Some(10)),
        };
        let insufficient = Verdict::Denied(Reason::InsufficientPermission);
        let late = age(11, Some(10));
        let table = [
            (own, Verdict::Allowed),
            (
                DeleteMessageFacts { age: late, ..own },
                Verdict::Denied(Reason::TooLate),
            ),
            (
                DeleteMessageFacts {
                    age: age(i64::MAX, None),
                    ..own
                },
                Verdict::Allowed,
            ),
            (
                DeleteMessageFacts {
                    holds_delete_own: false,
                    age: late,
                    ..own
                },
                insufficient,
            ),
            (
                DeleteMessageFacts {
                    is_own: false,
                    ..own
                },
                insufficient,
            ),
            (
                DeleteMessageFacts {
                    is_own: false,
                    holds_delete_own: false,
                    holds_delete_any: true,
                    age: late,
                    is_archived: false,
                },
                Verdict::Allowed,
            ),
            (
                DeleteMessageFacts {
                    holds_delete_any: true,
                    is_archived: true,
                    ..own
                },
                Verdict::Denied(Reason::ChannelArchived),
            ),
        ];
        for (facts, expected) in table {
            assert_eq!(may_delete_message(&facts), expected, "{facts:?}");
        }
    }

    #[test]
    fn only_the_sender_edits_and_only_in_time() {
        let own = EditContentFacts {
            is_archived: false,
            is_editing_allowed: true,
            is_own: true,
            age: age(600, Some(600)),
        };
        assert!(may_edit_content(&own).is_allowed());
        let denied = |facts: EditContentFacts| match may_edit_content(&facts) {
            Verdict::Denied(reason) => reason,
            Verdict::Allowed => panic!("{facts:?}"),
        };
        let late = EditContentFacts {
            age: age(601, Some(600)),
            ..own
        };
        assert_eq!(denied(late), Reason::TooLate);
        let other = EditContentFacts {
            is_own: false,
            ..late
        };
        assert_eq!(denied(other), Reason::InsufficientPermission);
        let off = EditContentFacts {
            is_editing_allowed: false,
            ..own
        };
        assert_eq!(denied(off), Reason::InsufficientPermission);
        let archived = EditContentFacts {
            is_archived: true,
            ..off
        };
        assert_eq!(denied(archived), Reason::ChannelArchived);
    }

    #[test]
    fn each_kind_of_move_has_its_permission() {
        // (resolve, within, out) held: which kinds are allowed.
        let kinds = [
            Move::Resolve,
            Move::Topic,
            Move::Channel,
            Move::ResolveElsewhere,
            Move::Both,
        ];
        let table = [
            ((true, false, false), [true, false, false, false, false]),
            ((false, true, false), [false, true, false, false, false]),
            ((false, false, true), [false, false, true, false, false]),
            ((false, true, true), [false, true, true, false, true]),
            ((true, false, true), [true, false, true, true, false]),
            ((true, true, false), [true, true, false, false, false]),
        ];
        for ((holds_resolve, holds_move_within, holds_move_out), expected) in table {
            for (kind, expected) in kinds.into_iter().zip(expected) {
                let facts = MoveFacts {
                    is_archived: false,
                    kind,
                    holds_resolve,
                    holds_move_within,
                    holds_move_out,
                };
                assert_eq!(
                    may_move_messages(&facts).is_allowed(),
                    expected,
                    "{facts:?}"
                );
                let archived = MoveFacts {
                    is_archived: true,
                    ..facts
                };
                assert!(!may_move_messages(&archived).is_allowed());
            }
        }
    }

    #[test]
    fn the_stricter_limit_of_a_move_counts() {
        let limit = |role, kind| move_limit(role, kind, Some(10), Some(20));
        assert_eq!(limit(Role::Member, Move::Topic), Some(10));
        assert_eq!(limit(Role::Guest, Move::Channel), Some(20));
        assert_eq!(limit(Role::Member, Move::Both), Some(10));
        assert_eq!(limit(Role::Member, Move::Resolve), None);
        assert_eq!(limit(Role::Member, Move::ResolveElsewhere), Some(20));
        assert_eq!(limit(Role::Moderator, Move::Both), None);
        assert_eq!(move_limit(Role::Member, Move::Both, None, Some(5)), Some(5));
        assert_eq!(move_limit(Role::Member, Move::Both, None, None), None);
    }
}
