//! The table of everything that a client can make the server keep or do, and what bounds it.
//!
//! `docs/LIMITS.md` is written from it, and a test compares the two. Rows of the OpenAPI document's
//! `quota` are found here by their names. A row takes its limit from the constant that the code uses, where
//! that stands in this crate.

use super::quotas::{Beyond, Quota};

/// How the limit of a row is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// How many there may be for each owner.
    Number(Quota),
    /// So many of a unit.
    At(i64, &'static str),
    /// By something else, which the reason says.
    Otherwise,
}

/// One quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// As operations of the OpenAPI document name it.
    pub name: &'static str,
    /// Its limit.
    pub bound: Bound,
    /// Why that one; what the reference server allows, where that is known.
    pub reason: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
    /// Where it is tested.
    pub test: &'static str,
}

const REFUSED: &str = "400 BAD_REQUEST";
const QUOTAS: &str = "conformance::bounds::quotas";
const PARAMETERS: &str = "conformance::bounds::parameters";

const fn quota(name: &'static str, quota: Quota, reason: &'static str) -> Row {
    Row {
        name,
        bound: Bound::Number(quota),
        reason,
        beyond: match quota.beyond() {
            Beyond::Refused => REFUSED,
            Beyond::OldestGoes => "the oldest goes",
        },
        test: QUOTAS,
    }
}

const fn at(name: &'static str, limit: i64, unit: &'static str, reason: &'static str) -> Row {
    Row {
        name,
        bound: Bound::At(limit, unit),
        reason,
        beyond: REFUSED,
        test: PARAMETERS,
    }
}

const fn otherwise(name: &'static str, reason: &'static str, test: &'static str) -> Row {
    Row {
        name,
        bound: Bound::Otherwise,
        reason,
        beyond: "",
        test,
    }
}

impl Row {
    /// The same row with another answer and another test.
    const fn answers(mut self, beyond: &'static str, test: &'static str) -> Self {
        self.beyond = beyond;
        self.test = test;
        self
    }
}

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
    quota("event_queues", Quota::EventQueues, "Every tab and device has one; a client whose queue has ended registers anew by itself. The reference server documents none"),
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
    at("bot_storage", super::MAX_BOT_STORAGE, "characters for each bot", "As the reference server").answers(REFUSED, "conformance::bots::bot_storage"),
    at("invitations_of_a_day", super::MAX_INVITATIONS, "for each inviter in 24 hours", "The reference server limits them by day as well").answers("400 INVITATION_FAILED", "conformance::invitations::send_invites"),
    at("api_keys", 5, "for each account", "A sign-in makes one; the reference server has one").answers("the oldest goes", "conformance::server::fetch_api_key"),
    at("exports", 5, "for the organization in a week", "As the reference server").answers(REFUSED, "conformance::exports"),
    at("edit_history", super::MAX_EDIT_HISTORY_LENGTH, "characters for each message", "Bots edit a message all day, so that editing is never refused: the history forgets its oldest entries").answers("the oldest entry goes", QUOTAS),
    otherwise("messages", "By requests a minute (200 for an account) and by message_retention_days; what is said is what the server is for", "limits"),
    otherwise("uploads", "By the quota of the organization (`spindle admin` sets upload_quota_mib) and requests a minute", "conformance::files::upload_file"),
    otherwise("accounts", "By the number of accounts and channels: one row for each pair at most. Accounts are made by those who may, or joined by invitation", "conformance::users::create_user"),
    otherwise("fixed", "Nothing is added: what is there is changed, and its lengths are limited below", PARAMETERS),
    otherwise("nothing_kept", "Nothing is kept", PARAMETERS),
];

/// Lengths of single values, and what one request may ask for.
pub const LENGTHS: &[Row] = &[
    at(
        "text",
        super::MAX_TEXT_LENGTH as i64,
        "code points",
        "Any text of a parameter that has no limit of its own",
    ),
    at(
        "list",
        super::MAX_ELEMENTS as i64,
        "elements",
        "Any list or object of a parameter that has no limit of its own",
    ),
    at(
        "json",
        super::MAX_JSON_DEPTH as i64,
        "levels",
        "Nesting within a parameter",
    )
    .answers(REFUSED, "bad_input"),
    at(
        "parameters",
        super::MAX_PARAMETERS as i64,
        "for each request",
        "No operation has half as many",
    )
    .answers(REFUSED, "bad_input"),
    at(
        "message content",
        super::MAX_MESSAGE_LENGTH as i64,
        "code points",
        "As the reference server",
    )
    .answers("cut", "conformance::messages::send_message"),
    at(
        "topic",
        super::MAX_TOPIC_LENGTH as i64,
        "code points",
        "As the reference server; refused where a policy is set",
    )
    .answers("cut", "conformance::messages::send_message"),
    at(
        "channel name",
        super::MAX_STREAM_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "channel description",
        super::MAX_STREAM_DESCRIPTION_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "channel folder name",
        super::MAX_CHANNEL_FOLDER_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "channel folder description",
        super::MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "user group name",
        super::MAX_USER_GROUP_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "user group description",
        super::MAX_USER_GROUP_DESCRIPTION_LENGTH as i64,
        "code points",
        "As channels; every snapshot shows all of them",
    ),
    at(
        "full name",
        super::MAX_FULL_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "alert word",
        super::MAX_ALERT_WORD_LENGTH as i64,
        "code points",
        "A word or a few, not a text",
    )
    .answers(REFUSED, "conformance::personal::alert_words"),
    at(
        "saved snippet title",
        super::MAX_SAVED_SNIPPET_TITLE_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "saved snippet content",
        super::MAX_SAVED_SNIPPET_CONTENT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "status text",
        super::MAX_STATUS_TEXT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "reminder note",
        super::MAX_REMINDER_NOTE_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "profile field name",
        super::MAX_PROFILE_FIELD_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "profile field hint",
        super::MAX_PROFILE_FIELD_HINT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "profile value, short",
        super::MAX_PROFILE_SHORT_TEXT_LENGTH as i64,
        "code points",
        "As the reference server",
    )
    .answers(REFUSED, "conformance::users::update_own_profile"),
    at(
        "profile value, paragraph",
        super::MAX_PROFILE_PARAGRAPH_LENGTH as i64,
        "code points",
        "As the reference server",
    )
    .answers(REFUSED, "conformance::users::update_own_profile"),
    at(
        "deactivation comment",
        super::MAX_DEACTIVATION_COMMENT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "push token",
        super::MAX_PUSH_TOKEN_LENGTH as i64,
        "bytes",
        "As the reference server",
    ),
    at(
        "linkifier text",
        super::MAX_LINKIFIER_TEXT_LENGTH as i64,
        "code points",
        "Patterns are compiled for each change",
    ),
    at(
        "linkifier alternatives",
        super::MAX_ALTERNATIVE_URL_TEMPLATES as i64,
        "elements",
        "Ways back to the text",
    ),
    at(
        "playground name",
        super::MAX_PLAYGROUND_NAME_LENGTH as i64,
        "code points",
        "A label",
    ),
    at(
        "domain",
        super::MAX_DOMAIN_LENGTH as i64,
        "code points",
        "RFC 1035",
    ),
    at(
        "password",
        super::PASSWORD_MAX_LENGTH as i64,
        "code points",
        "Announced as password_max_length",
    ),
    at(
        "invited addresses",
        super::MAX_INVITEES as i64,
        "for each request",
        "Each is an insertion and a link",
    )
    .answers(REFUSED, "conformance::invitations::send_invites"),
    at(
        "queue narrow",
        super::MAX_QUEUE_NARROW_TERMS as i64,
        "terms",
        "Each is compared with every message",
    ),
    at(
        "queue narrow operand",
        super::MAX_QUEUE_NARROW_OPERAND_LENGTH as i64,
        "code points",
        "Names and addresses",
    )
    .answers(REFUSED, "conformance::bounds::queues"),
    at(
        "event types",
        super::MAX_EVENT_TYPES as i64,
        "elements",
        "About a hundred are known; only those are kept",
    ),
    at(
        "messages of a fetch",
        super::MAX_MESSAGES_PER_FETCH,
        "for each request",
        "As the reference server",
    )
    .answers(REFUSED, "conformance::messages::get_messages"),
    at(
        "flagged messages",
        super::MAX_FLAGGED_MESSAGES as i64,
        "for each request",
        "One transaction",
    )
    .answers(REFUSED, "conformance::messages::flags"),
];

/// The document of all limits.
#[must_use]
pub fn document() -> String {
    let mut text = String::from(HEAD);
    text.push_str(GROWTH_HEAD);
    for row in GROWTH {
        text.push_str(&line(row));
    }
    text.push_str(LENGTHS_HEAD);
    for row in LENGTHS {
        text.push_str(&line(row));
    }
    text
}

fn line(row: &Row) -> String {
    let limit = match row.bound {
        Bound::Number(quota) => format!(
            "{} {} for each {}",
            grouped(quota.limit()),
            quota.what(),
            quota.owner().name()
        ),
        Bound::At(limit, unit) => format!("{} {unit}", grouped(limit)),
        Bound::Otherwise => "no number".to_owned(),
    };
    let Row {
        name,
        reason,
        beyond,
        test,
        ..
    } = row;
    format!("| {name} | {limit} | {reason} | {beyond} | `{test}` |\n")
}

fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

const HEAD: &str = "\
# Limits

Everything that a client can make the server keep or do, and what bounds it. This file is written from
`crates/domain/src/limits/table.rs` (`SPINDLE_WRITE=1 cargo xtask test limits_document`), and a test compares the two. Limits of
connections, bodies and queued events are options of the server: [OPERATIONS.md](OPERATIONS.md).

A limit refuses growth only. What is above it, because it was imported or is older than the limit, stays, and can be used, changed
and deleted.
";

const GROWTH_HEAD: &str = "
## What can grow

Each operation of the OpenAPI document that makes something names its rows here (`x-quota`); a test refuses one that does not.

| what | limit | why | beyond it | test |
|---|---|---|---|---|
";

const LENGTHS_HEAD: &str = "
## What one value or one request may be

Each parameter of the OpenAPI document that is a text or a list has a maximum; a test sends one more to each.

| what | limit | why | beyond it | test |
|---|---|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_quota_has_a_row_and_names_are_unique() {
        for quota in Quota::ALL {
            let rows = GROWTH
                .iter()
                .filter(|row| row.bound == Bound::Number(*quota));
            assert_eq!(rows.count(), 1, "{quota:?}");
        }
        let all = GROWTH.iter().chain(LENGTHS);
        let names: BTreeSet<&str> = all.clone().map(|row| row.name).collect();
        assert_eq!(names.len(), all.count());
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (5, "5"),
            (1000, "1,000"),
            (20_000, "20,000"),
            (2_000_000, "2,000,000"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
