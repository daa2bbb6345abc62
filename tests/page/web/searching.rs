//! Searching: operators, what they suggest, and the conversation that is searched.

use serde_json::json;

use super::{PHONE, Seat};

const ENTER: &str = "\u{e007}";
const TAB: &str = "\u{e004}";
const BACKSPACE: &str = "\u{e003}";
const ARROW_UP: &str = "\u{e013}";

#[test]
fn operators_are_suggested_and_a_conversation_is_searched() {
    let Some(seat) = Seat::at("web-operators", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "the shuttle flies");
    seat.said(
        &seat.other,
        "reed",
        "another shuttle, and a https://example.org/link",
    );
    seat.said(&seat.user, "reed", "my own shuttle");
    seat.wait_for_message("the shuttle flies");

    // In a conversation, it is searched first.
    seat.browser.press(".messages");
    seat.browser.keys("/");
    seat.wait_for("document.querySelector('.bar .chip')?.textContent.includes('loom')");
    seat.wait_for("document.querySelectorAll('.bar .suggestions li').length > 5");
    seat.wait_for("document.querySelector('#search-hint')?.textContent.includes('last word')");
    seat.check_look("search-suggestions");
    // The last one, which the arrow up comes to first, is scrolled to.
    seat.browser.keys(ARROW_UP);
    seat.wait_for(
        "(() => { const one = document.querySelector('.bar .suggestions li:last-child[aria-selected=true]'); \
         const list = one?.parentElement.getBoundingClientRect(); \
         return one !== null && one.getBoundingClientRect().bottom <= list.bottom + 1; })()",
    );
    seat.browser.press("#search");
    seat.browser.keys("shuttle");
    seat.browser.keys(ENTER);
    seat.wait_for("document.querySelector('.rendered .highlight')?.textContent === 'shuttle'");
    let messages = "document.querySelectorAll('.message').length";
    assert_eq!(seat.ask(messages), json!(1));
    let hash = seat.ask("location.hash");
    assert!(
        hash.as_str()
            .unwrap_or_default()
            .ends_with("/topic/loom/search/shuttle")
    );
    // What an address says is in the field after a reload.
    seat.browser.reload();
    seat.wait_for("document.querySelector('#search')?.value === 'shuttle'");
    seat.wait_for("document.querySelector('.bar .chip')?.textContent.includes('loom')");

    // Without it, everything.
    seat.browser.press(".bar .chip button");
    seat.browser.keys(ENTER);
    seat.wait_for(&format!("{messages} === 3"));

    seat.go(&seat.topic("reed"));
    seat.wait_for_message("my own shuttle");
    seat.browser.press("#search");
    seat.wait_for("document.querySelector('.bar .chip') !== null");
    seat.browser.keys(BACKSPACE);
    seat.wait_for("document.querySelector('.bar .chip') === null");
    seat.browser.keys("send");
    seat.wait_for("document.querySelectorAll('.bar .suggestions li').length === 1");
    seat.browser.keys(TAB);
    seat.wait_for("document.querySelector('#search').value === 'sender:'");
    let name = &seat.other.full_name;
    seat.browser
        .keys(&format!("\"{}", name[..name.len() - 1].to_lowercase()));
    seat.wait_for("document.querySelectorAll('.bar .suggestions li').length === 1");
    seat.browser.keys(TAB);
    seat.browser.keys("has:link");
    seat.browser.keys(ENTER);
    seat.wait_for(&format!("{messages} === 1"));
    seat.wait_for("document.querySelector('.message .rendered a') !== null");

    // Unknown terms are reported, and nothing is searched.
    seat.browser.type_into("#search", "channel:nowhere");
    seat.browser.keys(ENTER);
    seat.wait_for("document.querySelector('.notes')?.textContent.includes('channel:nowhere')");

    seat.go(&seat.topic("loom"));
    seat.wait_for_message("the shuttle flies");
    seat.browser.press("#search");
    seat.browser.keys("heddle");
    seat.browser.keys(ENTER);
    seat.wait_for("document.querySelector('.nothing')?.textContent.includes('Search everywhere')");
    seat.check_look("search-in-topic");
}

#[test]
fn a_day_is_gone_to() {
    let Some(seat) = Seat::with_clock("web-date") else {
        return;
    };
    seat.said(&seat.other, "loom", "long ago");
    seat.server.advance(3 * 86_400);
    let later = seat.said(&seat.other, "loom", "three days later");
    let path = format!("/messages/{later}");
    let sent = seat.user.get(&path, &[]).ok()["message"]["timestamp"].clone();
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("three days later");
    let day = "const two = (number) => String(number).padStart(2, '0');
         const at = new Date(arguments[0] * 1000);
         return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`";
    let day = seat.browser.run(day, &[sent]);
    seat.browser.press("#search");
    seat.browser
        .keys(&format!("date:{}{ENTER}", day.as_str().unwrap_or_default()));
    seat.wait_for(&format!("location.hash.endsWith('/near/{later}')"));
    seat.wait_for_message("three days later");
    seat.browser.type_into("#search", "date:yesterday");
    seat.browser.keys(ENTER);
    seat.wait_for("document.querySelector('.notes').textContent.includes('date:yesterday')");
    seat.is_content();
}

/// What was found may be looked at before it is dealt with.
#[test]
fn views_of_single_messages_mark_nothing_as_read() {
    let Some(seat) = Seat::at("web-search-unread", |_| "#inbox".to_owned()) else {
        return;
    };
    let text = format!("@**{}** an okapi at the loom", seat.user.full_name);
    let found = seat.said(&seat.other, "loom", &text);
    let read = seat.said(&seat.other, "reed", "something to be read");
    let is_read = |seat: &Seat, id: i64| {
        let message = seat.user.get(&format!("/messages/{id}"), &[]).ok();
        let flags = message["message"]["flags"]
            .as_array()
            .expect("flags")
            .clone();
        flags.contains(&json!("read"))
    };
    let sender = format!("sender/{}", seat.other.user_id);
    for narrow in ["search/okapi", &sender, "is/unread", "is/mentioned"] {
        seat.go(&format!("#narrow/{narrow}"));
        seat.wait_for(&format!(
            "document.querySelector('[data-id=\"{found}\"]') !== null"
        ));
        seat.is_drawn();
    }
    // Marks are sent in the order in which they are made.
    seat.go(&seat.topic("reed"));
    seat.eventually(|seat| is_read(seat, read));
    assert!(
        !is_read(&seat, found),
        "looking at what was found marked it as read"
    );
    seat.go("#inbox");
    seat.wait_for("document.querySelector('main').textContent.includes('loom')");
    // They have a button for it, which can be taken back.
    seat.go("#narrow/is/mentioned");
    seat.wait_for("document.querySelector('.messages .edge button') !== null");
    seat.check_look("mentions-unread");
    seat.press_text(".messages .edge", "Mark as read");
    seat.eventually(|seat| is_read(seat, found));
    seat.wait_for("document.querySelector('.messages .edge button') === null");
    seat.press_text(".notes", "Undo");
    seat.eventually(|seat| !is_read(seat, found));
    seat.wait_for("document.querySelector('.messages .edge button') !== null");
    seat.is_content();
}

/// On a phone, the field takes the place of the name.
#[test]
fn the_field_is_open_only_while_one_searches() {
    let Some(seat) = Seat::at("web-search-phone", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.browser.resize(PHONE);
    let is_open = "document.querySelector('header.bar').classList.contains('searching')";
    // Without an address, the client begins with the view that the account has chosen.
    seat.browser.open(seat.server.base_url(), PHONE);
    seat.wait_for("document.querySelector('.bar h1')?.textContent === 'Inbox'");
    seat.is_drawn();
    assert_eq!(seat.ask(is_open), json!(false));
    seat.browser.press(".bar .searcher");
    seat.wait_for(is_open);
    seat.wait_for("document.activeElement.id === 'search'");
    seat.browser.keys("\u{e00c}");
    seat.wait_for(&format!("!{is_open}"));
    seat.is_content();
}
