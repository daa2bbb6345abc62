//! The rows of what can grow: one for each quota, and one for each quantity that something else bounds.

use super::{PARAMETERS, QUOTAS, REFUSED, Row, at, otherwise, quota};
use crate::limits;
use crate::limits::quotas::Quota;

/// Quantities that an account, a message or the organization can grow.
pub const GROWTH: &[Row] = &[
    quota("alert_words", Quota::AlertWords, "No limit of the reference server is known. Sending costs the same with any number of words"),
    quota("saved_snippets", Quota::SavedSnippets, "No limit of the reference server is known"),
    quota("saved_snippet_text", Quota::SavedSnippetText, "All snippets are in each snapshot: at most 8 MB of it"),
    quota("drafts", Quota::Drafts, "As many as a snapshot shows (reference server: 1000 in the snapshot)"),
    quota("draft_text", Quota::DraftText, "All drafts are in each snapshot: at most 8 MB of it"),
    quota("scheduled_messages", Quota::ScheduledMessages, "No limit of the reference server is known"),
    quota("scheduled_text", Quota::ScheduledText, "With its HTML, a message can be a megabyte, and all are in each snapshot"),
    quota("reminders", Quota::Reminders, "No limit of the reference server is known"),
    quota("reminder_text", Quota::ReminderText, "As scheduled messages"),
    quota("navigation_views", Quota::NavigationViews, "A sidebar"),
    quota("user_topics", Quota::UserTopics, "Twenty years of following ten new topics each working day. What would be followed by itself beyond it is not"),
    quota("bots", Quota::Bots, "No limit of the reference server is known. Each bot may keep ten million characters"),
    quota("client_devices", Quota::ClientDevices, "Phones that are set up anew never take leave, so the oldest goes"),
    quota("push_tokens", Quota::PushTokens, "As devices"),
    quota("push_accounts", Quota::PushAccounts, "As devices"),
    quota("event_queues", Quota::EventQueues, "Every tab and device has one; a client whose queue has ended registers anew by itself. The reference server documents none").answers("the oldest goes", "conformance::bounds::queues"),
    quota("channels_of_creator", Quota::ChannelsOfCreator, "One account must not use up what the organization has"),
    quota("groups_of_creator", Quota::GroupsOfCreator, "One account must not use up what the organization has"),
    quota("emoji_of_author", Quota::EmojiOfAuthor, "One account must not use up what the organization has"),
    quota("invitations", Quota::Invitations, "Those that work for ever stay; expired ones go after a month"),
    quota("reactions", Quota::Reactions, "Every reader of the message is sent all of them"),
    quota("submessages", Quota::Submessages, "A vote is one: a poll of thousands of people who change their minds. Each has at most 10,000 characters"),
    quota("channels", Quota::Channels, "Every snapshot shows those that a person may know"),
    quota("groups", Quota::Groups, "Every snapshot shows all of them"),
    quota("custom_emoji", Quota::CustomEmoji, "Every snapshot shows all of them"),
    quota("linkifiers", Quota::Linkifiers, "Every message is searched for each of them"),
    quota("playgrounds", Quota::Playgrounds, "Every client is told the whole list with each change"),
    quota("domains", Quota::Domains, "Only administrators add them; looked through at each sign-up"),
    quota("channel_folders", Quota::ChannelFolders, "Only administrators make them; every snapshot shows all of them"),
    quota("profile_fields", Quota::ProfileFields, "Every snapshot shows each account's values of all of them"),
    at("bot_storage", limits::MAX_BOT_STORAGE, "characters for each bot", "As the reference server").answers(REFUSED, "conformance::bots::bot_storage"),
    at("invitations_of_a_day", limits::MAX_INVITATIONS, "for each inviter in 24 hours", "The reference server limits them by day as well").answers("400 INVITATION_FAILED", "conformance::invitations::send_invites"),
    at("api_keys", 5, "for each account", "A sign-in makes one; the reference server has one").answers("the oldest goes", "conformance::server::fetch_api_key"),
    at("exports", 5, "for the organization in a week", "As the reference server").answers(REFUSED, "conformance::exports"),
    at("edit_history", limits::MAX_EDIT_HISTORY_LENGTH, "characters for each message", "Bots edit a message all day, so that editing is never refused: the history forgets its oldest entries").answers("the oldest entry goes", QUOTAS),
    otherwise("messages", "By requests a minute (200 for an account) and by message_retention_days; what is said is what the server is for", "limits"),
    otherwise("uploads", "By the quota of the organization (`spindle admin` sets upload_quota_mib) and requests a minute", "conformance::files::upload_file"),
    otherwise("accounts", "By the number of accounts and channels: one row for each pair at most. Accounts are made by those who may, or joined by invitation", "conformance::users::create_user"),
    otherwise("fixed", "Nothing is added: what is there is changed, and its lengths are limited below", PARAMETERS),
    otherwise("nothing_kept", "Nothing is kept", PARAMETERS),
];
