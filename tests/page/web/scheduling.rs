//! Messages that are sent later, reminders, and snippets that are inserted into a draft.

use serde_json::{Value, json};

use super::Seat;

fn scheduled(seat: &Seat) -> Value {
    seat.user.get("/scheduled_messages", &[]).ok()["scheduled_messages"].clone()
}

#[test]
fn a_message_is_scheduled_changed_and_deleted() {
    let Some(seat) = Seat::at("web-scheduled", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser
        .type_into(".compose textarea", "for **tomorrow**");
    seat.browser.press(".compose .later");
    seat.wait_for("document.querySelector('dialog [name=when]') !== null");
    seat.check_look("send-later");
    seat.press_text("dialog", "Tomorrow morning");
    seat.press_text("dialog", "Send later");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.wait_for("document.querySelector('.compose textarea').value === ''");
    let waiting = scheduled(&seat);
    assert_eq!(waiting[0]["content"], json!("for **tomorrow**"));
    assert_eq!(waiting[0]["topic"], json!("loom"));

    seat.browser.press(".views a[href='#scheduled']");
    seat.wait_for("document.querySelector('ul.later strong')?.textContent === 'tomorrow'");
    seat.check_look("scheduled");
    seat.press_text("ul.later", "Edit");
    seat.wait_for("document.querySelector('dialog textarea') !== null");
    seat.browser
        .type_into("dialog textarea", "for **tomorrow** and after");
    seat.press_text("dialog", "Monday morning");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('ul.later')?.textContent.includes('and after')");
    let content = scheduled(&seat)[0]["content"].clone();
    assert_eq!(content, json!("for **tomorrow** and after"));
    seat.press_text("ul.later", "Delete");
    seat.wait_for("document.querySelector('.nothing') !== null");
    let before = scheduled(&seat);
    assert_eq!(before, json!([]));
    seat.press_text(".notes", "Undo");
    seat.wait_for("document.querySelector('ul.later')?.textContent.includes('and after')");
    assert_eq!(scheduled(&seat)[0]["topic"], json!("loom"));
    seat.press_text("ul.later", "Delete");
    seat.wait_for("document.querySelector('.nothing') !== null");
    assert_eq!(scheduled(&seat), json!([]));
    seat.is_content();
}

#[test]
fn a_reminder_is_set_listed_and_deleted() {
    let Some(seat) = Seat::at("web-reminder", |seat| seat.topic("loom")) else {
        return;
    };
    let id = seat.said(&seat.other, "loom", "oil the pedals");
    seat.wait_for_message("oil the pedals");
    seat.choose(id, "Remind me");
    seat.wait_for("document.querySelector('dialog [name=note]') !== null");
    seat.check_look("reminder");
    seat.press_text("dialog", "Tomorrow morning");
    seat.browser.type_into("dialog [name=note]", "the left one");
    seat.press_text("dialog", "Remind me");
    seat.wait_for("document.querySelector('dialog') === null");
    let waiting = seat.user.get("/reminders", &[]).ok()["reminders"].clone();
    assert_eq!(waiting[0]["reminder_target_message_id"], json!(id));
    seat.go("#scheduled");
    seat.wait_for("document.querySelector('ul.reminders').textContent.includes('the left one')");
    seat.check_look("reminders");
    seat.press_text("ul.reminders", "Delete");
    seat.press_text("dialog", "Delete");
    seat.wait_for("document.querySelector('.nothing') !== null");
    seat.is_content();
}

#[test]
fn a_snippet_is_saved_put_in_changed_and_deleted() {
    let Some(seat) = Seat::at("web-snippets", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser
        .type_into(".compose textarea", "Thank you, it is on its way.");
    let open = ".compose [aria-label='Saved snippets']";
    seat.browser.press(open);
    seat.press_text("dialog", "New snippet");
    seat.wait_for("document.querySelector('dialog textarea').value.startsWith('Thank you')");
    seat.browser.type_into("dialog [name=title]", "On its way");
    seat.check_look("new-snippet");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('.snippets .name').textContent === 'On its way'");
    seat.check_look("snippets");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.browser.type_into(".compose textarea", "Hello. ");
    seat.browser.press(open);
    seat.press_text(".snippets", "On its way");
    seat.wait_for(
        "document.querySelector('.compose textarea').value === 'Hello. Thank you, it is on its way.'",
    );
    seat.go("#settings/snippets");
    seat.wait_for("document.querySelector('.settings .snippets') !== null");
    seat.check_look("settings-snippets");
    seat.press_text(".snippets", "Edit");
    seat.browser
        .run("document.querySelector('[name=title]').value = ''", &[]);
    seat.browser.type_into("[name=title]", "Sent");
    seat.press_text(".settings", "Save");
    seat.wait_for("document.querySelector('.snippets .name').textContent === 'Sent'");
    seat.press_text(".snippets", "Delete");
    seat.wait_for("document.querySelector('.snippets li') === null");
    seat.press_text(".notes", "Undo");
    seat.wait_for("document.querySelector('.snippets .name')?.textContent === 'Sent'");
    seat.is_content();
}
