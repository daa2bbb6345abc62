//! Emoji: all of them by groups, the lately used ones, their names, and finding them as one types.

use serde_json::json;

use super::Seat;

const VALUE: &str = "document.querySelector('.compose textarea').value";
const OPEN: &str = ".compose button[aria-label=Emoji]";

fn open(seat: &Seat) {
    seat.wait_for(&format!("document.querySelector('{OPEN}') !== null"));
    seat.browser.press(OPEN);
    seat.wait_for("document.querySelectorAll('.picker .grid button').length > 100");
}

#[test]
fn emoji_are_picked_by_groups_and_remembered() {
    let Some(seat) = Seat::at("web-emoji", |seat| seat.topic("loom")) else {
        return;
    };
    open(&seat);
    seat.wait_for("document.querySelectorAll('.picker .grid button').length > 1883");
    seat.wait_for("document.querySelectorAll('.picker section').length === 10");
    seat.check_look("emoji");
    // A group is one press away.
    let food = "document.querySelector('.picker [data-group=food]').getBoundingClientRect()";
    let list = "document.querySelector('.picker .scroll').getBoundingClientRect()";
    seat.browser
        .press(".picker .groups [aria-label='Food and drink']");
    seat.wait_for(&format!("Math.abs({food}.top - {list}.top) < 3"));
    // The name of what one points at, and of what has the focus.
    let find = "document.querySelector('.picker [data-group=food] [title=banana]')";
    seat.browser.run(
        &format!("{find}.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }}))"),
        &[],
    );
    seat.wait_for("document.querySelector('.picker .pointed').textContent === ':banana:'");
    seat.browser.run(&format!("{find}.click()"), &[]);
    seat.wait_for(&format!("{VALUE} === ':banana: '"));
    seat.wait_for("document.querySelector('.picker') === null");
    // It is the first one from now on, after a reload too.
    seat.browser.reload();
    open(&seat);
    let first = "document.querySelector('.picker [data-group=likely] button')";
    seat.wait_for(&format!("{first}.title === 'banana'"));
    // Keys alone do as well.
    seat.browser.keys("\u{e015}");
    seat.wait_for(&format!("document.activeElement === {first}"));
    seat.browser.keys("\u{e014}\u{e015}\u{e012}");
    seat.wait_for("document.querySelector('.picker .pointed').textContent === `:${document.activeElement.title}:`");
    let at =
        "[...document.querySelectorAll('.picker .grid button')].indexOf(document.activeElement)";
    assert_eq!(seat.ask(at), json!(8));
    seat.browser.keys("\u{e013}\u{e013}");
    seat.wait_for("document.activeElement.matches('.picker input')");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('.picker') === null");
    seat.is_content();
}

#[test]
fn what_is_typed_finds_popular_emoji_first_and_says_which_name_fits() {
    let Some(seat) = Seat::at("web-emoji-typed", |seat| seat.topic("loom")) else {
        return;
    };
    let labels =
        "[...document.querySelectorAll('.suggestions .name')].map((one) => one.textContent)";
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.press(".compose textarea");
    seat.browser.keys(":par");
    seat.wait_for(&format!("{labels}[0] === 'partying_face'"));
    seat.wait_for(&format!("{labels}.includes('party_ball')"));
    seat.check_look("emoji-completion");
    seat.browser.press(".compose textarea");
    seat.browser.keys("a");
    seat.wait_for(&format!(
        "{labels}.some((one) => one.startsWith('parachute'))"
    ));
    seat.browser.keys("\u{e007}");
    seat.wait_for(&format!("{VALUE} === ':parachute: '"));
    // What one has used is near from then on.
    seat.browser.keys(":pa");
    seat.wait_for(&format!("{labels}[0] === 'parachute'"));
    seat.is_content();
}
