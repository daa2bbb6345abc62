//! Going to another conversation: with the switcher, to the next unread one, to the ends of a long one.

use serde_json::json;

use super::Seat;

const ENTER: &str = "\u{e007}";
const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";
const CHOICES: &str = "[...document.querySelectorAll('.switcher [role=option] .name')].map((one) => one.textContent.trim())";

/// Opens the switcher, types, and waits until this is its first choice.
#[track_caller]
fn seek(seat: &Seat, words: &str, expected: &str) {
    seat.browser.with_ctrl('k');
    seat.wait_for("document.activeElement.matches('.switcher input')");
    seat.browser.keys(words);
    seat.wait_for(&format!("{CHOICES}[0] === {}", json!(expected)));
}

#[track_caller]
fn wait_for_topic(seat: &Seat, topic: &str) {
    let is_title = format!(
        "document.querySelector('h1 .topic')?.textContent === {}",
        json!(topic)
    );
    seat.wait_for(&is_title);
}

#[test]
fn the_switcher_goes_to_conversations_people_views_and_settings() {
    let Some(seat) = Seat::new("web-switcher") else {
        return;
    };
    let third = seat.server.user("member");
    seat.said(&seat.user, "weft", "a text");
    seat.sign_in();
    seat.go("#inbox");
    seat.wait_for("document.querySelector('.page') !== null");
    seek(&seat, &third.full_name, &third.full_name);
    seat.check_look("switcher");
    seat.browser.keys(ENTER);
    let is_direct = format!("location.hash.startsWith('#narrow/dm/{}-')", third.user_id);
    seat.wait_for(&is_direct);
    seat.wait_for("document.querySelector('dialog') === null");
    // From the field, too, unless words are selected, which become a link. A topic needs no visit of its channel.
    seat.browser.press(".compose textarea");
    seek(&seat, &format!("{} weft", seat.channel.name), "weft");
    seat.browser.keys(ENTER);
    wait_for_topic(&seat, "weft");
    seat.browser.type_into(".compose textarea", "word");
    seat.browser
        .run("document.querySelector('.compose textarea').select()", &[]);
    seat.browser.with_ctrl('k');
    seat.wait_for("document.querySelector('.compose textarea').value === '[word](url)'");
    // A single setting leads to its part.
    seat.browser.press("h1 .topic");
    seek(&seat, "language", "Language");
    seat.browser.keys(ENTER);
    seat.wait_for("location.hash === '#settings/preferences'");
    // What is used comes before what fits as well.
    seek(&seat, "test member", &third.full_name);
    seat.browser.keys(ENTER);
    seat.wait_for(&is_direct);
    seek(&seat, "inb", "Inbox");
    seat.browser.keys(ENTER);
    seat.wait_for("location.hash === '#inbox'");
    seat.is_content();
}

#[test]
fn keys_go_to_the_next_unread_conversation() {
    let Some(seat) = Seat::new("web-next-unread") else {
        return;
    };
    seat.said(&seat.other, "reed", "of reeds");
    seat.said(&seat.other, "loom", "of looms");
    let followed = [
        ("stream_id", seat.channel.id()),
        ("topic", "reed".to_owned()),
        ("visibility_policy", "3".to_owned()),
    ];
    let followed = followed
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    seat.user.post("/user_topics", &followed).ok();
    let to = json!([seat.user.user_id]).to_string();
    let direct = [("type", "direct"), ("to", to.as_str()), ("content", "psst")];
    seat.other.post("/messages", &direct).ok();
    seat.sign_in();
    seat.go("#inbox");
    seat.wait_for("document.title.startsWith('(3)')");
    seat.browser.keys("N");
    wait_for_topic(&seat, "reed");
    seat.wait_for("document.title.startsWith('(2)')");
    seat.browser.keys("n");
    wait_for_topic(&seat, "loom");
    seat.wait_for("document.title.startsWith('(1)')");
    seat.browser.keys("n");
    seat.wait_for("document.querySelector('.notes').textContent.includes('No other conversation')");
    seat.browser.keys("p");
    seat.wait_for_message("psst");
    seat.wait_for("!document.title.startsWith('(')");
    // The channels of the sidebar in order.
    seat.browser.keys("D");
    seat.wait_for("/^#narrow\\/channel\\/\\d+-[^/]+$/u.test(location.hash)");
    seat.is_content();
}

#[test]
fn the_ends_of_a_long_conversation_are_one_key_away() {
    let Some(seat) = Seat::new("web-ends") else {
        return;
    };
    for number in 0..160 {
        seat.said(&seat.other, "loom", &format!("pick {number}"));
    }
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("pick 0");
    let count = "Number.parseInt(document.querySelector('.newest button')?.textContent, 10)";
    seat.wait_for(&format!("{count} > 100 && {count} < 160"));
    let chosen = |text: &str| {
        format!(
            "document.activeElement.matches('.message') &&
             document.activeElement.querySelector('.rendered').textContent.trim() === {}",
            json!(text)
        )
    };
    seat.browser.keys("G");
    seat.wait_for(&chosen("pick 159"));
    let is_at_end = "(() => { const box = document.querySelector('.messages');
         return box.scrollHeight - box.scrollTop - box.clientHeight < 8; })()";
    seat.wait_for(is_at_end);
    seat.wait_for("document.querySelector('.newest') === null");
    seat.browser.keys(HOME);
    seat.wait_for(&chosen("pick 0"));
    seat.wait_for("document.querySelector('.newest button') !== null");
    // One that mentions the reader is marked.
    let mention = format!("look, @**{}**", seat.user.full_name);
    seat.said(&seat.other, "loom", &mention);
    seat.wait_for("document.querySelector('.newest .at') !== null");
    seat.check_look("newest");
    seat.browser.press(".newest button");
    seat.wait_for("document.activeElement.querySelector('.user-mention') !== null");
    seat.wait_for(is_at_end);
    seat.wait_for("document.querySelector('.newest') === null");
    seat.browser.keys(HOME);
    seat.wait_for(&chosen("pick 0"));
    seat.browser.keys(END);
    seat.wait_for("document.activeElement.querySelector('.user-mention') !== null");
    seat.is_content();
}

/// Messages that a jump has passed over stay unread until the reader marks them.
#[test]
fn what_a_jump_to_the_newest_message_skips_can_be_marked_as_read() {
    let Some(seat) = Seat::new("web-skipped") else {
        return;
    };
    for number in 0..160 {
        seat.said(&seat.other, "loom", &format!("pick {number}"));
    }
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("pick 0");
    let button = "document.querySelector('.messages .edge button')";
    seat.wait_for("document.querySelector('.newest button') !== null");
    assert_eq!(seat.ask(button), json!(null));
    seat.browser.press(".newest button");
    let count =
        format!("Number(/^Mark (\\d+) messages as read$/.exec({button}?.textContent.trim())?.[1])");
    seat.wait_for(&format!("{count} > 50"));
    let here = "document.querySelector('.sidebar a[aria-current] .count')";
    seat.wait_for(&format!(
        "{here}.firstElementChild.textContent === String({count})"
    ));
    // It is at the end of the list, and covers nothing.
    let is_below = format!(
        "{button}.getBoundingClientRect().top >=
         [...document.querySelectorAll('.message')].at(-1).getBoundingClientRect().bottom"
    );
    assert_eq!(seat.ask(&is_below), json!(true));
    seat.check_look("skipped");
    seat.browser.press(".messages .edge button");
    seat.wait_for(&format!("{here} === null"));
    seat.wait_for(&format!("{button} === null"));
    seat.press_text(".notes", "Undo");
    seat.wait_for(&format!("{count} > 50"));
    // Another view begins without it.
    seat.go("#inbox");
    seat.wait_for("document.querySelector('.inbox') !== null");
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.newest button') !== null");
    assert_eq!(seat.ask(button), json!(null));
    seat.is_content();
}

/// However busy one of them is.
#[test]
fn recent_conversations_are_complete_filtered_and_found() {
    let Some(seat) = Seat::new("web-recent") else {
        return;
    };
    let names =
        "[...document.querySelectorAll('.recent li .name')].map((one) => one.textContent.trim())";
    // More than a page, then one topic with more messages than a page of the feed.
    for number in 0..104 {
        seat.said(&seat.user, &format!("loom-{number}"), "x");
    }
    for number in 0..110 {
        seat.said(&seat.user, "busy", &format!("pick {number}"));
    }
    seat.user.post("/mark_all_as_read", &[]).ok();
    let to = json!([seat.user.user_id]).to_string();
    let direct = [("type", "direct"), ("to", to.as_str()), ("content", "psst")];
    seat.other.post("/messages", &direct).ok();
    seat.sign_in();
    seat.go("#recent");
    seat.wait_for(&format!(
        "{names}.slice(0, 3).join() === {}",
        json!(format!("{},busy,loom-103", seat.other.full_name))
    ));
    // Further ones come as one scrolls.
    let scroll = "const box = document.querySelector('.page'); box.scrollTop = box.scrollHeight";
    seat.eventually(|seat| {
        seat.browser.run(scroll, &[]);
        seat.ask(&format!("{names}.includes('loom-0')")) == json!(true)
    });
    seat.browser
        .run("document.querySelector('.page').scrollTop = 0", &[]);
    // What comes, moves to the front; what is moved changes its name.
    let id = seat.said(&seat.other, "loom-5", "again");
    seat.wait_for(&format!("{names}[0] === 'loom-5'"));
    let change = [
        ("topic", "loom-five"),
        ("propagate_mode", "change_all"),
        ("send_notification_to_old_thread", "false"),
        ("send_notification_to_new_thread", "false"),
    ];
    seat.user.patch(&format!("/messages/{id}"), &change).ok();
    seat.wait_for(&format!(
        "{names}.includes('loom-five') && !{names}.includes('loom-5')"
    ));
    seat.check_look("recent-filters");
    seat.press_text(".recent .kinds", "Unread");
    seat.wait_for(&format!("{names}.length === 2"));
    seat.press_text(".recent .kinds", "Direct messages");
    seat.wait_for(&format!(
        "{names}.join() === {}",
        json!(seat.other.full_name)
    ));
    seat.press_text(".recent .kinds", "All");
    seat.browser.type_into(".recent .filters input", "loom-10");
    seat.wait_for(&format!("{names}.length === 5"));
    // The switcher knows topics of channels that were not opened.
    seat.browser.press(".recent");
    seek(&seat, "loom-fi", "loom-five");
    seat.browser.keys(ENTER);
    wait_for_topic(&seat, "loom-five");
    seat.is_content();
}
