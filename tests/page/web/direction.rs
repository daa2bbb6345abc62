//! The client read from right to left, and the most frequent tasks without a pointer.

use serde_json::json;

use super::Seat;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const TAB: &str = "\u{e004}";
const DOWN: &str = "\u{e015}";

#[test]
fn views_are_read_from_right_to_left() {
    let Some(seat) = Seat::new("web-right") else {
        return;
    };
    seat.said(&seat.other, "السدى", "مرحبا، هل النول جاهز؟");
    seat.said(&seat.other, "السدى", "ready @**all** `12 mm`");
    seat.browser.at_start(
        "addEventListener('DOMContentLoaded', () => (document.documentElement.dir = 'rtl'))",
    );
    seat.sign_in();
    for (view, hash, there) in [
        ("inbox", "#inbox".to_owned(), ".inbox li"),
        ("topic", seat.topic("السدى"), ".message"),
        ("recent", "#recent".to_owned(), ".page li, .page tr"),
        ("channels", "#channels/all".to_owned(), ".browse li"),
        (
            "settings",
            "#settings/preferences".to_owned(),
            ".settings select",
        ),
        (
            "organization",
            "#organization/permissions".to_owned(),
            ".permission select",
        ),
    ] {
        seat.go(&hash);
        seat.wait_for(&format!("document.querySelector('{there}') !== null"));
        seat.wait_for("getComputedStyle(document.body).direction === 'rtl'");
        seat.check_look(&format!("right-{view}"));
    }
    // The sidebar is where reading begins.
    let side = "document.querySelector('aside').getBoundingClientRect().left";
    seat.wait_for(&format!("{side} > innerWidth / 2"));
    seat.is_content();
}

/// Waits until what has the focus matches a selector.
#[track_caller]
fn wait_for_focus(seat: &Seat, selector: &str) {
    seat.wait_for(&format!(
        "document.activeElement.matches({})",
        json!(selector)
    ));
}

/// Presses Tab until what has the focus matches a selector.
#[track_caller]
fn tab_to(seat: &Seat, selector: &str) {
    let is_there = format!("document.activeElement.matches({})", json!(selector));
    for _ in 0..60 {
        if seat.ask(&is_there) == json!(true) {
            return;
        }
        seat.browser.keys(TAB);
    }
    panic!("{selector} is not reached");
}

/// Ten tasks, one after the other, with keys alone: signing in, finding a channel, reading, writing,
/// reacting, editing, starring, searching, a setting, signing out.
#[test]
fn the_most_frequent_tasks_need_no_pointer() {
    let Some(seat) = Seat::new("web-ten") else {
        return;
    };
    let asked = seat.said(&seat.other, "loom", "is it mended?");
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.sign-in form') !== null");
    tab_to(&seat, ".sign-in [name=username]");
    seat.browser.keys(&seat.user.email);
    tab_to(&seat, ".sign-in [name=password]");
    seat.browser.keys(super::PASSWORD);
    seat.browser.keys(ENTER);
    seat.wait_for("document.querySelector('.frame') !== null");

    seat.browser.keys("q");
    wait_for_focus(&seat, "#filter");
    seat.browser.keys(&seat.channel.name);
    tab_to(&seat, ".sidebar .topics a, .sidebar a[href*='/channel/']");
    seat.browser.keys(ENTER);
    seat.wait_for_message("is it mended?");
    seat.eventually(|seat| {
        let flags = &seat.user.get(&format!("/messages/{asked}"), &[]).ok()["message"]["flags"];
        flags
            .as_array()
            .is_some_and(|all| all.contains(&json!("read")))
    });

    seat.browser.keys("k");
    wait_for_focus(&seat, ".message");
    seat.browser.keys("+");
    seat.wait_for("document.querySelector('.reactions .mine') !== null");
    seat.browser.keys("r");
    wait_for_focus(&seat, ".compose textarea");
    seat.browser.keys("yes, and it holds");
    // Without a setting, the button sends.
    tab_to(&seat, ".compose button[type=submit]");
    seat.browser.keys(ENTER);
    seat.wait_for_message("yes, and it holds");

    seat.browser.keys(ESCAPE);
    seat.browser.keys("G");
    seat.wait_for("document.activeElement.textContent.includes('and it holds')");
    seat.browser.keys("e");
    wait_for_focus(&seat, ".editor textarea");
    seat.browser.keys(" well");
    tab_to(&seat, ".editor button[type=submit], .editor .primary");
    seat.browser.keys(ENTER);
    seat.wait_for_message("yes, and it holds well");

    seat.browser.keys("G");
    wait_for_focus(&seat, ".message");
    seat.browser.keys("i");
    seat.wait_for("document.activeElement.matches('.menu button')");
    seat.browser.keys(&format!("{DOWN}{DOWN}{ENTER}"));
    seat.eventually(|seat| {
        let pairs = [("fetch_event_types", "[\"starred_messages\"]")];
        let starred = seat.user.post("/register", &pairs).ok();
        starred["starred_messages"]
            .as_array()
            .is_some_and(|all| all.len() == 1)
    });

    seat.browser.keys("/");
    wait_for_focus(&seat, "#search");
    seat.browser.keys(&format!("mended{ENTER}"));
    seat.wait_for("document.querySelector('.message .highlight') !== null");

    seat.browser.keys("I");
    seat.wait_for("location.hash === '#inbox'");
    tab_to(&seat, ".own");
    seat.browser.keys(ENTER);
    seat.wait_for("document.activeElement.matches('.menu button')");
    seat.browser
        .run("window.entries = [...document.querySelectorAll('.menu button')].map((one) => one.textContent.trim())", &[]);
    let entries = seat.ask("window.entries");
    let at = |name: &str| {
        let all = entries.as_array().expect("entries");
        all.iter()
            .position(|entry| entry == name)
            .expect("an entry")
    };
    seat.browser
        .keys(&format!("{}{ENTER}", DOWN.repeat(at("Settings"))));
    seat.wait_for("document.querySelector('.settings nav') !== null");
    tab_to(&seat, ".settings nav a[href='#settings/preferences']");
    seat.browser.keys(ENTER);
    seat.wait_for("document.querySelector('[name=enter_sends]') !== null");
    tab_to(&seat, "[name=enter_sends]");
    seat.browser.keys(" ");
    seat.eventually(|seat| {
        let pairs = [("fetch_event_types", "[\"user_settings\"]")];
        seat.user.post("/register", &pairs).ok()["user_settings"]["enter_sends"] == true
    });

    tab_to(&seat, ".own");
    seat.browser.keys(ENTER);
    seat.wait_for("document.activeElement.matches('.menu button')");
    seat.browser
        .keys(&format!("{}{ENTER}", DOWN.repeat(at("Sign out"))));
    seat.wait_for("document.querySelector('.sign-in form') !== null");
}
