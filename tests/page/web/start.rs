//! The start of the client: what is asked for beside what.

use serde_json::json;

use super::relay::Relay;
use super::{DESK, Seat};

/// A view of the page, which nothing can be drawn without.
const MODULE: &str = "/views/app.js";
const REGISTER: &str = "POST /api/v1/register";

#[test]
fn the_worker_registers_while_modules_of_the_page_are_still_loading() {
    let Some(seat) = Seat::new("web-start") else {
        return;
    };
    seat.sign_in();
    let relay = Relay::before(&seat.server);
    // The module arrives when the worker has asked for the state.
    relay.hold(MODULE, Some(REGISTER));
    seat.browser.open(&relay.address, DESK);
    seat.wait_for("document.querySelector('.frame') !== null");
    assert!(!relay.has_expired(), "the worker waits for the page");
    assert!(relay.has_arrived(MODULE) && relay.has_arrived(REGISTER));
    // By the browser's own account, too, the worker was loaded before the last module of the page.
    let times =
        "performance.getEntriesByType('resource').filter((one) => one.name.includes('/web/'))";
    let start = format!("({times}).find((one) => one.name.endsWith('/start.js')).responseEnd");
    let last = format!("Math.max(...({times}).map((one) => one.responseEnd))");
    assert_eq!(seat.ask(&format!("{start} < {last}")), json!(true));
    seat.is_content();
}

/// Where a browser has no workers that tabs share, each tab asks for events itself.
#[test]
fn without_a_shared_worker_a_tab_registers_itself() {
    let Some(seat) = Seat::new("web-alone") else {
        return;
    };
    seat.browser.at_start("delete window.SharedWorker");
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.said(&seat.other, "loom", "to this tab");
    seat.wait_for_message("to this tab");
    seat.write("from this tab");
    seat.wait_for_message("from this tab");
    seat.is_content();
}
