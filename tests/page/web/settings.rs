//! Settings: the account, how things look, what notifies, alert words and what is muted.

use serde_json::json;

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
    seat.browser.type_into("[name=proof]", "not the password");
    seat.press_text(".settings", "Make a key");
    seat.wait_for(
        "[...document.querySelectorAll('.settings .error')].some((one) => one.textContent !== '')",
    );
    seat.browser
        .run("document.querySelector('[name=proof]').value = ''", &[]);
    seat.browser.type_into("[name=proof]", PASSWORD);
    seat.press_text(".settings", "Make a key");
    seat.wait_for("document.querySelector('.key code')?.textContent.length === 32");
    seat.go("#inbox");
    seat.go("#settings/account");
    seat.wait_for("document.querySelector('.settings') !== null");
    assert_eq!(
        seat.ask("document.querySelector('.key') === null"),
        json!(true)
    );
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
