//! Signing in and out, and what protects the page of a person who is signed in.

use serde_json::{Value, json};
use spindle_tests::{Options, Server};

use super::{PASSWORD, Seat};

#[test]
fn with_a_password_into_the_client_and_out_again() {
    let Some(seat) = Seat::new("web-sign-in") else {
        return;
    };
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.sign-in form') !== null");
    seat.check_look("sign-in");
    seat.fill_in("not the password");
    seat.wait_for("document.querySelector('.sign-in .error').textContent.includes('wrong')");
    seat.fill_in(PASSWORD);
    seat.wait_for("document.querySelector('.frame') !== null");
    // No script can read the cookie, and nothing else holds a secret.
    let stored = seat.ask("[document.cookie, Object.values(localStorage).join()]");
    assert_eq!(stored, json!(["", ""]));
    // It lasts over a reload.
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.frame') !== null");
    seat.browser.press(".own");
    seat.wait_for("document.querySelector('.menu') !== null");
    seat.browser.press(".menu button:last-child");
    seat.wait_for("document.querySelector('.sign-in form') !== null");
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.sign-in form') !== null");
    let told = seat.browser.complaints();
    assert!(told.is_empty(), "{told:?}");
}

/// The browser reports a violation of the policy, and reports it once. All other tests rely on that.
#[test]
fn violations_of_the_policy_are_reported_once() {
    let Some(seat) = Seat::new("web-forbidden") else {
        return;
    };
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.sign-in form') !== null");
    seat.is_content();
    let foreign = "const image = new Image(); image.src = 'http://127.0.0.1:9/pixel.png'; document.body.append(image)";
    seat.browser.run(foreign, &[]);
    seat.eventually(|seat| {
        let reported = seat.browser.complaints();
        reported.iter().any(|error| error.contains("img-src"))
    });
    seat.is_content();
}

/// The policy of the page, and that it is in force; what files of the client are served with.
#[test]
fn nothing_comes_from_elsewhere_and_nothing_is_inline() {
    let server = Server::own(Options::default());
    let client = server.anonymous();
    let page = client.fetch("/", &[]);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    for wanted in [
        "require-trusted-types-for 'script'",
        "trusted-types spindle",
        "frame-ancestors 'none'",
        "script-src 'self' 'sha256-",
    ] {
        assert!(policy.contains(wanted), "{wanted} is not in {policy}");
    }
    for forbidden in ["unsafe", "http", "*"] {
        assert!(!policy.contains(forbidden), "{forbidden} in {policy}");
    }
    let text = String::from_utf8(page.bytes.clone()).expect("text");
    let start = text.find("/web/").expect("an address");
    let version = &text[start..start + "/web/".len() + 16];
    for (path, kind) in [
        ("main.js", "text/javascript"),
        ("frame/app.js", "text/javascript"),
        ("state/reducers/messages.js", "text/javascript"),
        ("vendor/preact/preact.mjs", "text/javascript"),
        ("style/base.css", "text/css"),
    ] {
        let plain = client.fetch(&format!("{version}/{path}"), &[]);
        assert_eq!(plain.status, 200, "{path}");
        assert!(
            plain
                .header("content-type")
                .unwrap_or_default()
                .starts_with(kind),
            "{path}"
        );
        assert!(
            plain
                .header("cache-control")
                .unwrap_or_default()
                .contains("immutable")
        );
        assert_eq!(plain.header("vary"), Some("Accept-Encoding"));
        let packed = client.fetch(&format!("{version}/{path}"), &[("Accept-Encoding", "gzip")]);
        assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
        assert_eq!(packed.bytes, plain.bytes, "{path}");
    }
    for missing in [
        format!("{version}/other.js"),
        format!("{version}/index.html"),
        "/web/0000000000000000/main.js".to_owned(),
    ] {
        assert_eq!(client.fetch(&missing, &[]).status, 404, "{missing}");
    }
}

#[test]
fn what_a_message_holds_cannot_run() {
    let Some(seat) = Seat::at("web-policy", |seat| seat.topic("loom")) else {
        return;
    };
    let markup = "<img src=x onerror='window.intruder = 1'> <script>window.intruder = 1</script> \
        [x](javascript:window.intruder=1) <style>* { display: none }</style>";
    seat.said(&seat.other, "loom", markup);
    seat.said(&seat.other, "loom", "the last one");
    seat.wait_for_message("the last one");
    let found = seat.ask(
        "[window.intruder ?? null, document.querySelectorAll('.rendered :is(script, style, img)').length,
          [...document.querySelectorAll('.rendered a')].map((one) => one.getAttribute('href'))]",
    );
    assert_eq!(found, json!([null, 0, []]));
    seat.is_content();
    // Nothing else in the page can make markup or scripts either.
    let attempts = "const script = document.createElement('script');
         const attempts = [
             () => { script.src = '/page/page.js'; },
             () => { script.textContent = 'window.intruder = true'; },
             () => { document.body.innerHTML = '<b>intruder</b>'; },
             () => { trustedTypes.createPolicy('spindle', {}); },
             () => { trustedTypes.createPolicy('other', {}); },
         ];
         let refused = 0;
         for (const attempt of attempts) {
             try { attempt(); } catch { refused += 1; }
         }
         return refused";
    assert_eq!(seat.browser.run(attempts, &[]), json!(5));
    let loaded = seat.ask("performance.getEntriesByType('resource').map((one) => one.name)");
    let loaded: Vec<String> = serde_json::from_value(loaded).expect("addresses");
    assert!(loaded.len() > 40, "{loaded:?}");
    for address in loaded {
        assert!(address.starts_with(seat.server.base_url()), "{address}");
    }
}

/// What a browser receives until a message can be read, with what comes later for the views before: the form to sign in,
/// the inbox, the people next to it. `components/page/src/client.rs` counts what every message waits for.
#[test]
fn the_client_is_small() {
    let Some(seat) = Seat::new("web-small") else {
        return;
    };
    seat.said(&seat.other, "loom", "the first one");
    // Modules that load later begin to when there are messages.
    seat.browser.at_start(
        "new MutationObserver(() => {
             if (document.querySelector('.message') !== null) window.readAt ??= performance.now();
         }).observe(document, { childList: true, subtree: true })",
    );
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.browser.reload();
    seat.wait_for_message("the first one");
    let sizes = seat.ask(
        "performance.getEntriesByType('resource')
            .filter((one) => one.name.includes('/web/') && one.startTime < window.readAt)
            .reduce((all, one) => all + one.encodedBodySize, 0)",
    );
    let size = sizes.as_u64().unwrap_or(u64::MAX);
    assert!((20_000..300_000).contains(&size), "{size} bytes");
}

/// A session that was ended elsewhere leads to the form, in the middle of it all.
#[test]
fn a_session_that_ends_leads_to_the_form() {
    let Some(seat) = Seat::at("web-ended", |_| "#inbox".to_owned()) else {
        return;
    };
    let sessions = seat.user.get("/sessions", &[]).ok();
    let id = sessions["sessions"][0]["id"].as_i64().expect("a session");
    seat.user.delete(&format!("/sessions/{id}"), &[]).ok();
    // The poll that waits is answered, or the next one refused.
    seat.said(&seat.other, "loom", "a message that ends the wait");
    seat.wait_for("document.querySelector('.sign-in form') !== null");
    assert_eq!(seat.ask("document.querySelector('.frame')"), Value::Null);
}

/// A link signs in once, and nothing of it stays in the address.
#[test]
fn a_link_signs_in_once() {
    let Some(seat) = Seat::new("web-link") else {
        return;
    };
    let words = ["user", "sign-in-link", "--email", &seat.user.email];
    let link = seat.server.admin(&words)["sign_in_link"].clone();
    let link = link.as_str().expect("a link").to_owned();
    let (_, token) = link.split_once("/#sign-in/").expect("a token");
    let address = format!("{}/#sign-in/{token}", seat.server.base_url());
    seat.browser.open(&address, super::DESK);
    // The sender of a link chooses the account, so it takes a click.
    seat.wait_for("document.querySelector('.sign-in .by-link button') !== null");
    seat.browser.press(".sign-in .by-link button");
    seat.wait_for("document.querySelector('.frame') !== null");
    let hash = seat.ask("location.hash");
    assert!(
        !hash.as_str().unwrap_or_default().contains("sign-in"),
        "{hash}"
    );
    seat.browser.press(".own");
    seat.wait_for("document.querySelector('.menu') !== null");
    seat.press_text(".menu", "Sign out");
    seat.wait_for("document.querySelector('.sign-in form') !== null");
    seat.browser.open("about:blank", super::DESK);
    seat.browser.open(&address, super::DESK);
    seat.wait_for("document.querySelector('.sign-in .by-link button') !== null");
    seat.browser.press(".sign-in .by-link button");
    seat.wait_for("document.querySelector('.sign-in .error').textContent.includes('used already')");
    seat.is_content();
}

/// A link of an administrator leads to a form for a new password, and then into the client.
#[test]
fn a_link_sets_a_new_password() {
    let Some(seat) = Seat::new("web-password-link") else {
        return;
    };
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.sign-in .forgotten summary') !== null");
    seat.browser.press(".sign-in .forgotten summary");
    seat.wait_for(
        "document.querySelector('.sign-in .forgotten').textContent.includes('administrator')",
    );
    let owner = seat.server.user("owner");
    let path = format!("/users/{}/password_link", seat.user.id());
    let made = owner.post(&path, &[]).ok();
    let link = made["password_link"].as_str().expect("a link");
    let (_, token) = link.split_once("/#set-password/").expect("a token");
    let address = format!("{}/#set-password/{token}", seat.server.base_url());
    seat.browser.open("about:blank", super::DESK);
    seat.browser.open(&address, super::DESK);
    seat.wait_for("document.querySelector('.new-password') !== null");
    seat.check_look("new-password");
    seat.browser.type_into("[name=new_password]", "123456");
    seat.browser.press(".new-password button");
    seat.wait_for(
        "document.querySelector('.sign-in .error').textContent.includes('easy to guess')",
    );
    seat.browser
        .type_into("[name=new_password]", "words that have no relation");
    seat.browser.press(".new-password button");
    seat.wait_for("document.querySelector('.frame') !== null");
    let hash = seat.ask("location.hash");
    assert!(
        !hash.as_str().unwrap_or_default().contains("password"),
        "{hash}"
    );
    seat.is_content();
}

/// Where the server sends mail, a person asks for a link; a mailed link for an address takes a click.
#[test]
fn a_forgotten_password_is_mailed() {
    let Some(seat) = Seat::with_mail("web-forgotten") else {
        return;
    };
    seat.browser.open(seat.server.base_url(), super::DESK);
    seat.wait_for("document.querySelector('.forgotten form') !== null");
    seat.browser.press(".sign-in .forgotten summary");
    seat.browser
        .type_into(".forgotten [name=email]", &seat.user.email);
    seat.check_look("forgotten");
    seat.browser.press(".forgotten form button");
    seat.wait_for(
        "document.querySelector('.forgotten [role=status]').textContent.includes('on its way')",
    );
    let sql = "SELECT count(*) FROM mails WHERE kind = 'password_reset'";
    let database = seat.server.database();
    let mails: i64 = database
        .query_row(sql, [], |row| row.get(0))
        .expect("a number");
    assert_eq!(mails, 1);
    let address = format!("{}/#confirm-address/x", seat.server.base_url());
    seat.browser.open("about:blank", super::DESK);
    seat.browser.open(&address, super::DESK);
    seat.wait_for("document.querySelector('.one-click button') !== null");
    seat.browser.press(".one-click button");
    seat.wait_for("document.querySelector('.sign-in .error').textContent.includes('used already')");
}
