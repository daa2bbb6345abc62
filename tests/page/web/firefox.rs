//! The same client in Firefox: what people do most, with its looks.

use spindle_tests::Queue;

use super::Seat;

#[test]
fn one_reads_writes_and_reacts() {
    let Some(seat) = Seat::in_firefox("firefox-write") else {
        return;
    };
    seat.sign_in();
    seat.said(&seat.other, "loom", "is it **mended**?");
    seat.wait_for("document.title.startsWith('(1)')");
    seat.wait_for("document.querySelector('.inbox li') !== null");
    seat.check_look("inbox");
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
    seat.check_look("topic");
    // What happens elsewhere comes by the worker that all tabs share.
    seat.said(&seat.other, "loom", "good");
    seat.wait_for_message("good");
    seat.browser.reload();
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
        seat.check_look(view);
    }
    seat.go("#settings/preferences");
    seat.wait_for("document.querySelector('[name=enter_sends]') !== null");
    seat.browser.press("[name=enter_sends]");
    seat.wait_for("document.querySelector('[name=enter_sends]').checked");
    seat.browser.press(".own");
    seat.press_text(".menu", "Your profile");
    seat.wait_for("document.querySelector('dialog.person') !== null");
    seat.check_look("card");
}
