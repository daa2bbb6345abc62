//! What one does with a message or a topic that is there: its link, its source, its readers, where it is moved.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};

use super::{DESK, PHONE, Seat};
use crate::browser::Look;

/// Notes what is copied in place of the clipboard, which a browser without a window may refuse.
const NOTE_COPIES: &str = "window.copied = [];
     Object.defineProperty(navigator, 'clipboard', { value: {
         writeText(text) { window.copied.push(text); return Promise.resolve(); },
     } })";

const OF_THE_VIEW: &str = "header.bar > button:last-child";

#[test]
fn a_link_a_source_and_readers_are_at_hand() {
    let Some(seat) = Seat::at("web-acting", |seat| seat.topic("loom")) else {
        return;
    };
    seat.browser.run(NOTE_COPIES, &[]);
    let id = seat.said(
        &seat.user,
        "loom",
        "some **words**\n```rs\nfn main() {}\n```",
    );
    seat.wait_for("document.querySelector('.codehilite .code-copy') !== null");
    seat.choose(id, "Copy link");
    seat.wait_for("window.copied.length === 1");
    let link = seat.ask("window.copied[0]");
    let link = link.as_str().expect("a link");
    assert!(link.starts_with(seat.server.base_url()), "{link}");
    assert!(link.ends_with(&format!("/topic/loom/near/{id}")), "{link}");
    seat.browser.press(".code-copy");
    seat.wait_for("window.copied[1]?.trim() === 'fn main() {}'");

    seat.choose(id, "View source");
    seat.wait_for(
        "document.querySelector('dialog .source')?.textContent.startsWith('some **words**')",
    );
    seat.check_look("source");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('dialog') === null");

    seat.choose(id, "Read by");
    seat.wait_for("document.querySelector('dialog').textContent.includes('Nobody yet')");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('dialog') === null");
    let read = [
        ("messages", format!("[{id}]")),
        ("op", "add".to_owned()),
        ("flag", "read".to_owned()),
    ];
    let read: Vec<(&str, &str)> = read
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    seat.other.post("/messages/flags", &read).ok();
    seat.choose(id, "Read by");
    seat.wait_for(&format!(
        "document.querySelector('dialog .names').textContent.includes({})",
        json!(seat.other.full_name)
    ));
    seat.check_look("readers");
    seat.is_content();
}

/// Topic and channel of each message.
fn places(seat: &Seat, ids: &[i64]) -> Vec<Value> {
    let of = |id: &i64| {
        let message = seat.user.get(&format!("/messages/{id}"), &[]).ok()["message"].clone();
        json!([message["stream_id"], message["subject"]])
    };
    ids.iter().map(of).collect()
}

#[test]
fn messages_move_to_another_channel_in_three_ways() {
    let Some(seat) = Seat::new("web-move-modes") else {
        return;
    };
    let target = fixture::channel(
        &seat.server,
        ChannelKind::Public,
        &[&seat.user, &seat.other],
    );
    let ids: Vec<i64> = (0..6)
        .map(|number| seat.said(&seat.other, "loom", &format!("number {number}")))
        .collect();
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("number 5");
    let move_to = |message: i64, mode: &str, topic: &str| {
        seat.choose(message, "Move");
        seat.wait_for("document.querySelector('dialog [name=topic]') !== null");
        let pick = "document.querySelector('dialog select').value = arguments[0]";
        seat.browser.run(pick, &[json!(target.id())]);
        seat.browser.type_into("dialog [name=topic]", topic);
        seat.browser.press(&format!("dialog [value={mode}]"));
        seat.browser.press("dialog .primary");
        seat.wait_for("document.querySelector('dialog') === null");
    };
    let (here, there) = (seat.channel.stream_id, target.stream_id);
    move_to(ids[1], "change_one", "one");
    seat.wait_for(&format!(
        "document.querySelector('[data-id=\"{}\"]') === null",
        ids[1]
    ));
    assert_eq!(
        places(&seat, &ids[..3]),
        [
            json!([here, "loom"]),
            json!([there, "one"]),
            json!([here, "loom"])
        ]
    );
    move_to(ids[4], "change_later", "later");
    // The view goes along with the last message.
    seat.wait_for("document.title.includes('later')");
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("number 3");
    assert_eq!(
        places(&seat, &ids[3..]),
        [
            json!([here, "loom"]),
            json!([there, "later"]),
            json!([there, "later"])
        ]
    );
    move_to(ids[3], "change_all", "all");
    seat.eventually(|seat| {
        let moved = places(seat, &[ids[0], ids[2], ids[3]]);
        moved.iter().all(|place| *place == json!([there, "all"]))
    });
    seat.is_content();
}

#[test]
fn a_topic_is_followed_and_listed() {
    let Some(seat) = Seat::at("web-follow", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "one");
    seat.wait_for_message("one");
    seat.browser.press(OF_THE_VIEW);
    seat.press_text(".menu", "Follow the topic");
    let policy = |seat: &Seat| -> Value {
        let pairs = [("fetch_event_types", "[\"user_topic\"]")];
        seat.user.post("/register", &pairs).ok()["user_topics"][0]["visibility_policy"].clone()
    };
    seat.eventually(|seat| policy(seat) == 3);
    seat.go("#settings/muted");
    seat.wait_for("document.querySelector('.settings').textContent.includes('loom')");
    seat.check_look("settings-followed");
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("one");
    seat.browser.press(OF_THE_VIEW);
    seat.press_text(".menu", "Stop following the topic");
    seat.eventually(|seat| policy(seat) == Value::Null);
    seat.is_content();
}

#[test]
fn another_browser_is_signed_out_from_here() {
    let Some(seat) = Seat::at("web-sessions", |_| "#settings/account".to_owned()) else {
        return;
    };
    // A second session, as another browser would have it.
    let database = seat.server.database();
    let count = || -> i64 {
        let count = "SELECT count(*) FROM sessions WHERE user_id = ?1";
        database
            .query_row(count, [seat.user.user_id], |row| row.get(0))
            .expect("a number")
    };
    let sign_in = "return fetch('/api/v1/sessions', {
         method: 'POST', credentials: 'omit', headers: { 'Spindle-Client': 'web' },
         body: new URLSearchParams({ username: arguments[0], password: arguments[1] }),
     }).then((answer) => answer.status)";
    let signed_in = seat
        .browser
        .run(sign_in, &[json!(seat.user.email), json!(super::PASSWORD)]);
    assert_eq!(signed_in, json!(200));
    assert_eq!(count(), 2);
    seat.press_text(".settings", "Show");
    seat.wait_for("document.querySelectorAll('dialog .session').length === 2");
    seat.check_look("sessions");
    seat.press_text("dialog .session", "Sign out");
    seat.wait_for("document.querySelectorAll('dialog .session').length === 1");
    assert_eq!(count(), 1);
    seat.browser.keys("\u{e00c}");
    seat.go(&seat.topic("loom"));
    seat.said(&seat.other, "loom", "still here");
    seat.wait_for_message("still here");
    seat.is_content();
}

/// What has no room on a small screen is reached by scrolling.
#[test]
fn the_menu_of_a_message_stays_on_a_small_screen() {
    let Some(seat) = Seat::at("web-message-menu", |seat| seat.topic("loom")) else {
        return;
    };
    let id = seat.said(&seat.user, "loom", "much can be done with it");
    seat.wait_for_message("much can be done with it");
    // A phone, and one that lies on its side.
    for look in [PHONE, Look::new(640, 320, true)] {
        seat.browser.resize(look);
        let press = "document.querySelector(`[data-id=\"${arguments[0]}\"] .tools button:last-child`).click()";
        seat.browser.run(press, &[json!(id)]);
        seat.wait_for("document.querySelector('.menu') !== null");
        let faint = seat.browser.run(include_str!("../contrast.js"), &[]);
        assert_eq!(faint, json!([]), "{look:?}: too little contrast");
        seat.browser.keep_picture("web-message-menu", look);
        let is_within = "const isWithin = (element) => {
                 const { left, top, right, bottom } = element.getBoundingClientRect();
                 return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
             };
             const last = [...document.querySelectorAll('.menu button')].at(-1);
             last.scrollIntoView();
             return [document.querySelector('.menu'), last].map(isWithin)";
        let within = seat.browser.run(is_within, &[]);
        assert_eq!(within, json!([true, true]), "{look:?}");
        seat.browser.keys("\u{e00c}");
        seat.wait_for("document.querySelector('.menu') === null");
    }
    seat.browser.resize(DESK);
    seat.is_content();
}
