//! Numbers that bound what clients may send (docs/protocol/limits.md#text,
//! docs/protocol/register.md#realm).
//!
//! Lengths count Unicode code points unless the name says otherwise. They are announced
//! in the register response under the wire names, so that a client can check first.

pub mod apps;
pub mod quotas;
pub mod table;

/// Text of a parameter that has no limit of its own.
pub const MAX_TEXT_LENGTH: usize = 10_000;
/// Elements of a list, or entries of an object, in a parameter that has no limit of its own.
pub const MAX_ELEMENTS: usize = 10_000;
/// Nesting of lists and objects in a parameter.
pub const MAX_JSON_DEPTH: usize = 32;
/// The last second of the year 9999, in UNIX seconds: archives and ISO 8601 hold no later time.
pub const MAX_TIME: i64 = 253_402_300_799;
/// Parameters of one request, query and body together.
pub const MAX_PARAMETERS: usize = 100;
/// Characters of the history of a message's edits, as JSON; beyond it the oldest entries go.
pub const MAX_EDIT_HISTORY_LENGTH: i64 = 1_000_000;
/// `max_message_length`; longer content is cut, see [`crate::text::cut_content`].
pub const MAX_MESSAGE_LENGTH: usize = 10_000;
/// `max_topic_length`; longer topics are cut, see [`crate::text::cut_topic`].
pub const MAX_TOPIC_LENGTH: usize = 60;
/// `max_stream_name_length`
pub const MAX_STREAM_NAME_LENGTH: usize = 60;
/// `max_stream_description_length`
pub const MAX_STREAM_DESCRIPTION_LENGTH: usize = 1024;
/// HTML of a channel or folder description, in bytes: an emoji of four bytes renders to a hundred.
pub const MAX_RENDERED_DESCRIPTION_BYTES: usize = 10_000;
/// `max_channel_folder_name_length`
pub const MAX_CHANNEL_FOLDER_NAME_LENGTH: usize = 60;
/// `max_channel_folder_description_length`
pub const MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH: usize = 1024;
/// `max_reminder_note_length`
pub const MAX_REMINDER_NOTE_LENGTH: usize = 500;
/// Characters that a bot may keep in its storage, keys and values together.
pub const MAX_BOT_STORAGE: i64 = 10_000_000;
/// Longest template of the topic of a webhook, in bytes.
pub const MAX_TOPIC_TEMPLATE_BYTES: usize = 1_000;
/// Longest template of the text of a webhook, in bytes.
pub const MAX_TEXT_TEMPLATE_BYTES: usize = 10_000;
/// Fuel of a template: it pays for as many steps, or for 64 times as many bytes of texts and lists.
pub const TEMPLATE_FUEL: u64 = 100_000;
/// Longest text that a template may make, in bytes; as a message it is cut like any other.
pub const MAX_TEMPLATE_OUTPUT_BYTES: usize = 100_000;
/// Longest sample body of a preview.
pub const MAX_TEMPLATE_SAMPLE_LENGTH: usize = 100_000;
/// The owner of a bot is notified of a failing template once within this many seconds.
pub const TEMPLATE_FAILURE_SECONDS: i64 = 60 * 60;
/// Calls that may wait for the service of a bot.
pub const MAX_WAITING_BOT_CALLS: i64 = 1_000;
/// `max_bulk_new_subscription_messages`
pub const MAX_BULK_NEW_SUBSCRIPTION_MESSAGES: i64 = 100;
/// Shortest name of a person or bot.
pub const MIN_FULL_NAME_LENGTH: usize = 2;
/// Longest name of a person or bot.
pub const MAX_FULL_NAME_LENGTH: usize = 100;
/// Longest alert word.
pub const MAX_ALERT_WORD_LENGTH: usize = 100;
/// Longest name of a user group.
pub const MAX_USER_GROUP_NAME_LENGTH: usize = 100;
/// Longest description of a user group.
pub const MAX_USER_GROUP_DESCRIPTION_LENGTH: usize = 1024;
/// Longest name of a custom profile field.
pub const MAX_PROFILE_FIELD_NAME_LENGTH: usize = 40;
/// Longest hint of a custom profile field.
pub const MAX_PROFILE_FIELD_HINT_LENGTH: usize = 80;
/// Longest short-text value of a custom profile field.
pub const MAX_PROFILE_SHORT_TEXT_LENGTH: usize = 50;
/// Longest paragraph value of a custom profile field.
pub const MAX_PROFILE_PARAGRAPH_LENGTH: usize = 500;
/// Fields shown in the profile summary (docs/protocol/limits.md).
pub const MAX_PROFILE_SUMMARY_FIELDS: usize = 2;
/// Status text after trimming (docs/protocol/limits.md).
pub const MAX_STATUS_TEXT_LENGTH: usize = 60;
pub const MAX_SAVED_SNIPPET_TITLE_LENGTH: usize = 60;
/// Content of a saved snippet; refused, not cut, beyond it.
pub const MAX_SAVED_SNIPPET_CONTENT_LENGTH: usize = 10_000;
/// A session ends this many days after its last use, until the organization chooses another number.
pub const SESSION_DAYS: i64 = 30;
/// The most days that the organization may choose.
pub const MAX_SESSION_DAYS: i64 = 365;
/// [`SESSION_DAYS`] in seconds.
pub const SESSION_SECONDS: i64 = SESSION_DAYS * 24 * 60 * 60;
/// Recovery codes that a person gets at once.
pub const RECOVERY_CODES: usize = 10;
/// From so many wrong codes in a row on, the next one has to wait.
pub const MAX_WRONG_CODES: i64 = 10;
/// How long the first time, in seconds; twice as long each further time, up to a day.
pub const WRONG_CODE_PAUSE_SECONDS: i64 = 60 * 60;
/// A person without a password sets a second factor up within so many seconds of signing in.
pub const FRESH_SESSION_SECONDS: i64 = 15 * 60;
/// People whose API keys end in one transaction, because they were made without a second factor.
pub const UNPROVEN_PEOPLE_AT_ONCE: i64 = 50;
/// A session's last use is stored again when the stored time is this many seconds old.
pub const SESSION_NOTED_SECONDS: i64 = 60 * 60;
/// Name of an API key, after trimming.
pub const MAX_KEY_NAME_LENGTH: usize = 60;
/// Keys that have expired and end in one transaction.
pub const EXPIRED_KEYS_AT_ONCE: i64 = 100;
/// Entries of one answer of GET /audit_log, where the caller names no number.
pub const DEFAULT_AUDIT_PAGE: i64 = 100;
/// The most entries of one answer of GET /audit_log.
pub const MAX_AUDIT_PAGE: i64 = 500;
/// Kinds of entries that one request may select.
pub const MAX_AUDIT_KINDS: usize = 100;
/// Refused sign-ins from one address that the audit log records within [`REFUSED_SIGN_INS_SECONDS`].
pub const MAX_REFUSED_SIGN_INS_OF_ADDRESS: i64 = 20;
/// As [`MAX_REFUSED_SIGN_INS_OF_ADDRESS`], from all addresses.
pub const MAX_REFUSED_SIGN_INS: i64 = 500;
/// The time in which refused sign-ins are counted.
pub const REFUSED_SIGN_INS_SECONDS: i64 = 60 * 60;
/// A sign-in link works for this many seconds.
pub const SIGN_IN_LINK_SECONDS: i64 = 15 * 60;
/// As [`SIGN_IN_LINK_SECONDS`], of a link for a person that an identity provider has identified, whose browser gets it at
/// once.
pub const IDENTITY_LINK_SECONDS: i64 = 5 * 60;
/// A link that sets a new password works for so many seconds, where its maker does not choose.
pub const PASSWORD_LINK_SECONDS: i64 = 24 * 60 * 60;
/// A link of a mail for a forgotten password works for this many seconds after it was asked for.
pub const PASSWORD_RESET_SECONDS: i64 = 60 * 60;
/// A new address can be confirmed for this many seconds.
pub const ADDRESS_CONFIRMATION_SECONDS: i64 = 24 * 60 * 60;
/// The longest time that the operator may choose for such a link, in days.
pub const MAX_PASSWORD_LINK_DAYS: i64 = 30;
/// Owners who get a notice about a new password that was set with a link.
pub const MAX_NOTIFIED_OWNERS: i64 = 100;
/// Longest name of a browser that a session keeps; longer ones are cut.
pub const MAX_SESSION_CLIENT_LENGTH: usize = 60;
pub const MAX_DEACTIVATION_COMMENT_LENGTH: usize = 2000;
/// Token of a push device.
pub const MAX_PUSH_TOKEN_LENGTH: usize = 4096;
/// Pattern, template or example of a linkifier.
pub const MAX_LINKIFIER_TEXT_LENGTH: usize = 5000;
/// Compiled size of all linkifiers together, in bytes. Every instance that sends or reads messages holds them, and an
/// instance is retired at four times this size.
pub const MAX_LINKIFIERS_SIZE: usize = 4 << 20;
/// Work of linkifiers in one message, or for the topics of one answer: bytes of a compiled pattern times bytes of text
/// that it simulates, which takes at most about a nanosecond each. It is counted in steps, so that the load of a server
/// does not matter.
pub const MAX_LINKIFIER_WORK: u64 = 250_000_000;
/// `alternative_url_templates` of a linkifier.
pub const MAX_ALTERNATIVE_URL_TEMPLATES: usize = 20;
/// Name of a playground. The servers that clients know have no limit here.
pub const MAX_PLAYGROUND_NAME_LENGTH: usize = 500;
/// Name of the language that a playground is for (`pygments_language`).
pub const MAX_PLAYGROUND_LANGUAGE_LENGTH: usize = 40;
/// Longest email address, in bytes.
pub const MAX_EMAIL_LENGTH: usize = 254;
/// Domain of addresses (RFC 1035).
pub const MAX_DOMAIN_LENGTH: usize = 253;
/// How often an address may change: pairs of a number of changes and the seconds in which they fall.
pub const ADDRESS_CHANGES: &[(usize, i64)] = &[(2, 3600), (5, 86_400)];
/// How often an account may find out that something hidden has a name or an address; as [`ADDRESS_CHANGES`].
pub const HIDDEN_NAME_TRIES: &[(usize, i64)] = &[(5, 3600), (20, 86_400)];
/// Addresses that one call may invite.
pub const MAX_INVITEES: usize = 100;
/// Invitations that one person may make within [`INVITATION_WINDOW_SECS`], links among them.
pub const MAX_INVITATIONS: i64 = 500;
/// See [`MAX_INVITATIONS`]: a day.
pub const INVITATION_WINDOW_SECS: i64 = 86_400;
/// The default time that an invitation works: ten days, in minutes.
pub const DEFAULT_INVITATION_MINUTES: i64 = 14_400;
/// The longest time that an invitation may work, unless it never expires: a hundred years.
pub const MAX_INVITATION_MINUTES: i64 = 52_596_000;
/// How long an invitation that was used, revoked or has expired is kept, so that its link is
/// answered with the reason. Longer than [`INVITATION_WINDOW_SECS`].
pub const ENDED_INVITATION_SECS: i64 = 30 * 86_400;
/// Groups that one group may contain, however deep: a permission check and a change of the nesting visit all of them.
pub const MAX_NESTED_GROUPS: i64 = 100;
/// How long an account that joined by the invitation of a person who is not an administrator shares the quotas of that
/// person. Otherwise a person who invites accounts under invented addresses would have the share of each.
pub const SPONSORED_SECS: i64 = 30 * 86_400;
/// Channels, and groups, that one invitation may name.
pub const MAX_INVITATION_DESTINATIONS: usize = 500;
/// Subscribers of a channel above which typing notifications are not broadcast.
pub const MAX_TYPING_CHANNEL_SUBSCRIBERS: i64 = 100;
/// Longest client name kept from `User-Agent`.
pub const MAX_CLIENT_NAME_LENGTH: usize = 30;

/// Largest file of an upload in one request, in MiB. `max_file_upload_size_mib` is a column of the
/// organization: a larger file is sent in parts.
pub const MAX_FILE_UPLOAD_SIZE_MIB: i64 = 25;
/// The most that an organization can allow as `max_file_upload_size_mib`.
pub const MAX_RESUMABLE_SIZE_MIB: i64 = 1024;
/// Seconds after which an upload in parts is given up.
pub const RESUMABLE_UPLOAD_SECS: i64 = 86_400;
/// Divisor of `upload_quota_mib` for one person who is not an administrator: a quarter.
pub const SHARE_OF_A_PERSON: i64 = 4;
/// `max_avatar_file_size_mib`
pub const MAX_AVATAR_FILE_SIZE_MIB: i64 = 5;
/// `max_icon_file_size_mib`
pub const MAX_ICON_FILE_SIZE_MIB: i64 = 5;
/// `max_logo_file_size_mib`
pub const MAX_LOGO_FILE_SIZE_MIB: i64 = 5;

/// Longest name of a custom emoji.
pub const MAX_EMOJI_NAME_LENGTH: usize = 100;
/// Largest file of a custom emoji, in MiB.
pub const MAX_EMOJI_FILE_SIZE_MIB: i64 = 5;
/// How long a file that no message names is kept (weeks, as seconds).
pub const UNCLAIMED_FILE_SECS: i64 = 5 * 7 * 86_400;
/// How long a temporary address of a file works, in seconds.
pub const TEMPORARY_FILE_URL_SECS: i64 = 60;

/// Most messages of one GET /messages, before and after the anchor together.
pub const MAX_MESSAGES_PER_FETCH: i64 = 5000;
/// Most bytes of the messages of one answer: their texts in every form, with edit history and
/// reactions. Beyond it, fewer messages are returned than were requested.
pub const MAX_BYTES_PER_FETCH: i64 = 8 << 20;
/// Bytes to leave behind a long list that becomes an answer, so that its envelope has room and the list need not move.
pub const ENVELOPE_ROOM: usize = 1024;
/// Most bytes of a list in an answer; the snapshot's may be larger.
pub const LARGEST_LIST: usize = 32 << 20;
/// Bytes that a message counts for in addition to its texts.
pub const BYTES_OF_EMPTY_MESSAGE: i64 = 512;
/// Most messages that one POST /messages/flags names.
pub const MAX_FLAGGED_MESSAGES: usize = 10_000;
/// Newest unread messages in the register response; `old_unreads_missing` beyond it.
pub const MAX_UNREAD_MESSAGES: i64 = 50_000;
/// Most bytes of `unread_msgs`; conversations whose newest messages are older are left out, with `old_unreads_missing`.
pub const MAX_UNREAD_BYTES: i64 = 4_000_000;
/// The most bytes of a small submessage, such as a vote or a task that is done.
pub const SMALL_SUBMESSAGE_BYTES: usize = 200;
/// Bytes of submessages that larger ones leave to small ones.
pub const RESERVED_SUBMESSAGE_BYTES: i64 = 100_000;
/// Most bytes of the topics of a channel in one list; the oldest are left out beyond it.
pub const MAX_TOPICS_BYTES: i64 = 4_000_000;
/// Most conversations in an answer of GET /users/me/recent_conversations.
pub const MAX_RECENT_CONVERSATIONS: i64 = 500;
/// Conversations in such an answer to a client that names no limit.
pub const DEFAULT_RECENT_CONVERSATIONS: i64 = 100;
/// Topics and direct conversations that are looked at for such an answer; further ones are missing.
pub const MAX_CONSIDERED_CONVERSATIONS: i64 = 50_000;
/// Most ids of `starred_messages` in the register response: the newest.
pub const MAX_STARRED_MESSAGES: i64 = 100_000;
/// Most ids of people in `recent_private_conversations`.
pub const MAX_RECENT_RECIPIENTS: i64 = 100_000;
/// Newest direct messages considered for `recent_private_conversations`.
pub const MAX_RECENT_DIRECT_MESSAGES: i64 = 1000;
/// Active users above which presence is not pushed.
pub const MAX_PUSHED_PRESENCE_USERS: i64 = 100;
/// `presence_history_limit_days` when it is not sent (docs/protocol/limits.md).
pub const PRESENCE_HISTORY_LIMIT_DAYS: i64 = 14;

/// `server_presence_ping_interval_seconds`
pub const PRESENCE_PING_INTERVAL_SECS: i64 = 60;
/// `server_presence_offline_threshold_seconds`
pub const PRESENCE_OFFLINE_THRESHOLD_SECS: i64 = 200;
/// `server_typing_started_expiry_period_milliseconds`
pub const TYPING_STARTED_EXPIRY_MS: i64 = 45_000;
/// `server_typing_stopped_wait_period_milliseconds`
pub const TYPING_STOPPED_WAIT_MS: i64 = 12_000;
/// `server_typing_started_wait_period_milliseconds`
pub const TYPING_STARTED_WAIT_MS: i64 = 30_000;
/// `server_min_deactivated_realm_deletion_days`
pub const MIN_DEACTIVATED_REALM_DELETION_DAYS: i64 = 14;

/// Terms of the narrow of an event queue: each is compared with every message.
pub const MAX_QUEUE_NARROW_TERMS: usize = 50;
/// Operand of a term of the narrow of an event queue: names and addresses.
pub const MAX_QUEUE_NARROW_OPERAND_LENGTH: usize = 500;
/// Names in `event_types` and `fetch_event_types`; about a hundred are known.
pub const MAX_EVENT_TYPES: usize = 1000;

/// `event_queue_longpoll_timeout_seconds`: a heartbeat always comes sooner.
pub const EVENT_QUEUE_LONGPOLL_TIMEOUT_SECS: i64 = 90;
/// Idle lifetime of an event queue whose client named none (docs/protocol/events.md#queues).
pub const DEFAULT_IDLE_QUEUE_TIMEOUT_SECS: i64 = 600;
/// Idle lifetime for the value `"mobile"`.
pub const MOBILE_IDLE_QUEUE_TIMEOUT_SECS: i64 = 43_200;
/// Longer lifetimes are lowered to this one, not refused.
pub const MAX_IDLE_QUEUE_TIMEOUT_SECS: i64 = 604_800;

/// `password_min_length`
pub const PASSWORD_MIN_LENGTH: usize = 6;
/// `password_max_length`
pub const PASSWORD_MAX_LENGTH: usize = 100;
/// `password_min_guesses`
pub const PASSWORD_MIN_GUESSES: i64 = 10_000;

/// Every limit that the register response announces, by wire name
/// (docs/protocol/register.md#realm).
pub const ANNOUNCED: &[(&str, i64)] = &[
    ("max_message_length", MAX_MESSAGE_LENGTH as i64),
    ("max_topic_length", MAX_TOPIC_LENGTH as i64),
    ("max_stream_name_length", MAX_STREAM_NAME_LENGTH as i64),
    (
        "max_stream_description_length",
        MAX_STREAM_DESCRIPTION_LENGTH as i64,
    ),
    (
        "max_channel_folder_name_length",
        MAX_CHANNEL_FOLDER_NAME_LENGTH as i64,
    ),
    (
        "max_channel_folder_description_length",
        MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH as i64,
    ),
    ("max_reminder_note_length", MAX_REMINDER_NOTE_LENGTH as i64),
    (
        "max_bulk_new_subscription_messages",
        MAX_BULK_NEW_SUBSCRIPTION_MESSAGES,
    ),
    ("max_avatar_file_size_mib", MAX_AVATAR_FILE_SIZE_MIB),
    ("max_icon_file_size_mib", MAX_ICON_FILE_SIZE_MIB),
    ("max_logo_file_size_mib", MAX_LOGO_FILE_SIZE_MIB),
    (
        "server_presence_ping_interval_seconds",
        PRESENCE_PING_INTERVAL_SECS,
    ),
    (
        "server_presence_offline_threshold_seconds",
        PRESENCE_OFFLINE_THRESHOLD_SECS,
    ),
    (
        "server_typing_started_expiry_period_milliseconds",
        TYPING_STARTED_EXPIRY_MS,
    ),
    (
        "server_typing_stopped_wait_period_milliseconds",
        TYPING_STOPPED_WAIT_MS,
    ),
    (
        "server_typing_started_wait_period_milliseconds",
        TYPING_STARTED_WAIT_MS,
    ),
    (
        "server_min_deactivated_realm_deletion_days",
        MIN_DEACTIVATED_REALM_DELETION_DAYS,
    ),
    (
        "event_queue_longpoll_timeout_seconds",
        EVENT_QUEUE_LONGPOLL_TIMEOUT_SECS,
    ),
    ("password_min_length", PASSWORD_MIN_LENGTH as i64),
    ("password_max_length", PASSWORD_MAX_LENGTH as i64),
    ("password_min_guesses", PASSWORD_MIN_GUESSES),
];
