//! The same client in Firefox: what people do most, with its looks.

use serde_json::json;
use spindle_tests::Queue;

use super::Seat;
use crate::browser::Look;

/// No window of Firefox is narrower.
const NARROW: Look = Look::new(500, 780, true);

/// Looks at a view on a desk and in a narrow window.
#[track_caller]
fn check_look(seat: &Seat, view: &str) {
    for look in [super::DESK, NARROW] {
        seat.browser.resize(look);
        seat.wait_for(&format!("innerWidth === {}", look.width));
        seat.wait_for("document.documentElement.scrollWidth <= innerWidth");
        let faint = seat.browser.run(include_str!("../contrast.js"), &[]);
        assert_eq!(faint, json!([]), "{view}, {look:?}: too little contrast");
        let file = crate::pictures().join(format!("firefox-{view}-{}.png", look.width));
        std::fs::write(file, seat.browser.picture()).expect("picture");
    }
    seat.browser.resize(super::DESK);
    seat.check_access(view);
}

#[test]
fn one_reads_writes_and_reacts() {
    let Some(seat) = Seat::in_firefox("firefox-write") else {
        return;
    };
    seat.sign_in();
    seat.said(&seat.other, "loom", "is it **mended**?");
    seat.wait_for("document.title.startsWith('(1)')");
    seat.wait_for("document.querySelector('.inbox li') !== null");
    check_look(&seat, "inbox");
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("is it mended?");
    let mut queue = Queue::of(&seat.other, &["message", "reaction"]);
    seat.write("yes, and it `holds`");
    seat.wait_for_message("yes, and it holds");
    let event = queue.expect(|event| event["type"] == "message");
    assert_eq!(event["message"]["content"], "yes, and it `holds`");
    seat.browser.press(".day");
    seat.browser.keys("k");
    seat.wait_for("document.activeElement.matches('.message')");
    seat.browser.keys("+");
    seat.wait_for("document.querySelector('.reactions .mine') !== null");
    queue.expect(|event| event["type"] == "reaction");
    check_look(&seat, "topic");
    // What happens elsewhere comes by the worker that all tabs share.
    seat.said(&seat.other, "loom", "good");
    seat.wait_for_message("good");
    seat.browser.run("location.reload()", &[]);
    seat.wait_for_message("good");
}

#[test]
fn drafts_settings_and_dialogs_work() {
    let Some(seat) = Seat::in_firefox("firefox-settings") else {
        return;
    };
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.type_into(".compose textarea", "not yet");
    seat.eventually(|seat| {
        let drafts = seat.user.get("/drafts", &[]).ok();
        drafts["drafts"][0]["content"] == "not yet"
    });
    for (view, hash, there) in [
        ("settings", "#settings/preferences", "[name=enter_sends]"),
        (
            "organization",
            "#organization/permissions",
            ".permission select",
        ),
        ("channels", "#channels/all", ".browse li"),
    ] {
        seat.go(hash);
        seat.wait_for(&format!("document.querySelector('{there}') !== null"));
        check_look(&seat, view);
    }
    seat.go("#settings/preferences");
    seat.wait_for("document.querySelector('[name=enter_sends]') !== null");
    seat.browser.press("[name=enter_sends]");
    seat.wait_for("document.querySelector('[name=enter_sends]').checked");
    seat.browser.press(".own");
    seat.press_text(".menu", "Your profile");
    seat.wait_for("document.querySelector('dialog.person') !== null");
    check_look(&seat, "card");
}
