//! Settings: the account, appearance, notifications, alert words and mutes.

use serde_json::json;
use spindle_tests::Client;

use super::{PASSWORD, Seat};

/// Chooses an option of a setting by its text.
fn pick(seat: &Seat, setting: &str, option: &str) {
    let select = format!("select[name={setting}]");
    seat.wait_for(&format!("document.querySelector('{select}') !== null"));
    let pick = "const select = document.querySelector(arguments[0]);
         select.value = [...select.options].find((one) => one.textContent.trim() === arguments[1]).value;
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(pick, &[json!(select), json!(option)]);
}

fn setting(seat: &Seat, name: &str) -> serde_json::Value {
    let pairs = [("fetch_event_types", "[\"user_settings\"]")];
    seat.user.post("/register", &pairs).ok()["user_settings"][name].clone()
}

#[test]
fn the_account_is_renamed_and_gets_a_key() {
    let Some(seat) = Seat::at("web-account", |_| "#settings/account".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('[name=full_name]') !== null");
    seat.check_look("settings-account");
    seat.browser
        .run("document.querySelector('[name=full_name]').value = ''", &[]);
    seat.browser
        .type_into("[name=full_name]", "Ada of the Loom");
    seat.press_text(".settings", "Save");
    seat.wait_for("document.querySelector('.own .name').textContent === 'Ada of the Loom'");
    seat.browser.type_into("[name=key_name]", "Nightly report");
    seat.browser.run(
        "document.querySelector('[name=scope]').value = 'send'; \
         document.querySelector('[name=days]').value = '30'",
        &[],
    );
    seat.press_text(".api-keys form", "Make a key");
    seat.wait_for("document.querySelector('.key code')?.textContent.length === 32");
    let key = seat.ask("document.querySelector('.key code').textContent");
    let zuliprc = seat.ask("document.querySelector('.api-keys .entries').textContent");
    let (key, zuliprc) = (key.as_str().expect("a key"), zuliprc.to_string());
    assert!(zuliprc.contains(key), "{zuliprc}");
    let client = Client::new(seat.server.base_url(), Some((&seat.user.email, key)));
    client.get("/users/me", &[]).ok();
    client
        .post("/users/me/status", &[("status_text", "x")])
        .error(400, "INSUFFICIENT_SCOPE");
    seat.check_look("settings-api-keys");
    seat.go("#inbox");
    seat.go("#settings/account");
    seat.wait_for("document.querySelector('.settings') !== null");
    assert_eq!(
        seat.ask("document.querySelector('.key') === null"),
        json!(true)
    );
    let line = "[...document.querySelectorAll('.api-keys li')].find((one) => one.textContent.includes('Nightly'))";
    seat.wait_for(&format!(
        "{line}?.textContent.includes('last used') === true"
    ));
    seat.browser.press("[aria-label='End: Nightly report']");
    seat.wait_for(&format!("{line} === undefined"));
    client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    seat.is_content();
}

#[test]
fn a_password_is_changed_and_this_browser_stays() {
    let Some(seat) = Seat::at("web-password", |_| "#settings/account".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('[name=old]') !== null");
    seat.browser.type_into("[name=old]", PASSWORD);
    seat.browser
        .type_into("[name=new]", "four threads of another loom");
    seat.press_text(".settings", "Change the password");
    seat.wait_for("document.querySelector('.notes').textContent.includes('changed')");
    seat.go(&seat.topic("loom"));
    seat.said(&seat.other, "loom", "still here");
    seat.wait_for_message("still here");
    seat.is_content();
}

#[test]
fn preferences_are_kept_and_seen_at_once() {
    let Some(seat) = Seat::at("web-preferences", |_| "#settings/preferences".to_owned()) else {
        return;
    };
    pick(&seat, "default_language", "Deutsch");
    seat.wait_for("document.querySelector('.bar h1').textContent === 'Einstellungen'");
    seat.check_look("settings-german");
    pick(&seat, "default_language", "English");
    seat.wait_for("document.querySelector('.bar h1').textContent === 'Settings'");
    pick(&seat, "web_font_size_px", "20");
    seat.wait_for("getComputedStyle(document.documentElement).fontSize === '20px'");
    seat.check_look("settings-large");
    pick(&seat, "twenty_four_hour_time", "24 hours");
    pick(&seat, "color_scheme", "Dark colours");
    seat.wait_for("document.documentElement.dataset.shade === 'dark'");
    seat.browser.press("[name=enter_sends]");
    seat.wait_for("document.querySelector('[name=enter_sends]').checked");
    for (name, expected) in [
        ("twenty_four_hour_time", json!(true)),
        ("web_font_size_px", json!(20)),
    ] {
        assert_eq!(setting(&seat, name), expected, "{name}");
    }
    // A change says that it is saved, and can be taken back.
    seat.browser.reload();
    seat.wait_for("document.querySelector('[name=enter_sends]')?.checked");
    seat.browser.press("[name=enter_sends]");
    seat.wait_for("document.querySelector('.notes').textContent.includes('Saved')");
    seat.press_text(".notes", "Undo");
    seat.wait_for("document.querySelector('[name=enter_sends]').checked");
    seat.eventually(|seat| setting(seat, "enter_sends") == json!(true));
    seat.is_content();
}

#[test]
fn what_notifies_is_set_for_all_and_for_one_channel() {
    let Some(seat) = Seat::at("web-notifications", |_| {
        "#settings/notifications".to_owned()
    }) else {
        return;
    };
    seat.wait_for("document.querySelector('.settings details') !== null");
    seat.browser
        .press("[name=enable_stream_desktop_notifications]");
    seat.wait_for("document.querySelector('details input').checked");
    seat.browser.press("details summary");
    seat.check_look("settings-notifications");
    seat.browser.press("details input");
    seat.wait_for("!document.querySelector('details input').checked");
    seat.wait_for("document.querySelector('[name=enable_stream_desktop_notifications]').checked");
    seat.is_content();
}

#[test]
fn alert_words_and_muted_people_are_listed() {
    let Some(seat) = Seat::at("web-muted", |_| "#settings/muted".to_owned()) else {
        return;
    };
    let path = format!("/users/me/muted_users/{}", seat.other.user_id);
    seat.user.post(&path, &[]).ok();
    seat.wait_for("document.querySelector('[name=word]') !== null");
    seat.browser.type_into("[name=word]", "heddle");
    seat.press_text(".settings", "Add");
    seat.wait_for("document.querySelector('.words li')?.textContent.includes('heddle')");
    seat.wait_for("document.querySelectorAll('.settings li').length === 2");
    seat.check_look("settings-muted");
    seat.press_text(".words", "Remove");
    seat.wait_for("document.querySelectorAll('.settings li').length === 1");
    seat.press_text(".settings", "Unmute");
    seat.wait_for("document.querySelectorAll('.settings li').length === 0");
    seat.is_content();
}

#[test]
fn the_profile_is_filled_in_and_a_picture_is_cropped() {
    let Some(seat) = Seat::new("web-profile") else {
        return;
    };
    let choices = json!({ "wool": { "text": "Wool", "order": "1" }, "silk": { "text": "Silk", "order": "2" } });
    let choices = choices.to_string();
    for pairs in [
        vec![("name", "Pet"), ("field_type", "1"), ("hint", "Its name")],
        vec![
            ("name", "Yarn"),
            ("field_type", "3"),
            ("field_data", choices.as_str()),
        ],
        vec![("name", "Teacher"), ("field_type", "6")],
    ] {
        seat.user.post("/realm/profile_fields", &pairs).ok();
    }
    seat.sign_in();
    seat.go("#settings/profile");
    seat.wait_for("document.querySelectorAll('.profile label, .profile .field').length === 3");
    seat.check_look("settings-profile");
    seat.browser
        .type_into(".profile input[type=text]", "Shuttle");
    let pick = "const select = document.querySelector(arguments[0]);
         select.value = arguments[1];
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser
        .run(pick, &[json!(".profile select"), json!("silk")]);
    seat.browser
        .type_into(".profile .people input", &seat.other.full_name);
    seat.wait_for("document.querySelector('.profile .suggestions button') !== null");
    seat.browser.press(".profile .suggestions button");
    seat.press_text(".profile", "Save");
    seat.wait_for("document.querySelector('.notes').textContent.includes('Saved')");
    seat.browser
        .run(pick, &[json!("[name=timezone]"), json!("Pacific/Auckland")]);
    seat.press_text(".settings", "Your profile");
    seat.wait_for(
        "document.querySelector('dialog.person')?.textContent.includes('Pacific/Auckland')",
    );
    let card = seat.browser.text("dialog.person");
    for expected in ["Shuttle", "Silk", seat.other.full_name.as_str()] {
        assert!(card.contains(expected), "{expected}: {card}");
    }
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('dialog') === null");

    seat.go("#settings/account");
    seat.wait_for("document.querySelector('[name=email]') !== null");
    seat.browser
        .run("document.querySelector('[name=email]').value = ''", &[]);
    seat.browser.type_into("[name=email]", "weaver@example.org");
    seat.browser.press("form:has([name=email]) button");
    seat.wait_for("document.querySelector('.notes').textContent.includes('address is changed')");
    // The field follows what the server has broadcast.
    seat.wait_for("document.querySelector('[name=email]').defaultValue === 'weaver@example.org'");

    // Red on the left, green on the right: the green part is chosen.
    let choose = "const canvas = document.createElement('canvas');
         canvas.width = 400; canvas.height = 200;
         const pen = canvas.getContext('2d');
         pen.fillStyle = '#f00'; pen.fillRect(0, 0, 200, 200);
         pen.fillStyle = '#0f0'; pen.fillRect(200, 0, 200, 200);
         return new Promise((resolve) => canvas.toBlob((blob) => {
             const transfer = new DataTransfer();
             transfer.items.add(new File([blob], 'two.png', { type: 'image/png' }));
             const field = document.querySelector('.picture input');
             field.files = transfer.files;
             field.dispatchEvent(new Event('change', { bubbles: true }));
             resolve(true);
         }))";
    let before = seat.ask("document.querySelector('.picture .avatar').src");
    seat.browser.run(choose, &[]);
    seat.wait_for("document.querySelector('dialog.crop canvas') !== null");
    seat.check_look("crop");
    seat.browser
        .run("document.querySelector('dialog.crop canvas').focus()", &[]);
    // An arrow moves the view over the picture.
    seat.browser.keys(&"\u{e014}".repeat(30));
    seat.press_text("dialog.crop", "Save");
    seat.wait_for("document.querySelector('dialog') === null");
    let colour = "const image = new Image();
         image.src = document.querySelector('.picture .avatar').src;
         return image.decode().then(() => {
             const canvas = document.createElement('canvas');
             canvas.width = canvas.height = 10;
             const pen = canvas.getContext('2d');
             pen.drawImage(image, 0, 0, 10, 10);
             return [...pen.getImageData(1, 5, 1, 1).data].slice(0, 2).map((one) => one > 128);
         })";
    seat.wait_for(&format!(
        "document.querySelector('.picture .avatar').src !== {before}"
    ));
    assert_eq!(seat.browser.run(colour, &[]), json!([false, true]));
    seat.is_content();
}

#[test]
fn topics_that_are_followed_or_muted_keep_their_case() {
    let Some(seat) = Seat::at("web-topics-case", |_| "#settings/muted".to_owned()) else {
        return;
    };
    let channel = seat.channel.id();
    for (topic, policy) in [("Launch party", "3"), ("Noise OF looms", "1")] {
        let pairs = [
            ("stream_id", channel.as_str()),
            ("topic", topic),
            ("visibility_policy", policy),
        ];
        seat.user.post("/user_topics", &pairs).ok();
        let is_said = format!(
            "document.querySelector('.settings')?.textContent.includes({})",
            json!(topic)
        );
        seat.wait_for(&is_said);
        seat.browser.reload();
        seat.wait_for(&is_said);
    }
    seat.is_content();
}
