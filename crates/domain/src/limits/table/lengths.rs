//! The limits of single values and single requests.

use super::{REFUSED, Row, at};
use crate::limits;

/// Lengths of single values, and what one request may ask for.
pub const LENGTHS: &[Row] = &[
    at(
        "text",
        limits::MAX_TEXT_LENGTH as i64,
        "code points",
        "Any text of a parameter that has no limit of its own",
    ),
    at(
        "list",
        limits::MAX_ELEMENTS as i64,
        "elements",
        "Any list or object of a parameter that has no limit of its own",
    ),
    at(
        "json",
        limits::MAX_JSON_DEPTH as i64,
        "levels",
        "Nesting within a parameter",
    )
    .answers(REFUSED, "bad_input"),
    at(
        "time",
        limits::MAX_TIME,
        "UNIX seconds, the last of the year 9999",
        "Any time that a client sends. An export of a later one could not be imported",
    )
    .answers(REFUSED, "export::extremes"),
    at(
        "parameters",
        limits::MAX_PARAMETERS as i64,
        "for each request",
        "No operation has half as many",
    )
    .answers(REFUSED, "bad_input"),
    at(
        "message content",
        limits::MAX_MESSAGE_LENGTH as i64,
        "code points",
        "As the reference server",
    )
    .answers("cut", "conformance::messages::send_message"),
    at(
        "topic",
        limits::MAX_TOPIC_LENGTH as i64,
        "code points",
        "As the reference server; refused where a policy is set",
    )
    .answers("cut", "conformance::messages::send_message"),
    at(
        "channel name",
        limits::MAX_STREAM_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "channel description",
        limits::MAX_STREAM_DESCRIPTION_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "rendered description",
        limits::MAX_RENDERED_DESCRIPTION_BYTES as i64,
        "bytes of HTML, of a channel or a folder",
        "Snapshots show it: an emoji of four bytes becomes a hundred",
    )
    .answers(REFUSED, "conformance::bounds::quotas"),
    at(
        "channel folder name",
        limits::MAX_CHANNEL_FOLDER_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "channel folder description",
        limits::MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "user group name",
        limits::MAX_USER_GROUP_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "user group description",
        limits::MAX_USER_GROUP_DESCRIPTION_LENGTH as i64,
        "code points",
        "As channels; every snapshot shows all of them",
    ),
    at(
        "full name",
        limits::MAX_FULL_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "custom emoji name",
        limits::MAX_EMOJI_NAME_LENGTH as i64,
        "bytes",
        "Every snapshot shows all of them",
    )
    .answers(REFUSED, "conformance::bounds::quotas"),
    at(
        "alert word",
        limits::MAX_ALERT_WORD_LENGTH as i64,
        "code points",
        "A word or a few, not a text",
    )
    .answers(REFUSED, "conformance::personal::alert_words"),
    at(
        "saved snippet title",
        limits::MAX_SAVED_SNIPPET_TITLE_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "saved snippet content",
        limits::MAX_SAVED_SNIPPET_CONTENT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "status text",
        limits::MAX_STATUS_TEXT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "reminder note",
        limits::MAX_REMINDER_NOTE_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "profile field name",
        limits::MAX_PROFILE_FIELD_NAME_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "profile field hint",
        limits::MAX_PROFILE_FIELD_HINT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "profile value, short",
        limits::MAX_PROFILE_SHORT_TEXT_LENGTH as i64,
        "code points",
        "As the reference server",
    )
    .answers(REFUSED, "conformance::users::update_own_profile"),
    at(
        "profile value, paragraph",
        limits::MAX_PROFILE_PARAGRAPH_LENGTH as i64,
        "code points",
        "As the reference server",
    )
    .answers(REFUSED, "conformance::users::update_own_profile"),
    at(
        "deactivation comment",
        limits::MAX_DEACTIVATION_COMMENT_LENGTH as i64,
        "code points",
        "As the reference server",
    ),
    at(
        "push token",
        limits::MAX_PUSH_TOKEN_LENGTH as i64,
        "bytes",
        "As the reference server",
    ),
    at(
        "template of a topic",
        limits::MAX_TOPIC_TEMPLATE_BYTES as i64,
        "bytes",
        "A topic has 60 characters",
    )
    .answers(REFUSED, "conformance::bots::templates"),
    at(
        "template of a text",
        limits::MAX_TEXT_TEMPLATE_BYTES as i64,
        "bytes",
        "As long as a message; every snapshot of its owner shows it",
    )
    .answers(REFUSED, "conformance::bots::templates"),
    at(
        "work of a template",
        limits::TEMPLATE_FUEL as i64,
        "steps, or 64 bytes of memory each, for each of the two templates and delivery",
        "A few ten milliseconds and 6.4 MB",
    )
    .answers("no message; its owner is notified", "conformance::bots::templates"),
    at(
        "result of a template",
        limits::MAX_TEMPLATE_OUTPUT_BYTES as i64,
        "bytes; a message is cut at its own limit",
        "Ten messages",
    )
    .answers("no message; its owner is notified", "spindle_integrations::template::tests"),
    at(
        "notices of a failing template",
        limits::TEMPLATE_FAILURE_SECONDS,
        "seconds between two, for each bot",
        "A service may deliver many times a second",
    )
    .answers("no notice", "conformance::bots::templates"),
    at(
        "sample of a preview",
        limits::MAX_TEMPLATE_SAMPLE_LENGTH as i64,
        "code points",
        "Longer than most deliveries",
    ),
    at(
        "linkifier text",
        limits::MAX_LINKIFIER_TEXT_LENGTH as i64,
        "code points",
        "Patterns are compiled for each change",
    ),
    at(
        "linkifier alternatives",
        limits::MAX_ALTERNATIVE_URL_TEMPLATES as i64,
        "elements",
        "Ways back to the text",
    ),
    at(
        "playground name",
        limits::MAX_PLAYGROUND_NAME_LENGTH as i64,
        "code points",
        "A label",
    ),
    at(
        "domain",
        limits::MAX_DOMAIN_LENGTH as i64,
        "code points",
        "RFC 1035",
    ),
    at(
        "password",
        limits::PASSWORD_MAX_LENGTH as i64,
        "code points",
        "Announced as password_max_length",
    ),
    at(
        "invited addresses",
        limits::MAX_INVITEES as i64,
        "for each request",
        "Each is an insertion and a link",
    )
    .answers(REFUSED, "conformance::invitations::send_invites"),
    at(
        "queue narrow",
        limits::MAX_QUEUE_NARROW_TERMS as i64,
        "terms",
        "Each is compared with every message",
    ),
    at(
        "queue narrow operand",
        limits::MAX_QUEUE_NARROW_OPERAND_LENGTH as i64,
        "code points",
        "Names and addresses",
    )
    .answers(REFUSED, "conformance::bounds::queues"),
    at(
        "event types",
        limits::MAX_EVENT_TYPES as i64,
        "elements",
        "About a hundred are known; only those are kept",
    ),
    at(
        "messages of a fetch",
        limits::MAX_MESSAGES_PER_FETCH,
        "for each request",
        "As the reference server",
    )
    .answers(REFUSED, "conformance::messages::get_messages"),
    at(
        "entries of the audit log",
        limits::MAX_AUDIT_PAGE,
        "for each request",
        "Each has some hundred bytes",
    )
    .answers(REFUSED, "conformance::organization::audit_log"),
    at(
        "kinds of entries",
        limits::MAX_AUDIT_KINDS as i64,
        "for each request to the audit log",
        "There are fewer",
    )
    .answers(REFUSED, "conformance::organization::audit_log"),
    at(
        "bytes of a fetch",
        limits::MAX_BYTES_PER_FETCH,
        "bytes of messages for each answer",
        "An instance has 64 MiB for all of its requests. The anchor and its neighbours always come; `found_oldest` and `found_newest` say that there are more",
    )
    .answers("fewer messages; 400 BAD_REQUEST for `message_ids`", "conformance::messages::large_pages"),
    at(
        "unread messages of a snapshot",
        limits::MAX_UNREAD_BYTES,
        "bytes of JSON",
        "50,000 messages can be in as many topics, or in conversations of thousands of people",
    )
    .answers(
        "the oldest are left out, with `old_unreads_missing`",
        "spindle_store::unread::tests",
    ),
    at(
        "topics of a list",
        limits::MAX_TOPICS_BYTES,
        "bytes",
        "A bot can start a topic with each message",
    )
    .answers("the oldest are left out", "spindle_store::topics::tests"),
    at(
        "recent conversations of a list",
        limits::MAX_RECENT_CONVERSATIONS,
        "conversations",
        "The rest is read in further pages",
    )
    .answers(
        "BAD_REQUEST",
        "conformance::messages::recent_conversations",
    ),
    at(
        "conversations that a list of recent ones considers",
        limits::MAX_CONSIDERED_CONVERSATIONS,
        "conversations",
        "A bot can start a topic with each message",
    )
    .answers("some are left out", "spindle_store::recent_conversations::tests"),
    at(
        "starred messages of a snapshot",
        limits::MAX_STARRED_MESSAGES,
        "ids",
        "There is no quota of stars",
    )
    .answers("the oldest are left out", "spindle_store::unread::tests"),
    at(
        "recent conversations of a snapshot",
        limits::MAX_RECENT_RECIPIENTS,
        "ids of people in `recent_private_conversations`",
        "A conversation can have thousands of people",
    )
    .answers("the oldest are left out", "spindle_store::unread::tests"),
    at(
        "descriptions in lists",
        12_000_000,
        "bytes of JSON, twice the quota `channel_text`; for groups likewise",
        "An organization that is older than the quota, or was imported, may have more than an answer has room for",
    )
    .answers("longer ones are cut, with `…`", "conformance::bounds::full"),
    at(
        "flagged messages",
        limits::MAX_FLAGGED_MESSAGES as i64,
        "for each request",
        "One transaction",
    )
    .answers(REFUSED, "conformance::messages::flags"),
];
