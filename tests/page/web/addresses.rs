//! Addresses: those of other clients lead to the same places, and the browser's buttons work.

use serde_json::json;

use super::{DESK, Seat};

#[test]
fn every_spelling_leads_to_its_view() {
    let Some(seat) = Seat::new("web-addresses") else {
        return;
    };
    let first = seat.said(&seat.other, "hello world", "in the topic");
    let (channel, other) = (seat.channel.id(), seat.other.user_id);
    seat.sign_in();
    for (hash, title) in [
        ("#inbox".to_owned(), "Inbox"),
        ("#recent".to_owned(), "Recent conversations"),
        ("#feed".to_owned(), "All messages"),
        ("#all_messages".to_owned(), "All messages"),
        (
            format!("#narrow/channel/{channel}-x/topic/hello.20world"),
            "hello world",
        ),
        (
            format!("#narrow/stream/{channel}-x/topic/hello.20world/near/{first}"),
            "hello world",
        ),
        (format!("#narrow/channel/{channel}"), "channel"),
        (format!("#narrow/dm/{other}-x"), "Test member"),
        (format!("#narrow/pm-with/{other}-x"), "Test member"),
        ("#narrow/is/mentioned".to_owned(), "Mentions"),
        ("#narrow/is/starred".to_owned(), "Starred"),
        ("#narrow/search/shuttle".to_owned(), "Search: shuttle"),
        ("#nowhere/at/all".to_owned(), "Not found"),
        ("#narrow/channel/99999".to_owned(), "Unknown channel"),
    ] {
        seat.go(&hash);
        seat.wait_for(&format!("document.title.includes({})", json!(title)));
    }
    seat.is_content();
}

#[test]
fn back_and_forward_and_links_in_messages_stay_inside() {
    let Some(seat) = Seat::new("web-back") else {
        return;
    };
    let name = seat
        .user
        .get(&format!("/streams/{}", seat.channel.id()), &[])
        .ok()["stream"]["name"]
        .clone();
    let name = name.as_str().expect("a name");
    let target = seat.said(&seat.other, "reed", "the other topic");
    seat.said(
        &seat.other,
        "loom",
        &format!("see #**{name}>reed@{target}**"),
    );
    seat.said(
        &seat.other,
        "loom",
        &format!(
            "or [there]({}/{})",
            seat.server.base_url(),
            seat.topic("reed")
        ),
    );
    // An address that was opened before signing in is kept.
    let address = format!("{}/{}", seat.server.base_url(), seat.topic("loom"));
    seat.browser.open(&address, DESK);
    seat.fill_in(super::PASSWORD);
    seat.wait_for_message("or there");
    seat.browser.run("window.isSamePage = true", &[]);
    seat.browser.press(".rendered .message-link");
    seat.wait_for("document.title.includes('reed')");
    seat.wait_for(&format!(
        "document.querySelector('[data-id=\"{target}\"].near') !== null"
    ));
    seat.browser.run("history.back()", &[]);
    seat.wait_for("document.title.includes('loom')");
    seat.browser.run("history.forward()", &[]);
    seat.wait_for("document.title.includes('reed')");
    seat.browser.run("history.back()", &[]);
    seat.wait_for_message("or there");
    seat.browser.run(
        "[...document.querySelectorAll('.rendered a')].at(-1).click()",
        &[],
    );
    seat.wait_for("document.title.includes('reed')");
    assert_eq!(seat.ask("window.isSamePage"), json!(true));
    seat.is_content();
}

/// A link that names a message's conversation finds it after the topic got another name.
#[test]
fn a_link_follows_its_conversation() {
    let Some(seat) = Seat::new("web-with") else {
        return;
    };
    let id = seat.said(&seat.other, "loom", "a wanderer");
    let change = [("topic", "reed"), ("propagate_mode", "change_all")];
    seat.user.patch(&format!("/messages/{id}"), &change).ok();
    seat.sign_in();
    seat.go(&format!("{}/with/{id}", seat.topic("loom")));
    seat.wait_for("document.title.includes('reed')");
    seat.wait_for_message("a wanderer");
    seat.is_content();
}
