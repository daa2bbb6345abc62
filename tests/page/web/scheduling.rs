//! Messages that are sent later: scheduling, changing, deleting.

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
    seat.press_text("dialog", "Delete");
    seat.wait_for("document.querySelector('.nothing') !== null");
    assert_eq!(scheduled(&seat), json!([]));
    seat.is_content();
}
