//! What happens elsewhere appears here: events, other tabs, a server that goes and comes back.

use serde_json::json;

use super::Seat;

#[test]
fn messages_change_in_place() {
    let Some(seat) = Seat::at("web-live", |seat| seat.topic("loom")) else {
        return;
    };
    let id = seat.said(&seat.other, "loom", "as it was");
    seat.wait_for_message("as it was");
    seat.other
        .patch(&format!("/messages/{id}"), &[("content", "as it is")])
        .ok();
    seat.wait_for_message("as it is");
    seat.other
        .post(
            &format!("/messages/{id}/reactions"),
            &[("emoji_name", "tada")],
        )
        .ok();
    seat.wait_for("document.querySelector('.reactions button')?.textContent.includes('1')");
    seat.other
        .delete(
            &format!("/messages/{id}/reactions"),
            &[("emoji_name", "tada")],
        )
        .ok();
    seat.wait_for("document.querySelector('.reactions') === null");
    let gone = seat.said(&seat.other, "loom", "soon gone");
    seat.wait_for_message("soon gone");
    seat.user.delete(&format!("/messages/{gone}"), &[]).ok();
    seat.wait_for(&format!(
        "document.querySelector('[data-id=\"{gone}\"]') === null"
    ));
    seat.is_content();
}

#[test]
fn counts_typing_and_names_follow() {
    let Some(seat) = Seat::at("web-counts", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.said(&seat.other, "loom", "one");
    seat.wait_for("document.title.startsWith('(1)')");
    let me = format!("[{}]", seat.user.user_id);
    let direct = [("type", "direct"), ("to", me.as_str()), ("content", "psst")];
    seat.other.post("/messages", &direct).ok();
    seat.wait_for("document.title.startsWith('(2)')");
    seat.go(&format!("#narrow/dm/{}", seat.other.user_id));
    seat.wait_for_message("psst");
    seat.other
        .post("/typing", &[("op", "start"), ("to", me.as_str())])
        .ok();
    seat.wait_for("document.querySelector('.typing').textContent.includes('is typing')");
    seat.other
        .post("/typing", &[("op", "stop"), ("to", me.as_str())])
        .ok();
    seat.wait_for("document.querySelector('.typing').textContent === ''");
    let renamed = [("full_name", "Another Name")];
    seat.user
        .patch(&format!("/users/{}", seat.other.user_id), &renamed)
        .ok();
    seat.wait_for("document.querySelector('.message .who b').textContent === 'Another Name'");
    seat.wait_for("document.querySelector('.bar h1').textContent.includes('Another Name')");
    seat.user.post("/mark_all_as_read", &[]).ok();
    seat.wait_for("!document.title.startsWith('(')");
    seat.check_look("direct");
}

/// The network goes and comes back: what was missed is there, and what was typed too.
#[test]
fn a_lost_network_is_said_and_made_up_for() {
    let Some(seat) = Seat::at("web-network", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "before");
    seat.wait_for_message("before");
    seat.browser
        .type_into(".compose textarea", "half a thought");
    let mut seat = seat;
    seat.server.kill();
    seat.wait_for("document.querySelector('.banner')?.textContent.includes('No connection')");
    seat.server.restart();
    seat.said(&seat.other, "loom", "after");
    seat.wait_for_message("after");
    seat.wait_for("document.querySelector('.banner') === null");
    assert_eq!(
        seat.ask("document.querySelector('.compose textarea').value"),
        json!("half a thought")
    );
}

/// An upgrade takes the files of this client away: the tab asks for a reload, which keeps what was typed.
#[test]
fn a_tab_from_before_an_upgrade_asks_for_a_reload() {
    let Some(seat) = Seat::at("web-upgrade", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "before");
    seat.wait_for_message("before");
    seat.browser
        .type_into(".compose textarea", "half a thought");
    let mut seat = seat;
    seat.server.kill();
    seat.wait_for("document.querySelector('.banner')?.textContent.includes('No connection')");
    // What a server of another version says of a file of this one. Earlier, a module that failed to
    // load would show the other banner at once.
    let gone = "const ask = window.fetch;
         window.fetch = (url, options) => options?.method === 'HEAD' && String(url).startsWith('/web/')
             ? Promise.resolve(new Response(null, { status: 404 })) : ask(url, options)";
    seat.browser.run(gone, &[]);
    seat.server.restart();
    seat.wait_for("document.querySelector('.banner')?.textContent.includes('new version')");
    seat.browser.press(".banner button");
    seat.wait_for_message("before");
    assert_eq!(
        seat.ask("document.querySelector('.compose textarea').value"),
        json!("half a thought")
    );
    seat.wait_for("document.querySelector('.banner') === null");
}

/// A queue that the server no longer has: the client registers again, and nothing is missing.
#[test]
fn an_expired_queue_is_registered_anew() {
    let Some(seat) = Seat::at("web-queue", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "before");
    seat.wait_for_message("before");
    let mut seat = seat;
    seat.server.kill();
    let gone = seat
        .server
        .database()
        .execute("DELETE FROM event_queues", [])
        .expect("queues");
    assert!(gone >= 1);
    seat.server.restart();
    seat.said(&seat.other, "loom", "after");
    seat.wait_for_message("after");
    seat.wait_for_message("before");
}

/// All tabs share one worker, which polls once.
#[test]
fn tabs_share_one_poll() {
    let Some(seat) = Seat::at("web-tabs", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "before");
    seat.wait_for_message("before");
    let queues = || -> i64 {
        let count = "SELECT count(*) FROM event_queues WHERE user_id = ?1";
        let database = seat.server.database();
        database
            .query_row(count, [seat.user.user_id], |row| row.get(0))
            .expect("a number")
    };
    assert_eq!(queues(), 1);
    for _ in 0..7 {
        let address = format!("{}/{}", seat.server.base_url(), seat.topic("loom"));
        let open = "(window.tabs ??= []).push(window.open(arguments[0]))";
        seat.browser.run(open, &[json!(address)]);
    }
    let all = "window.tabs.every((tab) => tab.document.querySelector('.message') !== null)";
    seat.wait_for(all);
    seat.said(&seat.other, "loom", "to all of them");
    seat.wait_for_message("to all of them");
    assert_eq!(queues(), 1);
}
