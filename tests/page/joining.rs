//! The page at `/join` in a real browser: from the link of an invitation to the chat, and to an account
//! that any client can use.

use serde_json::{Value, json};
use spindle_tests::{Client, Server, User};

use crate::browser::Browser;
use crate::{LOOKS, check_look, is_shown, server};

const PASSWORD: &str = "a thread of one's own";
/// Who uses the chat.
const SIGNED_IN: &str = "return document.querySelector('.own')?.textContent.trim() ?? null";
const READY: &str = "return document.getElementById('join').hidden";

/// The link of a new invitation of this address.
fn link(inviter: &User, email: &str) -> String {
    inviter.post("/invites", &[("invitee_emails", email)]).ok();
    let listed = inviter.get("/invites", &[]).ok();
    let listed = listed["invites"].as_array().expect("invitations");
    let found = listed.iter().find(|one| one["email"] == email);
    let link = &found.expect("the invitation")["link_url"];
    link.as_str().expect("a link").to_owned()
}

fn value_of(browser: &Browser, id: &str) -> Value {
    let script = "return document.getElementById(arguments[0]).value";
    browser.run(script, &[json!(id)])
}

fn text_of(browser: &Browser, id: &str) -> String {
    let script = "return document.getElementById(arguments[0]).textContent";
    let text = browser.run(script, &[json!(id)]);
    text.as_str().unwrap_or_default().to_owned()
}

fn fill_in(browser: &Browser, name: &str, password: &str) {
    browser.type_into("#full-name", name);
    browser.type_into("#password", password);
    browser.press("#send");
}

/// The account that the page shows.
fn account(browser: &Browser, server: &Server) -> Client {
    let shown = "return document.getElementById('account').hidden";
    browser.wait_for(shown, "false");
    let (email, key) = (text_of(browser, "own-email"), text_of(browser, "own-key"));
    Client::new(server.base_url(), Some((&email, &key)))
}

#[test]
fn an_invitation_becomes_an_account_in_the_browser() {
    let Some(browser) = Browser::start("joining") else {
        return;
    };
    let server = server();
    let owner = server.user("owner");
    let link = link(&owner, "ann@example.com");
    assert!(link.starts_with(server.base_url()), "{link}");
    for look in LOOKS {
        browser.open(&link, look);
        browser.wait_for(READY, "false");
        check_look(&browser, look);
    }
    let settings = server.anonymous().get("/server_settings", &[]).ok();
    let name = settings["realm_name"].as_str().expect("a name");
    assert_eq!(text_of(&browser, "title"), format!("Join {name}"));
    assert!(text_of(&browser, "lede").starts_with(&owner.full_name));
    assert_eq!(value_of(&browser, "email"), json!("ann@example.com"));
    // A common password is refused, and the page says why, next to the field and on the screen.
    fill_in(&browser, "Ann Example", "Password1");
    let complains = "return String(document.getElementById('problem').textContent.includes('too easy to guess'))";
    browser.wait_for(complains, "true");
    check_complaint(&browser, "password");
    check_look(&browser, LOOKS[4]);
    // The address is the invited one; the browser itself requires a longer password.
    let fixed = "return document.getElementById('email').readOnly";
    assert_eq!(browser.run(fixed, &[]), json!(true));
    fill_in(&browser, "*Ann*", PASSWORD);
    let complains = "return document.getElementById('problem').textContent.slice(0, 8)";
    browser.wait_for(complains, "The name");
    check_complaint(&browser, "full-name");
    check_look(&browser, LOOKS[4]);
    // Nothing is stored, wherever a page could store it.
    let kept = "return localStorage.length + sessionStorage.length + document.cookie.length";
    assert_eq!(browser.run(kept, &[]), json!(0));
    // The account leads straight into the chat.
    fill_in(&browser, "Ann Example", PASSWORD);
    browser.wait_for(SIGNED_IN, "Ann Example");
    // The link has been used.
    browser.open(&link, LOOKS[1]);
    let reason_is_shown =
        "return String(document.getElementById('problem').textContent.includes('used'))";
    browser.wait_for(reason_is_shown, "true");
    assert!(!is_shown(&browser, "#join"));
    // A user who has lost the key gets another one for the password.
    let sign_in = |password: &str| {
        browser.type_into("#user", "ann@example.com");
        browser.type_into("#secret", password);
        browser.press("#get-key");
    };
    sign_in("not her password");
    let reason_is_shown = "return String(document.getElementById('sign-in-error').textContent.includes('do not belong'))";
    browser.wait_for(reason_is_shown, "true");
    for look in LOOKS {
        browser.resize(look);
        check_look(&browser, look);
    }
    sign_in(PASSWORD);
    let own = account(&browser, &server).get("/users/me", &[]).ok();
    assert_eq!(own["full_name"], "Ann Example");
    assert_eq!(own["delivery_email"], "ann@example.com");
    assert!(!is_shown(&browser, "#again") && !is_shown(&browser, "#join"));
    let file = browser.text("#account pre");
    assert!(
        file.contains(&format!("site={}", server.base_url())),
        "{file}"
    );
    for look in LOOKS {
        browser.resize(look);
        check_look(&browser, look);
    }
    // The file can be saved, and the page says how to keep it.
    assert!(browser.text("#account").contains("chmod 600 zuliprc"));
    browser.press("#download");
    assert_eq!(browser.downloaded("zuliprc").trim_end(), file.trim_end());
}

/// The reason is next to the field that it is about, which has the focus.
#[track_caller]
fn check_complaint(browser: &Browser, field: &str) {
    let place = "const { top, bottom } = document.getElementById('problem').getBoundingClientRect();
         return [document.activeElement.id, document.activeElement.parentElement.nextElementSibling.id,
             top >= 0 && bottom <= innerHeight]";
    assert_eq!(browser.run(place, &[]), json!([field, "problem", true]));
}

/// The first minutes of an organization: no terminal, and no mouse for the colleague.
#[test]
fn the_first_owner_makes_a_link_and_a_colleague_joins_and_chats() {
    let Some(browser) = Browser::start("link") else {
        return;
    };
    let server = server();
    let accounts = server.admin(&["user", "list"]);
    let owner = accounts[0]["email"].as_str().expect("an owner");
    let printed = server.admin(&["user", "sign-in-link", "--email", owner]);
    let printed = printed["sign_in_link"].as_str().expect("a link");
    let (_, token) = printed.split_once('#').expect("a token");
    browser.open(&format!("{}/#{token}", server.base_url()), LOOKS[3]);
    let asks = "return String(document.querySelector('.by-link button') !== null)";
    browser.wait_for(asks, "true");
    browser.press(".by-link button");
    // A new organization asks for names, once.
    let asks = "return String(document.querySelector('.first-run') !== null)";
    let offers = "return document.querySelector('.nothing h2')?.textContent ?? null";
    browser.wait_for(asks, "true");
    for look in LOOKS {
        browser.resize(look);
        check_look(&browser, look);
    }
    browser.press(".first-run .buttons button");
    browser.wait_for(offers, "Nobody else is here yet");
    browser.reload();
    browser.wait_for(offers, "Nobody else is here yet");
    browser.run("localStorage.clear()", &[]);
    browser.reload();
    browser.wait_for(asks, "true");
    browser.type_into(".first-run [name=realm]", "The Mill");
    browser.type_into(".first-run [name=own]", "Ann Weaver");
    browser.press(".first-run .primary");
    // It is the only account, so the empty inbox offers to invite.
    browser.wait_for(offers, "Nobody else is here yet");
    let title = "return document.title";
    browser.wait_for(title, "Inbox · The Mill");
    assert_eq!(browser.text(".own .name"), "Ann Weaver");
    browser.press(".nothing .primary");
    let asks = "return String(document.querySelector('dialog [name=emails]') !== null)";
    browser.wait_for(asks, "true");
    browser.press("dialog .primary");
    let made = "return String(document.querySelector('.links input')?.value.includes('/join/'))";
    browser.wait_for(made, "true");
    let made = "return document.querySelector('.links input').value";
    let made = browser.run(made, &[]);
    let (_, key) = made
        .as_str()
        .and_then(|link| link.split_once("/join/"))
        .expect("a link");
    browser.open(&format!("{}/join/{key}", server.base_url()), LOOKS[3]);
    browser.wait_for(READY, "false");
    // The first field has the focus; Tab leads through the form, Enter sends it.
    for text in ["Bob Example", "bob@example.com", PASSWORD] {
        browser.keys(text);
        if text != PASSWORD {
            browser.keys("\u{e004}");
        }
    }
    browser.keys("\u{e007}");
    // This browser is signed in, and the chat opens.
    browser.wait_for(SIGNED_IN, "Bob Example");
    assert!(!browser.text("main").contains("Nobody else is here"));
}

#[test]
fn joining_without_an_invitation_depends_on_the_organization() {
    let Some(browser) = Browser::start("uninvited") else {
        return;
    };
    let server = server();
    let owner = server.user("owner");
    let address = format!("{}/join", server.base_url());
    browser.open(&address, LOOKS[0]);
    let reason_is_shown =
        "return String(document.getElementById('problem').textContent.includes('invitation'))";
    browser.wait_for(reason_is_shown, "true");
    check_refused(&browser);
    browser.open(&format!("{address}/no-such-key"), LOOKS[0]);
    let reason_is_shown =
        "return String(document.getElementById('problem').textContent.includes('not valid'))";
    browser.wait_for(reason_is_shown, "true");
    check_refused(&browser);
    owner.patch("/realm", &[("invite_required", "false")]).ok();
    browser.open(&address, LOOKS[0]);
    browser.wait_for(READY, "false");
    browser.type_into("#email", "cleo@example.com");
    fill_in(&browser, "Cleo Example", PASSWORD);
    browser.wait_for(SIGNED_IN, "Cleo Example");
}

/// There is no form where joining is not allowed.
fn check_refused(browser: &Browser) {
    assert!(!is_shown(browser, "#join") && !is_shown(browser, "#account"));
    check_look(browser, LOOKS[0]);
}

/// Without scripts the page says how to join from a shell.
#[test]
fn without_scripts_the_page_explains_how_to_join() {
    let Some(browser) = Browser::start("plain-joining") else {
        return;
    };
    let server = server();
    browser.switch_scripts_off();
    browser.open(&format!("{}/join/key", server.base_url()), LOOKS[3]);
    let text = browser.text("body");
    let command = format!("curl {}/api/v1/invites/join", server.base_url());
    assert!(text.contains(&command), "{text}");
    assert!(!text.contains("At least six"), "{text}");
}
