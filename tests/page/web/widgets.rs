//! Polls and to-do lists in messages, and the view of what others have reacted to.

use super::Seat;

#[test]
fn a_poll_is_voted_on_and_gets_an_option() {
    let Some(seat) = Seat::at("web-poll", |seat| seat.topic("loom")) else {
        return;
    };
    let id = seat.said(&seat.other, "loom", "/poll Which loom?\nTable\nFloor");
    seat.wait_for("document.querySelectorAll('.widget li').length === 2");
    seat.browser.press(".widget .vote");
    seat.wait_for("document.querySelector('.widget .vote').textContent.trim() === '1'");
    let message = id.to_string();
    let vote = [
        ("message_id", message.as_str()),
        ("msg_type", "widget"),
        ("content", r#"{"type":"vote","key":"canned,0","vote":1}"#),
    ];
    seat.other.post("/submessage", &vote).ok();
    seat.wait_for("document.querySelector('.widget .vote').textContent.trim() === '2'");
    seat.browser.press(".widget .vote");
    seat.wait_for("document.querySelector('.widget .vote').textContent.trim() === '1'");
    seat.browser.type_into(".widget [name=words]", "Rigid");
    seat.press_text(".widget", "Add");
    seat.wait_for("document.querySelectorAll('.widget li').length === 3");
    seat.check_look("poll");
    seat.is_content();
}

#[test]
fn a_task_is_done_and_taken_back() {
    let Some(seat) = Seat::at("web-todo", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(
        &seat.other,
        "loom",
        "/todo Weaving\nWarp the loom: forty threads\nThrow",
    );
    seat.wait_for("document.querySelectorAll('.widget li').length === 2");
    seat.browser.press(".widget [type=checkbox]");
    seat.wait_for("document.querySelectorAll('.widget .done').length === 1");
    seat.check_look("todo");
    seat.browser.press(".widget [type=checkbox]");
    seat.wait_for("document.querySelector('.widget .done') === null");
    seat.is_content();
}

#[test]
fn reactions_of_others_have_a_view() {
    let Some(seat) = Seat::at("web-reactions-to-me", |_| "#inbox".to_owned()) else {
        return;
    };
    let id = seat.said(&seat.user, "loom", "what others like");
    seat.said(&seat.user, "loom", "what nobody likes");
    let path = format!("/messages/{id}/reactions");
    seat.other.post(&path, &[("emoji_name", "tada")]).ok();
    seat.browser.press(".views a[href*=reaction]");
    seat.wait_for("document.querySelector('.bar h1')?.textContent === 'Reactions to you'");
    seat.wait_for_message("what others like");
    seat.wait_for("document.querySelectorAll('.message').length === 1");
    seat.is_content();
}
