//! The limits of apps.

use super::{REFUSED, Row, at};
use crate::limits::apps as limits;

const ACTIONS: &str = "platform::apps::limits";
const EFFECTS: &str = "spindle_domain::apps::effect_checks_tests";
const ENGINE: &str = "spindle_apps::engine";
const FAILS: &str = "the event fails and is computed again, then the app is paused";
const LOST: &str = "the event `effect-failed`";

/// What an organization may install, and what one app may keep and do.
pub const APPS: &[Row] = &[
    at(
        "apps",
        limits::APPS,
        "apps for each organization",
        "Each has an account, which every snapshot shows",
    )
    .answers(REFUSED, ACTIONS),
    at(
        "app component",
        limits::COMPONENT_BYTES as i64,
        "bytes",
        "An app in Rust has a tenth of a megabyte, one in JavaScript one megabyte, one in Python 19",
    )
    .answers(REFUSED, ACTIONS),
    at(
        "app keys",
        limits::SIGNATURE_KEYS as i64,
        "public keys of signatures",
        "An operator trusts a few",
    )
    .answers("the server does not start", "spindle_actions::apps::signature::tests"),
    at(
        "running apps",
        limits::RUNNING as i64,
        "apps that compute at the same time on a server",
        "Each may take 64 MiB and a second of a core. What waits for a compilation does not count",
    )
    .answers("the others wait", "spindle_jobs::apps::tests"),
    at(
        "app manifest",
        limits::MANIFEST_BYTES as i64,
        "bytes",
        "Ten times as much as all its fields may have",
    )
    .answers(REFUSED, "spindle_domain::apps::manifest_tests"),
    at(
        "app setting",
        limits::SETTING_BYTES as i64,
        "bytes of a setting or secret",
        "They come with each event",
    )
    .answers(REFUSED, "spindle_domain::apps::manifest_tests"),
    at(
        "app values of a scope",
        limits::SCOPE_BYTES as i64,
        "bytes of keys and values",
        "All of them come with each event",
    )
    .answers(LOST, ACTIONS),
    at(
        "app values",
        limits::APP_BYTES as i64,
        "bytes of keys and values for each app",
        "A busy app keeps some 100 bytes for each of 80,000 messages",
    )
    .answers(LOST, ACTIONS),
    at(
        "app key",
        limits::KEY_BYTES as i64,
        "bytes of a key, of the name of a tick, of the id of a fetch",
        "A name and an id",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app effects",
        limits::EFFECTS as i64,
        "effects of one event",
        "They are made in one transaction, for which others wait",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app buttons",
        limits::BUTTONS as i64,
        "buttons of one message",
        "A row on a phone",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app button id",
        limits::BUTTON_ID_BYTES as i64,
        "bytes",
        "A word and an id",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app button label",
        limits::BUTTON_LABEL as i64,
        "characters",
        "As a topic",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app recipients",
        limits::PEOPLE as i64,
        "people of a direct message of an app",
        "An app of a larger group uses a channel",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app ticks",
        limits::SCHEDULES,
        "for each app",
        "A tick a message, for the polls of a year",
    )
    .answers(LOST, ACTIONS),
    at(
        "app waiting events",
        limits::WAITING_EVENTS,
        "for each app",
        "A paused app, or one whose events are more than it may have in a minute",
    )
    .answers("dropped, with a line in the app's log", ACTIONS),
    at(
        "app waiting events of one person",
        limits::WAITING_EVENTS_OF_PERSON,
        "for each app and person",
        "A tenth of those of the app: one person does not keep out the others",
    )
    .answers(
        "dropped, with a line in the app's log; a click is refused",
        ACTIONS,
    ),
    at(
        "app calls",
        limits::CALLS_A_MINUTE,
        "for each app in a minute",
        "Ten in a second, each at most a second long",
    )
    .answers("made later", ACTIONS),
    at(
        "app messages",
        limits::MESSAGES_A_MINUTE,
        "messages of each app in a minute",
        "As a person",
    )
    .answers("the event `effect-failed`", ACTIONS),
    at(
        "app call",
        limits::CALL_MILLISECONDS as i64,
        "milliseconds",
        "An ordinary one takes less than one",
    )
    .answers(FAILS, ENGINE),
    at(
        "app memory",
        limits::MEMORY_BYTES as i64,
        "bytes for each call",
        "An app in Rust or JavaScript needs one or two million, one in Python 17",
    )
    .answers(FAILS, ENGINE),
    at(
        "app fetches",
        limits::WAITING_FETCHES,
        "that wait, for each app",
        "As many as two events make",
    )
    .answers(LOST, ACTIONS),
    at(
        "app fetches of a scope",
        limits::WAITING_FETCHES_OF_SCOPE,
        "that wait, for each channel, message or person, and for the app itself",
        "One channel does not keep others from reading",
    )
    .answers(LOST, ACTIONS),
    at(
        "app fetch body",
        limits::FETCH_BODY_BYTES as i64,
        "bytes",
        "It is a row until it is sent. Of an answer, 262,144 bytes are delivered at most; a longer one is a failure",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app fetch headers",
        limits::FETCH_HEADERS as i64,
        "headers",
        "Services need two or three",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app fetch text",
        limits::FETCH_TEXT_BYTES as i64,
        "bytes of the address and of each header",
        "Services need less",
    )
    .answers(FAILS, EFFECTS),
    at(
        "app webhook",
        limits::WEBHOOK_BYTES as i64,
        "bytes of the body of a call",
        "It is a row until it is delivered",
    )
    .answers(REFUSED, ACTIONS),
    at(
        "app log",
        limits::LOG_LINES,
        "lines for each app",
        "A screen or two",
    )
    .answers("the oldest go", ACTIONS),
    at(
        "app log line",
        limits::LOG_CHARACTERS as i64,
        "characters",
        "A sentence or an error",
    )
    .answers("cut", ACTIONS),
];
