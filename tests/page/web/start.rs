//! The start of the client: which requests run in parallel.

use serde_json::json;

use super::relay::Relay;
use super::{DESK, Seat};

/// A view of the page, which nothing can be drawn without.
const MODULE: &str = "/frame/app.js";
const REGISTER: &str = "POST /api/v1/register";
const MESSAGES: &str = "GET /api/v1/messages?";

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

/// On a slow network the modules take seconds: until then, the page shows where things will be.
#[test]
fn the_frame_is_drawn_before_any_module_has_come() {
    let Some(seat) = Seat::new("web-skeleton") else {
        return;
    };
    seat.sign_in();
    let relay = Relay::before(&seat.server);
    // Not in this tab, where the browser would wait until the page is loaded; from a page without these modules.
    let start = format!("{}/connect", relay.address);
    seat.browser.open(&start, DESK);
    relay.hold(MODULE, None);
    seat.browser.run("window.tab = window.open('/')", &[]);
    seat.eventually(|_| relay.held() > 0);
    seat.wait_for("window.tab.document.querySelector('#app > .skeleton main').checkVisibility()");
    // A page that may not draw yet runs no animation frames; only Chromium records a first paint.
    let draw = "window.tab.requestAnimationFrame(() => { window.has_drawn = true })";
    seat.browser.run(draw, &[]);
    seat.wait_for("window.has_drawn === true");
    let frame = "window.tab.document.querySelector('.frame')";
    assert_eq!(seat.ask(frame), json!(null));
    relay.release();
    seat.wait_for("window.tab.document.querySelector('.frame') !== null");
    seat.wait_for("window.tab.document.querySelector('.skeleton') === null");
    seat.is_content();
}

/// A person whose page is about to be opened in a topic, behind a relay, and the messages there.
fn before_the_start(name: &'static str) -> Option<(Seat, Relay, [i64; 3])> {
    let seat = Seat::new(name)?;
    seat.sign_in();
    let texts = ["stays", "is changed", "is deleted"];
    let ids = texts.map(|text| seat.said(&seat.other, "loom", text));
    let relay = Relay::before(&seat.server);
    Some((seat, relay, ids))
}

impl Seat {
    /// Opens the topic behind a relay. The page may be there long before its messages are.
    fn open_behind(&self, relay: &Relay) {
        let address = format!("{}/{}", relay.address, self.topic("loom"));
        self.browser.open(&address, DESK);
    }

    /// Changes by others in between: a message is edited, one is deleted, one arrives.
    fn change(&self, [_, changed, deleted]: [i64; 3]) {
        let path = format!("/messages/{changed}");
        let change = [("content", "has been changed")];
        self.other.patch(&path, &change).ok();
        let path = format!("/messages/{deleted}");
        self.user.delete(&path, &[]).ok();
        self.said(&self.other, "loom", "one more");
    }

    /// Waits until the page shows the state after `change`, each message once.
    #[track_caller]
    fn wait_until_true(&self) {
        let all = "[...document.querySelectorAll('.messages .message .rendered')].map((one) => one.textContent.trim())";
        self.wait_for(&format!(
            "({all}).join() === 'stays,has been changed,one more'"
        ));
        // What comes from now on is added, and no message comes late a second time.
        self.said(&self.other, "loom", "the last");
        self.wait_for(&format!(
            "({all}).join() === 'stays,has been changed,one more,the last'"
        ));
        self.is_content();
    }
}

#[test]
fn messages_are_asked_for_while_the_snapshot_is_on_its_way() {
    let Some((seat, relay, ids)) = before_the_start("web-ahead") else {
        return;
    };
    relay.halt(REGISTER);
    seat.open_behind(&relay);
    // The page of messages is here before the snapshot, and older than the changes.
    let answers = "performance.getEntriesByType('resource')
         .filter((one) => one.name.includes('/api/v1/messages?')).length";
    seat.wait_for(&format!("{answers} === 1"));
    seat.wait_for("document.querySelector('.frame') === null");
    seat.change(ids);
    assert!(!relay.has_expired(), "the page waits for the snapshot");
    relay.release();
    seat.wait_until_true();
    assert_eq!(relay.arrived(MESSAGES), 1, "they were asked for again");
}

#[test]
fn messages_that_were_read_after_the_changes_are_not_changed_again() {
    let Some((seat, relay, ids)) = before_the_start("web-ahead-late") else {
        return;
    };
    // The queue exists; the server reads the page when all has happened, and the events come after it.
    relay.halt(REGISTER);
    relay.hold(MESSAGES, None);
    seat.open_behind(&relay);
    seat.eventually(|_| relay.held() == 1);
    seat.change(ids);
    assert!(!relay.has_expired(), "the page waits for the snapshot");
    relay.release();
    seat.wait_until_true();
    assert_eq!(relay.arrived(MESSAGES), 1, "they were asked for again");
}

#[test]
fn events_that_come_before_the_first_messages_are_applied_to_them() {
    let Some((seat, relay, ids)) = before_the_start("web-ahead-slow") else {
        return;
    };
    relay.halt(MESSAGES);
    seat.open_behind(&relay);
    seat.wait_for("document.querySelector('.frame') !== null");
    // The server has read the page.
    seat.eventually(|_| relay.halted() == 1);
    seat.change(ids);
    // All events until this message have been applied.
    seat.said(&seat.other, "elsewhere", "in another topic");
    seat.wait_for("document.title.startsWith('(4)')");
    assert!(!relay.has_expired());
    relay.release();
    seat.wait_until_true();
    assert_eq!(relay.arrived(MESSAGES), 1, "they were asked for again");
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
