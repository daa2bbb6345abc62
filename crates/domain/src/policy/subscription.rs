//! Rules about who may create a channel, subscribe to it, and subscribe or unsubscribe others.

use super::{ChannelFacts, Reason, Verdict, may_see_channel};
use crate::Role;

/// What matters for creating a channel (docs/protocol/subscriptions.md#subscription,
/// docs/protocol/permissions.md). Permissions are those of the organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreateChannelFacts {
    /// Private channel.
    pub invite_only: bool,
    /// Whether visitors without an account may read it.
    pub is_web_public: bool,
    /// Whether new users join it.
    pub is_default: bool,
    /// Whether it keeps messages for another time than the organization does.
    pub sets_retention: bool,
    /// Whether it treats the empty topic in another way than the organization does.
    pub sets_topics_policy: bool,
    /// The actor holds `can_create_public_channel_group`.
    pub holds_create_public: bool,
    /// The actor holds `can_create_private_channel_group`.
    pub holds_create_private: bool,
    /// The actor holds `can_create_web_public_channel_group`.
    pub holds_create_web_public: bool,
    /// The actor holds `can_set_topics_policy_group`.
    pub holds_set_topics_policy: bool,
}

/// May the actor create this channel? The kind of channel is checked first, then the properties
/// that only owners, administrators and holders of a permission may set.
pub const fn may_create_channel(role: Role, facts: &CreateChannelFacts) -> Verdict {
    let holds_kind = if facts.invite_only {
        facts.holds_create_private
    } else {
        facts.holds_create_public
    };
    if !holds_kind || (facts.is_web_public && !facts.holds_create_web_public) {
        return Verdict::Denied(Reason::InsufficientPermission);
    }
    if facts.sets_retention && !role.is_owner() {
        return Verdict::Denied(Reason::OwnerRequired);
    }
    if facts.is_default && !role.is_admin() {
        return Verdict::Denied(Reason::AdministratorRequired);
    }
    Verdict::when(
        !facts.sets_topics_policy || facts.holds_set_topics_policy,
        Reason::InsufficientPermission,
    )
}

/// May the actor subscribe themself? Users who can read the channel may: members subscribe to
/// public channels, guests to web-public ones, and a private channel admits holders of its
/// `can_subscribe_group` or `can_add_subscribers_group`.
pub const fn may_join_channel(role: Role, channel: &ChannelFacts) -> Verdict {
    if !channel.has_content_access(role) {
        return Verdict::Denied(Reason::NoAccess);
    }
    Verdict::when(!channel.is_archived, Reason::ChannelArchived)
}

/// Facts for subscribing another user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddSubscribersFacts {
    pub channel: ChannelFacts,
    /// The actor holds `can_add_subscribers_group` of the organization.
    pub holds_realm_permission: bool,
    /// The actor holds `can_add_subscribers_group` of the channel.
    pub holds_channel_permission: bool,
}

/// May the actor subscribe others? They need access to the channel's messages, and the permission
/// of the organization or of the channel; administrators of either do not need one.
pub const fn may_add_subscribers(role: Role, facts: &AddSubscribersFacts) -> Verdict {
    match may_join_channel(role, &facts.channel) {
        Verdict::Allowed => {}
        denied @ Verdict::Denied(_) => return denied,
    }
    let administers = facts.channel.administered_by(role);
    Verdict::when(
        administers || facts.holds_realm_permission || facts.holds_channel_permission,
        Reason::InsufficientPermission,
    )
}

/// Facts for unsubscribing another user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoveSubscribersFacts {
    pub channel: ChannelFacts,
    /// The actor holds `can_remove_subscribers_group` of the channel.
    pub holds_channel_permission: bool,
}

/// May the actor unsubscribe others? Holders of the permission may, and administrators of the
/// channel or the organization, also from private channels that they cannot read.
pub const fn may_remove_subscribers(role: Role, facts: &RemoveSubscribersFacts) -> Verdict {
    match may_see_channel(role, &facts.channel) {
        Verdict::Allowed => {}
        denied @ Verdict::Denied(_) => return denied,
    }
    let administers = facts.channel.administered_by(role);
    Verdict::when(
        administers || facts.holds_channel_permission,
        Reason::InsufficientPermission,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{PRIVATE, PUBLIC};

    const PLAIN: CreateChannelFacts = CreateChannelFacts {
        invite_only: false,
        is_web_public: false,
        is_default: false,
        sets_retention: false,
        sets_topics_policy: false,
        holds_create_public: true,
        holds_create_private: false,
        holds_create_web_public: false,
        holds_set_topics_policy: false,
    };

    #[test]
    fn each_kind_of_channel_has_its_permission() {
        let create = |facts: CreateChannelFacts| may_create_channel(Role::Member, &facts);
        let refused = Verdict::Denied(Reason::InsufficientPermission);
        assert!(create(PLAIN).is_allowed());
        let private = CreateChannelFacts {
            invite_only: true,
            ..PLAIN
        };
        assert_eq!(create(private), refused);
        let with_permission = CreateChannelFacts {
            holds_create_private: true,
            holds_create_public: false,
            ..private
        };
        assert!(create(with_permission).is_allowed());
        let web = CreateChannelFacts {
            is_web_public: true,
            ..PLAIN
        };
        assert_eq!(create(web), refused);
        let with_permission = CreateChannelFacts {
            holds_create_web_public: true,
            ..web
        };
        assert!(create(with_permission).is_allowed());
    }

    #[test]
    fn what_only_some_may_set_comes_after_the_kind() {
        let everything = CreateChannelFacts {
            sets_retention: true,
            is_default: true,
            sets_topics_policy: true,
            ..PLAIN
        };
        let create = |role, facts| may_create_channel(role, &facts);
        let denied = Verdict::Denied;
        let no_kind = CreateChannelFacts {
            holds_create_public: false,
            ..everything
        };
        assert_eq!(
            create(Role::Member, no_kind),
            denied(Reason::InsufficientPermission)
        );
        assert_eq!(
            create(Role::Administrator, everything),
            denied(Reason::OwnerRequired)
        );
        let default = CreateChannelFacts {
            sets_retention: false,
            ..everything
        };
        assert_eq!(
            create(Role::Moderator, default),
            denied(Reason::AdministratorRequired)
        );
        assert_eq!(
            create(Role::Owner, everything),
            denied(Reason::InsufficientPermission)
        );
    }

    #[test]
    fn who_may_join() {
        let join = |role, facts| may_join_channel(role, &facts).is_allowed();
        assert!(join(Role::Member, PUBLIC));
        assert!(!join(Role::Guest, PUBLIC));
        let web = ChannelFacts {
            is_web_public: true,
            ..PUBLIC
        };
        assert!(join(Role::Guest, web));
        assert!(!join(Role::Owner, PRIVATE));
        let granted = ChannelFacts {
            grants_content_access: true,
            ..PRIVATE
        };
        assert!(join(Role::Member, granted));
        let administered = ChannelFacts {
            administers: true,
            ..PRIVATE
        };
        assert!(!join(Role::Member, administered));
        let archived = ChannelFacts {
            is_archived: true,
            ..PUBLIC
        };
        assert_eq!(
            may_join_channel(Role::Owner, &archived),
            Verdict::Denied(Reason::ChannelArchived)
        );
    }

    #[test]
    fn who_may_add_others() {
        let add = |role, channel, realm, own| {
            let facts = AddSubscribersFacts {
                channel,
                holds_realm_permission: realm,
                holds_channel_permission: own,
            };
            may_add_subscribers(role, &facts)
        };
        let refused = Verdict::Denied(Reason::InsufficientPermission);
        assert_eq!(add(Role::Member, PUBLIC, false, false), refused);
        assert!(add(Role::Member, PUBLIC, true, false).is_allowed());
        assert!(add(Role::Member, PUBLIC, false, true).is_allowed());
        assert!(add(Role::Administrator, PUBLIC, false, false).is_allowed());
        let administered = ChannelFacts {
            administers: true,
            ..PUBLIC
        };
        assert!(add(Role::Member, administered, false, false).is_allowed());
        // No one subscribes others to a channel that they cannot read.
        assert_eq!(
            add(Role::Owner, PRIVATE, true, false),
            Verdict::Denied(Reason::NoAccess)
        );
        let own = ChannelFacts {
            is_subscribed: true,
            ..PRIVATE
        };
        assert!(add(Role::Member, own, true, false).is_allowed());
        assert_eq!(add(Role::Member, own, false, false), refused);
    }

    #[test]
    fn who_may_remove_others() {
        let remove = |role, channel, own| {
            let facts = RemoveSubscribersFacts {
                channel,
                holds_channel_permission: own,
            };
            may_remove_subscribers(role, &facts)
        };
        let refused = Verdict::Denied(Reason::InsufficientPermission);
        assert_eq!(remove(Role::Member, PUBLIC, false), refused);
        assert!(remove(Role::Member, PUBLIC, true).is_allowed());
        assert!(remove(Role::Administrator, PRIVATE, false).is_allowed());
        assert_eq!(
            remove(Role::Member, PRIVATE, true),
            Verdict::Denied(Reason::NoAccess)
        );
        let administered = ChannelFacts {
            administers: true,
            ..PRIVATE
        };
        assert!(remove(Role::Member, administered, false).is_allowed());
        assert_eq!(
            remove(Role::Guest, administered, true),
            Verdict::Denied(Reason::NoAccess)
        );
    }
}
