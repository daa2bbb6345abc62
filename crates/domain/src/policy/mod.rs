//! Policy: every permission decision of the server, as pure functions.
//!
//! Callers gather facts and act on the verdict; nothing here reads state, and no other code
//! decides. Rules take facts about groups ("does the actor hold this permission") as booleans,
//! because membership is a query. A denial names its reason; the text and the status of the answer
//! belong to the wire crate.

mod channel;
mod channel_settings;
mod export;
mod file;
mod group;
mod guard;
mod invitation;
mod message;
mod message_change;
mod push;
mod realm;
mod scope;
mod second_factor;
mod subscription;
#[cfg(test)]
mod testing;
mod user;
mod visibility;

pub use channel::{
    ChannelFacts, SendFacts, may_see_channel, may_see_subscribers, may_send_to_channel,
};
pub use channel_settings::{
    Privacy, PrivacyChange, PrivacyFacts, PrivacyProblem, may_access_content,
    may_administer_channel, may_begin_with_channel_permission, may_change_channel_permission,
    may_change_privacy, may_set_default_channel, may_set_retention, may_set_topics_policy,
};
pub use export::{may_export, may_have_export};
pub use file::{
    FileAccessFacts, is_emoji_name, may_add_emoji, may_change_avatar, may_deactivate_emoji,
    may_have_file, may_spectate_channel,
};
pub use group::{
    GroupFacts, may_add_to_group, may_create_group, may_manage_group, may_remove_from_group,
};
pub use guard::{Caller, Guard, check_guard};
pub use invitation::{may_invite, may_invite_as, may_manage_invitation};
pub use message::{
    DirectFacts, MessageAccessFacts, WILDCARD_MENTION_THRESHOLD, may_mention_everybody,
    may_mention_group, may_read_message, may_send_direct,
};
pub use message_change::{
    Age, DeleteMessageFacts, EditContentFacts, Move, MoveFacts, may_delete_message,
    may_edit_content, may_move_messages, move_limit,
};
pub use push::{PushFacts, PushReason, push_reason};
pub use realm::may_change_realm_setting;
pub use scope::{Scope, check_scope, scope_of_operation};
pub use second_factor::{
    lowest_role_with_second_factor, may_reset_second_factor, pause_after_wrong_codes,
    requires_second_factor,
};
pub use subscription::{
    AddSubscribersFacts, CreateChannelFacts, RemoveSubscribersFacts, may_add_subscribers,
    may_create_channel, may_join_channel, may_remove_subscribers,
};
pub use user::{
    AdministerFacts, RoleChangeFacts, SeeUserFacts, may_administer_user, may_change_email,
    may_change_own, may_change_role, may_change_settings_of_others, may_create_api_key,
    may_create_bot, may_create_users, may_deactivate_user, may_edit_profile_field,
    may_end_credentials, may_make_password_link, may_see_delivery_email, may_see_user,
    may_set_status_of,
};
pub use visibility::{TopicDeed, TopicDeedSettings, policy_after_deed, policy_after_mention};

/// Outcome of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// The actor may do it.
    Allowed,
    /// The actor may not do it, for this reason.
    Denied(Reason),
}

impl Verdict {
    /// Whether the rule allows it.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::Allowed)
    }

    /// The verdict as a result, for `?`.
    ///
    /// # Errors
    /// The reason of a denial.
    pub const fn check(self) -> Result<(), Reason> {
        match self {
            Self::Allowed => Ok(()),
            Self::Denied(reason) => Err(reason),
        }
    }

    const fn when(condition: bool, otherwise: Reason) -> Self {
        if condition {
            Self::Allowed
        } else {
            Self::Denied(otherwise)
        }
    }
}

/// Why something is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The operation needs an account.
    NotLoggedIn,
    /// Guests are excluded from the operation.
    GuestsExcluded,
    /// Bots are excluded from the operation.
    BotsExcluded,
    /// Only administrators and owners.
    AdministratorRequired,
    /// Only owners.
    OwnerRequired,
    /// The key of the request may not be used for this; with the scope that would do.
    InsufficientScope(Scope),
    /// The organization does not let the actor make keys.
    KeysExcluded,
    /// The thing is not there as far as the actor may know.
    NoAccess,
    /// The actor sees the thing but may not do this with it.
    InsufficientPermission,
    /// An export of everything is for owners, where the organization gives them access to it.
    ExportOfEverything,
    /// The organization would be left without an owner.
    LastOwner,
    /// A guest cannot be made an administrator in one step.
    GuestToAdministrator,
    ChannelArchived,
    /// The actor administers neither the channel nor the organization.
    CannotAdministerChannel,
    /// The actor cannot read the channel.
    ContentAccessRequired,
    /// The actor may not start a topic in this channel.
    TopicCreationExcluded,
    /// The message is older than the organization lets it be changed.
    TooLate,
    /// No participant is allowed to use direct messages.
    DirectMessagesDisabled,
    /// The actor may not start a new direct conversation.
    DirectMessageInitiationExcluded,
}
