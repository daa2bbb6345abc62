//! Forming what is written: buttons, lists that go on, what Enter does, changing the last message.

use serde_json::json;

use super::{PHONE, Seat};

const VALUE: &str = "document.querySelector('.compose textarea').value";
const SELECT: &str = "const field = document.querySelector('.compose textarea');
     field.focus(); field.setSelectionRange(arguments[0], arguments[1])";
const ENTER: &str = "\u{e007}";

/// Presses the entry of this name in the menu of formats.
fn choose(seat: &Seat, entry: &str) {
    seat.browser.press(".format [aria-haspopup=menu]");
    seat.wait_for("document.querySelector('.menu') !== null");
    seat.press_text(".menu", entry);
}

#[test]
fn buttons_form_what_is_selected() {
    let Some(seat) = Seat::at("web-format", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.format [aria-label=Bold]') !== null");
    seat.browser.type_into(".compose textarea", "some words");
    seat.browser.run(SELECT, &[json!(5), json!(10)]);
    seat.browser.press(".format [aria-label=Bold]");
    seat.wait_for(&format!("{VALUE} === 'some **words**'"));
    seat.wait_for("document.activeElement.matches('.compose textarea')");
    seat.check_look("format");
    // The same button takes it away again, and the browser's own undo takes that back.
    seat.browser.press(".format [aria-label=Bold]");
    seat.wait_for(&format!("{VALUE} === 'some words'"));
    seat.browser.run("document.execCommand('undo')", &[]);
    seat.wait_for(&format!("{VALUE} === 'some **words**'"));
    seat.browser.run(SELECT, &[json!(0), json!(14)]);
    seat.browser.press(".format [aria-label=List]");
    seat.wait_for(&format!("{VALUE} === '* some **words**'"));
    // On a phone, the menu has all of them.
    seat.browser.resize(PHONE);
    seat.wait_for("document.querySelector('.format [aria-label=Bold]').offsetParent === null");
    seat.wait_for(
        "document.querySelector('.compose button[type=submit]').getBoundingClientRect().right < innerWidth",
    );
    seat.browser.press(".format [aria-haspopup=menu]");
    seat.wait_for("document.querySelector('.menu') !== null");
    seat.check_look("format-menu");
    seat.browser.keys("\u{e00c}");
    choose(&seat, "Numbered list");
    seat.wait_for(&format!("{VALUE} === '1. some **words**'"));
    choose(&seat, "Date and time");
    seat.press_text("dialog", "Tomorrow morning");
    seat.press_text("dialog", "Add");
    seat.wait_for(&format!(
        "/^1. some \\*\\*words\\*\\*<time:\\d{{4}}-[\\d-]+T[\\d:]+Z>$/.test({VALUE})"
    ));
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelector('.message:not(.echo) ol time') !== null");
    choose(&seat, "Poll");
    seat.wait_for(&format!("{VALUE} === '/poll Question\\nOne\\nTwo'"));
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelectorAll('.widget .vote').length === 2");
    seat.is_content();
}

#[test]
fn one_writes_on_behind_a_new_link() {
    let Some(seat) = Seat::at("web-link", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.format [aria-label=Link]') !== null");
    for key in [ENTER, "\u{e004}"] {
        seat.browser.type_into(".compose textarea", "word");
        seat.browser.run(SELECT, &[json!(0), json!(4)]);
        seat.browser.press(".format [aria-label=Link]");
        seat.wait_for(&format!("{VALUE} === '[word](url)'"));
        seat.browser
            .keys(&format!("https://example.org{key}, etc."));
        seat.wait_for(&format!("{VALUE} === '[word](https://example.org), etc.'"));
    }
    // Elsewhere, these keys do what they do.
    seat.browser.keys(&format!("{ENTER}b"));
    seat.wait_for(&format!("{VALUE}.endsWith(', etc.\\nb')"));
    seat.is_content();
}

#[test]
fn a_list_goes_on_in_the_next_line() {
    let Some(seat) = Seat::at("web-lists", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.press(".compose textarea");
    seat.browser
        .keys(&format!("to do:{ENTER}1. warp{ENTER}weft"));
    seat.wait_for(&format!("{VALUE} === 'to do:\\n1. warp\\n2. weft'"));
    // An empty item ends it.
    seat.browser.keys(&format!("{ENTER}{ENTER}that is all"));
    seat.wait_for(&format!(
        "{VALUE} === 'to do:\\n1. warp\\n2. weft\\nthat is all'"
    ));
    seat.is_content();
}

#[test]
fn what_enter_does_is_said_and_switched() {
    let Some(seat) = Seat::at("web-enter", |seat| seat.topic("loom")) else {
        return;
    };
    let title = "document.querySelector('.compose button[type=submit]').title";
    seat.wait_for(&format!("{title} === 'Ctrl+Enter'"));
    seat.wait_for("document.querySelector('.compose .enter')?.title.startsWith('Ctrl+Enter')");
    seat.browser.press(".compose .enter input");
    seat.wait_for(&format!("{title} === 'Enter'"));
    seat.wait_for("document.querySelector('.compose .enter input').checked");
    seat.eventually(|seat| {
        let pairs = [("fetch_event_types", "[\"user_settings\"]")];
        seat.user.post("/register", &pairs).ok()["user_settings"]["enter_sends"] == true
    });
    seat.browser.press(".compose textarea");
    seat.browser.keys(&format!("sent at once{ENTER}"));
    seat.wait_for_message("sent at once");
    // The menu of formats has the switch as well, for where there is no room.
    choose(&seat, "Enter begins a new line");
    seat.wait_for(&format!("{title} === 'Ctrl+Enter'"));
    seat.is_content();
}

#[test]
fn arrow_up_changes_the_last_own_message() {
    let Some(seat) = Seat::at("web-last-own", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.user, "loom", "an old one");
    let own = seat.said(&seat.user, "loom", "my last wrods");
    seat.said(&seat.other, "loom", "their words");
    seat.wait_for_message("their words");
    seat.browser.press(".compose textarea");
    // Not while something is written.
    seat.browser.keys("a\u{e013}\u{e003}");
    seat.wait_for(&format!("{VALUE} === '' || {VALUE} === 'a'"));
    assert_eq!(seat.ask("document.querySelector('.editor')"), json!(null));
    seat.browser
        .run("document.querySelector('.compose textarea').select()", &[]);
    seat.browser.keys("\u{e003}");
    seat.wait_for(&format!("{VALUE} === ''"));
    seat.browser.keys("\u{e013}");
    seat.wait_for("document.querySelector('.editor textarea')?.value === 'my last wrods'");
    seat.wait_for(&format!(
        "document.activeElement.closest('[data-id]')?.dataset.id === '{own}'"
    ));
    seat.browser.type_into(".editor textarea", "my last words");
    seat.browser.press(".editor .primary");
    seat.wait_for_message("my last words");
    // One goes on writing.
    seat.wait_for("document.activeElement.matches('.compose textarea')");
    seat.is_content();
}
