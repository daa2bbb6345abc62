//! Choosing a conversation in a list: where the focus is then, and what becomes of the filter.

use serde_json::json;

use super::Seat;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const VALUE: &str = "document.querySelector('.compose textarea').value";
const IS_WRITING: &str = "document.activeElement.matches('.compose textarea')";

/// Waits until the field of the conversation with a person takes keys, types, and empties it.
#[track_caller]
fn writes_to(seat: &Seat, name: &str) {
    let placeholder = json!(format!("Message {name}"));
    seat.wait_for(&format!(
        "{IS_WRITING} && document.activeElement.placeholder === {placeholder}"
    ));
    // Each of them is a shortcut elsewhere.
    seat.browser.keys("Gnu");
    seat.wait_for(&format!("{VALUE} === 'Gnu'"));
    seat.browser
        .run("document.querySelector('.compose textarea').select()", &[]);
    seat.browser.keys("\u{e003}");
    seat.wait_for(&format!("{VALUE} === ''"));
    seat.browser.keys(ESCAPE);
    seat.wait_for(&format!("!({IS_WRITING})"));
}

#[test]
fn a_person_who_is_opened_can_be_written_to_at_once() {
    let Some(seat) = Seat::new("web-write-at-once") else {
        return;
    };
    let third = seat.server.user("member");
    seat.said(&seat.user, "weft", "a text");
    seat.sign_in();
    seat.go("#inbox");
    let link = |place: &str| format!("{place} a[href^='#narrow/dm/{}-']", third.user_id);
    seat.wait_for(&format!(
        "document.querySelector(\"{}\") !== null",
        link(".column")
    ));
    seat.browser.press(&link(".column"));
    writes_to(&seat, &third.full_name);
    // The conversation that is open already.
    seat.browser.press(&link(".column"));
    writes_to(&seat, &third.full_name);
    // With the filter of the sidebar, for another person.
    seat.browser.keys("q");
    seat.wait_for("document.activeElement.matches('#filter')");
    seat.browser
        .keys(&format!("{}{ENTER}", seat.other.full_name));
    writes_to(&seat, &seat.other.full_name);
    // With the switcher; a topic is written to as well, a channel is read.
    seat.browser.with_ctrl('k');
    seat.wait_for("document.activeElement.matches('.switcher input')");
    seat.browser.keys(&format!("{}{ENTER}", third.full_name));
    writes_to(&seat, &third.full_name);
    let choose = |words: &str, name: &str| {
        seat.browser.with_ctrl('k');
        seat.wait_for("document.activeElement.matches('.switcher input')");
        seat.browser.keys(words);
        seat.wait_for(&format!(
            "document.querySelector('.switcher [role=option] .name')?.textContent.trim() === {}",
            json!(name)
        ));
        seat.browser.keys(ENTER);
    };
    choose("weft", "weft");
    seat.wait_for(&format!(
        "{IS_WRITING} && document.activeElement.placeholder.endsWith('weft')"
    ));
    seat.browser.keys(ESCAPE);
    seat.wait_for(&format!("!({IS_WRITING})"));
    choose(&seat.channel.name, &seat.channel.name);
    seat.wait_for("/^#narrow\\/channel\\/\\d+-[^/]+$/u.test(location.hash)");
    seat.is_drawn();
    assert_eq!(seat.ask(IS_WRITING), json!(false));
    // A keyboard on the screen would cover the conversation.
    let touch = "const real = window.matchMedia.bind(window);
         window.matchMedia = (query) => query === '(pointer: coarse)' ? { matches: true } : real(query)";
    seat.browser.run(touch, &[]);
    seat.browser.press(&link(".column"));
    seat.wait_for(&format!("{VALUE} === '' && location.hash.includes('/dm/')"));
    seat.is_drawn();
    assert_eq!(seat.ask(IS_WRITING), json!(false));
    seat.is_content();
}

#[test]
fn a_choice_ends_the_filter() {
    let Some(seat) = Seat::new("web-filter-ends") else {
        return;
    };
    seat.sign_in();
    seat.go("#inbox");
    let name = &seat.other.full_name;
    let link = format!("a[href^='#narrow/dm/{}-']", seat.other.user_id);
    for (field, place) in [("#filter", ".sidebar"), (".column input", ".column")] {
        seat.wait_for(&format!("document.querySelector('{field}') !== null"));
        seat.browser.type_into(field, name);
        seat.wait_for(&format!(
            "document.querySelectorAll('{place} ul a').length === 1"
        ));
        seat.browser.press(&format!("{place} ul {link}"));
        seat.wait_for(&format!("document.querySelector('{field}').value === ''"));
        seat.wait_for("location.hash.includes('/dm/')");
        seat.go("#inbox");
        seat.wait_for("document.querySelector('.compose') === null");
    }
    seat.is_content();
}

/// `+` next to people begins a message; inviting has its name.
#[test]
fn the_column_of_people_begins_a_message() {
    let Some(seat) = Seat::at("web-column-plus", |_| "#inbox".to_owned()) else {
        return;
    };
    let add = ".column .head [aria-label='New direct message']";
    seat.wait_for(&format!("document.querySelector(\"{add}\") !== null"));
    seat.browser.press(add);
    seat.wait_for("document.activeElement.matches('.recipient .people input')");
    seat.check_look("column-plus");
    seat.press_text(".column", "Invite people");
    seat.wait_for("document.querySelector('dialog[open] h2')?.textContent === 'Invite people'");
    seat.is_content();
}
