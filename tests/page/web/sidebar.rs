//! The sidebar: which views it has, what its filter finds, which topics and channels it folds or puts last.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};

use super::Seat;

/// Names of the views that are always shown.
const VIEWS: &str =
    "[...document.querySelectorAll('.views .name')].map((one) => one.textContent.trim())";

#[test]
fn views_have_the_order_and_the_places_that_the_account_keeps() {
    let Some(seat) = Seat::at("web-views", |_| "#settings/preferences".to_owned()) else {
        return;
    };
    let all = [
        "Inbox",
        "Recent conversations",
        "All messages",
        "Mentions",
        "Reactions to you",
        "Starred messages",
        "Drafts",
        "Scheduled messages",
    ];
    seat.wait_for(&format!("{VIEWS}.join() === {}", json!(all.join(","))));
    seat.wait_for("document.querySelector('[name=recent]') !== null");
    seat.browser.press("[name=recent]");
    let without: Vec<&str> = all
        .into_iter()
        .filter(|name| *name != "Recent conversations")
        .collect();
    seat.wait_for(&format!("{VIEWS}.join() === {}", json!(without.join(","))));
    // Unpinned channels are in a collapsed section.
    seat.press_text(".sidebar", "More views");
    seat.wait_for(&format!("{VIEWS}.at(-1) === 'Recent conversations'"));
    seat.press_text(".sidebar", "Fewer views");
    seat.wait_for(&format!("{VIEWS}.length === 7"));
    // Another client pins it again, and adds a view of its own.
    seat.user
        .patch("/navigation_views/recent", &[("is_pinned", "true")])
        .ok();
    seat.wait_for(&format!("{VIEWS}.join() === {}", json!(all.join(","))));
    let own = [
        ("fragment", "narrow/is/followed"),
        ("is_pinned", "true"),
        ("name", "What I follow"),
    ];
    seat.user.post("/navigation_views", &own).ok();
    seat.wait_for(&format!("{VIEWS}.at(-1) === 'What I follow'"));
    seat.is_content();
}

#[test]
fn topics_and_channels_are_filtered_folded_and_put_last() {
    let Some(seat) = Seat::new("web-sidebar") else {
        return;
    };
    let quiet = fixture::channel(
        &seat.server,
        ChannelKind::Public,
        &[&seat.user, &seat.other],
    );
    let change = json!([{ "stream_id": quiet.stream_id, "property": "is_muted", "value": true }])
        .to_string();
    seat.user
        .post(
            "/users/me/subscriptions/properties",
            &[("subscription_data", change.as_str())],
        )
        .ok();
    seat.said(&seat.user, "✔ old loom", "it is done");
    seat.said(&seat.user, "new loom", "it begins");
    seat.said(&seat.other, "reed", "unread");
    seat.sign_in();
    seat.go("#inbox");
    let fold = format!(
        ".sidebar .channel:has([href^='#narrow/channel/{}']) .fold",
        seat.channel.id()
    );
    seat.wait_for(&format!("document.querySelector(\"{fold}\") !== null"));
    seat.browser.press(&fold);
    let topics = "[...document.querySelectorAll('.topics .name')].map((one) => one.textContent.trim()).sort().join()";
    // A resolved topic is folded away.
    seat.wait_for(&format!("{topics} === 'new loom,reed'"));
    seat.wait_for("document.querySelector('.topics .more').textContent.includes('1 more topic')");
    seat.wait_for("[...document.querySelectorAll('.topics li')].find((one) => one.textContent.includes('reed')).textContent.includes('1')");
    // A muted channel is the last of its section.
    let last = "[...document.querySelectorAll('.sidebar .channel .name')].at(-1).textContent";
    assert_eq!(seat.ask(last), json!(quiet.name));
    assert_eq!(
        seat.ask("[...document.querySelectorAll('.sidebar li:has(> .channel)')].at(-1).classList.contains('hushed')"),
        json!(true)
    );
    // The filter finds topics too, resolved ones as well, and hides what does not fit.
    seat.browser.type_into("#filter", "loom");
    seat.wait_for(&format!("{topics} === 'new loom,✔ old loom'"));
    seat.wait_for("document.querySelector('.views') === null");
    seat.check_look("sidebar-filter");
    seat.browser.type_into("#filter", &quiet.name);
    seat.wait_for("document.querySelectorAll('.sidebar .channel').length === 1");
    assert_eq!(seat.ask(last), json!(quiet.name));
    seat.is_content();
}

#[test]
fn of_many_channels_that_of_the_view_is_there_at_once_and_all_follow() {
    let Some(seat) = Seat::new("web-many-channels") else {
        return;
    };
    let names: Vec<String> = (0..150)
        .map(|number| format!("shuttle {number:03}"))
        .collect();
    let wanted: Vec<_> = names.iter().map(|name| json!({ "name": name })).collect();
    seat.user
        .post(
            "/users/me/subscriptions",
            &[("subscriptions", &json!(wanted).to_string())],
        )
        .ok();
    let last = seat
        .user
        .get("/get_stream_id", &[("stream", "shuttle 149")])
        .ok();
    let last = last["stream_id"].as_i64().expect("an id");
    seat.sign_in();
    seat.go(&format!("#narrow/channel/{last}"));
    let current = "document.querySelector('.sidebar [aria-current]')";
    let seen = format!(
        "(() => {{ const edges = {current}?.getBoundingClientRect();
            return edges !== undefined && edges.top > 0 && edges.bottom <= innerHeight; }})()"
    );
    seat.wait_for(&seen);
    // The others are drawn while the browser is idle; the visible rows stay in position.
    seat.wait_for("document.querySelectorAll('.sidebar .channel').length >= 151");
    seat.wait_for(&seen);
    let order = "[...document.querySelectorAll('.sidebar .channel .name')].map((one) => one.textContent).filter((name) => name.startsWith('shuttle'))";
    assert_eq!(seat.ask(order), json!(names));
    // A row shows the unread messages of its channel.
    let elsewhere = json!([{ "name": "shuttle 148" }]).to_string();
    seat.other
        .post(
            "/users/me/subscriptions",
            &[("subscriptions", elsewhere.as_str())],
        )
        .ok();
    let message = [
        ("type", "stream"),
        ("to", "shuttle 148"),
        ("topic", "weft"),
        ("content", "new"),
    ];
    seat.other.post("/messages", &message).ok();
    let counts = "[...document.querySelectorAll('.sidebar .channel .count > :first-child')].map((one) => one.textContent).join()";
    seat.wait_for(&format!("{counts} === '1'"));
    seat.browser.type_into("#filter", "shuttle 14");
    seat.wait_for("document.querySelectorAll('.sidebar .channel').length === 10");
    seat.check_look("sidebar-many");
    seat.is_content();
}

#[test]
fn the_sidebar_stays_where_it_is_unless_the_view_would_be_hidden() {
    let Some(seat) = Seat::new("web-sidebar-stays") else {
        return;
    };
    let names: Vec<_> = (0..40)
        .map(|number| json!({ "name": format!("shuttle {number:02}") }))
        .collect();
    let wanted = json!(names).to_string();
    seat.user
        .post(
            "/users/me/subscriptions",
            &[("subscriptions", wanted.as_str())],
        )
        .ok();
    seat.sign_in();
    seat.go("#inbox");
    seat.wait_for("document.querySelectorAll('.sidebar .channel').length > 40");
    let top = "document.querySelector('.sidebar').scrollTop";
    let edges = "document.querySelector('.sidebar [aria-current]').getBoundingClientRect()";
    let filter = "document.querySelector('.sidebar .filter').getBoundingClientRect()";
    // Seen already, though not at the same place as before.
    seat.browser
        .run("document.querySelector('.sidebar').scrollTop = 100", &[]);
    seat.go("#drafts");
    seat.wait_for(
        "document.querySelector('.sidebar [aria-current]').textContent.includes('Drafts')",
    );
    seat.is_drawn();
    assert_eq!(seat.ask(top), json!(100));
    // Below the filter, it is not seen.
    let drafts = format!(
        "const box = document.querySelector('.sidebar');
         box.scrollTop += {edges}.top - {filter}.top"
    );
    seat.go("#inbox");
    seat.wait_for(
        "document.querySelector('.sidebar [aria-current]').textContent.includes('Inbox')",
    );
    seat.is_drawn();
    seat.browser.run(&drafts, &[]);
    seat.is_drawn();
    seat.go("#recent");
    seat.wait_for(
        "document.querySelector('.sidebar [aria-current]').textContent.includes('Recent')",
    );
    seat.go("#inbox");
    seat.wait_for(
        "document.querySelector('.sidebar [aria-current]').textContent.includes('Inbox')",
    );
    seat.wait_for(&format!("{edges}.top >= {filter}.bottom - 1"));
    seat.is_content();
}

/// It stands in place of the sign, on the ground that the line has; a channel without topics is as high as any other.
#[test]
fn the_fold_of_a_channel_cuts_nothing_out_of_its_line() {
    let Some(seat) = Seat::at("web-fold", |_| "#inbox".to_owned()) else {
        return;
    };
    let line = "document.querySelector('.sidebar .channel')";
    seat.wait_for(&format!("{line} !== null"));
    let ground = format!("getComputedStyle({line}.querySelector('.fold')).backgroundColor");
    assert_eq!(seat.ask(&ground), json!("rgba(0, 0, 0, 0)"));
    seat.browser.run(
        &format!("{line}.querySelector('.fold').focus({{ focusVisible: true }})"),
        &[],
    );
    seat.wait_for(&format!("getComputedStyle({line}.querySelector('.sign')).opacity === (matchMedia('(hover: none)').matches ? '1' : '0')"));
    // A channel that is open and has no topics yet.
    let empty = format!(
        "const list = document.createElement('ul'); list.className = 'topics'; {line}.after(list);
         return list.getBoundingClientRect().height"
    );
    assert_eq!(seat.browser.run(&empty, &[]), json!(0));
    seat.is_content();
}

/// What can be done with a conversation is where it is named: with a right click, and with a button.
#[test]
fn conversations_have_their_menus_in_the_sidebar() {
    let Some(seat) = Seat::new("web-line-menus") else {
        return;
    };
    let id = seat.said(&seat.other, "Loom", "about looms");
    let channel = seat.channel.id();
    seat.sign_in();
    // Its topics are shown in other views, too.
    let fold = format!(".sidebar .channel:has([href^='#narrow/channel/{channel}']) .fold");
    seat.wait_for(&format!("document.querySelector(\"{fold}\") !== null"));
    let unfold = "document.querySelector(arguments[0]).click()";
    seat.browser.run(unfold, &[json!(fold)]);
    seat.go(&seat.topic("Loom"));
    let link =
        format!("document.querySelector('.sidebar .topics a[href*=\"channel/{channel}-\"]')");
    seat.wait_for(&format!("{link} !== null"));
    seat.wait_for_message("about looms");
    let open = format!(
        "{link}.dispatchEvent(new MouseEvent('contextmenu', {{ bubbles: true, cancelable: true, clientX: 60, clientY: 300 }}))"
    );
    let choose = |entry: &str| {
        seat.browser.run(&open, &[]);
        seat.press_text(".menu", entry);
    };
    let policy = || {
        let topics = seat.user.post("/register", &[]).ok()["user_topics"].clone();
        topics[0]["visibility_policy"].clone()
    };
    seat.browser.run(&open, &[]);
    seat.wait_for("document.querySelector('.menu') !== null");
    let place = "(() => { const { left, top } = document.querySelector('.menu').getBoundingClientRect(); return [left, top]; })()";
    assert_eq!(seat.ask(place), json!([60, 300]));
    seat.check_look("line-menu");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('.menu') === null");

    choose("Mute the topic");
    seat.eventually(|_| policy() == json!(1));
    seat.press_text(".notes", "Undo");
    seat.eventually(|_| policy() != json!(1));
    let is_read = || {
        let message = seat.user.get(&format!("/messages/{id}"), &[]).ok();
        message["message"]["flags"]
            .as_array()
            .expect("flags")
            .contains(&json!("read"))
    };
    seat.eventually(|_| is_read());
    seat.go("#inbox");
    let unread = seat.said(&seat.other, "Loom", "more of them");
    seat.wait_for(&format!("{link}.textContent.includes('1')"));
    choose("Mark as read");
    seat.wait_for(&format!("!{link}.textContent.includes('1')"));
    seat.press_text(".notes", "Undo");
    seat.wait_for(&format!("{link}.textContent.includes('1')"));

    choose("Rename or move the topic");
    seat.wait_for("document.activeElement.matches('dialog [name=topic]')");
    seat.browser
        .type_into("dialog [name=topic]", "Looms of old");
    seat.press_text("dialog", "Save");
    seat.wait_for(&format!("{link}.textContent.includes('Looms of old')"));
    choose("Mark the topic as resolved");
    let subject =
        || seat.user.get(&format!("/messages/{unread}"), &[]).ok()["message"]["subject"].clone();
    seat.eventually(|_| subject() == json!("✔ Looms of old"));
    seat.press_text(".notes", "Undo");
    seat.eventually(|_| subject() == json!("Looms of old"));
    seat.wait_for(&format!("{link}.textContent.includes('Looms of old')"));
    // The button comes with the focus, as it does with the pointer.
    seat.browser.run(&format!("{link}.focus()"), &[]);
    seat.wait_for("document.querySelector('.sidebar .topics .line-menu') !== null");
    seat.browser.run(
        "document.querySelector('.sidebar .topics .line-menu').click()",
        &[],
    );
    seat.press_text(".menu", "Delete the topic");
    seat.press_text("dialog", "Delete");
    seat.wait_for("document.querySelector('dialog') === null");
    assert_eq!(
        seat.user.get(&format!("/messages/{unread}"), &[]).status,
        400
    );
    seat.is_content();
}
