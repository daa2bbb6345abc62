//! Rules about changing a channel: who may change which of its properties, and which kinds of
//! channels there are (docs/protocol/channels.md#channel-object).

use super::{ChannelFacts, Reason, Verdict, may_see_channel};
use crate::Role;

/// May the actor change the channel at all? Administrators of the organization and of the
/// channel may, also without being able to read it.
pub const fn may_administer_channel(role: Role, channel: &ChannelFacts) -> Verdict {
    if !may_see_channel(role, channel).is_allowed() {
        return Verdict::Denied(Reason::NoAccess);
    }
    Verdict::when(
        channel.administered_by(role),
        Reason::CannotAdministerChannel,
    )
}

/// May the actor read new messages of the channel?
pub const fn may_access_content(role: Role, channel: &ChannelFacts) -> Verdict {
    Verdict::when(channel.has_content_access(role), Reason::NoAccess)
}

/// Who may read a channel, and how far back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Privacy {
    /// Private channel.
    pub invite_only: bool,
    /// Whether visitors without an account read it.
    pub is_web_public: bool,
    /// Whether subscribers read messages from before their subscription.
    pub history_public_to_subscribers: bool,
}

/// A requested change of a channel's privacy; absent parts stay, as far as they fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrivacyChange {
    /// `is_private`
    pub is_private: Option<bool>,
    /// `is_web_public`
    pub is_web_public: Option<bool>,
    /// `history_public_to_subscribers`
    pub history_public_to_subscribers: Option<bool>,
}

/// Why there is no such kind of channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivacyProblem {
    /// A private channel cannot be read on the web.
    PrivateAndWebPublic,
    /// Only private channels can keep their history from new subscribers.
    HiddenHistory,
}

impl Privacy {
    /// The kind of channel that a change makes of this one: becoming private takes it off the
    /// web, becoming web-public ends its being private, and a channel that is not private
    /// shows its history.
    ///
    /// # Errors
    /// The requested parts exclude each other.
    pub fn changed(self, change: &PrivacyChange) -> Result<Self, PrivacyProblem> {
        let becomes_private = change.is_private == Some(true);
        let is_web_public = change
            .is_web_public
            .unwrap_or(self.is_web_public && !becomes_private);
        let goes_public = change.is_web_public == Some(true);
        let invite_only = change
            .is_private
            .unwrap_or(self.invite_only && !goes_public);
        if invite_only && is_web_public {
            return Err(PrivacyProblem::PrivateAndWebPublic);
        }
        let history = change
            .history_public_to_subscribers
            .unwrap_or(!invite_only || self.history_public_to_subscribers);
        if !invite_only && !history {
            return Err(PrivacyProblem::HiddenHistory);
        }
        Ok(Self {
            invite_only,
            is_web_public,
            history_public_to_subscribers: history,
        })
    }
}

/// What matters for changing who may read a channel. Permissions are the organization's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrivacyFacts {
    pub channel: ChannelFacts,
    /// What it is to become.
    pub privacy: Privacy,
    /// The actor holds `can_create_public_channel_group`.
    pub holds_create_public: bool,
    /// The actor holds `can_create_private_channel_group`.
    pub holds_create_private: bool,
    /// The actor holds `can_create_web_public_channel_group`.
    pub holds_create_web_public: bool,
}

/// May the actor give the channel this privacy? Only users who can read it, so that no one gains
/// access by the change, and only users who may create a channel of that kind, if the kind changes.
pub const fn may_change_privacy(role: Role, facts: &PrivacyFacts) -> Verdict {
    if !facts.channel.has_content_access(role) {
        return Verdict::Denied(Reason::ContentAccessRequired);
    }
    let (old, new) = (&facts.channel, &facts.privacy);
    let web = !new.is_web_public || old.is_web_public || facts.holds_create_web_public;
    let private = !new.invite_only || old.invite_only || facts.holds_create_private;
    let public = new.invite_only || !old.invite_only || facts.holds_create_public;
    Verdict::when(web && private && public, Reason::InsufficientPermission)
}

/// Which rule a permission of a channel has for being changed, besides that the actor has to
/// administer the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PermissionRule {
    Plain,
    /// Its holders can read the channel, so only users who can read it assign it.
    GrantsContentAccess,
    /// Only holders of `can_set_delete_message_policy_group` of the organization (FL 407).
    DeletesMessages,
}

fn rule_of(permission: &str) -> PermissionRule {
    match permission {
        "can_add_subscribers_group" | "can_subscribe_group" => PermissionRule::GrantsContentAccess,
        "can_delete_any_message_group" | "can_delete_own_message_group" => {
            PermissionRule::DeletesMessages
        }
        _ => PermissionRule::Plain,
    }
}

/// May an administrator of the channel give its permission `permission` (wire name) to others?
/// `sets_delete_policy`: the actor holds `can_set_delete_message_policy_group`.
pub fn may_change_channel_permission(
    role: Role,
    channel: &ChannelFacts,
    permission: &str,
    sets_delete_policy: bool,
) -> Verdict {
    match rule_of(permission) {
        PermissionRule::Plain => Verdict::Allowed,
        PermissionRule::GrantsContentAccess => Verdict::when(
            channel.has_content_access(role),
            Reason::ContentAccessRequired,
        ),
        PermissionRule::DeletesMessages => {
            Verdict::when(sets_delete_policy, Reason::InsufficientPermission)
        }
    }
}

/// May the creator of a channel give its permission `permission` (wire name) this value?
/// `is_default`: the channel gets this value if the request has none. The channel has no content of
/// others yet, so its creator decides who reads it. `sets_delete_policy`: as in
/// [`may_change_channel_permission`].
pub fn may_begin_with_channel_permission(
    permission: &str,
    is_default: bool,
    sets_delete_policy: bool,
) -> Verdict {
    match rule_of(permission) {
        PermissionRule::Plain | PermissionRule::GrantsContentAccess => Verdict::Allowed,
        PermissionRule::DeletesMessages => Verdict::when(
            is_default || sets_delete_policy,
            Reason::InsufficientPermission,
        ),
    }
}

/// May the actor say how long a channel keeps its messages? Owners.
pub const fn may_set_retention(role: Role) -> Verdict {
    Verdict::when(role.is_owner(), Reason::OwnerRequired)
}

/// May the actor make a channel one that new users join? Administrators of the organization.
pub const fn may_set_default_channel(role: Role) -> Verdict {
    Verdict::when(role.is_admin(), Reason::AdministratorRequired)
}

/// May the actor say what the empty topic is in a channel? Holders of
/// `can_set_topics_policy_group` of the organization (FL 392).
pub const fn may_set_topics_policy(holds_permission: bool) -> Verdict {
    Verdict::when(holds_permission, Reason::InsufficientPermission)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{PRIVATE, PUBLIC};

    #[test]
    fn who_administers_a_channel() {
        let administered = |channel| ChannelFacts {
            administers: true,
            ..channel
        };
        let denied = Verdict::Denied;
        for (role, channel, expected) in [
            (Role::Owner, PRIVATE, Verdict::Allowed),
            (Role::Administrator, PUBLIC, Verdict::Allowed),
            (
                Role::Moderator,
                PUBLIC,
                denied(Reason::CannotAdministerChannel),
            ),
            (Role::Member, PRIVATE, denied(Reason::NoAccess)),
            (Role::Member, administered(PRIVATE), Verdict::Allowed),
            (Role::Guest, administered(PRIVATE), denied(Reason::NoAccess)),
        ] {
            assert_eq!(may_administer_channel(role, &channel), expected, "{role:?}");
        }
    }

    #[test]
    fn kinds_of_channels() {
        let public = Privacy {
            invite_only: false,
            is_web_public: false,
            history_public_to_subscribers: true,
        };
        let web = Privacy {
            is_web_public: true,
            ..public
        };
        let shared = Privacy {
            invite_only: true,
            ..public
        };
        let protected = Privacy {
            history_public_to_subscribers: false,
            ..shared
        };
        let change = |private, web, history| PrivacyChange {
            is_private: private,
            is_web_public: web,
            history_public_to_subscribers: history,
        };
        let (yes, no) = (Some(true), Some(false));
        for (from, asked, to) in [
            (public, change(None, None, None), Ok(public)),
            (public, change(yes, None, None), Ok(shared)),
            (public, change(yes, None, no), Ok(protected)),
            (public, change(None, yes, None), Ok(web)),
            (web, change(yes, None, None), Ok(shared)),
            (web, change(None, no, None), Ok(public)),
            (shared, change(None, yes, None), Ok(web)),
            (shared, change(None, None, no), Ok(protected)),
            (protected, change(no, None, None), Ok(public)),
            (protected, change(None, yes, None), Ok(web)),
            (protected, change(None, None, None), Ok(protected)),
            (
                public,
                change(yes, yes, None),
                Err(PrivacyProblem::PrivateAndWebPublic),
            ),
            (
                public,
                change(None, None, no),
                Err(PrivacyProblem::HiddenHistory),
            ),
            (
                shared,
                change(no, None, no),
                Err(PrivacyProblem::HiddenHistory),
            ),
            (
                web,
                change(None, None, no),
                Err(PrivacyProblem::HiddenHistory),
            ),
        ] {
            assert_eq!(from.changed(&asked), to, "{from:?} {asked:?}");
        }
    }

    #[test]
    fn only_readers_who_may_create_the_new_kind_change_the_kind() {
        let facts = |channel, invite_only, is_web_public| PrivacyFacts {
            channel,
            privacy: Privacy {
                invite_only,
                is_web_public,
                history_public_to_subscribers: true,
            },
            holds_create_public: false,
            holds_create_private: false,
            holds_create_web_public: false,
        };
        let verdict = |facts: PrivacyFacts| may_change_privacy(Role::Administrator, &facts);
        let refused = Verdict::Denied(Reason::InsufficientPermission);
        assert_eq!(
            verdict(facts(PRIVATE, false, false)),
            Verdict::Denied(Reason::ContentAccessRequired)
        );
        let own = ChannelFacts {
            is_subscribed: true,
            ..PRIVATE
        };
        assert_eq!(verdict(facts(own, false, false)), refused);
        assert_eq!(verdict(facts(own, true, false)), Verdict::Allowed);
        assert_eq!(verdict(facts(PUBLIC, true, false)), refused);
        assert_eq!(verdict(facts(PUBLIC, false, true)), refused);
        let with = |facts| PrivacyFacts {
            holds_create_public: true,
            holds_create_private: true,
            holds_create_web_public: true,
            ..facts
        };
        assert!(verdict(with(facts(own, false, true))).is_allowed());
        assert!(verdict(with(facts(PUBLIC, true, false))).is_allowed());
    }

    #[test]
    fn permissions_with_a_rule_of_their_own() {
        let may = |channel, name, sets| {
            may_change_channel_permission(Role::Administrator, &channel, name, sets)
        };
        let content = Verdict::Denied(Reason::ContentAccessRequired);
        assert_eq!(may(PRIVATE, "can_subscribe_group", true), content);
        assert_eq!(may(PRIVATE, "can_add_subscribers_group", true), content);
        assert!(may(PUBLIC, "can_add_subscribers_group", false).is_allowed());
        assert!(may(PRIVATE, "can_send_message_group", false).is_allowed());
        let refused = Verdict::Denied(Reason::InsufficientPermission);
        assert_eq!(may(PUBLIC, "can_delete_any_message_group", false), refused);
        assert_eq!(may(PUBLIC, "can_delete_own_message_group", false), refused);
        assert!(may(PRIVATE, "can_delete_own_message_group", true).is_allowed());
        for setting in crate::permission::CHANNEL {
            let begin = |is_default, sets| {
                may_begin_with_channel_permission(setting.name, is_default, sets).is_allowed()
            };
            let changes = may(PUBLIC, setting.name, false).is_allowed();
            assert_eq!(begin(false, false), changes, "{}", setting.name);
            assert!(begin(true, false) && begin(false, true), "{}", setting.name);
        }
        assert!(!may_set_retention(Role::Administrator).is_allowed());
        assert!(!may_set_default_channel(Role::Moderator).is_allowed());
        assert!(!may_set_topics_policy(false).is_allowed());
        assert!(may_access_content(Role::Member, &PUBLIC).is_allowed());
        assert!(!may_access_content(Role::Owner, &PRIVATE).is_allowed());
    }
}
