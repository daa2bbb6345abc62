//! Drafts: on the server as one types, the same on all devices, kept here while the server is away.

use serde_json::{Value, json};

use super::{DESK, PASSWORD, Seat};
use crate::browser::Browser;

fn drafts(seat: &Seat) -> Value {
    seat.user.get("/drafts", &[]).ok()["drafts"].clone()
}

/// Waits until the server has drafts of these texts, in any order.
#[track_caller]
fn wait_for_drafts(seat: &Seat, expected: &[&str]) {
    let mut wanted = expected.to_vec();
    wanted.sort_unstable();
    seat.eventually(|seat| {
        let all = drafts(seat);
        let all = all.as_array().expect("a list");
        let mut found: Vec<&str> = all
            .iter()
            .filter_map(|draft| draft["content"].as_str())
            .collect();
        found.sort_unstable();
        found == wanted
    });
}

const VALUE: &str = "document.querySelector('.compose textarea')?.value";
const COUNT: &str = "document.querySelector('.views a[href=\"#drafts\"] .count [aria-hidden]')";

#[test]
fn a_draft_is_the_same_everywhere_and_goes_when_it_is_sent() {
    let Some(seat) = Seat::at("web-drafts", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for(&format!("{VALUE} === ''"));
    seat.browser
        .type_into(".compose textarea", "half a thought");
    wait_for_drafts(&seat, &["half a thought"]);
    let draft = drafts(&seat)[0].clone();
    assert_eq!(draft["topic"], json!("loom"));
    assert_eq!(draft["to"], json!([seat.channel.stream_id]));
    seat.wait_for(&format!("{COUNT}?.textContent === '1'"));

    // Another device continues this draft, and begins another one.
    let mut changed = draft.clone();
    changed["content"] = json!("a whole thought");
    let path = format!("/drafts/{}", draft["id"]);
    seat.user
        .patch(&path, &[("draft", changed.to_string().as_str())])
        .ok();
    seat.wait_for(&format!("{VALUE} === 'a whole thought'"));
    let other = json!([{
        "type": "private", "to": [seat.other.user_id], "topic": "", "content": "to you\n\nalone",
    }]);
    seat.user
        .post("/drafts", &[("drafts", other.to_string().as_str())])
        .ok();
    seat.wait_for(&format!("{COUNT}?.textContent === '2'"));

    seat.browser.press(".views a[href='#drafts']");
    seat.wait_for("document.querySelectorAll('ul.later li').length === 2");
    seat.check_look("drafts");
    let press = "[...document.querySelectorAll('ul.later li')]
         .find((one) => one.textContent.includes(arguments[0])).querySelector(arguments[1]).click()";
    let first = json!(".buttons button:first-child");
    seat.browser.run(press, &[json!("to you"), first.clone()]);
    seat.wait_for(&format!("{VALUE} === 'to you\\n\\nalone'"));
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for(
        "document.querySelector('.message:not(.echo) .rendered')?.textContent.includes('to you')",
    );
    wait_for_drafts(&seat, &["a whole thought"]);

    seat.go("#drafts");
    seat.wait_for("document.querySelectorAll('ul.later li').length === 1");
    seat.press_text("ul.later", "Delete");
    seat.wait_for("document.querySelector('.nothing') !== null");
    wait_for_drafts(&seat, &[]);
    // It can be had back, and then it is deleted again.
    seat.press_text(".notes", "Undo");
    wait_for_drafts(&seat, &["a whole thought"]);
    seat.press_text("ul.later", "Delete");
    wait_for_drafts(&seat, &[]);
    seat.is_content();
}

/// Text typed while the server is away is there after a reload, and then on the server.
#[test]
fn what_is_typed_without_a_server_reaches_it_later() {
    let Some(mut seat) = Seat::at("web-drafts-away", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for(&format!("{VALUE} === ''"));
    seat.server.kill();
    seat.wait_for("document.querySelector('.banner')?.textContent.includes('No connection')");
    seat.browser
        .type_into(".compose textarea", "typed in the dark");
    seat.go("#drafts");
    // The view comes from the server, when it is first opened.
    seat.wait_for(&format!("{COUNT}?.textContent === '1'"));
    seat.server.restart();
    wait_for_drafts(&seat, &["typed in the dark"]);
    seat.browser.reload();
    seat.wait_for("document.querySelector('.frame') !== null");
    seat.go(&seat.topic("loom"));
    seat.wait_for(&format!("{VALUE} === 'typed in the dark'"));
    assert_eq!(drafts(&seat).as_array().map(Vec::len), Some(1));
}

/// Else the next key would send it again: in other tabs of this browser, and on another device.
#[test]
fn a_text_that_was_sent_is_gone_everywhere() {
    let Some(seat) = Seat::at("web-drafts-tabs", |seat| seat.topic("loom")) else {
        return;
    };
    let device = Browser::start("web-drafts-device").expect("another browser");
    let address = format!("{}/{}", seat.server.base_url(), seat.topic("loom"));
    device.open(&address, DESK);
    let holds = |expression: &str| format!("return Boolean({expression})");
    device.wait_for(&holds("document.querySelector('.sign-in form')"), "true");
    device.type_into(".sign-in [name=username]", &seat.user.email);
    device.type_into(".sign-in [name=password]", PASSWORD);
    device.press(".sign-in button[type=submit]");
    device.wait_for(
        &holds("document.querySelector('.compose textarea')"),
        "true",
    );

    seat.wait_for(&format!("{VALUE} === ''"));
    let open = "(window.tabs ??= []).push(window.open(arguments[0]))";
    for _ in 0..2 {
        seat.browser.run(open, &[json!(address)]);
    }
    let in_tabs = |text: &str| {
        let text = json!(text);
        format!("window.tabs.every((tab) => tab.{VALUE} === {text})")
    };
    seat.wait_for(&in_tabs(""));
    for round in ["kept by the server", "sent before it is kept"] {
        seat.browser.type_into(".compose textarea", round);
        seat.wait_for(&in_tabs(round));
        if round.starts_with("kept") {
            wait_for_drafts(&seat, &[round]);
            device.wait_for(&format!("return {VALUE}"), round);
        }
        seat.browser.press(".compose button[type=submit]");
        seat.wait_for_message(round);
        seat.wait_for(&in_tabs(""));
        wait_for_drafts(&seat, &[]);
        device.wait_for(&format!("return {VALUE}"), "");
    }
    // A draft is finished and sent in another tab: it disappears where it was begun.
    seat.browser.type_into(".compose textarea", "begun here");
    seat.wait_for(&in_tabs("begun here"));
    let send = "window.tabs[0].document.querySelector('.compose button[type=submit]').click()";
    seat.browser.run(send, &[]);
    seat.wait_for_message("begun here");
    seat.wait_for(&format!("{VALUE} === ''"));
    seat.wait_for(&in_tabs(""));
    wait_for_drafts(&seat, &[]);
    assert_eq!(
        seat.ask("document.querySelectorAll('.message').length"),
        json!(3)
    );
    seat.is_content();
}
