//! Finding: channels, topics and people, and setting what one wants to see of them.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};

use super::Seat;

/// Presses the entry of this name in the menu that is open.
fn choose(seat: &Seat, entry: &str) {
    seat.wait_for("document.querySelector('.menu') !== null");
    let press = "[...document.querySelectorAll('.menu button')]
         .find((one) => one.textContent.trim() === arguments[0]).click()";
    seat.browser.run(press, &[json!(entry)]);
}

const OF_THE_VIEW: &str = "header.bar > button:last-child";

#[test]
fn a_channel_is_found_joined_pinned_and_left() {
    let Some(seat) = Seat::new("web-channels") else {
        return;
    };
    let other = fixture::channel(&seat.server, ChannelKind::Public, &[&seat.other]);
    let name =
        seat.user.get(&format!("/streams/{}", other.id()), &[]).ok()["stream"]["name"].clone();
    let name = name.as_str().expect("a name");
    seat.sign_in();
    seat.go("#channels/all");
    seat.wait_for("document.querySelector('.browse li') !== null");
    seat.browser.type_into(".browse input", name);
    seat.wait_for("document.querySelectorAll('.browse li').length === 1");
    seat.check_look("channels");
    seat.browser.press(".browse li button");
    let link = format!(
        "document.querySelector('.sidebar a[href^=\"#narrow/channel/{}\"]')",
        other.id()
    );
    seat.wait_for(&format!("{link} !== null"));
    seat.go(&format!("#narrow/channel/{}", other.id()));
    seat.wait_for("document.querySelector('.compose') !== null");
    seat.browser.press(OF_THE_VIEW);
    choose(&seat, "Pin the channel");
    seat.wait_for(
        "[...document.querySelectorAll('.sidebar h2')].some((one) => one.textContent === 'Pinned')",
    );
    seat.browser.press(OF_THE_VIEW);
    choose(&seat, "Unsubscribe");
    seat.wait_for(&format!("{link} === null"));
    seat.wait_for("document.querySelector('.banner')?.textContent.includes('not subscribed')");
    seat.is_content();
}

#[test]
fn a_muted_topic_counts_no_more() {
    let Some(seat) = Seat::at("web-mute", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.said(&seat.other, "loom", "one");
    seat.wait_for("document.title.startsWith('(1)')");
    seat.go(&seat.topic("reed"));
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("one");
    seat.browser.press(OF_THE_VIEW);
    choose(&seat, "Mute the topic");
    seat.wait_for("document.querySelector('.topics li.hushed') !== null");
    seat.go("#inbox");
    seat.said(&seat.other, "loom", "two");
    seat.said(&seat.other, "reed", "three");
    seat.wait_for("document.querySelectorAll('.inbox li').length === 1");
    seat.wait_for("document.title.startsWith('(1)')");
    seat.is_content();
}

#[test]
fn what_a_message_was_and_where_one_is_signed_in() {
    let Some(seat) = Seat::at("web-history-of-one", |seat| seat.topic("loom")) else {
        return;
    };
    let id = seat.said(&seat.other, "loom", "as it was");
    let change = [("content", "as it is")];
    seat.other.patch(&format!("/messages/{id}"), &change).ok();
    seat.wait_for_message("as it is");
    seat.choose(id, "History of changes");
    seat.wait_for("document.querySelectorAll('.history li').length === 2");
    seat.check_look("history");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.browser.press(".own");
    choose(&seat, "Where you are signed in");
    seat.wait_for("document.querySelector('.session .tag')?.textContent === 'this browser'");
    seat.is_content();
}
