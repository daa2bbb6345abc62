//! Reading: history at both ends, unread messages, and the parts of a message.

use serde_json::json;
use spindle_tests::{fixture, images};

use super::{DESK, PHONE, Seat};

/// Ids of the messages on the page, and the first that is seen whole.
const SHOWN: &str =
    "[...document.querySelectorAll('.message[data-id]')].map((one) => Number(one.dataset.id))";

#[test]
fn history_comes_at_both_ends_and_the_place_stays() {
    let Some(seat) = Seat::new("web-history") else {
        return;
    };
    let ids = fixture::messages(
        &seat.server,
        &seat.channel,
        "loom",
        &[&seat.user, &seat.other],
        400,
    );
    seat.sign_in();
    seat.go(&format!("{}/near/{}", seat.topic("loom"), ids[200]));
    seat.wait_for(&format!(
        "document.querySelector('[data-id=\"{}\"]') !== null",
        ids[200]
    ));
    let offset = format!(
        "document.querySelector('[data-id=\"{}\"]')?.getBoundingClientRect().top",
        ids[200]
    );
    seat.wait_for(&format!("{offset} > 60 && {offset} < 700"));
    let before = seat.ask(&offset).as_f64().expect("a place");
    // Pages are loaded at both ends while one reads, and the text being read stays in position.
    seat.wait_for(&format!("{SHOWN}.length > 101"));
    seat.is_drawn();
    let after = seat.ask(&offset).as_f64().expect("a place");
    assert!((before - after).abs() < 2.0, "{before} is {after} now");
    for (top, edge) in [("0", ids[0]), ("box.scrollHeight", ids[399])] {
        let scroll = format!(
            "(() => {{ const box = document.querySelector('.messages'); box.scrollTop = {top}; }})()"
        );
        let all = format!("({scroll}, document.querySelector('[data-id=\"{edge}\"]') !== null)");
        seat.wait_for(&all);
    }
    let shown: Vec<i64> = serde_json::from_value(seat.ask(SHOWN)).expect("ids");
    assert!(shown.is_sorted() && shown.len() > 300, "{}", shown.len());
    seat.is_content();
}

#[test]
fn it_begins_at_the_first_unread_and_marks_what_is_seen() {
    let Some(seat) = Seat::new("web-unread") else {
        return;
    };
    fixture::messages(
        &seat.server,
        &seat.channel,
        "loom",
        &[&seat.user, &seat.other],
        60,
    );
    let text = "line\n".repeat(12);
    let ids: Vec<i64> = (0..12)
        .map(|number| seat.said(&seat.other, "loom", &format!("{number}\n{text}")))
        .collect();
    seat.sign_in();
    seat.go("#inbox");
    seat.wait_for("document.querySelector('.inbox .count')?.textContent === '12'");
    seat.check_look("inbox");
    seat.browser.press(".inbox li a");
    seat.wait_for("document.querySelector('.new') !== null");
    let line = "document.querySelector('.new').getBoundingClientRect().top";
    seat.wait_for(&format!("{line} > 0 && {line} < 800"));
    // The marker stays; messages on the screen are read, others stay unread.
    let left = || {
        let snapshot = seat
            .user
            .post(
                "/register",
                &[(
                    "fetch_event_types",
                    "[\"message\",\"update_message_flags\"]",
                )],
            )
            .ok();
        snapshot["unread_msgs"]["streams"]
            .as_array()
            .expect("streams")
            .iter()
            .flat_map(|one| {
                one["unread_message_ids"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default()
            })
            .count()
    };
    seat.eventually(|_| left() < 12);
    let some = left();
    assert!((1..12).contains(&some), "{some} are left");
    seat.browser.run(
        "const box = document.querySelector('.messages'); box.scrollTop = box.scrollHeight",
        &[],
    );
    seat.wait_for(&format!(
        "!document.querySelector('[data-id=\"{}\"]').classList.contains('unread')",
        ids[11]
    ));
    seat.wait_for("document.querySelector('.new') !== null");
    seat.is_content();
}

#[test]
fn days_senders_and_conversations_are_grouped() {
    let Some(seat) = Seat::at("web-groups", |_| "#feed".to_owned()) else {
        return;
    };
    for (topic, text) in [("loom", "one"), ("loom", "two"), ("reed", "three")] {
        seat.said(&seat.other, topic, text);
    }
    seat.wait_for_message("three");
    let heads = seat.ask("[...document.querySelectorAll('.message')].slice(-3).map((one) => one.classList.contains('head'))");
    assert_eq!(heads, json!([true, false, true]));
    let bars = seat.ask("[...document.querySelectorAll('.to')].slice(-2).map((one) => one.textContent.includes('loom'))");
    assert_eq!(bars, json!([true, false]));
    assert!(
        seat.ask("document.querySelectorAll('.day').length")
            .as_u64()
            >= Some(1)
    );
    seat.check_look("feed");
    for view in [
        "#recent",
        "#narrow/is/starred",
        "#narrow/is/mentioned",
        "#channels/all",
        "#nowhere",
    ] {
        seat.go(view);
        seat.wait_for("document.querySelector('.frame main h1') !== null");
        seat.is_drawn();
        seat.check_look(&view.replace(['#', '/'], ""));
    }
}

#[test]
fn what_messages_are_made_of_works() {
    let Some(seat) = Seat::new("web-markup") else {
        return;
    };
    let upload = |name: &str, width: u32| {
        let picture = images::png(width, 400);
        let file = seat.other.upload("/user_uploads", name, &picture).ok();
        file["url"].as_str().expect("an address").to_owned()
    };
    let (weave, warp) = (upload("weave.png", 800), upload("warp.png", 300));
    let links = format!("[weave]({weave})\n[warp]({warp})");
    seat.said(&seat.other, "loom", &links);
    seat.said(&seat.other, "loom", "```spoiler The end\nnobody knows\n```\n\n```rs\nfn main() {}\n```\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |");
    seat.said(
        &seat.other,
        "loom",
        "at <time:2030-05-01T12:00:00Z> :tada: last",
    );
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.rendered time') !== null");
    assert_eq!(
        seat.ask("document.querySelector('.rendered .emoji').textContent"),
        json!("🎉")
    );
    assert!(
        seat.ask("document.querySelector('.rendered time').textContent")
            .as_str()
            .unwrap_or_default()
            .contains("2030")
    );
    assert_eq!(
        seat.ask("document.querySelector('.spoiler-content').hidden"),
        json!(true)
    );
    seat.browser.press(".spoiler-button");
    assert_eq!(
        seat.ask("document.querySelector('.spoiler-content').hidden"),
        json!(false)
    );
    assert_eq!(
        seat.ask("getComputedStyle(document.querySelector('td.to-right')).textAlign"),
        json!("right")
    );
    seat.wait_for("document.querySelector('.codehilite .code-copy') !== null");
    // The picture needs the session, and opens large.
    seat.wait_for("document.querySelector('.message_inline_image img')?.naturalWidth > 0");
    seat.browser.press(".message_inline_image a");
    seat.wait_for("document.querySelector('dialog.pictures img')?.naturalWidth === 800");
    seat.browser.keys("\u{e014}");
    seat.wait_for("document.querySelector('.steps span').textContent.startsWith('2')");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.check_look("topic");
}

#[test]
fn a_search_marks_the_words_that_it_finds() {
    let Some(seat) = Seat::at("web-search", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.said(&seat.other, "loom", "the shuttle flies");
    seat.said(&seat.other, "reed", "nothing of the kind");
    seat.browser.type_into("#search", "shuttle");
    seat.browser.keys("\u{e007}");
    seat.wait_for("document.querySelector('.rendered .highlight')?.textContent === 'shuttle'");
    assert_eq!(
        seat.ask("document.querySelectorAll('.message').length"),
        json!(1)
    );
    assert_eq!(seat.ask("location.hash"), json!("#narrow/search/shuttle"));
    seat.browser.type_into("#search", "heddle");
    seat.browser.keys("\u{e007}");
    seat.wait_for("document.querySelector('.nothing')?.textContent.includes('Nothing found')");
    seat.check_look("search");
}

/// Messages that follow one of the same person have no heading with the name.
#[test]
fn an_edited_message_says_so_wherever_it_stands() {
    let Some(seat) = Seat::at("web-edited", |seat| seat.topic("loom")) else {
        return;
    };
    let ids = ["first", "second"].map(|text| seat.said(&seat.user, "loom", text));
    seat.wait_for_message("second");
    for id in ids {
        let path = format!("/messages/{id}");
        let content = format!("another text of {id}");
        seat.user
            .patch(&path, &[("content", content.as_str())])
            .ok();
        seat.wait_for_message(&content);
        seat.wait_for(&format!(
            "document.querySelector('[data-id=\"{id}\"] .changed')?.textContent.trim() === 'edited'"
        ));
    }
    assert_eq!(
        seat.ask("document.querySelectorAll('.message.head').length"),
        json!(1)
    );
    seat.check_look("edited");
}

/// A title gives way only where there is no room for it.
#[test]
fn a_topic_is_shown_whole_where_there_is_room() {
    let topic = "tartan for the spring";
    let Some(seat) = Seat::at("web-topic-title", |seat| seat.topic(topic)) else {
        return;
    };
    seat.wait_for("document.querySelector('.bar h1 .topic') !== null");
    let cut = "(() => { const { scrollWidth, clientWidth } = document.querySelector('.bar h1 .topic'); \
         return scrollWidth - clientWidth; })()";
    assert_eq!(seat.ask(cut), json!(0));
    seat.is_content();
}

/// It covers neither the title nor the field to write in.
#[test]
fn a_note_lies_below_the_bar_and_a_dialog_belongs_to_its_view() {
    let Some(seat) = Seat::at("web-notes", |seat| seat.topic("loom")) else {
        return;
    };
    let message = seat.said(&seat.other, "loom", "a text");
    seat.wait_for_message("a text");
    seat.choose(message, "Copy link");
    seat.wait_for("document.querySelector('.notes p') !== null");
    let place = "(() => {
         const edges = (one) => document.querySelector(one).getBoundingClientRect();
         const below = edges('.notes p').top - edges('header.bar').bottom;
         return below >= 0 && below < 20;
     })()";
    let banner = "const line = document.createElement('p'); line.className = 'banner';
         line.textContent = 'above the bar'; document.querySelector('main').prepend(line)";
    for look in [PHONE, DESK] {
        seat.browser.resize(look);
        assert_eq!(seat.ask(place), json!(true), "{look:?}");
    }
    seat.browser.run(banner, &[]);
    assert_eq!(seat.ask(place), json!(true), "with a banner");
    seat.browser
        .run("document.querySelector('main > .banner').remove()", &[]);
    seat.go(&seat.topic("reed"));
    seat.wait_for("document.querySelector('.compose textarea')?.placeholder.includes('reed')");
    seat.browser.press(".messages");
    seat.browser.keys("?");
    seat.wait_for("document.querySelector('dialog[open]') !== null");
    seat.browser.run("history.back()", &[]);
    seat.wait_for("document.querySelector('.compose textarea')?.placeholder.includes('loom')");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.is_content();
}
