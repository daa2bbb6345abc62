//! Rules about messages: the one place that decides who may read which, and who may
//! start a direct conversation.

use super::{ChannelFacts, Reason, Verdict};
use crate::Role;

/// What matters for reading one message (docs/protocol/messages.md#content-access).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageAccessFacts {
    /// Role of the actor.
    pub role: Role,
    /// Whether the message was delivered to the actor, or the actor is in the direct
    /// conversation.
    pub is_recipient: bool,
    /// The channel, for a channel message.
    pub channel: Option<ChannelFacts>,
}

/// May the actor read this message?
///
/// Direct messages: their sender and recipients. Channels: users with access to the content; a
/// message that was never delivered to them only if the channel's history is shared. An archived
/// channel stays readable.
pub const fn may_read_message(facts: &MessageAccessFacts) -> Verdict {
    let Some(channel) = &facts.channel else {
        return Verdict::when(facts.is_recipient, Reason::NoAccess);
    };
    let allowed = channel.has_history_access(facts.role)
        || (facts.is_recipient && channel.has_content_access(facts.role));
    Verdict::when(allowed, Reason::NoAccess)
}

/// What matters for sending a direct message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectFacts {
    /// The conversation is a note to oneself, or with bots only.
    pub is_exempt: bool,
    /// Any participant, the sender included, holds `realm_direct_message_permission_group`.
    pub participant_holds_permission: bool,
    /// A message has been sent in this conversation before.
    pub conversation_exists: bool,
    /// The sender holds `realm_direct_message_initiator_group`.
    pub holds_initiator_permission: bool,
}

/// May the actor send a direct message to these people, all of whom they see?
pub const fn may_send_direct(facts: &DirectFacts) -> Verdict {
    if facts.is_exempt {
        return Verdict::Allowed;
    }
    if !facts.participant_holds_permission {
        return Verdict::Denied(Reason::DirectMessagesDisabled);
    }
    Verdict::when(
        facts.conversation_exists || facts.holds_initiator_permission,
        Reason::DirectMessageInitiationExcluded,
    )
}

/// Most people whom a user without the permission may mention at once by a wildcard.
pub const WILDCARD_MENTION_THRESHOLD: i64 = 15;

/// May the actor mention everybody in a channel or topic of `people`? Above the threshold
/// `realm_can_mention_many_users_group` is needed.
pub const fn may_mention_everybody(people: i64, holds_permission: bool) -> Verdict {
    Verdict::when(
        people <= WILDCARD_MENTION_THRESHOLD || holds_permission,
        Reason::InsufficientPermission,
    )
}

/// May the actor mention a user group, so that its members are notified?
/// (docs/protocol/permissions.md#of-groups, `can_mention_group`.)
pub const fn may_mention_group(holds_permission: bool) -> Verdict {
    Verdict::when(holds_permission, Reason::InsufficientPermission)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(invite_only: bool, history: bool, subscribed: bool) -> ChannelFacts {
        ChannelFacts {
            invite_only,
            history_public_to_subscribers: history,
            is_web_public: false,
            is_archived: false,
            is_subscribed: subscribed,
            grants_content_access: false,
            administers: false,
        }
    }

    fn reads(role: Role, is_recipient: bool, channel: Option<ChannelFacts>) -> bool {
        may_read_message(&MessageAccessFacts {
            role,
            is_recipient,
            channel,
        })
        .is_allowed()
    }

    #[test]
    fn direct_messages_are_for_their_participants_whatever_the_role() {
        assert!(reads(Role::Guest, true, None));
        for role in Role::ALL {
            assert!(!reads(role, false, None));
        }
    }

    #[test]
    fn channel_messages_by_kind_of_channel() {
        // (invite only, open history, subscribed, received): member, guest
        let table = [
            ((false, true, false, false), (true, false)),
            ((false, true, true, false), (true, true)),
            ((true, true, false, false), (false, false)),
            ((true, true, true, false), (true, true)),
            ((true, false, true, false), (false, false)),
            ((true, false, true, true), (true, true)),
            // Received, but no longer subscribed to the private channel.
            ((true, false, false, true), (false, false)),
            ((true, true, false, true), (false, false)),
        ];
        for ((invite_only, history, subscribed, received), (member, guest)) in table {
            let facts = Some(channel(invite_only, history, subscribed));
            assert_eq!(reads(Role::Member, received, facts), member, "{facts:?}");
            assert_eq!(reads(Role::Guest, received, facts), guest, "{facts:?}");
            // Power over the organization is not access to content.
            assert_eq!(reads(Role::Owner, received, facts), member, "{facts:?}");
        }
    }

    #[test]
    fn archived_and_web_public_channels_stay_readable() {
        let archived = ChannelFacts {
            is_archived: true,
            ..channel(false, true, false)
        };
        assert!(reads(Role::Member, false, Some(archived)));
        let web = ChannelFacts {
            is_web_public: true,
            ..channel(false, true, false)
        };
        assert!(reads(Role::Guest, false, Some(web)));
    }

    #[test]
    fn direct_messages_need_a_permitted_participant_and_a_permitted_start() {
        let facts = DirectFacts {
            is_exempt: false,
            participant_holds_permission: true,
            conversation_exists: false,
            holds_initiator_permission: false,
        };
        assert_eq!(
            may_send_direct(&facts),
            Verdict::Denied(Reason::DirectMessageInitiationExcluded)
        );
        let started = DirectFacts {
            conversation_exists: true,
            ..facts
        };
        assert!(may_send_direct(&started).is_allowed());
        let disabled = DirectFacts {
            participant_holds_permission: false,
            ..started
        };
        assert_eq!(
            may_send_direct(&disabled),
            Verdict::Denied(Reason::DirectMessagesDisabled)
        );
        assert!(
            may_send_direct(&DirectFacts {
                is_exempt: true,
                ..disabled
            })
            .is_allowed()
        );
    }
}
