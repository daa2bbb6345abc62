//! Quotas: how many objects of each kind an account, a message or the organization may have.
//!
//! Lengths of single values and limits of single requests are in the module above. A quota refuses
//! growth only: what is above it, because it was imported or is older than the quota, stays and can
//! be used, changed and deleted. Nothing here counts.

/// The owner whose objects are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// One account; people and bots alike.
    Account,
    /// One account on one message.
    AccountOnMessage,
    /// One message.
    Message,
    /// The organization.
    Organization,
}

impl Owner {
    /// For people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::AccountOnMessage => "account and message",
            Self::Message => "message",
            Self::Organization => "organization",
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

            /// What is counted, for people, in the plural.
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
    /// Code points of `saved_snippets`: all of them are in each snapshot.
    SavedSnippetText = 2_000_000, Account, Refused, "characters of saved snippets";
    /// `drafts`
    Drafts = 1_000, Account, Refused, "drafts";
    /// Code points of `drafts`: all of them are in each snapshot.
    DraftText = 2_000_000, Account, Refused, "characters of drafts";
    /// `scheduled_messages`
    ScheduledMessages = 1_000, Account, Refused, "scheduled messages";
    /// Code points of `scheduled_messages` with their HTML: all of them are in each snapshot.
    ScheduledText = 4_000_000, Account, Refused, "characters of scheduled messages";
    /// `reminders`
    Reminders = 1_000, Account, Refused, "reminders";
    /// Code points of `reminders` with their HTML: all of them are in each snapshot.
    ReminderText = 4_000_000, Account, Refused, "characters of reminders";
    /// `navigation_views`
    NavigationViews = 200, Account, Refused, "navigation views";
    /// `user_topics`; those that would be followed by themselves are passed over silently.
    UserTopics = 50_000, Account, Refused, "topics with a policy";
    /// Bots of one owner, deactivated ones included.
    Bots = 500, Account, Refused, "bots";
    /// `devices`
    ClientDevices = 100, Account, OldestGoes, "devices";
    /// Browsers in which an account is signed in.
    Sessions = 100, Account, OldestGoes, "sessions";
    /// Tokens of the deprecated push interface.
    PushTokens = 100, Account, OldestGoes, "push tokens";
    /// Registrations by an id that the client chose.
    PushAccounts = 100, Account, OldestGoes, "push registrations";
    /// Event queues.
    EventQueues = 500, Account, OldestGoes, "event queues";
    /// Channels that one account has created, archived ones included.
    ChannelsOfCreator = 2_000, Account, Refused, "channels created";
    /// User groups that one account has created, deactivated ones included.
    GroupsOfCreator = 1_000, Account, Refused, "user groups created";
    /// Custom emoji that one account has uploaded, deactivated ones included.
    EmojiOfAuthor = 2_000, Account, Refused, "custom emoji uploaded";
    /// Invitations of one inviter that were neither used nor revoked; expired ones go after a month.
    Invitations = 5_000, Account, Refused, "open invitations";
    /// Uploads in parts that are not finished.
    ResumableUploads = 100, Account, Refused, "unfinished uploads";
    /// Bytes that these are to have when they are finished.
    ResumableBytes = 2_147_483_648, Account, Refused, "bytes of unfinished uploads";
    /// Different emoji of one account on one message.
    Reactions = 100, AccountOnMessage, Refused, "reactions";
    /// `submessages`
    Submessages = 10_000, Message, Refused, "submessages";
    /// `streams`, archived ones included.
    Channels = 10_000, Organization, Refused, "channels";
    /// Bytes of their names and descriptions, as Markdown and as HTML.
    ChannelText = 8_000_000, Organization, Refused, "bytes of channel names and descriptions";
    /// Pairs of an account and a channel that it is subscribed to.
    Subscriptions = 2_000_000, Organization, Refused, "subscriptions";
    /// `user_groups` with a name, deactivated ones included.
    Groups = 5_000, Organization, Refused, "user groups";
    /// Bytes of their names and descriptions.
    GroupText = 4_000_000, Organization, Refused, "bytes of user group names and descriptions";
    /// Direct members and subgroups, of groups without a name as well, which hold permissions.
    GroupMembers = 1_000_000, Organization, Refused, "members of groups and permissions";
    /// `realm_emoji`, deactivated ones included.
    CustomEmoji = 5_000, Organization, Refused, "custom emoji";
    /// `realm_linkifiers`: every message is searched for each of them.
    Linkifiers = 500, Organization, Refused, "linkifiers";
    /// Code points of their patterns, templates and examples: all of them are in each snapshot.
    LinkifierText = 1_000_000, Organization, Refused, "characters of linkifiers";
    /// `realm_playgrounds`: every client receives the whole list.
    Playgrounds = 200, Organization, Refused, "playgrounds";
    /// `realm_domains`
    Domains = 1_000, Organization, Refused, "domains";
    /// `channel_folders`, archived ones included.
    ChannelFolders = 500, Organization, Refused, "channel folders";
    /// `custom_profile_fields`
    ProfileFields = 100, Organization, Refused, "profile fields";
    /// Code points of their `field_data`: all of it is in each snapshot.
    ProfileFieldData = 1_000_000, Organization, Refused, "characters of choices of profile fields";
}
