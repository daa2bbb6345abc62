//! The second factor in the page: setting it up, signing in with it, what the organization requires, and signing apps in.

use serde_json::json;
use spindle_tests::Phone;

use super::{DESK, PASSWORD, Seat};

/// Whether an element has this text.
fn says(selector: &str, text: &str) -> String {
    format!(
        "document.querySelector('{selector}').textContent.includes({})",
        json!(text)
    )
}

/// Sets an app up with the form on the screen; returns it with the recovery codes.
fn enrol(seat: &Seat, within: &str) -> (Phone, Vec<String>) {
    let field = |name: &str| format!("{within} [name={name}]");
    seat.wait_for(&format!(
        "document.querySelector('{}') !== null",
        field("password")
    ));
    seat.browser.type_into(&field("password"), PASSWORD);
    seat.browser
        .press(&format!("{within} form button[type=submit]"));
    seat.wait_for(&format!(
        "document.querySelector('{within} .qr path') !== null"
    ));
    let secret = seat.ask(&format!(
        "document.querySelector('{within} .enrol .key code').textContent"
    ));
    let mut phone = Phone::new(secret.as_str().expect("a secret"));
    seat.browser.type_into(&field("code"), &phone.code());
    seat.browser
        .press(&format!("{within} .enrol form button[type=submit]"));
    seat.wait_for(&format!(
        "document.querySelector('{within} .recovery-codes pre') !== null"
    ));
    let codes = seat.ask(&format!(
        "document.querySelector('{within} .recovery-codes pre').textContent"
    ));
    let codes = codes.as_str().expect("codes").lines().map(str::to_owned);
    let codes: Vec<String> = codes.collect();
    assert_eq!(codes.len(), 10);
    seat.browser
        .press(&format!("{within} .recovery-codes .primary"));
    (phone, codes)
}

fn send_code(seat: &Seat, code: &str) {
    seat.wait_for("document.querySelector('.second-step [name=code]') !== null");
    seat.browser.type_into(".second-step [name=code]", code);
    seat.browser.press(".second-step button[type=submit]");
}

fn sign_out(seat: &Seat) {
    // The form may appear before the page is loaded again, and is replaced then.
    seat.browser.run("window.isOld = true", &[]);
    seat.browser.press(".own");
    seat.wait_for("document.querySelector('.menu') !== null");
    seat.browser.press(".menu button:last-child");
    seat.wait_for("window.isOld === undefined && document.querySelector('.sign-in form') !== null");
}

#[test]
fn a_second_factor_is_set_up_used_and_removed() {
    let Some(seat) = Seat::at("web-second-factor", |_| "#settings/security".to_owned()) else {
        return;
    };
    let (mut phone, codes) = enrol(&seat, ".second-factor");
    seat.wait_for(&says(".second-factor", "10 recovery codes"));
    seat.check_look("second-factor");
    sign_out(&seat);
    seat.fill_in(PASSWORD);
    send_code(&seat, &phone.wrong());
    seat.wait_for(&says(".second-step .error", "wrong"));
    seat.check_look("second-step");
    send_code(&seat, &phone.code());
    seat.wait_for("document.querySelector('.frame') !== null");
    sign_out(&seat);
    seat.fill_in(PASSWORD);
    send_code(&seat, &codes[0]);
    seat.wait_for("document.querySelector('.frame') !== null");
    seat.go("#settings/security");
    seat.wait_for(&says(".second-factor", "9 recovery codes"));
    seat.browser.press(".remove-factor summary");
    seat.browser
        .type_into(".remove-factor [name=code]", &codes[1]);
    seat.browser.press(".remove-factor button[type=submit]");
    seat.wait_for("document.querySelector('.second-factor [name=password]') !== null");
    let told = seat.browser.complaints();
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn what_the_organization_requires_is_set_up_first() {
    let Some(seat) = Seat::new("web-second-factor-required") else {
        return;
    };
    let require = "UPDATE realms SET settings = json_set(settings, '$.second_factor_required_for', 'everyone') WHERE id <> 0";
    seat.server
        .database()
        .execute(require, [])
        .expect("the setting");
    seat.browser.open(seat.server.base_url(), DESK);
    seat.fill_in(PASSWORD);
    seat.wait_for("document.querySelector('.must-enrol') !== null");
    seat.check_look("must-enrol");
    enrol(&seat, ".must-enrol");
    seat.wait_for("document.querySelector('.frame') !== null");
}

/// A passkey of the browser's own device. Browsers make them for names, so the page is opened as localhost.
#[test]
fn a_passkey_signs_in_and_takes_the_place_of_a_code() {
    let Some(seat) = Seat::new("web-passkey") else {
        return;
    };
    seat.browser.add_authenticator();
    let (_, port) = seat.server.base_url().rsplit_once(':').expect("a port");
    let site = format!("http://localhost:{port}");
    seat.browser.open(&site, DESK);
    seat.fill_in(PASSWORD);
    seat.wait_for("document.querySelector('.frame') !== null");
    seat.browser
        .open(&format!("{site}/#settings/security"), DESK);
    seat.wait_for("document.querySelector('.add-passkey [name=passkey_name]') !== null");
    seat.check_look("passkeys");
    let field = |name: &str| format!(".add-passkey [name={name}]");
    seat.browser.type_into(&field("passkey_name"), "laptop");
    seat.browser.type_into(&field("password"), PASSWORD);
    seat.browser.press(".add-passkey button[type=submit]");
    seat.wait_for("document.querySelector('.passkeys .recovery-codes pre') !== null");
    seat.browser.press(".passkeys .recovery-codes .primary");
    seat.wait_for(&says(".passkeys .names", "laptop"));
    sign_out(&seat);
    seat.wait_for("document.querySelector('.with-passkey button') !== null");
    seat.check_look("sign-in-passkey");
    seat.browser.press(".with-passkey button");
    seat.wait_for("document.querySelector('.frame') !== null");
    // After the password, in place of a code.
    sign_out(&seat);
    seat.fill_in(PASSWORD);
    seat.wait_for("document.querySelector('.second-step [name=code]') !== null");
    spindle_tests::until_the_next_second();
    seat.browser.press(".sign-in button.passkey");
    seat.wait_for("document.querySelector('.frame') !== null");
    seat.browser
        .open(&format!("{site}/#settings/security"), DESK);
    seat.wait_for(&says(".passkeys .names", "laptop"));
    seat.browser.press(".passkeys .names summary");
    spindle_tests::until_the_next_second();
    seat.browser.press(".passkeys .names button.passkey");
    seat.wait_for("document.querySelector('.passkeys .names li') === null");
    // The device still offers it; the server does not know it any more.
    sign_out(&seat);
    seat.wait_for("document.querySelector('.with-passkey button') !== null");
    seat.browser.press(".with-passkey button");
    seat.wait_for(&says(".sign-in .error", "wrong"));
    let told = seat.browser.complaints();
    assert!(told.is_empty(), "{told:?}");
}

/// A link that an app has opened: the person signs in, and says that the app may go on.
#[test]
fn an_app_is_signed_in_with_a_click() {
    let Some(seat) = Seat::new("web-app-flow") else {
        return;
    };
    let pad = "5c".repeat(32);
    let address = format!(
        "{}/accounts/login/browser?desktop_flow_otp={pad}",
        seat.server.base_url()
    );
    seat.browser.open(&address, DESK);
    seat.fill_in(PASSWORD);
    seat.wait_for("document.querySelector('.app-flow .primary') !== null");
    seat.check_look("app-flow");
    let before = seat.server.database();
    let links = "SELECT count(*) FROM sign_in_links";
    let count = || -> i64 {
        before
            .query_row(links, [], |row| row.get(0))
            .expect("a number")
    };
    // The server has made one for its owner.
    let made = count();
    seat.browser.press(".app-flow .primary");
    seat.wait_for("document.querySelector('.app-flow .key code').textContent.length > 100");
    assert_eq!(count(), made + 1);
}

/// An owner requires it of administrators in the settings of the organization, and resets it for a person.
#[test]
fn an_owner_requires_and_resets_it() {
    let Some(seat) = Seat::at("web-second-factor-owner", |_| {
        "#settings/security".to_owned()
    }) else {
        return;
    };
    enrol(&seat, ".second-factor");
    seat.go("#organization/joining");
    seat.wait_for("document.querySelector('[name=second_factor_required_for]') !== null");
    let choose = "const field = document.querySelector('[name=second_factor_required_for]');
        field.value = '1'; field.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(choose, &[]);
    seat.eventually(|seat| {
        let sql = "SELECT settings FROM realms WHERE id <> 0";
        let database = seat.server.database();
        let settings: String = database
            .query_row(sql, [], |row| row.get(0))
            .expect("settings");
        settings.contains(r#""second_factor_required_for":"administrators""#)
    });
    let set = "UPDATE users SET second_factor_since = 1 WHERE id = ?1";
    let database = seat.server.database();
    database.execute(set, [seat.other.user_id]).expect("a user");
    seat.go("#organization/people");
    let edit = format!(
        ".accounts button[aria-label='Edit: {}']",
        seat.other.full_name
    );
    seat.wait_for(&format!("document.querySelector({}) !== null", json!(edit)));
    seat.browser.press(&edit);
    seat.press_text("dialog .second-factor", "Reset the second factor");
    seat.eventually(|seat| {
        let sql = "SELECT count(*) FROM users WHERE id = ?1 AND second_factor_since IS NULL";
        let database = seat.server.database();
        let reset: i64 = database
            .query_row(sql, [seat.other.user_id], |row| row.get(0))
            .expect("a number");
        reset == 1
    });
}
