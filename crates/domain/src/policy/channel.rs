//! Rules about channels: who sees subscribers and who may send.

use super::{Reason, Verdict};
use crate::Role;

/// What matters about a channel and the actor's relation to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelFacts {
    /// Private channel.
    pub invite_only: bool,
    /// Whether subscribers may read messages from before their subscription.
    pub history_public_to_subscribers: bool,
    /// Whether visitors without an account may read it.
    pub is_web_public: bool,
    /// Archived channels can be read but not written to.
    pub is_archived: bool,
    /// Whether the actor is subscribed.
    pub is_subscribed: bool,
    /// Whether the actor belongs to a group that grants access to content: `can_subscribe_group`
    /// or `can_add_subscribers_group` of the channel.
    pub grants_content_access: bool,
    /// Whether the actor belongs to `can_administer_channel_group` of the channel, which lets
    /// them know of it without reading it.
    pub administers: bool,
}

impl ChannelFacts {
    /// Whether the actor may read new messages of the channel (not its whole history).
    pub(super) const fn has_content_access(&self, role: Role) -> bool {
        self.is_subscribed
            || self.is_web_public
            || (!role.is_guest() && (!self.invite_only || self.grants_content_access))
    }

    /// Whether messages that were never delivered to the actor may be read.
    pub(super) const fn has_history_access(&self, role: Role) -> bool {
        self.has_content_access(role) && (!self.invite_only || self.history_public_to_subscribers)
    }

    /// Whether the actor administers the channel: as an administrator of the organization or as
    /// a holder of the channel's own permission, which no guest is.
    pub(super) const fn administered_by(&self, role: Role) -> bool {
        role.is_admin() || (self.administers && !role.is_guest())
    }
}

/// Facts for sending to a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendFacts {
    pub channel: ChannelFacts,
    /// Whether the actor holds `can_send_message_group`.
    pub holds_send_permission: bool,
    /// Whether the message would start a topic and the actor lacks `can_create_topic_group`.
    pub would_create_forbidden_topic: bool,
}

/// May the actor send a message to this channel? (docs/protocol/permissions.md#of-channels,
/// `can_send_message_group`, `can_create_topic_group`.)
///
/// Without content access the channel does not exist for the actor; bots and people
/// obey the same rule.
pub const fn may_send_to_channel(role: Role, facts: &SendFacts) -> Verdict {
    if !facts.channel.has_content_access(role) || (role.is_guest() && !facts.channel.is_subscribed)
    {
        return Verdict::Denied(Reason::NoAccess);
    }
    if facts.channel.is_archived {
        return Verdict::Denied(Reason::ChannelArchived);
    }
    if !facts.holds_send_permission {
        return Verdict::Denied(Reason::InsufficientPermission);
    }
    Verdict::when(
        !facts.would_create_forbidden_topic,
        Reason::TopicCreationExcluded,
    )
}

/// May the actor know that the channel exists, its name and settings? Administrators of the
/// organization and of the channel may know of private channels that they cannot read.
pub const fn may_see_channel(role: Role, facts: &ChannelFacts) -> Verdict {
    let allowed = facts.has_content_access(role) || facts.administered_by(role);
    Verdict::when(allowed, Reason::NoAccess)
}

/// May the actor see the subscribers? All who can see the channel may: subscribers; others when the
/// channel is not private, or when they administer it or the organization; guests only as
/// subscribers or in web-public channels.
pub const fn may_see_subscribers(role: Role, facts: &ChannelFacts) -> Verdict {
    may_see_channel(role, facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::PUBLIC;

    fn send(channel: ChannelFacts) -> SendFacts {
        SendFacts {
            channel,
            holds_send_permission: true,
            would_create_forbidden_topic: false,
        }
    }

    #[test]
    fn a_member_may_send_to_a_public_channel_without_subscribing_and_a_guest_may_not() {
        let facts = send(PUBLIC);
        assert!(may_send_to_channel(Role::Member, &facts).is_allowed());
        assert_eq!(
            may_send_to_channel(Role::Guest, &facts),
            Verdict::Denied(Reason::NoAccess)
        );
        let subscribed = send(ChannelFacts {
            is_subscribed: true,
            ..PUBLIC
        });
        assert!(may_send_to_channel(Role::Guest, &subscribed).is_allowed());
        let web = send(ChannelFacts {
            is_web_public: true,
            ..PUBLIC
        });
        assert!(!may_send_to_channel(Role::Guest, &web).is_allowed());
    }

    #[test]
    fn a_private_channel_is_closed_even_to_owners_who_are_not_in_it() {
        let private = ChannelFacts {
            invite_only: true,
            ..PUBLIC
        };
        assert_eq!(
            may_send_to_channel(Role::Owner, &send(private)),
            Verdict::Denied(Reason::NoAccess)
        );
        let granted = ChannelFacts {
            grants_content_access: true,
            ..private
        };
        assert!(may_send_to_channel(Role::Member, &send(granted)).is_allowed());
        assert!(!may_send_to_channel(Role::Guest, &send(granted)).is_allowed());
    }

    #[test]
    fn archived_posting_and_topic_rules_come_in_this_order() {
        let mut facts = send(ChannelFacts {
            is_archived: true,
            ..PUBLIC
        });
        facts.holds_send_permission = false;
        facts.would_create_forbidden_topic = true;
        let verdict = |facts: &SendFacts| may_send_to_channel(Role::Member, facts);
        assert_eq!(verdict(&facts), Verdict::Denied(Reason::ChannelArchived));
        facts.channel.is_archived = false;
        assert_eq!(
            verdict(&facts),
            Verdict::Denied(Reason::InsufficientPermission)
        );
        facts.holds_send_permission = true;
        assert_eq!(
            verdict(&facts),
            Verdict::Denied(Reason::TopicCreationExcluded)
        );
    }

    #[test]
    fn administrators_see_who_is_in_a_private_channel_and_members_do_not() {
        let private = ChannelFacts {
            invite_only: true,
            ..PUBLIC
        };
        assert!(may_see_subscribers(Role::Administrator, &private).is_allowed());
        assert!(!may_see_subscribers(Role::Member, &private).is_allowed());
        assert!(!may_see_subscribers(Role::Guest, &PUBLIC).is_allowed());
        assert!(may_see_channel(Role::Administrator, &private).is_allowed());
        assert!(!may_see_channel(Role::Moderator, &private).is_allowed());
        let administered = ChannelFacts {
            administers: true,
            ..private
        };
        assert!(may_see_channel(Role::Member, &administered).is_allowed());
        assert!(!may_see_channel(Role::Guest, &administered).is_allowed());
        assert!(!may_send_to_channel(Role::Member, &send(administered)).is_allowed());
        assert!(may_see_channel(Role::Member, &PUBLIC).is_allowed());
        assert!(!may_see_channel(Role::Guest, &PUBLIC).is_allowed());
        let own = ChannelFacts {
            is_subscribed: true,
            ..private
        };
        assert!(may_see_subscribers(Role::Guest, &own).is_allowed());
    }
}
