//! Taking back what was just done, from the note that says so; and the menu of a conversation in the inbox.

use serde_json::json;

use super::{DESK, PHONE, Seat};

const COUNT: &str = "document.querySelectorAll('.inbox li').length";

#[test]
fn what_was_marked_as_read_is_unread_again() {
    let Some(seat) = Seat::new("web-undo-read") else {
        return;
    };
    seat.said(&seat.other, "loom", "first");
    seat.said(&seat.other, "reed", "second");
    seat.sign_in();
    seat.go("#inbox");
    seat.wait_for(&format!("{COUNT} === 2"));
    seat.browser
        .press(".inbox [aria-label='Mark as read: loom']");
    seat.wait_for(&format!("{COUNT} === 1"));
    seat.press_text(".notes", "Undo");
    seat.wait_for(&format!("{COUNT} === 2"));
    // A line has its menu, which a button opens.
    seat.check_look("inbox-menu");
    seat.browser
        .run("document.querySelector('.inbox .line-menu').focus()", &[]);
    seat.browser.keys("\u{e007}");
    seat.wait_for("document.querySelector('.menu') !== null");
    seat.press_text(".menu", "Mute the topic");
    seat.wait_for(&format!("{COUNT} === 1"));
    seat.press_text(".notes", "Undo");
    seat.wait_for(&format!("{COUNT} === 2"));
    seat.is_content();
}

#[test]
fn what_is_sent_later_is_taken_back_into_the_field() {
    let Some(seat) = Seat::at("web-undo-later", |seat| seat.topic("loom")) else {
        return;
    };
    let value = "document.querySelector('.compose textarea').value";
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.type_into(".compose textarea", "for tomorrow");
    seat.browser.press(".compose [aria-label='Send later']");
    seat.press_text("dialog", "Send later");
    seat.wait_for(&format!("{value} === ''"));
    seat.wait_for("document.querySelector('.notes button') !== null");
    // The note is centred on the column, and not on the field to write in.
    for look in [DESK, PHONE] {
        seat.browser.resize(look);
        let edges = "(() => {
             const note = document.querySelector('.notes p').getBoundingClientRect();
             const field = document.querySelector('.compose').getBoundingClientRect();
             const middle = (one) => (one.left + one.right) / 2;
             return note.bottom < field.top && Math.abs(middle(note) - middle(field)) < 2;
         })()";
        assert_eq!(seat.ask(edges), json!(true), "{look:?}");
    }
    seat.press_text(".notes", "Undo");
    seat.wait_for(&format!("{value} === 'for tomorrow'"));
    let waiting = seat.user.get("/scheduled_messages", &[]).ok();
    assert_eq!(waiting["scheduled_messages"], json!([]));
    seat.is_content();
}

#[test]
fn a_resolved_topic_and_a_muted_channel_are_taken_back() {
    let Some(seat) = Seat::at("web-undo-topic", |seat| seat.topic("loom")) else {
        return;
    };
    let id = seat.said(&seat.other, "loom", "first");
    seat.wait_for_message("first");
    seat.choose(id, "Mark the topic as resolved");
    seat.wait_for("document.title.includes('✔ loom')");
    let changed = format!("document.querySelector('[data-id=\"{id}\"] .changed')");
    assert_eq!(seat.ask(&changed), json!(null), "resolving is no move");
    seat.press_text(".notes", "Undo");
    seat.wait_for("!document.title.includes('✔') && document.title.includes('loom')");
    seat.wait_for_message("first");
    assert_eq!(seat.ask(&changed), json!(null), "nor is taking it back");
    let muted = |seat: &Seat| {
        let all = seat.user.get("/users/me/subscriptions", &[]).ok();
        let all = all["subscriptions"].as_array().cloned().unwrap_or_default();
        let id = json!(seat.channel.stream_id);
        all.iter()
            .any(|one| one["stream_id"] == id && one["is_muted"] == true)
    };
    seat.go(&format!("#narrow/channel/{}", seat.channel.id()));
    seat.wait_for("document.querySelector('header.bar h1 .topic') === null");
    seat.browser.press("header.bar > button:last-child");
    seat.press_text(".menu", "Mute the channel");
    seat.eventually(muted);
    seat.press_text(".notes", "Undo");
    seat.eventually(|seat| !muted(seat));
    seat.is_content();
}
