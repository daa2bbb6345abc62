//! Company accounts: the buttons of the sign-in page, what it says when there is no sign-in, and the settings.

use serde_json::json;

use super::Seat;

/// Writes a provider as the host does at its start; no browser gets as far as the provider here.
fn configure(seat: &Seat) {
    let insert = "INSERT INTO identity_providers (realm_id, id, name, has_icon, position, creates, signs_out) \
        VALUES (1, 'kc', 'Loom Works', 0, 1, 1, 0)";
    seat.server.database().execute(insert, []).unwrap();
}

#[test]
fn a_button_leads_to_the_provider() {
    let Some(seat) = Seat::new("web-company") else {
        return;
    };
    configure(&seat);
    let address = format!("{}/#narrow/dm/3", seat.server.base_url());
    seat.browser.open(&address, super::DESK);
    seat.wait_for("document.querySelector('.sign-in .provider') !== null");
    let button = seat.ask(
        "[document.querySelector('.provider').textContent.trim(), \
          document.querySelector('.provider').getAttribute('href')]",
    );
    let href = "/accounts/login/openid/kc?next=%23narrow%2Fdm%2F3";
    assert_eq!(button, json!(["Sign in with Loom Works", href]));
    seat.check_look("sign-in-company");
    // Each reason has a text, an unknown one too.
    for (word, text) in [
        ("no_address", "no e-mail address"),
        ("deactivated", "is deactivated"),
        ("constructor", "failed"),
    ] {
        seat.go(&format!("#sign-in-failed/{word}"));
        seat.wait_for(&format!(
            "document.querySelector('.sign-in .failure').textContent.includes({})",
            json!(text)
        ));
    }
    let off = "INSERT INTO disabled_sign_in_ways (realm_id, name) VALUES (1, 'Email')";
    seat.server.database().execute(off, []).unwrap();
    seat.browser.open("about:blank", super::DESK);
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.sign-in .provider') !== null");
    assert_eq!(
        seat.ask("document.querySelector('.sign-in form')"),
        json!(null)
    );
    seat.is_content();
}

/// After the click, the page opens where the reader was going.
#[test]
fn a_link_leads_on() {
    let Some(seat) = Seat::new("web-company-link") else {
        return;
    };
    let words = ["user", "sign-in-link", "--email", &seat.user.email];
    let link = seat.server.admin(&words)["sign_in_link"].clone();
    let link = link.as_str().expect("a link").to_owned();
    let (_, token) = link.split_once("/#sign-in/").expect("a token");
    let address = format!("{}/#sign-in/{token}?next=drafts", seat.server.base_url());
    seat.browser.open(&address, super::DESK);
    seat.wait_for("document.querySelector('.sign-in .by-link button') !== null");
    seat.browser.press(".sign-in .by-link button");
    seat.wait_for("document.querySelector('.frame') !== null");
    assert_eq!(seat.ask("location.hash"), json!("#drafts"));
    seat.is_content();
}

#[test]
fn settings_list_and_disconnect_company_accounts() {
    let Some(seat) = Seat::new("web-company-settings") else {
        return;
    };
    configure(&seat);
    let insert = "INSERT INTO identities (issuer, subject, user_id, provider, created, last_used) \
        VALUES ('https://login.example.org', '1', ?1, 'kc', unixepoch(), unixepoch())";
    seat.server
        .database()
        .execute(insert, [seat.user.user_id])
        .unwrap();
    seat.sign_in();
    seat.go("#settings/account");
    let section = "[...document.querySelectorAll('.settings section')]
        .find((one) => one.textContent.includes('Company accounts'))";
    seat.wait_for(&format!("{section} !== undefined"));
    seat.browser
        .run(&format!("{section}.querySelector('button').click()"), &[]);
    seat.wait_for("document.querySelector('dialog').textContent.includes('Loom Works')");
    seat.check_look("company-accounts");
    seat.press_text("dialog", "Disconnect");
    seat.wait_for("document.querySelector('dialog').textContent.includes('not signed in with')");
    let left = seat.user.get("/identities", &[]).ok();
    assert_eq!(left["identities"], json!([]));
    seat.is_content();
}

#[test]
fn owners_switch_ways_to_sign_in() {
    let Some(seat) = Seat::new("web-ways") else {
        return;
    };
    configure(&seat);
    seat.sign_in();
    seat.go("#organization/joining");
    let box_of = |way: &str| format!("document.querySelector('[name=\"{way}\"]')");
    let company = box_of("openid:kc");
    seat.wait_for(&format!(
        "{company}.closest('label').textContent.includes('Loom Works')"
    ));
    seat.browser.run(&format!("{company}.click()"), &[]);
    seat.eventually(|seat| {
        let settings = seat.server.anonymous().get("/server_settings", &[]).ok();
        settings["external_authentication_methods"] == json!([])
    });
    // The last one stays on.
    let password = box_of("Email");
    seat.browser.run(&format!("{password}.click()"), &[]);
    seat.wait_for(&format!("{password}.checked"));
    let settings = seat.server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["email_auth_enabled"], true);
    seat.is_content();
}
