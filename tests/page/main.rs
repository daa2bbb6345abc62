//! The page at `/connect` in a real browser: what a visitor sees, with and without an account, on a
//! phone and on a desktop, in the light and the dark colour scheme. The page at `/join` is in
//! `joining`, the one at `/api/` in `reference`, the web client in `web`.
//!
//! Also what operators use instead: metrics, traces and `spindle doctor`.
//!
//! The browser is Chromium, or Firefox with `SPINDLE_TEST_BROWSER=firefox`; `scripts/install-browser --firefox` installs both. Where
//! they are missing the tests report that they were skipped, which CI does not allow.

mod browser;
mod doctor;
mod joining;
mod metrics;
mod reference;
mod traces;
mod web;

use serde_json::json;
use spindle_tests::{Options, Server, User, until};

use browser::{Browser, Look};

const PASSWORD: &str = "a page of one's own";

/// Display sizes that matter: the smallest phone, a common one, a desktop.
const LOOKS: [Look; 5] = [
    Look::new(320, 640, false),
    Look::new(360, 780, false),
    Look::new(360, 780, true),
    Look::new(1280, 900, false),
    Look::new(1280, 900, true),
];

fn server() -> Server {
    Server::spawn(Options::default())
}

/// The page about other clients.
fn connect(server: &Server) -> String {
    format!("{}/connect", server.base_url())
}

fn sign_in(browser: &Browser, user: &User, secret: &str) {
    browser.type_into("#user", &user.email);
    browser.type_into("#secret", secret);
    browser.press("#sign-in button");
}

fn is_shown(browser: &Browser, selector: &str) -> bool {
    let script = "return document.querySelector(arguments[0]).checkVisibility()";
    browser.run(script, &[json!(selector)]) == json!(true)
}

/// Requirements of the page in its current state, at any width.
fn check_look(browser: &Browser, look: Look) {
    let width = browser.run("return document.documentElement.scrollWidth", &[]);
    assert_eq!(width, json!(look.width), "{look:?}: wider than the screen");
    let faint = browser.run(include_str!("contrast.js"), &[]);
    assert_eq!(faint, json!([]), "{look:?}: too little contrast");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{look:?}");
    browser.keep_picture(browser.name(), look);
}

#[test]
fn a_visitor_sees_a_description_and_how_to_connect() {
    let Some(browser) = Browser::start("visitor") else {
        return;
    };
    let server = server();
    for look in LOOKS {
        browser.open(&connect(&server), look);
        browser.wait_for(
            "return document.getElementById('dot').className",
            "dot good",
        );
        let text = browser.text("body");
        for expected in [
            &format!("site={}", server.base_url()),
            &format!("curl {}/api/v1/fetch_api_key", server.base_url()),
            env!("CARGO_PKG_VERSION"),
            "zulip-term",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
        check_look(&browser, look);
    }
    let title = browser.run("return document.title", &[]);
    let heading = browser.run("return document.querySelector('h1').textContent", &[]);
    let settings = server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(heading, settings["realm_name"]);
    assert!(title.as_str().unwrap_or_default().contains("Spindle"));
}

/// All resources come from this server, and the policy forbids all others.
#[test]
fn all_resources_come_from_this_server() {
    let server = server();
    let client = server.anonymous();
    let page = client.fetch("/connect", &[]);
    let policy = page
        .header("content-security-policy")
        .expect("a policy")
        .to_owned();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    for forbidden in ["unsafe", "http", "*", "data:", "blob:"] {
        assert!(!policy.contains(forbidden), "{forbidden} in {policy}");
    }
    assert!(policy.contains("frame-ancestors 'none'"));
    for path in [
        "/connect",
        "/api/",
        "/page/style.css",
        "/page/reference.css",
        "/page/reference.js",
        "/page/page.js",
        "/page/live.js",
        "/page/copy.js",
        "/page/icon.svg",
        "/page/join.js",
        "/join",
        "/join/some-key",
    ] {
        let file = client.fetch(path, &[]);
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(
            file.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(
            file.header("content-security-policy"),
            Some(policy.as_str())
        );
        let tag = file.header("etag").expect("a tag");
        let again = client.fetch(path, &[("If-None-Match", tag)]);
        assert_eq!((again.status, again.bytes.len()), (304, 0), "{path}");
    }
    assert_eq!(client.fetch("/page/other.js", &[]).status, 404);
    let Some(browser) = Browser::start("sources") else {
        return;
    };
    browser.open(&connect(&server), LOOKS[3]);
    browser.wait_for(
        "return document.getElementById('dot').className",
        "dot good",
    );
    let loaded = browser.run(
        "return performance.getEntriesByType('resource').map((entry) => entry.name)",
        &[],
    );
    let loaded: Vec<String> = serde_json::from_value(loaded).expect("addresses");
    assert!(loaded.len() >= 4, "{loaded:?}");
    for address in loaded {
        assert!(address.starts_with(server.base_url()), "{address}");
    }
    // The policy is enforced: the page cannot load other resources.
    let attempts = "const script = document.createElement('script');
         const attempts = [
             () => { script.src = '/page/page.js'; },
             () => { script.textContent = 'window.intruder = true'; },
             () => { document.body.innerHTML = '<b>intruder</b>'; },
         ];
         let refused = 0;
         for (const attempt of attempts) {
             try { attempt(); } catch { refused += 1; }
         }
         document.body.setAttribute('style', 'color: red');
         return [refused, getComputedStyle(document.body).color === 'rgb(255, 0, 0)']";
    assert_eq!(browser.run(attempts, &[]), json!([3, false]));
}

/// Everything can be reached and used without a pointer.
#[test]
fn the_page_can_be_used_by_keyboard() {
    let Some(browser) = Browser::start("keyboard") else {
        return;
    };
    let server = server();
    let owner = server.user("owner");
    browser.open(&connect(&server), LOOKS[3]);
    browser.wait_for("return document.getElementById('sign-in').hidden", "false");
    let focused = "const at = document.activeElement;
         return at.id || at.getAttribute('href') || at.textContent.trim().slice(0, 24)";
    let mut seen = Vec::new();
    for _ in 0..40 {
        browser.keys("\u{e004}");
        let at = browser
            .run(focused, &[])
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if at.starts_with("Python") {
            // Opens the focused item, and closes the open one.
            browser.keys("\u{e007}");
            let open = "return document.querySelector('details[open] b').textContent";
            assert_eq!(browser.run(open, &[]), json!("Python"));
        }
        seen.push(at.clone());
        if at == "secret" {
            break;
        }
    }
    assert_eq!(
        seen.first().map(String::as_str),
        Some("#connect"),
        "the skip link is first"
    );
    for expected in ["Copy", "Terminal", "user", "secret"] {
        assert!(
            seen.iter().any(|at| at.starts_with(expected)),
            "{expected}: {seen:?}"
        );
    }
    browser.type_into("#user", &owner.email);
    browser.type_into("#secret", &owner.api_key);
    browser.keys("\u{e007}");
    browser.wait_for("return document.getElementById('figures').hidden", "false");
    // The focus continues where the form was.
    assert_eq!(
        browser.run("return document.activeElement.id", &[]),
        json!("sign-out")
    );
}

#[test]
fn an_owner_sees_live_figures() {
    let Some(browser) = Browser::start("owner") else {
        return;
    };
    let server = server();
    let owner = server.user("owner");
    let waiting = spindle_tests::Queue::of(&owner, &["message"]);
    browser.open(&connect(&server), LOOKS[3]);
    browser.wait_for("return document.getElementById('sign-in').hidden", "false");
    sign_in(&browser, &owner, &owner.api_key);
    browser.wait_for("return document.getElementById('figures').hidden", "false");
    let total = "const row = [...document.querySelectorAll('#components tr')].find((row) => row.cells[0].textContent === 'users');
         return String(row ? Number(row.lastChild.textContent.replaceAll(',', '')) > 25 : false)";
    std::thread::scope(|scope| {
        scope.spawn(|| waiting.fetch(-1, false).ok());
        for _ in 0..30 {
            owner.get("/users/me", &[]).ok();
        }
        browser.wait_for(total, "true");
        let clients = "return document.querySelector('#tile-clients-waiting p').textContent";
        browser.wait_for(clients, "1");
        for look in LOOKS {
            browser.resize(look);
            check_look(&browser, look);
        }
        let pairs = [
            ("type", "direct"),
            ("to", &format!("[{}]", owner.id())),
            ("content", "x"),
        ];
        owner.post("/messages", &pairs).ok();
    });
    let rate =
        "return String(document.querySelector('#tile-requests-a-second p').textContent !== '–')";
    browser.wait_for(rate, "true");
    // Nothing is stored, wherever a page could store it.
    let kept = "return localStorage.length + sessionStorage.length + document.cookie.length";
    assert_eq!(browser.run(kept, &[]), json!(0));
    assert!(
        !browser
            .run("return document.documentElement.outerHTML", &[])
            .to_string()
            .contains(&owner.api_key)
    );
    browser.press("#sign-out");
    assert!(is_shown(&browser, "#sign-in") && !is_shown(&browser, "#figures"));
    assert_eq!(
        browser.run("return document.getElementById('secret').value", &[]),
        json!("")
    );
}

#[test]
fn other_roles_cannot_see_the_figures() {
    let Some(browser) = Browser::start("others") else {
        return;
    };
    let server = server();
    let owner = server.user_with("owner", &["--password", PASSWORD]);
    let member = server.user("member");
    browser.open(&connect(&server), LOOKS[1]);
    browser.wait_for("return document.getElementById('sign-in').hidden", "false");
    let said = "return document.getElementById('sign-in-error').textContent.slice(0, 20)";
    sign_in(&browser, &member, &member.api_key);
    browser.wait_for(said, "The figures are for ");
    sign_in(&browser, &owner, &member.api_key);
    browser.wait_for(said, "User name and key or");
    check_look(&browser, LOOKS[1]);
    // A password is exchanged for a key.
    sign_in(&browser, &owner, PASSWORD);
    browser.wait_for("return document.getElementById('figures').hidden", "false");
    assert!(browser.text("#who").contains(&owner.email));
}

/// Without scripts the page has the same content, and no controls that would not work.
#[test]
fn the_page_is_complete_without_scripts() {
    let Some(browser) = Browser::start("plain") else {
        return;
    };
    let server = server();
    browser.switch_scripts_off();
    browser.open(&connect(&server), LOOKS[3]);
    let text = until("the page is there", || {
        let site = format!("site={}", server.base_url());
        Some(browser.text("body")).filter(|text| text.contains(&site))
    });
    assert!(text.contains("/metrics"), "{text}");
    assert!(
        !text.contains("Copy") && !text.contains("Key or password"),
        "{text}"
    );
}
