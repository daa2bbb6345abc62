//! Writing, and what one does with messages that are there.

use serde_json::json;
use spindle_tests::Queue;

use super::Seat;

#[test]
fn a_message_is_sent_and_its_draft_is_gone() {
    let Some(seat) = Seat::at("web-write", |seat| seat.topic("loom")) else {
        return;
    };
    let mut queue = Queue::of(&seat.other, &["message"]);
    seat.write("hello from **here**");
    seat.wait_for_message("hello from here");
    let event = queue.expect(|event| event["type"] == "message");
    assert_eq!(event["message"]["content"], "hello from **here**");
    assert_eq!(event["message"]["subject"], "loom");
    seat.wait_for("document.querySelector('.echo') === null");
    seat.wait_for("document.querySelector('.compose textarea').value === ''");
    // Unsent text stays with its conversation, over a reload too.
    seat.browser.type_into(".compose textarea", "not yet");
    seat.go(&seat.topic("reed"));
    seat.wait_for("document.querySelector('.compose textarea').value === ''");
    seat.browser.reload();
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.compose textarea').value === 'not yet'");
    seat.is_content();
}

/// A slow browser has the field long before the next frame: a key that comes then is no key lost.
#[test]
fn what_is_typed_as_soon_as_there_is_a_field_stays() {
    let Some(seat) = Seat::new("web-first-key") else {
        return;
    };
    seat.browser.at_start(
        "new MutationObserver(() => {
             const field = document.querySelector('.compose textarea');
             if (field === null || field === window.typedIn) return;
             window.typedIn = field;
             field.value = 'at once';
             field.dispatchEvent(new Event('input', { bubbles: true }));
         }).observe(document, { childList: true, subtree: true })",
    );
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for("window.typedIn !== undefined");
    seat.is_drawn();
    seat.wait_for("document.querySelector('.compose textarea').value === 'at once'");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for_message("at once");
    seat.is_content();
}

#[test]
fn a_message_that_cannot_be_sent_is_kept_and_tried_again() {
    let Some(seat) = Seat::at("web-again", |seat| seat.topic("loom")) else {
        return;
    };
    seat.write("first");
    seat.wait_for_message("first");
    seat.is_content();
    seat.browser.be_online(false);
    seat.write("without a network");
    seat.wait_for("document.querySelector('.echo.failed') !== null");
    seat.browser.be_online(true);
    seat.browser.press(".echo.failed button");
    seat.wait_for_message("without a network");
    seat.wait_for("document.querySelector('.echo') === null");
}

#[test]
fn a_message_goes_to_people_and_to_a_new_topic() {
    let Some(seat) = Seat::at("web-recipients", |_| "#feed".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('.switch') !== null");
    seat.browser.press(".switch button:last-child");
    seat.browser
        .type_into(".people input", &seat.other.full_name);
    seat.wait_for("document.querySelector('.suggestions button') !== null");
    seat.browser.press(".suggestions button");
    let mut queue = Queue::of(&seat.other, &["message"]);
    seat.write("between us");
    seat.wait_for_message("between us");
    let event = queue.expect(|event| event["type"] == "message");
    assert_eq!(event["message"]["type"], "private");
    let hash = seat.ask("location.hash");
    let expected = format!("#narrow/dm/{}-", seat.other.user_id);
    assert!(
        hash.as_str().unwrap_or_default().starts_with(&expected),
        "{hash}"
    );
    seat.go("#feed");
    seat.wait_for("document.querySelector('.recipient select') !== null");
    let choose = "const field = document.querySelector('.recipient select');
        field.value = arguments[0]; field.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(choose, &[json!(seat.channel.id())]);
    seat.browser.type_into(".recipient .topic", "a new one");
    seat.write("to the topic");
    seat.wait_for_message("to the topic");
    let event = queue.expect(|event| event["message"]["type"] == "stream");
    assert_eq!(event["message"]["subject"], "a new one");
    seat.is_content();
}

#[test]
fn a_file_is_uploaded_into_the_message() {
    let Some(seat) = Seat::at("web-upload", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let drop = "const transfer = new DataTransfer();
        transfer.items.add(new File(['warp and weft'], 'notes.txt', { type: 'text/plain' }));
        const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer });
        document.querySelector('.compose').dispatchEvent(event)";
    seat.browser.run(drop, &[]);
    seat.wait_for("document.querySelector('.compose textarea').value.startsWith('[notes.txt](/user_uploads/')");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for_message("notes.txt");
    seat.is_content();
}

#[test]
fn what_one_types_is_completed() {
    let Some(seat) = Seat::at("web-complete", |seat| seat.topic("loom")) else {
        return;
    };
    let mut queue = Queue::of(&seat.other, &["message"]);
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.press(".compose textarea");
    let name = &seat.other.full_name;
    seat.browser.keys(&format!("@{}", &name[..name.len() - 1]));
    seat.wait_for("document.querySelector('.suggestions [role=option]') !== null");
    seat.browser.keys("\u{e007}");
    seat.wait_for("document.querySelector('.suggestions [role=option]') === null");
    seat.browser.keys(":tad");
    seat.wait_for(
        "document.querySelector('.suggestions [role=option]')?.textContent.includes('tada')",
    );
    seat.browser.keys("\u{e004}");
    seat.browser.press(".compose button[type=submit]");
    let event = queue.expect(|event| event["type"] == "message");
    assert_eq!(event["flags"], json!(["mentioned"]));
    let content = event["message"]["content"].as_str().unwrap_or_default();
    assert_eq!(content, format!("@**{name}** :tada:"));
    seat.is_content();
}

#[test]
fn a_message_is_edited_reacted_to_starred_quoted_and_deleted() {
    let Some(seat) = Seat::at("web-act", |seat| seat.topic("loom")) else {
        return;
    };
    let own = seat.said(&seat.user, "loom", "my words");
    let theirs = seat.said(&seat.other, "loom", "their words");
    seat.wait_for_message("their words");
    seat.choose(own, "Edit");
    seat.wait_for("document.querySelector('.editor textarea')?.value === 'my words'");
    seat.browser
        .type_into(".editor textarea", "my better words");
    seat.browser.press(".editor .primary");
    seat.wait_for_message("my better words");
    let tool = |number: u32| format!("[data-id=\"{theirs}\"] .tools button:nth-child({number})");
    let press = "document.querySelector(arguments[0]).click()";
    // The buttons next to the menu are built when a message has the focus, or the pointer.
    let row = format!("[data-id=\"{theirs}\"]");
    let count = format!("document.querySelectorAll('{row} .tools button').length");
    assert_eq!(seat.ask(&count), json!(1));
    seat.browser.run(
        "document.querySelector(arguments[0]).focus()",
        &[json!(row)],
    );
    seat.wait_for(&format!("{count} === 4"));
    seat.browser.run(press, &[json!(tool(1))]);
    seat.wait_for("document.querySelector('.picker input') !== null");
    seat.browser.keys("thumbs_up");
    seat.wait_for("document.querySelectorAll('.picker .grid button').length > 0");
    seat.browser.keys("\u{e007}");
    seat.wait_for("document.querySelector('.reactions .mine') !== null");
    seat.browser
        .run("document.querySelector('.reactions .mine').click()", &[]);
    seat.wait_for("document.querySelector('.reactions .mine') === null");
    seat.browser.run(press, &[json!(tool(3))]);
    seat.wait_for("document.querySelector('.starred') !== null");
    let starred = seat
        .user
        .get(
            "/messages",
            &[
                ("anchor", "newest"),
                ("num_before", "5"),
                ("num_after", "0"),
                ("narrow", "[[\"is\",\"starred\"]]"),
            ],
        )
        .ok();
    assert_eq!(starred["messages"][0]["id"], json!(theirs));
    seat.choose(theirs, "Quote");
    seat.wait_for("document.querySelector('.compose textarea').value.includes('their words')");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelector('.rendered blockquote') !== null");
    seat.choose(own, "Delete");
    seat.wait_for("document.querySelector('dialog .primary') !== null");
    seat.browser.press("dialog .primary");
    seat.wait_for(&format!(
        "document.querySelector('[data-id=\"{own}\"]') === null"
    ));
    seat.is_content();
}

#[test]
fn a_topic_is_resolved_and_messages_are_moved() {
    let Some(seat) = Seat::at("web-move", |seat| seat.topic("loom")) else {
        return;
    };
    let first = seat.said(&seat.other, "loom", "first");
    let second = seat.said(&seat.other, "loom", "second");
    seat.wait_for_message("second");
    seat.choose(first, "Mark the topic as resolved");
    // The view goes along.
    seat.wait_for("document.title.includes('✔ loom')");
    seat.wait_for_message("first");
    seat.choose(second, "Move");
    seat.wait_for("document.querySelector('dialog [name=topic]') !== null");
    seat.browser.type_into("dialog [name=topic]", "elsewhere");
    seat.browser.press("dialog [value=change_one]");
    seat.check_look("move");
    seat.browser.press("dialog .primary");
    seat.wait_for(&format!(
        "document.querySelector('[data-id=\"{second}\"]') === null"
    ));
    let moved = seat.user.get(&format!("/messages/{second}"), &[]).ok();
    assert_eq!(moved["message"]["subject"], "elsewhere");
    seat.is_content();
}

#[test]
fn from_a_message_on_everything_is_unread_again() {
    let Some(seat) = Seat::at("web-unread-again", |seat| seat.topic("loom")) else {
        return;
    };
    let ids: Vec<i64> = (0..3)
        .map(|number| seat.said(&seat.other, "loom", &format!("number {number}")))
        .collect();
    seat.wait_for_message("number 2");
    seat.wait_for("document.querySelector('.message.unread') === null");
    let unread = |seat: &Seat| {
        let snapshot = seat.user.post("/register", &[]).ok();
        snapshot["unread_msgs"]["streams"][0]["unread_message_ids"].clone()
    };
    seat.eventually(|seat| unread(seat).is_null());
    seat.choose(ids[1], "Mark unread from here");
    seat.wait_for("document.querySelectorAll('.message.unread').length === 2");
    seat.eventually(|seat| unread(seat) == json!([ids[1], ids[2]]));
    // They stay unread, though they are seen, when another message that is seen is read.
    let next = seat.said(&seat.other, "loom", "number 3");
    seat.wait_for_message("number 3");
    seat.eventually(|seat| {
        let message = seat.user.get(&format!("/messages/{next}"), &[]).ok();
        let flags = message["message"]["flags"].as_array().expect("flags");
        flags.contains(&json!("read"))
    });
    assert_eq!(unread(&seat), json!([ids[1], ids[2]]));
    seat.is_content();
}
