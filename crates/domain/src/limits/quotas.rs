//! Quotas: how many objects of each kind an account, a message or the organization may have.
//!
//! Lengths of single values and limits of single requests are in the module above. A quota refuses growth only: objects
//! above it, because they were imported or are older than the quota, stay and can be used, changed and deleted. Nothing
//! here counts.

/// The owner whose objects are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// One account; people and bots alike.
    Account,
    /// One account on one message.
    AccountOnMessage,
    /// One person on one message: a share of the message's quota. Counts as [`Self::Person`] does.
    PersonOnMessage,
    /// One message.
    Message,
    Organization,
    /// One person: a share of the organization's quota, so that one person cannot use it up. Their bots count with them,
    /// and so do accounts that joined lately by their invitation. It does not apply to administrators.
    Person,
}

impl Owner {
    /// For people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::AccountOnMessage => "account and message",
            Self::PersonOnMessage => {
                "person with their bots and newcomers on each message, unless an administrator"
            }
            Self::Message => "message",
            Self::Organization => "organization",
            Self::Person => "person with their bots and newcomers, unless an administrator",
        }
    }
}

/// What happens when one more is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// 400 BAD_REQUEST, and nothing changes.
    Refused,
    /// The oldest is removed.
    OldestGoes,
}

macro_rules! quotas {
    ($($(#[$meta:meta])* $variant:ident = $limit:literal, $owner:ident, $beyond:ident, $what:literal;)*) => {
        /// A kind of object whose number is bounded.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Quota { $($(#[$meta])* $variant,)* }

        impl Quota {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// How many there may be.
            #[must_use]
            pub const fn limit(self) -> i64 {
                match self { $(Self::$variant => $limit,)* }
            }

            /// Whose are counted.
            #[must_use]
            pub const fn owner(self) -> Owner {
                match self { $(Self::$variant => Owner::$owner,)* }
            }

            /// What happens to one more.
            #[must_use]
            pub const fn beyond(self) -> Beyond {
                match self { $(Self::$variant => Beyond::$beyond,)* }
            }

            /// The counted objects in words, in the plural.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}

quotas! {
    /// `alert_words`
    AlertWords = 1_000, Account, Refused, "alert words";
    /// `saved_snippets`
    SavedSnippets = 1_000, Account, Refused, "saved snippets";
    /// `json_bytes` of `saved_snippets`: all of them are in each snapshot.
    SavedSnippetText = 2_000_000, Account, Refused, "bytes of saved snippets as JSON";
    /// `drafts`
    Drafts = 1_000, Account, Refused, "drafts";
    /// `json_bytes` of `drafts`: all of them are in each snapshot.
    DraftText = 2_000_000, Account, Refused, "bytes of drafts as JSON";
    /// `scheduled_messages`
    ScheduledMessages = 1_000, Account, Refused, "scheduled messages";
    /// `json_bytes` of `scheduled_messages`, with their HTML: all of them are in each snapshot.
    ScheduledText = 2_000_000, Account, Refused, "bytes of scheduled messages as JSON";
    /// `reminders`
    Reminders = 1_000, Account, Refused, "reminders";
    /// `json_bytes` of `reminders`, with their HTML: all of them are in each snapshot.
    ReminderText = 2_000_000, Account, Refused, "bytes of reminders as JSON";
    /// `navigation_views`
    NavigationViews = 200, Account, Refused, "navigation views";
    /// `user_topics`; topics that would be followed automatically are skipped silently.
    UserTopics = 20_000, Account, Refused, "topics with a policy";
    /// Bots of one owner, deactivated ones included, and of accounts that joined lately by the owner's invitation.
    Bots = 250, Account, Refused, "bots (those of accounts that joined lately by its invitation included)";
    /// `devices`
    ClientDevices = 100, Account, OldestGoes, "devices";
    /// Browsers in which an account is signed in.
    Sessions = 100, Account, OldestGoes, "sessions";
    /// API keys with a name.
    NamedKeys = 50, Account, Refused, "API keys with a name";
    /// Passkeys.
    Passkeys = 20, Account, Refused, "passkeys";
    /// API keys without a name: those of sign-ins, and of bots.
    UnnamedKeys = 5, Account, OldestGoes, "API keys of sign-ins";
    /// Tokens of the deprecated push interface.
    PushTokens = 100, Account, OldestGoes, "push tokens";
    /// Registrations by an id that the client chose.
    PushAccounts = 100, Account, OldestGoes, "push registrations";
    /// Event queues.
    EventQueues = 500, Account, OldestGoes, "event queues";
    /// Channels that one person has created, archived ones included.
    ChannelsOfCreator = 250, Person, Refused, "channels created";
    /// `json_bytes` of these.
    ChannelTextOfCreator = 300_000, Person, Refused, "bytes of channels created, as JSON of a snapshot";
    /// User groups that one person has created, deactivated ones included.
    GroupsOfCreator = 250, Person, Refused, "user groups created";
    /// `json_bytes` of these.
    GroupTextOfCreator = 100_000, Person, Refused, "bytes of user groups created, as JSON";
    /// Direct members and subgroups of groups that one person has created, and of permissions of their groups and channels.
    GroupMembersOfCreator = 25_000, Person, Refused, "members of groups and permissions created";
    /// Custom emoji that one person has uploaded, deactivated ones included.
    EmojiOfAuthor = 250, Person, Refused, "custom emoji uploaded";
    /// Invitations of one person.
    InvitationsOfInviter = 1_000, Person, Refused, "own open invitations";
    /// `json_bytes` of the profile of one person.
    ProfileTextOfPerson = 50_000, Person, Refused, "bytes of a profile as JSON";
    /// `json_bytes` of the profiles of one person and of accounts that joined lately by their invitation.
    ProfileTextOfShare = 250_000, Person, Refused, "bytes of profiles as JSON";
    /// Uploads in parts that are not finished.
    ResumableUploads = 100, Account, Refused, "unfinished uploads";
    /// Bytes that these are to have when they are finished.
    ResumableBytes = 2_147_483_648, Account, Refused, "bytes of unfinished uploads";
    /// Different emoji of one account on one message.
    Reactions = 100, AccountOnMessage, Refused, "reactions";
    /// `submessages`
    Submessages = 10_000, Message, Refused, "submessages";
    /// Bytes of submessages. Clients get the first ones of a message that has more.
    SubmessageText = 1_000_000, Message, Refused, "bytes of submessages";
    /// Submessages of one person on one message.
    SubmessagesOfPerson = 500, PersonOnMessage, Refused, "submessages";
    /// Bytes of these.
    SubmessageTextOfPerson = 50_000, PersonOnMessage, Refused, "bytes of submessages";
    /// Bots, deactivated ones included.
    AllBots = 5_000, Organization, Refused, "bots altogether";
    /// `streams`, archived ones included.
    Channels = 5_000, Organization, Refused, "channels";
    /// `json_bytes` of `channels`: descriptions with HTML, multiplied by how often a snapshot repeats them.
    ChannelText = 6_000_000, Organization, Refused, "bytes of channel names and descriptions, as JSON of a snapshot";
    /// Pairs of an account and a channel that it is subscribed to.
    Subscriptions = 1_000_000, Organization, Refused, "subscriptions";
    /// `user_groups` with a name, deactivated ones included.
    Groups = 5_000, Organization, Refused, "user groups";
    /// `json_bytes` of `user_groups`.
    GroupText = 2_000_000, Organization, Refused, "bytes of user group names and descriptions, as JSON";
    /// Direct members and subgroups, of groups without a name as well, which hold permissions.
    GroupMembers = 500_000, Organization, Refused, "members of groups and permissions";
    /// Invitations that were neither used nor revoked; expired ones go after a month.
    Invitations = 20_000, Organization, Refused, "open invitations";
    /// `realm_emoji`, deactivated ones included.
    CustomEmoji = 5_000, Organization, Refused, "custom emoji";
    /// `realm_linkifiers`: every message is searched for each of them.
    Linkifiers = 500, Organization, Refused, "linkifiers";
    /// `json_bytes` of `linkifiers`.
    LinkifierText = 500_000, Organization, Refused, "bytes of linkifiers as JSON";
    /// `realm_playgrounds`: every client receives the whole list.
    Playgrounds = 200, Organization, Refused, "playgrounds";
    /// `json_bytes` of `realm_playgrounds`.
    PlaygroundText = 250_000, Organization, Refused, "bytes of playgrounds as JSON";
    /// `realm_domains`
    Domains = 1_000, Organization, Refused, "domains";
    /// `channel_folders`, archived ones included.
    ChannelFolders = 500, Organization, Refused, "channel folders";
    /// `json_bytes` of `channel_folders`, with their HTML.
    FolderText = 500_000, Organization, Refused, "bytes of channel folders as JSON";
    /// `custom_profile_fields`
    ProfileFields = 100, Organization, Refused, "profile fields";
    /// `json_bytes` of `profile_fields`.
    ProfileFieldText = 500_000, Organization, Refused, "bytes of profile fields as JSON";
    /// `json_bytes` of `profile_values`, with their HTML.
    ProfileText = 5_000_000, Organization, Refused, "bytes of profiles as JSON";
}

impl Quota {
    /// What a quota of a person is a share of.
    #[must_use]
    pub const fn whole(self) -> Option<Self> {
        Some(match self {
            Self::ChannelsOfCreator => Self::Channels,
            Self::ChannelTextOfCreator => Self::ChannelText,
            Self::GroupsOfCreator => Self::Groups,
            Self::GroupTextOfCreator => Self::GroupText,
            Self::GroupMembersOfCreator => Self::GroupMembers,
            Self::EmojiOfAuthor => Self::CustomEmoji,
            Self::InvitationsOfInviter => Self::Invitations,
            Self::ProfileTextOfPerson | Self::ProfileTextOfShare => Self::ProfileText,
            Self::Bots => Self::AllBots,
            Self::SubmessagesOfPerson => Self::Submessages,
            Self::SubmessageTextOfPerson => Self::SubmessageText,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_person_has_a_twentieth_at_most() {
        for quota in Quota::ALL {
            let whole = quota.whole();
            let is_share = matches!(quota.owner(), Owner::Person | Owner::PersonOnMessage)
                || *quota == Quota::Bots;
            assert_eq!(whole.is_some(), is_share, "{quota:?}");
            if let Some(whole) = whole {
                assert!(quota.limit() * 20 <= whole.limit(), "{quota:?}");
                let expected = match quota.owner() {
                    Owner::PersonOnMessage => Owner::Message,
                    _ => Owner::Organization,
                };
                assert_eq!(whole.owner(), expected);
            }
        }
    }
}
