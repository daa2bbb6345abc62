//! Beginning to write: to anybody and from any view; finding who is there.

use serde_json::json;

use super::Seat;
use crate::browser::Look;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
/// Too narrow for the column of people.
const NARROW: Look = Look::new(1000, 800, false);

const NAMES: &str =
    "[...document.querySelectorAll('.everyone .name')].map((one) => one.textContent.trim())";
const IS_AT_PEOPLE: &str = "document.activeElement.matches('.recipient .people input')";

#[test]
fn everybody_is_listed_next_to_the_view_and_in_a_view() {
    let Some(seat) = Seat::new("web-everybody") else {
        return;
    };
    let third = seat.server.user("member");
    let status = [("status_text", "at the loom"), ("emoji_name", "thread")];
    third.post("/users/me/status", &status).ok();
    seat.other
        .post("/users/me/presence", &[("status", "active")])
        .ok();
    seat.sign_in();
    seat.go("#inbox");
    // Those who are here come first.
    seat.wait_for(&format!(
        "{NAMES}.indexOf({}) > 1 && {NAMES}.indexOf({}) < 2",
        json!(third.full_name),
        json!(seat.other.full_name)
    ));
    seat.wait_for("document.querySelectorAll('.column .presence.active').length === 2");
    seat.wait_for("document.querySelector('.column .status')?.title === 'at the loom'");
    seat.check_look("people-column");
    // The key goes to its filter, Enter to the conversation.
    seat.browser.keys("w");
    seat.wait_for("document.activeElement.matches('.column input')");
    seat.browser.keys(&third.full_name);
    seat.wait_for(&format!("{NAMES}.join() === {}", json!(third.full_name)));
    seat.browser.keys(ENTER);
    seat.wait_for(&format!(
        "location.hash.startsWith('#narrow/dm/{}-')",
        third.user_id
    ));
    // It stays hidden until it is wanted again.
    seat.browser
        .press(".column button[aria-label='Hide the people']");
    seat.wait_for("document.querySelector('.column') === null");
    seat.browser.reload();
    seat.wait_for("document.querySelector('header.bar [aria-label=People]') !== null");
    seat.browser.press("header.bar [aria-label=People]");
    seat.wait_for("document.querySelectorAll('.column li').length >= 3");
    // Without room for it, there is the view.
    seat.browser.resize(NARROW);
    seat.wait_for("document.querySelector('.column') === null");
    seat.browser.press(".sidebar [href='#people']");
    seat.wait_for(&format!("{NAMES}.length >= 3"));
    seat.wait_for("document.querySelector('.everyone .about').parentElement !== null");
    seat.check_look("people");
    seat.browser.resize(NARROW);
    seat.go("#inbox");
    seat.wait_for("document.querySelector('.everyone') === null");
    seat.browser.keys("w");
    seat.wait_for("location.hash === '#people' && document.activeElement.matches('.page input')");
    seat.is_content();
}

#[test]
fn the_filter_of_the_sidebar_knows_everybody() {
    let Some(seat) = Seat::new("web-filter-people") else {
        return;
    };
    let third = seat.server.user("member");
    seat.sign_in();
    seat.go("#inbox");
    seat.wait_for("document.querySelector('#filter') !== null");
    seat.browser.keys("q");
    seat.wait_for("document.activeElement.matches('#filter')");
    seat.browser.keys(&third.full_name);
    let found = format!(
        "[...document.querySelectorAll('.sidebar a .name')].map((one) => one.textContent.trim()).join() === {}",
        json!(third.full_name)
    );
    seat.wait_for(&found);
    seat.check_look("sidebar-people");
    seat.browser.keys(ENTER);
    seat.wait_for(&format!(
        "location.hash.startsWith('#narrow/dm/{}-')",
        third.user_id
    ));
    seat.wait_for("document.querySelector('#filter').value === ''");
    seat.is_content();
}

#[test]
fn a_message_begins_in_every_view() {
    let Some(seat) = Seat::new("web-new-message") else {
        return;
    };
    let third = seat.server.user("member");
    seat.sign_in();
    seat.go("#inbox");
    seat.wait_for(
        "document.querySelector('.sidebar .head [aria-label=\"New direct message\"]') !== null",
    );
    assert_eq!(seat.ask("document.querySelector('.compose')"), json!(null));
    seat.browser
        .press(".sidebar .head [aria-label='New direct message']");
    seat.wait_for(IS_AT_PEOPLE);
    seat.browser.keys(&third.full_name);
    seat.wait_for("document.querySelector('.recipient .suggestions button') !== null");
    seat.browser.keys(ENTER);
    seat.wait_for("document.querySelector('.recipient .chip') !== null");
    seat.browser.type_into(".compose textarea", "for you");
    seat.check_look("new-message");
    // It closes with Escape; what was written stays, for the conversation that it was meant for.
    seat.browser.press(".compose textarea");
    seat.browser.keys(ESCAPE);
    seat.wait_for("document.querySelector('.compose') === null");
    seat.go(&format!("#narrow/dm/{}", third.user_id));
    seat.wait_for("document.querySelector('.compose textarea')?.value === 'for you'");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for_message("for you");
    // What is sent over another view leads to its conversation.
    seat.go("#recent");
    seat.wait_for("document.querySelector('.recent') !== null");
    seat.browser.keys("x");
    seat.wait_for(IS_AT_PEOPLE);
    seat.browser.keys(&seat.other.full_name);
    seat.wait_for("document.querySelector('.recipient .suggestions button') !== null");
    seat.browser.keys(ENTER);
    seat.browser.type_into(".compose textarea", "for another");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for(&format!(
        "location.hash.startsWith('#narrow/dm/{}-')",
        seat.other.user_id
    ));
    seat.wait_for_message("for another");
    // In a conversation, to another person; Escape goes back to whom the view writes to.
    seat.browser.press(".messages");
    seat.browser.keys("x");
    seat.wait_for(IS_AT_PEOPLE);
    seat.browser.keys(ESCAPE);
    seat.wait_for("document.querySelector('.recipient') === null");
    // In a topic, another topic of its channel.
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('h1 .topic') !== null");
    seat.browser.press("aside .head [aria-label='New message']");
    seat.wait_for("document.activeElement.matches('.recipient .topic')");
    seat.browser.keys("shed");
    seat.browser.type_into(".compose textarea", "another one");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelector('h1 .topic').textContent === 'shed'");
    seat.wait_for_message("another one");
    // A channel begins next to their heading.
    seat.browser
        .press(".sidebar .head [aria-label='New channel']");
    seat.wait_for("document.querySelector('dialog [name=name]') !== null");
    seat.is_content();
}
