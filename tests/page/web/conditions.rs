//! Bad conditions: a slow network, refusals in passing, a full storage, a wrong clock, bursts. Nothing
//! that was typed is lost.

use serde_json::json;

use super::relay::Relay;
use super::{DESK, Seat};

/// What the field holds that one writes in.
const WRITTEN: &str = "document.querySelector('.compose textarea').value";

/// Answers a request of the page once in place of the server.
const ONCE: &str = "const ask = window.fetch;
     const [method, path, status, headers] = arguments;
     let isOver = false;
     window.fetch = (url, options) => {
         if (isOver || options?.method !== method || !String(url).includes(path)) return ask(url, options);
         isOver = true;
         window.refused = (window.refused ?? 0) + 1;
         const body = JSON.stringify({ result: 'error', msg: 'in passing', code: 'PASSING' });
         return Promise.resolve(new Response(body, { status, headers }));
     }";

#[test]
fn a_slow_network_is_waited_for() {
    let Some(seat) = Seat::at("web-slow", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "before");
    seat.wait_for_message("before");
    seat.browser.be_slow(true);
    seat.write("over a thin wire");
    // It appears immediately, and once.
    seat.wait_for("document.querySelector('.messages').textContent.includes('over a thin wire')");
    seat.wait_for_message("over a thin wire");
    seat.browser.be_slow(false);
    let all = "[...document.querySelectorAll('.message .rendered')]
         .filter((one) => one.textContent.trim() === 'over a thin wire').length";
    seat.wait_for(&format!("{all} === 1"));
    seat.is_content();
}

#[test]
fn what_is_refused_in_passing_is_sent_all_the_same() {
    let Some(seat) = Seat::at("web-refused", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let headers = json!({ "Retry-After": "1", "Content-Type": "application/json" });
    let refusal = [
        json!("POST"),
        json!("/api/v1/messages"),
        json!(429),
        headers,
    ];
    seat.browser.run(ONCE, &refusal);
    seat.write("after a moment");
    seat.wait_for_message("after a moment");
    assert_eq!(seat.ask("window.refused"), json!(1));
    // A session that has ended leads to the form; what was typed is there afterwards.
    seat.browser
        .type_into(".compose textarea", "half a thought");
    let ended = seat.server.database();
    ended.execute("DELETE FROM sessions", []).expect("sessions");
    seat.said(&seat.other, "loom", "something happens");
    seat.browser.reload();
    seat.fill_in(super::PASSWORD);
    seat.wait_for(&format!("{WRITTEN} === 'half a thought'"));
}

#[test]
fn a_file_that_is_too_large_is_refused_and_the_text_stays() {
    let Some(seat) = Seat::new("web-too-large") else {
        return;
    };
    seat.server.admin(&["quota", "--file-mib", "1"]);
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.type_into(".compose textarea", "see here: ");
    let drop = "const transfer = new DataTransfer();
         transfer.items.add(new File([new Uint8Array(2 << 20)], 'cloth.bin'));
         document.querySelector('.compose').dispatchEvent(
             new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }))";
    seat.browser.run(drop, &[]);
    seat.wait_for("/1 MiB/.test(document.body.textContent)");
    assert_eq!(seat.ask(WRITTEN), json!("see here: "));
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for_message("see here:");
}

#[test]
fn without_storage_one_writes_and_reads_as_well() {
    let Some(seat) = Seat::new("web-storage") else {
        return;
    };
    seat.browser.at_start(
        "for (const name of ['getItem', 'setItem', 'removeItem'])
             Storage.prototype[name] = () => { throw new DOMException('full', 'QuotaExceededError') }",
    );
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.type_into(".compose textarea", "not yet sent");
    // The server keeps the draft.
    seat.eventually(|seat| {
        let drafts = seat.user.get("/drafts", &[]).ok();
        drafts["drafts"][0]["content"] == "not yet sent"
    });
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for_message("not yet sent");
    seat.is_content();
}

#[test]
fn a_wrong_clock_changes_nothing() {
    let Some(seat) = Seat::new("web-clock") else {
        return;
    };
    seat.browser.at_start(
        "const now = Date.now.bind(Date);
         Date.now = () => now() + 3 * 86400000",
    );
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.write("what time is it?");
    seat.wait_for_message("what time is it?");
    seat.said(&seat.other, "loom", "noon");
    seat.wait_for_message("noon");
    // Who has just been here is here, and what was just sent can be changed.
    let report = [("status", "active"), ("ping_only", "true")];
    seat.other.post("/users/me/presence", &report).ok();
    seat.browser.press(".day");
    seat.browser.keys("k");
    seat.wait_for("document.activeElement.matches('.message')");
    let own = "[...document.querySelectorAll('.message:not(.echo)')]
         .find((one) => one.textContent.includes('what time'))";
    seat.browser.run(&format!("{own}.focus()"), &[]);
    seat.browser.keys("e");
    seat.wait_for("document.querySelector('.editor textarea') !== null");
    seat.is_content();
}

/// Counts the draws of messages in each frame: a frame's time stays while it is worked on.
const COUNT_DRAWS: &str = "window.draws = new Map();
     new MutationObserver((records) => {
         const isDraw = records.some((one) => [...one.addedNodes].some((node) => node.matches?.('.message')));
         const frame = document.timeline.currentTime;
         if (isDraw) window.draws.set(frame, (window.draws.get(frame) ?? 0) + 1);
     }).observe(document.querySelector('.messages'), { childList: true, subtree: true })";

/// Many messages come in one answer: each frame draws once, and in between one can write.
#[test]
fn a_burst_of_messages_arrives_whole_while_one_writes() {
    const COUNT: usize = 1000;
    const SENDERS: usize = 4;
    let Some(seat) = Seat::new("web-burst") else {
        return;
    };
    seat.sign_in();
    let relay = Relay::before(&seat.server);
    let address = format!("{}/{}", relay.address, seat.topic("loom"));
    seat.browser.open(&address, DESK);
    seat.said(&seat.other, "loom", "before");
    seat.wait_for_message("before");
    seat.browser.run(COUNT_DRAWS, &[]);
    relay.hold("/api/v1/events?", None);
    std::thread::scope(|scope| {
        for first in 0..SENDERS {
            let seat = &seat;
            scope.spawn(move || {
                for number in (first..COUNT).step_by(SENDERS) {
                    seat.said(&seat.other, "loom", &format!("number {number}"));
                }
            });
        }
    });
    assert!(relay.held() > 0);
    relay.release();
    seat.browser
        .type_into(".compose textarea", "typed between all of them");
    let last = seat.said(&seat.other, "loom", "the last one");
    seat.wait_for(&format!(
        "document.querySelector('.message[data-id=\"{last}\"]') !== null"
    ));
    assert_eq!(seat.ask(WRITTEN), json!("typed between all of them"));
    // Ids are in order, unique and complete.
    let ids =
        "[...document.querySelectorAll('.message[data-id]')].map((one) => Number(one.dataset.id))";
    seat.wait_for(&format!(
        "(({ids}).every((id, at, all) => at === 0 || all[at - 1] < id))"
    ));
    assert_eq!(seat.ask(&format!("({ids}).length")), json!(COUNT + 2));
    let draws = seat.ask("[...window.draws.values()]");
    let draws = draws.as_array().expect("a list");
    assert!(draws.iter().all(|count| *count == 1), "{draws:?}");
    assert!(draws.len() < COUNT / 2, "{}", draws.len());
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for_message("typed between all of them");
    seat.is_content();
}
