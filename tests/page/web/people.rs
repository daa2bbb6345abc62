//! People: their cards, and what one says of oneself.

use serde_json::json;

use super::Seat;

#[test]
fn a_card_says_who_somebody_is() {
    let Some(seat) = Seat::at("web-card", |seat| seat.topic("loom")) else {
        return;
    };
    let field = [("name", "Pet"), ("field_type", "1")];
    let field = seat.user.post("/realm/profile_fields", &field).ok()["id"].clone();
    let data = json!([{"id": field, "value": "a *cat*"}]).to_string();
    let filled = [("data", data.as_str())];
    seat.other.patch("/users/me/profile_data", &filled).ok();
    let status = [
        ("status_text", "at the loom"),
        ("emoji_name", "working_on_it"),
        ("scheduled_end_time", "4102444800"),
    ];
    seat.other.post("/users/me/status", &status).ok();
    seat.said(&seat.other, "loom", "who said it");
    seat.wait_for_message("who said it");
    seat.wait_for("document.querySelector('.who .status')?.title === 'at the loom'");
    seat.browser.press(".who .name");
    seat.wait_for("document.querySelector('dialog.person') !== null");
    let card = seat.browser.text("dialog.person");
    for expected in [
        seat.other.full_name.as_str(),
        "at the loom",
        "until ",
        "Member",
        "Pet",
        "cat",
    ] {
        assert!(card.contains(expected), "{expected}: {card}");
    }
    seat.check_look("card");
    seat.press_text("dialog.person", "Mute");
    seat.press_text("dialog.person", "Unmute");
    seat.wait_for("document.querySelector('.message.hushed') === null");
    seat.is_content();
}

#[test]
fn a_person_is_written_to_from_their_card() {
    let Some(seat) = Seat::at("web-person", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "who said it");
    seat.wait_for_message("who said it");
    seat.browser.press(".who .name");
    seat.press_text("dialog.person", "Send direct message");
    seat.wait_for("document.querySelector('.nothing') !== null");
    seat.check_look("no-directs");
    seat.write("only for you");
    seat.wait_for_message("only for you");
    seat.is_content();
}

#[test]
fn ones_own_status_is_set_and_cleared() {
    let Some(seat) = Seat::at("web-status", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.browser.press(".own");
    seat.press_text(".menu", "Set your status");
    seat.wait_for("document.querySelector('dialog [name=status]') !== null");
    seat.browser.press(".ready button");
    seat.browser.press(".emoji-choice .chosen button");
    seat.wait_for("document.querySelector('.picker-inside .grid button') !== null");
    seat.check_look("status");
    seat.browser.press(".ready button:nth-child(3)");
    seat.browser
        .press("[name=status_end] option[value=in_an_hour]");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('.own .status')?.title === 'On holiday'");
    let path = format!("/users/{}/status", seat.user.user_id);
    let status = seat.other.get(&path, &[]).ok()["status"].clone();
    assert_eq!(status["status_text"], json!("On holiday"));
    assert_eq!(status["emoji_name"], json!("palm_tree"));
    let end = status["scheduled_end_time"].as_i64().expect("an end");
    seat.browser.press(".own");
    seat.press_text(".menu", "Set your status");
    seat.wait_for(&format!(
        "Math.abs(new Date(document.querySelector('dialog [name=when]').value) / 1000 - {end}) < 60"
    ));
    seat.browser.press("[name=status_end] option[value=never]");
    seat.wait_for("document.querySelector('dialog [name=when]') === null");
    seat.press_text("dialog", "Save");
    seat.eventually(|seat| {
        let status = seat.other.get(&path, &[]).ok()["status"].clone();
        status.get("scheduled_end_time").is_none()
    });
    seat.browser.press(".own");
    seat.press_text(".menu", "Set your status");
    seat.press_text("dialog", "Clear the status");
    seat.wait_for("document.querySelector('.own .status') === null");
    seat.is_content();
}

#[test]
fn guests_and_bots_are_told_apart_and_a_person_is_muted() {
    let Some(seat) = Seat::new("web-kinds") else {
        return;
    };
    let guest = seat.server.user("guest");
    let bot = seat.server.bot();
    for one in [&guest, &bot] {
        spindle_tests::fixture::subscribe(&seat.server, one, &seat.channel);
    }
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    for (sender, text) in [
        (&seat.other, "a member"),
        (&guest, "a guest"),
        (&bot, "a bot"),
    ] {
        seat.said(sender, "loom", text);
        seat.wait_for_message(text);
    }
    let tags = "[...document.querySelectorAll('.message')].map((one) => one.querySelector('.who .tag')?.textContent ?? '')";
    assert_eq!(seat.ask(tags), json!(["", "guest", "bot"]));
    seat.check_look("kinds");
    let muted = format!("/users/me/muted_users/{}", guest.user_id);
    seat.user.post(&muted, &[]).ok();
    let hushed = "[...document.querySelectorAll('.message')].map((one) => one.classList.contains('hushed')).join()";
    seat.wait_for(&format!("{hushed} === 'false,true,false'"));
    seat.user.delete(&muted, &[]).ok();
    seat.wait_for(&format!("{hushed} === 'false,false,false'"));
    seat.is_content();
}
