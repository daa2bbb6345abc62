//! Types of ids, one for each kind of object.
//!
//! A user id and a channel id are both integers on the wire; the compiler rejects one in the place of
//! the other. The types carry no rule of their own: whether an id exists, and whether the caller may
//! know it, is decided elsewhere.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl $name {
            /// The integer that stands for this id on the wire and in the database.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl From<i64> for $name {
            fn from(id: i64) -> Self {
                Self(id)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> i64 {
                id.0
            }
        }
    };
}

id!(
    /// A user or bot (`user_id`).
    UserId
);
id!(
    /// A user group, system groups and nameless groups included.
    GroupId
);
id!(
    /// A channel (`stream_id` on the wire).
    ChannelId
);
id!(
    /// An entry of the audit log.
    AuditEntryId
);
id!(
    /// A message.
    MessageId
);
id!(
    /// What a message is sent to (`recipient_id`): a channel or a set of people.
    ConversationId
);
id!(
    /// The organization (`realm`).
    RealmId
);
id!(
    /// A message that is sent later (`scheduled_message_id`). Not the id that it has as a message.
    ScheduledMessageId
);
id!(
    /// An installed app (`app_id`).
    AppId
);
id!(
    /// An API key. Not the key itself.
    ApiKeyId
);
id!(
    /// A session of a browser.
    SessionId
);
id!(
    /// The connection of an account with a person of an identity provider.
    IdentityId
);
id!(
    /// A passkey. Not the id that its device gave it.
    PasskeyId
);
id!(
    /// An invitation.
    InvitationId
);
id!(
    /// A reminder about a message.
    ReminderId
);
id!(
    /// A call to an outgoing or embedded bot.
    BotCallId
);
id!(
    /// Something that has happened and that an app has not been informed of yet.
    AppEventId
);
id!(
    /// A request that an app wants to have made.
    AppFetchId
);
id!(
    /// A mail that is to be sent.
    MailId
);
id!(
    /// A call to the push service.
    PushCallId
);
id!(
    /// An uploaded file (`attachment_id`).
    AttachmentId
);
id!(
    /// A folder of channels.
    ChannelFolderId
);
id!(
    /// A custom emoji of the organization.
    CustomEmojiId
);
id!(
    /// A device that a user is logged in on, registered for push notifications.
    DeviceId
);
id!(
    /// A draft.
    DraftId
);
id!(
    /// A deletion of the messages of an account that is made in parts.
    ErasureId
);
id!(
    /// A linkifier.
    LinkifierId
);
id!(
    /// A move of messages that is made in parts.
    MoveId
);
id!(
    /// A playground.
    PlaygroundId
);
id!(
    /// A custom profile field.
    ProfileFieldId
);
id!(
    /// A registration for push notifications, by an id of the client's choice.
    PushAccountId
);
id!(
    /// A saved snippet.
    SavedSnippetId
);
id!(
    /// A submessage: a part of a poll or to-do list.
    SubmessageId
);

impl MessageId {
    /// A bound below the id of any message.
    pub const MIN: Self = Self(0);
    /// A bound above the id of any message.
    pub const MAX: Self = Self(i64::MAX);

    /// The highest id below this one.
    #[must_use]
    pub const fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The lowest id above this one.
    #[must_use]
    pub const fn after(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl Default for UserId {
    /// The id of no user, for structs that are filled in later: ids begin at 1.
    fn default() -> Self {
        Self(0)
    }
}

impl Default for RealmId {
    fn default() -> Self {
        Self::ONLY
    }
}

impl RealmId {
    /// The only organization of a server.
    pub const ONLY: Self = Self(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_bare_integer_in_json() {
        assert_eq!(serde_json::to_string(&UserId(7)).unwrap(), "7");
        assert_eq!(
            serde_json::from_str::<Vec<UserId>>("[3,1]").unwrap(),
            vec![UserId(3), UserId(1)]
        );
        assert!(serde_json::from_str::<UserId>("\"7\"").is_err());
        assert!(serde_json::from_str::<UserId>("7.0").is_err());
    }
}
