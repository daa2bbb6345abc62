//! Notifications: the question whether one wants them, what they announce, the number on the icon.

use serde_json::json;

use super::relay::Relay;
use super::{DESK, Seat};

/// Notifications that are noted instead of shown, asked for as in a browser that has not been asked.
const NOTED: &str = "window.notices = [];
     window.Notification = class {
         static permission = 'default';
         static requestPermission() {
             this.permission = 'granted';
             return Promise.resolve('granted');
         }
         constructor(title, { body }) { window.notices.push([title, body]); }
     }";

fn whisper(seat: &Seat, content: &str) -> i64 {
    let me = format!("[{}]", seat.user.user_id);
    let direct = [
        ("type", "direct"),
        ("to", me.as_str()),
        ("content", content),
    ];
    let sent = seat.other.post("/messages", &direct).ok();
    sent["id"].as_i64().expect("an id")
}

#[test]
fn one_is_asked_first_and_then_told() {
    let Some(seat) = Seat::at("web-notices", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.browser.run(NOTED, &[]);
    seat.said(&seat.other, "loom", "concerns nobody");
    whisper(&seat, "the **first**");
    seat.wait_for(
        "document.querySelector('.banner')?.textContent.includes('notified of messages')",
    );
    seat.check_look("ask-for-notices");
    assert_eq!(seat.ask("window.notices"), json!([]));
    seat.press_text(".banner", "Allow");
    seat.wait_for("document.querySelector('.banner') === null");
    whisper(&seat, "the **second**");
    seat.wait_for("window.notices.length === 1");
    let name = &seat.other.full_name;
    assert_eq!(seat.ask("window.notices"), json!([[name, "the second"]]));
    seat.wait_for("document.querySelector('link[rel=icon]').href.startsWith('data:image/png')");
    // No notification for a while, until one wants them again.
    seat.browser.press(".own");
    seat.press_text(".menu", "Do not disturb for an hour");
    whisper(&seat, "the third");
    seat.wait_for("document.title.startsWith('(4)')");
    seat.browser.press(".own");
    seat.press_text(".menu", "Notify me again");
    whisper(&seat, "the fourth");
    seat.wait_for("window.notices.length === 2");
    assert_eq!(seat.ask("window.notices[1]"), json!([name, "the fourth"]));
    seat.user.post("/mark_all_as_read", &[]).ok();
    seat.wait_for("document.querySelector('link[rel=icon]').href.endsWith('/page/icon.svg')");
    seat.is_content();
}

#[test]
fn who_says_not_now_is_asked_no_more() {
    let Some(seat) = Seat::at("web-no-notices", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.browser.run(NOTED, &[]);
    whisper(&seat, "the first");
    seat.press_text(".banner", "Not now");
    seat.wait_for("document.querySelector('.banner') === null");
    let second = whisper(&seat, "the second");
    // A tab that has claimed a message has not asked.
    seat.wait_for(&format!(
        "localStorage.getItem('spindle-noticed') === '{second}'"
    ));
    assert_eq!(
        seat.ask("document.querySelector('.banner') === null"),
        json!(true)
    );
    assert_eq!(seat.ask("window.notices"), json!([]));
    seat.is_content();
}

/// The module of notifications is loaded after the first messages are shown.
#[test]
fn a_message_before_the_module_of_notifications_is_announced() {
    let Some(seat) = Seat::new("web-early-notice") else {
        return;
    };
    seat.sign_in();
    let relay = Relay::before(&seat.server);
    relay.hold("/frame/noticing.js", None);
    seat.browser.at_start(NOTED);
    seat.browser.open(&relay.address, DESK);
    seat.wait_for("document.querySelector('.frame') !== null");
    seat.eventually(|_| relay.held() > 0);
    whisper(&seat, "the first");
    seat.wait_for("document.title.startsWith('(1)')");
    relay.release();
    seat.wait_for(
        "document.querySelector('.banner')?.textContent.includes('notified of messages')",
    );
    assert!(!relay.has_expired());
    seat.is_content();
}

/// Counts the tones that are played.
const COUNT_TONES: &str = "window.tones = 0;
     window.AudioContext = class {
         currentTime = 0;
         createOscillator() {
             return {
                 frequency: {}, connect: (next) => next, stop() {},
                 start() { window.tones += 1; },
             };
         }
         createGain() {
             return {
                 gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} },
                 connect: (next) => next,
             };
         }
     }";

#[test]
fn a_sound_is_played_unless_it_is_set_to_none() {
    let Some(seat) = Seat::at("web-sound", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.browser.run(COUNT_TONES, &[]);
    // Browsers play nothing before a page was used.
    seat.browser.press("header.bar .title");
    whisper(&seat, "the first");
    seat.wait_for("window.tones === 2");
    let none = [("notification_sound", "none")];
    seat.user.patch("/settings", &none).ok();
    let second = whisper(&seat, "the second");
    // A tab that has claimed a message has played what it plays.
    seat.wait_for(&format!(
        "localStorage.getItem('spindle-noticed') === '{second}'"
    ));
    assert_eq!(seat.ask("window.tones"), json!(2));
    seat.is_content();
}
