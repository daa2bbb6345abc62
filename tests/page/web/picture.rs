//! The organization that `spindle admin demo` makes, and the picture of it in the README.
//!
//! `SPINDLE_WRITE=1 cargo xtask test page::web::picture` takes a new one.

use spindle_tests::server::repository;

use super::Seat;
use crate::browser::Look;

const FILE: &str = "docs/pictures/web-client.png";
/// Old spelling, by the name of the channel.
const CONVERSATION: &str = "#narrow/channel/looms/topic/the.20old.20one";

#[test]
fn the_picture_of_the_readme() {
    let Some(seat) = Seat::in_demo("web-picture") else {
        return;
    };
    seat.sign_in();
    seat.browser.resize(Look::new(1280, 800, false));
    seat.go(CONVERSATION);
    seat.wait_for("document.body.textContent.includes('Mended, and it holds')");
    seat.wait_for("document.querySelectorAll('.reactions button').length >= 2");
    seat.wait_for("document.fonts.status === 'loaded'");
    let picture = seat.browser.picture();
    assert!(picture.len() > 20_000, "{} bytes", picture.len());
    if std::env::var_os("SPINDLE_WRITE").is_some() {
        std::fs::write(repository().join(FILE), picture).expect("the picture");
    }
    assert!(repository().join(FILE).exists(), "{FILE}");
    seat.is_content();
}

/// Long names, other scripts, pictures, polls, tables, formulas: nothing breaks a view.
#[test]
fn every_view_holds_what_the_demo_has() {
    let Some(seat) = Seat::in_demo("web-demo") else {
        return;
    };
    seat.sign_in();
    for (view, hash, there) in [
        ("inbox", "#inbox", ".inbox li"),
        ("recent", "#recent", ".page a[href*='/topic/']"),
        ("feed", "#feed", ".message"),
        ("mentions", "#narrow/is/mentioned", ".message"),
        ("starred", "#narrow/is/starred", ".message img"),
        ("patterns", "#narrow/channel/patterns", ".message table"),
        ("yarn", "#narrow/channel/yarn", ".message .widget"),
        ("market", "#narrow/channel/market", ".message .widget"),
        ("general", "#narrow/channel/general", ".message"),
        ("random", "#narrow/channel/random", ".message"),
        ("all-channels", "#channels/all", ".browse li"),
        ("all-groups", "#groups", ".browse li"),
        ("everybody", "#organization/people", ".accounts li"),
    ] {
        seat.go(hash);
        seat.wait_for(&format!("document.querySelector({there:?}) !== null"));
        seat.check_look(&format!("demo-{view}"));
    }
    // A description that has a link is shown as its words in the list of channels.
    seat.go("#channels/all");
    seat.wait_for(
        "[...document.querySelectorAll('.browse .about')].some((one) => one.textContent.endsWith('a book on weaving.'))",
    );
    // It is not made twice.
    let again = seat.server.admin_output(&["demo"]);
    assert!(!again.status.success());
    let refusal = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(refusal.contains("in use"), "{refusal}");
    seat.is_content();
}
