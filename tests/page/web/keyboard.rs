//! Keys: moving among messages, acting on one, and completions while typing.

use serde_json::json;

use super::Seat;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const DOWN: &str = "\u{e015}";

/// Waits until the message of this text has the focus.
#[track_caller]
fn wait_for_chosen(seat: &Seat, text: &str) {
    seat.wait_for(&format!(
        "document.activeElement.matches('.message') &&
         document.activeElement.querySelector('.rendered').textContent.trim() === {}",
        json!(text)
    ));
}

#[test]
fn messages_are_chosen_and_acted_on_by_keys() {
    let Some(seat) = Seat::at("web-keys", |seat| seat.topic("loom")) else {
        return;
    };
    for text in ["one", "two", "three"] {
        seat.said(&seat.other, "loom", text);
        seat.wait_for_message(text);
    }
    seat.browser.press(".day");
    seat.browser.keys("k");
    wait_for_chosen(&seat, "three");
    seat.browser.keys("kk");
    wait_for_chosen(&seat, "one");
    seat.check_look("chosen");
    seat.browser.keys(DOWN);
    wait_for_chosen(&seat, "two");
    seat.browser.keys("+");
    seat.wait_for("document.activeElement.querySelector('.reactions .mine') !== null");
    seat.browser.keys("G");
    wait_for_chosen(&seat, "three");
    seat.browser.keys(">");
    seat.wait_for("document.querySelector('.compose textarea').value.includes('three')");
    seat.wait_for("document.activeElement.matches('.compose textarea')");
    seat.browser.keys(ESCAPE);
    seat.browser.keys("?");
    seat.wait_for("document.querySelectorAll('dialog .keys').length === 4");
    seat.check_look("shortcuts");
    seat.browser.keys(ESCAPE);
    seat.wait_for("document.querySelector('dialog') === null");
    seat.is_content();
}

/// As in Zulip; `messages_are_chosen_and_acted_on_by_keys` has the most frequent ones.
#[test]
fn further_keys_act_on_the_chosen_message_and_its_conversation() {
    let Some(seat) = Seat::at("web-more-keys", |seat| seat.topic("loom")) else {
        return;
    };
    let field = "document.querySelector('.compose textarea')";
    seat.said(&seat.user, "loom", "mine");
    let id = seat.said(&seat.other, "loom", "theirs");
    let emoji = [("emoji_name", "tada")];
    seat.other
        .post(&format!("/messages/{id}/reactions"), &emoji)
        .ok();
    seat.wait_for_message("theirs");
    seat.wait_for("document.querySelector('.reactions button') !== null");
    seat.browser.press(".day");
    seat.browser.keys("k");
    wait_for_chosen(&seat, "theirs");
    seat.browser.keys("=");
    seat.wait_for("document.activeElement.querySelector('.reactions .mine') !== null");
    seat.browser.with_ctrl('s');
    seat.eventually(|seat| {
        let message = seat.user.get(&format!("/messages/{id}"), &[]).ok();
        message["message"]["flags"].to_string().contains("starred")
    });
    seat.browser.keys("U");
    seat.wait_for("document.title.startsWith('(1)')");
    seat.browser.keys("@");
    let mention = json!(format!("@**{}** ", seat.other.full_name));
    seat.wait_for(&format!("{field}.value === {mention}"));
    seat.wait_for(&format!("document.activeElement === {field}"));
    seat.browser.type_into(".compose textarea", "x");
    seat.browser.keys("\u{e003}");
    seat.wait_for(&format!("{field}.value === ''"));
    // In the empty field, the last message of one's own.
    seat.browser.keys("\u{e013}");
    seat.wait_for("document.querySelector('.editor textarea')?.value === 'mine'");
    seat.wait_for("document.activeElement.matches('.editor textarea')");
    seat.browser.keys(ESCAPE);
    seat.wait_for("document.querySelector('.editor') === null");
    // Back in the field from which the editor was opened.
    seat.wait_for(&format!("document.activeElement === {field}"));
    seat.browser.keys(ESCAPE);
    seat.wait_for(&format!("document.activeElement !== {field}"));
    seat.browser.keys("M");
    seat.wait_for("document.querySelector('.topics li.hushed') !== null");
    seat.browser.keys("M");
    seat.wait_for("document.querySelector('.topics li.hushed') === null");
    seat.browser.keys("S");
    seat.wait_for(&format!(
        "location.hash.startsWith('#narrow/channel/{}') && !location.hash.includes('topic')",
        seat.channel.id()
    ));
    seat.wait_for_message("theirs");
    seat.browser.keys("s");
    seat.wait_for("location.hash.endsWith('/topic/loom')");
    seat.wait_for_message("theirs");
    seat.browser.press(".day");
    seat.browser.keys("kR");
    seat.wait_for(&format!(
        "document.querySelector('.recipient .chip').textContent.includes({})",
        json!(seat.other.full_name)
    ));
    seat.is_content();
}

#[test]
fn topics_and_commands_are_completed_and_a_message_is_reported() {
    let Some(seat) = Seat::at("web-completion", |seat| seat.topic("loom")) else {
        return;
    };
    let bad = seat.said(&seat.other, "the old one", "not nice at all");
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.press(".compose textarea");
    let name = &seat.channel.name;
    seat.browser.keys(&format!("#**{name}>old"));
    seat.wait_for(
        "document.querySelector('.compose [role=option] .name')?.textContent === 'the old one'",
    );
    seat.browser.keys(ENTER);
    let value = "document.querySelector('.compose textarea').value";
    assert_eq!(seat.ask(value), json!(format!("#**{name}>the old one** ")));
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelector('.message:not(.echo) a.stream-topic') !== null");
    seat.wait_for(&format!("{value} === ''"));
    seat.browser.press(".compose textarea");
    seat.wait_for("document.activeElement === document.querySelector('.compose textarea')");
    // A topic is found by its own name, too, whatever its channel.
    seat.browser.keys("#the o");
    seat.wait_for(&format!(
        "document.querySelector('.compose [role=option]')?.textContent.trim() === {}",
        json!(format!("#{name} › the old one"))
    ));
    seat.check_look("topic-completion");
    seat.browser.keys(ENTER);
    assert_eq!(seat.ask(value), json!(format!("#**{name}>the old one** ")));
    seat.browser
        .run("document.querySelector('.compose textarea').select()", &[]);
    seat.browser.keys("/po");
    seat.wait_for("document.querySelectorAll('.compose [role=option]').length === 1");
    seat.browser.keys(ENTER);
    seat.browser.keys("Which one?");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelector('.message:not(.echo) .widget .asked')?.textContent === 'Which one?'");

    // Without a channel for reports nothing is offered; with one, they arrive there.
    seat.go(&seat.topic("the.20old.20one"));
    seat.wait_for_message("not nice at all");
    seat.browser.run(
        "document.querySelector(`[data-id=\"${arguments[0]}\"] .tools button:last-child`).click()",
        &[json!(bad)],
    );
    seat.wait_for("document.querySelector('.menu') !== null");
    assert_eq!(
        seat.ask("[...document.querySelectorAll('.menu button')].some((one) => one.textContent.trim() === 'Report')"),
        json!(false)
    );
    seat.browser.keys(ESCAPE);
    let private = spindle_tests::fixture::channel(
        &seat.server,
        spindle_tests::fixture::ChannelKind::PrivateShared,
        &[&seat.user],
    );
    let id = private.id();
    seat.user
        .patch("/realm", &[("moderation_request_channel_id", id.as_str())])
        .ok();
    // The menu has it once the event has come.
    seat.eventually(|seat| {
        seat.browser.run(
            "document.querySelector(`[data-id=\"${arguments[0]}\"] .tools button:last-child`).click()",
            &[json!(bad)],
        );
        seat.wait_for("document.querySelector('.menu') !== null");
        let entries = "[...document.querySelectorAll('.menu button')]";
        let is_there = format!("{entries}.some((one) => one.textContent.trim() === 'Report')");
        let is_there = seat.ask(&is_there) == json!(true);
        if !is_there {
            seat.browser.keys(ESCAPE);
            seat.wait_for("document.querySelector('.menu') === null");
        }
        is_there
    });
    seat.press_text(".menu", "Report");
    seat.wait_for("document.querySelector('dialog [name=description]') !== null");
    seat.browser
        .type_into("dialog [name=description]", "It is rude.");
    seat.check_look("report");
    seat.press_text("dialog", "Report");
    seat.wait_for("document.querySelector('dialog') === null");
    let narrow = json!([{ "operator": "channel", "operand": private.stream_id }]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "1"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
        ("narrow", narrow.as_str()),
    ];
    let report = seat.user.get("/messages", &pairs).ok()["messages"][0]["content"].clone();
    assert!(
        report.as_str().unwrap_or_default().contains("It is rude."),
        "{report}"
    );
    seat.is_content();
}

/// It shows where Tab has come to, and nothing after a click.
#[test]
fn the_messages_have_a_ring_for_those_who_come_with_tab() {
    let Some(seat) = Seat::at("web-ring", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "a text");
    seat.wait_for_message("a text");
    let ring = "getComputedStyle(document.querySelector('.messages')).outlineStyle";
    seat.browser.press(".messages");
    seat.browser.keys("\u{e00f}");
    seat.wait_for("document.activeElement.matches('.messages')");
    assert_eq!(seat.ask(ring), json!("none"));
    // Backwards out of it, and forwards again.
    let back = "document.querySelector('header.bar > button:last-child').focus()";
    seat.browser.run(back, &[]);
    seat.browser.keys("\u{e004}");
    seat.wait_for("document.activeElement.matches('.messages')");
    assert_eq!(seat.ask(ring), json!("solid"));
    seat.is_content();
}
