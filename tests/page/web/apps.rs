//! Apps: installed, granted, changed and removed in the settings of the organization, and used in a conversation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use spindle_tests::server::repository;

use super::Seat;

const BUTTONS: &str = "[...document.querySelectorAll('.app-buttons button')].map((one) => one.textContent.trim()).join()";
/// Links of messages with buttons to this page, for clients without buttons.
const LINKS: &str = "[...document.querySelectorAll('.asking a[href*=\"#narrow/\"]')].map((one) => one.checkVisibility()).join()";

/// A component of the build.
fn component(name: &str) -> Vec<u8> {
    let path = repository().join(format!("target/wasm32-wasip2/component/{name}.wasm"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// An older version of the test's app, which does not ask for clicks. Blanks keep the length of its manifest.
fn without_clicks(component: &[u8]) -> Vec<u8> {
    let mut older = component.to_vec();
    let parts: [(&[u8], &[u8]); 2] = [
        (b"\"click\", ", b"         "),
        (b"\"version\": \"1\"", b"\"version\": \"0\""),
    ];
    for (from, to) in parts {
        let places: Vec<usize> = (0..=older.len() - from.len())
            .filter(|at| older[*at..].starts_with(from))
            .collect();
        assert!(!places.is_empty(), "a part of the manifest");
        for at in places {
            older[at..at + to.len()].copy_from_slice(to);
        }
    }
    older
}

/// Uploads a component with the form within a place.
#[track_caller]
fn upload(seat: &Seat, within: &str, content: &[u8]) {
    let field = format!("{within} [name=component]");
    seat.wait_for(&format!(
        "document.querySelector({}) !== null",
        json!(field)
    ));
    let choose = "const bytes = Uint8Array.from(atob(arguments[1]), (one) => one.charCodeAt(0));
         const files = new DataTransfer();
         files.items.add(new File([bytes], 'app.wasm', { type: 'application/wasm' }));
         document.querySelector(arguments[0]).files = files.files";
    let arguments = [json!(field), json!(STANDARD.encode(content))];
    seat.browser.run(choose, &arguments);
    seat.press_text(within, "Upload");
}

/// Installs an app; its dialog is open then.
#[track_caller]
fn install(seat: &Seat, content: &[u8]) {
    seat.go("#organization/apps");
    upload(seat, ".apps", content);
    seat.wait_for("document.querySelector('dialog.app .app-rights') !== null");
    is_state(seat, "needs rights");
}

/// Waits until the dialog says that an app is in this state.
#[track_caller]
fn is_state(seat: &Seat, state: &str) {
    seat.wait_for(&format!(
        "document.querySelector('dialog.app .tag').textContent === {}",
        json!(state)
    ));
}

#[track_caller]
fn grant(seat: &Seat) {
    seat.press_text("dialog .app-rights", "Grant");
    seat.wait_for("document.querySelector('.app-rights + [role=status]').textContent !== ''");
    is_state(seat, "running");
}

fn close(seat: &Seat) {
    seat.browser.press("dialog header button");
    seat.wait_for("document.querySelector('dialog') === null");
}

/// The only app, as the server lists it.
fn app(seat: &Seat) -> Value {
    seat.user.get("/apps", &[]).ok()["apps"][0].clone()
}

/// Writes several lines into the field, and sends them.
#[track_caller]
fn say(seat: &Seat, text: &str) {
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let fill = "const field = document.querySelector('.compose textarea');
         field.value = arguments[0];
         field.dispatchEvent(new Event('input', { bubbles: true }))";
    seat.browser.run(fill, &[json!(text)]);
    seat.wait_for("!document.querySelector('.compose button[type=submit]').disabled");
    seat.browser.press(".compose button[type=submit]");
}

/// Presses a button of the only message that has some; no earlier click is under way.
#[track_caller]
fn click(seat: &Seat, label: &str) {
    seat.wait_for("document.querySelector('.app-buttons [aria-disabled=true]') === null");
    seat.press_text(".app-buttons", label);
}

#[track_caller]
fn wait_for_words(seat: &Seat, words: &str) {
    seat.wait_for(&format!(
        "document.querySelector('.asking').textContent.includes({})",
        json!(words)
    ));
}

#[test]
fn a_poll_is_installed_voted_on_and_ends() {
    let Some(seat) = Seat::with_clock("web-app-poll") else {
        return;
    };
    seat.sign_in();
    seat.go("#organization/apps");
    seat.wait_for("document.querySelector('.apps .hint:not(:first-of-type)') !== null");
    seat.check_look("organization-apps");

    // The form says why a file is no app.
    upload(&seat, ".apps", b"no component");
    seat.wait_for("document.querySelector('.apps .error').textContent !== ''");
    seat.check_look("organization-app-refused");
    assert_eq!(app(&seat), Value::Null);

    install(&seat, &component("app_poll"));
    for right in [
        "answer the command /vote",
        "see who presses its buttons",
        "act at times that it sets",
    ] {
        let text = seat.browser.text("dialog .app-rights");
        assert!(text.contains(right), "{right} is not in\n{text}");
    }
    seat.check_look("organization-app-rights");
    assert_eq!(app(&seat)["rights"], Value::Null);
    grant(&seat);
    assert_eq!(
        app(&seat)["rights"],
        json!({"events": ["command", "click", "tick"], "commands": ["vote"], "hosts": [], "channels": null})
    );
    seat.browser.press("dialog [name=setting-show_names]");
    seat.press_text("dialog .app-settings", "Save");
    seat.eventually(|seat| app(seat)["settings"]["show_names"] == "true");
    close(&seat);
    seat.wait_for("document.querySelector('.apps li .tag').textContent === 'running'");

    // This tab offers the command at once, others when they register.
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.type_into(".compose textarea", "/vo");
    seat.wait_for("document.querySelector('.suggestions').textContent.includes('Polls')");
    let commands = seat.other.post("/register", &[]).ok()["realm_app_commands"].clone();
    assert_eq!(
        (&commands[0]["name"], &commands[0]["app_title"]),
        (&json!("vote"), &json!("Polls"))
    );
    seat.browser.keys("\u{e007}");
    seat.wait_for("document.querySelector('.compose textarea').value === '/vote '");

    say(&seat, "/vote Which loom?\nTable\nFloor\nuntil 10m");
    seat.wait_for(&format!("{BUTTONS} === 'Table,Floor'"));
    wait_for_words(&seat, "Table: 0 votes");
    // The link to this page is for others.
    seat.wait_for(&format!("{LINKS} === 'false'"));
    let gap = "(() => {
        const message = document.querySelector('.message:has(.app-buttons)');
        const top = (one) => one.getBoundingClientRect().top;
        return top(message.querySelector('.avatar')) - top(message);
    })()";
    let gap = seat.ask(gap).as_f64().expect("a distance");
    assert!(
        gap < 12.0,
        "the picture of the account is {gap} below the top"
    );
    seat.check_look("app-buttons");
    click(&seat, "Table");
    wait_for_words(&seat, "Table: 1 vote");
    let id = "document.querySelector('.message:has(.app-buttons)').dataset.id";
    let id = seat.ask(id);
    let path = format!("/messages/{}/click", id.as_str().expect("an id"));
    seat.other.post(&path, &[("button", "1")]).ok();
    wait_for_words(&seat, "Table: 2 votes");
    wait_for_words(&seat, &seat.other.full_name);
    // Each person has one vote, which can be changed. A pressed button keeps the focus.
    seat.wait_for("document.querySelector('.app-buttons [aria-disabled=true]') === null");
    seat.browser.run(
        "document.querySelectorAll('.app-buttons button')[1].focus()",
        &[],
    );
    seat.browser.keys("\u{e007}");
    wait_for_words(&seat, "Floor: 1 vote");
    wait_for_words(&seat, "Table: 1 vote");
    assert_eq!(
        seat.ask("document.activeElement.textContent.trim()"),
        json!("Floor")
    );
    seat.wait_for(&format!("{BUTTONS} === 'Table,Floor'"));

    seat.server.advance(601);
    seat.wait_for("document.querySelector('.app-buttons') === null");
    seat.wait_for(
        "[...document.querySelectorAll('.message .rendered')].some((one) => one.textContent.includes('The poll has ended.'))",
    );
    let links = "document.querySelectorAll('.rendered a').length";
    assert_eq!(seat.ask(links), json!(0));
    seat.is_content();
}

/// A wrong command is answered only to the person who wrote it, and the answer can be dismissed.
#[test]
fn an_answer_to_one_person_is_shown_and_dismissed() {
    let Some(seat) = Seat::new("web-app-answer") else {
        return;
    };
    seat.sign_in();
    install(&seat, &component("app_poll"));
    grant(&seat);
    close(&seat);
    seat.go(&seat.topic("loom"));
    say(&seat, "/vote Which loom?\nonly one");
    let answer = "document.querySelector('.message .app-answer')";
    seat.wait_for(&format!(
        "{answer}.textContent.includes('Only you see this')"
    ));
    seat.wait_for(&format!("{answer}.textContent.includes('2 to 10 answers')"));
    seat.check_look("app-answer");
    // Below the message that it is about; there is no other.
    assert_eq!(
        seat.ask("document.querySelectorAll('.message:not(.echo)').length"),
        json!(1)
    );
    let narrow = json!([{"operator": "channel", "operand": seat.channel.stream_id}]).to_string();
    let all = [
        ("anchor", "newest"),
        ("num_before", "9"),
        ("num_after", "0"),
        ("narrow", narrow.as_str()),
    ];
    let seen = seat.other.get("/messages", &all).ok();
    assert_eq!(seen["messages"].as_array().map(Vec::len), Some(1));
    seat.browser.press(".app-answer button");
    seat.wait_for(&format!("{answer} === null"));

    // What another message says is answered there, and a message that is sent later is not.
    say(&seat, "/vote Which loom?\nTable\nTable");
    seat.wait_for(&format!("{answer}.textContent.includes('twice')"));
    seat.said(&seat.other, "loom", "nothing for an app");
    seat.wait_for_message("nothing for an app");
    assert_eq!(
        seat.ask("[...document.querySelectorAll('.message')].map((one) => one.querySelector('.app-answer') !== null)"),
        json!([false, true, false])
    );
    seat.is_content();
}

#[test]
fn rights_are_narrowed_and_those_of_an_update_wait_for_consent() {
    let Some(seat) = Seat::new("web-app-rights") else {
        return;
    };
    seat.sign_in();
    let newer = component("test_app");
    install(&seat, &without_clicks(&newer));
    let words = seat.browser.text("dialog .app-rights");
    assert!(!words.contains("presses its buttons"), "{words}");

    // Not every host, and only one channel.
    seat.browser.press("dialog [name=hosts][value='127.0.0.1']");
    seat.browser.press("dialog [name=channels][value=chosen]");
    let add = "const select = document.querySelector('dialog [name=channel]');
         select.value = arguments[0];
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.wait_for("document.querySelector('dialog [name=channel]') !== null");
    seat.browser.run(add, &[json!(seat.channel.id())]);
    seat.wait_for("document.querySelector('dialog .chip') !== null");
    grant(&seat);
    let rights = app(&seat)["rights"].clone();
    assert_eq!(rights["hosts"], json!(["localhost"]));
    assert_eq!(rights["channels"], json!([seat.channel.stream_id]));
    assert_eq!(rights["commands"], json!(["test"]));

    upload(&seat, "dialog", &newer);
    let lines = "[...document.querySelectorAll('dialog .app-rights .choice:has([type=checkbox])')]";
    let waiting = format!(
        "{lines}.filter((one) => one.querySelector('.tag') !== null).map((one) => one.querySelector('input').value).join()"
    );
    seat.wait_for(&format!("{waiting} === 'click,127.0.0.1'"));
    seat.wait_for(
        "document.querySelector('dialog').textContent.includes('rights that are not granted')",
    );
    seat.check_look("organization-app-update");
    // It runs with the rights that it had.
    let now = app(&seat);
    assert_eq!(
        (&now["state"], &now["version"]),
        (&json!("active"), &json!("1"))
    );
    assert_eq!(now["rights"], rights);
    seat.browser.press("dialog [name=events][value=click]");
    grant(&seat);
    seat.wait_for(&format!("{waiting} === '127.0.0.1'"));
    let events = app(&seat)["rights"]["events"].clone();
    assert!(events.as_array().expect("events").contains(&json!("click")));
    seat.is_content();
}

#[test]
fn an_app_is_set_up_paused_and_removed() {
    let Some(seat) = Seat::new("web-app-removed") else {
        return;
    };
    seat.sign_in();
    install(&seat, &component("test_app"));
    grant(&seat);

    seat.wait_for("document.querySelector('dialog [name=setting-greeting]').value === 'Hello'");
    seat.browser
        .type_into("dialog [name=setting-greeting]", "Ahoy");
    seat.press_text("dialog .app-settings", "Save");
    seat.eventually(|seat| app(seat)["settings"]["greeting"] == "Ahoy");

    // A secret is set, replaced and removed; nothing shows it.
    for (action, value) in [("Set", "hush"), ("Replace", "hush again")] {
        seat.browser.type_into("dialog [name=secret]", value);
        seat.press_text("dialog .app-secrets", action);
        seat.wait_for("document.querySelector('dialog .app-secrets .tag').textContent === 'set'");
        seat.wait_for("document.querySelector('dialog [name=secret]').value === ''");
    }
    let now = app(&seat);
    assert_eq!(now["secrets_set"], json!(["token"]));
    assert!(!now.to_string().contains("hush"), "{now}");
    seat.check_look("organization-app");
    seat.press_text("dialog .app-secrets", "Remove");
    seat.wait_for("document.querySelector('dialog .app-secrets .tag').textContent === 'not set'");
    seat.eventually(|seat| app(seat)["secrets_set"] == json!([]));
    close(&seat);

    seat.go(&seat.topic("loom"));
    say(&seat, "/test many 2");
    let id = app(&seat)["app_id"].clone();
    let log = format!("/apps/{id}/log");
    seat.eventually(|seat| {
        let log = seat.user.get(&log, &[]).ok()["log"].clone();
        let mut lines = log.as_array().into_iter().flatten();
        lines.any(|line| line["text"] == "1")
    });
    seat.go("#organization/apps");
    seat.wait_for("document.querySelector('.apps li .name') !== null");
    seat.browser.press(".apps li .name");
    seat.press_text("dialog", "Show the log");
    seat.wait_for(
        "['0', '1'].every((line) => [...document.querySelectorAll('dialog .app-log bdi')].some((one) => one.textContent === line))",
    );
    seat.browser.run(
        "document.querySelector('dialog .app-log').scrollIntoView()",
        &[],
    );
    seat.check_look("organization-app-log");

    seat.press_text("dialog .sheet > .buttons", "Pause");
    is_state(&seat, "paused");
    assert_eq!(app(&seat)["state"], "paused");
    seat.press_text("dialog .sheet > .buttons", "Resume");
    is_state(&seat, "running");
    assert_eq!(app(&seat)["state"], "active");

    let bot = app(&seat)["bot_user_id"].clone();
    seat.press_text("dialog .sheet > .buttons", "Remove");
    seat.wait_for("document.querySelector('dialog p').textContent.includes('are deleted')");
    seat.check_look("organization-app-remove");
    seat.press_text("dialog", "Remove");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.wait_for("document.querySelector('.apps li') === null");
    assert_eq!(app(&seat), Value::Null);
    let account = seat.user.get(&format!("/users/{bot}"), &[]).ok();
    assert_eq!(account["user"]["is_active"], json!(false));
    seat.is_content();
}
