//! The limits of apps. The table of `docs/LIMITS.md` has a row for each.

/// Apps of an organization.
pub const APPS: i64 = 200;
/// Bytes of a component.
pub const COMPONENT_BYTES: usize = 24 << 20;
/// Bytes of the section with the manifest.
pub const MANIFEST_BYTES: usize = 64 << 10;
/// Effects of one event.
pub const EFFECTS: usize = 50;
/// Buttons of one message.
pub const BUTTONS: usize = 10;
/// Bytes of the id of a button.
pub const BUTTON_ID_BYTES: usize = 64;
/// Characters of the label of a button.
pub const BUTTON_LABEL: usize = 60;
/// Bytes of a key, of the name of a tick, and of the id of a fetch.
pub const KEY_BYTES: usize = 128;
/// Bytes of the keys and values of one scope.
pub const SCOPE_BYTES: usize = 64 << 10;
/// Bytes of the keys and values of one app.
pub const APP_BYTES: usize = 8 << 20;
/// Ticks that one app waits for.
pub const SCHEDULES: i64 = 1_000;
/// Events of one app that wait; further ones are dropped with a line in its log.
pub const WAITING_EVENTS: i64 = 1_000;
/// Of these, events that one person has caused.
pub const WAITING_EVENTS_OF_PERSON: i64 = 100;
/// Fetches of one app that wait for their answer.
pub const WAITING_FETCHES: i64 = 100;
/// Those of one scope.
pub const WAITING_FETCHES_OF_SCOPE: i64 = 20;
/// Calls of one app in a minute; further ones are made later.
pub const CALLS_A_MINUTE: i64 = 600;
/// Messages that one app sends in a minute, as a person may; further ones fail.
pub const MESSAGES_A_MINUTE: i64 = 200;
/// Seconds before an event is computed again, after a failure; then the app is paused.
pub const RETRY_SECONDS: [i64; 3] = [5, 30, 180];
/// Bytes of the body of a fetch.
pub const FETCH_BODY_BYTES: usize = 64 << 10;
/// Headers of a fetch.
pub const FETCH_HEADERS: usize = 20;
/// Bytes of the address of a fetch, and of each header.
pub const FETCH_TEXT_BYTES: usize = 2_000;
/// Bytes of the answer of a fetch that the app receives; a longer one is a failure.
pub const ANSWER_BYTES: usize = 256 << 10;
/// Bytes of a webhook's body that the app receives.
pub const WEBHOOK_BYTES: usize = 256 << 10;
/// Lines that are kept of an app's log.
pub const LOG_LINES: i64 = 200;
/// Characters of a line of the log; longer ones are cut.
pub const LOG_CHARACTERS: usize = 500;
/// Bytes of a secret, and of the value of a setting.
pub const SETTING_BYTES: usize = 4_000;
/// Bytes of memory of one call.
pub const MEMORY_BYTES: usize = 64 << 20;
/// Milliseconds of one call.
pub const CALL_MILLISECONDS: u64 = 1_000;
/// Apps that compute at the same time on a server.
pub const RUNNING: usize = 4;
/// Public keys of signatures that an operator can list.
pub const SIGNATURE_KEYS: usize = 20;
/// People of a direct message.
pub const PEOPLE: usize = 100;
