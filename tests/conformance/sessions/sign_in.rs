//! POST /sessions with a password, and requests with the cookie.

use spindle_tests::{Call, Client, Options, Queue, Server, unique};

use super::{Browser, PASSWORD, cookie_of, sign_in, with_password};
use crate::support::{keys, server};

#[test]
fn a_password_gives_a_cookie_that_works_like_a_key() {
    let user = with_password(server());
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let reply = sign_in(server(), &pairs);
    let set = reply.header("set-cookie").expect("Set-Cookie").to_owned();
    let attributes: Vec<&str> = set.split("; ").collect();
    let token = attributes[0]
        .strip_prefix("spindle_session=")
        .expect("name");
    assert!(
        token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{token}"
    );
    assert_eq!(
        attributes[1..],
        ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"]
    );
    let browser = Browser::from(server(), reply.clone());
    let body = reply.ok();
    assert_eq!(keys(&body), ["msg", "result", "session_id", "user_id"]);
    assert_eq!(body["user_id"], user.user_id);
    assert!(!body.to_string().contains(token), "scripts could read it");
    assert_eq!(browser.get("/users/me").ok()["user_id"], user.user_id);
    let status = unique("by cookie ");
    let call = Call::new("POST", "/users/me/status").form(&[("status_text", &status)]);
    browser.call(call).ok();
    let path = format!("/users/{}/status", user.user_id);
    assert_eq!(browser.get(&path).ok()["status"]["status_text"], status);
    // Only its hash is stored.
    let found: i64 = server()
        .database()
        .query_row(
            "SELECT count(*) FROM sessions WHERE instr(hex(hash), upper(?1)) OR client = ?1",
            [token],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(found, 0);
}

#[test]
fn a_browser_receives_events() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let call = Call::new("POST", "/register").form(&[("event_types", r#"["user_status"]"#)]);
    let queue = browser.call(call).ok();
    let status = unique("seen by a browser ");
    user.post("/users/me/status", &[("status_text", &status)])
        .ok();
    let queue_id = queue["queue_id"].as_str().expect("queue");
    let mut last = queue["last_event_id"].to_string();
    for _ in 0..50 {
        let pairs = [("queue_id", queue_id), ("last_event_id", &last)];
        let body = browser.call(Call::new("GET", "/events").query(&pairs)).ok();
        let events = body["events"].as_array().expect("events").clone();
        if events.iter().any(|event| event["status_text"] == status) {
            return;
        }
        last = events.last().expect("an event")["id"].to_string();
    }
    panic!("the event has not arrived");
}

#[test]
fn each_sign_in_has_a_token_of_its_own() {
    let user = with_password(server());
    let first = Browser::of(server(), &user);
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    // A cookie that the browser already had, perhaps planted by an attacker, is replaced.
    for fixed in [
        first.cookie.clone(),
        format!("spindle_session={}", "0a".repeat(32)),
    ] {
        let call = Call::new("POST", "/sessions").form(&pairs);
        let call = call.header("Spindle-Client", "test");
        let reply = server().anonymous().send(call.header("Cookie", &fixed));
        let given = cookie_of(&reply).expect("a cookie");
        assert_ne!(given, fixed);
        let second = Browser::from(server(), reply);
        assert_ne!(second.session_id, first.session_id);
        assert!(second.is_signed_in() && first.is_signed_in());
    }
    let made_up = Browser {
        cookie: format!("spindle_session={}", "0a".repeat(32)),
        ..Browser::of(server(), &user)
    };
    assert!(!made_up.is_signed_in());
}

/// As with POST /fetch_api_key, the error does not say what is wrong.
#[test]
fn wrong_passwords_and_unknown_accounts_look_the_same() {
    let user = with_password(server());
    let try_on = |email: &str, password: &str| {
        let reply = sign_in(server(), &[("username", email), ("password", password)]);
        assert_eq!(reply.header("set-cookie"), None);
        reply.error(401, "AUTHENTICATION_FAILED")
    };
    let wrong = try_on(&user.email, "wrong");
    assert_eq!(wrong, try_on("nobody@example.com", PASSWORD));
    assert_eq!(keys(&wrong), ["code", "msg", "result"]);
    let without = server().user("member");
    assert_eq!(wrong, try_on(&without.email, ""));
    let key = user.api_key.as_str();
    assert_eq!(wrong, try_on(&user.email, key), "a key is no password");
    let pairs = [("username", user.email.as_str()), ("password", "wrong")];
    let fetched = server().anonymous().post("/fetch_api_key", &pairs);
    assert_eq!(wrong, fetched.error(401, "AUTHENTICATION_FAILED"));

    server().admin(&["user", "deactivate", "--email", &user.email]);
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    sign_in(server(), &pairs).error(401, "USER_DEACTIVATED");
    assert_eq!(wrong, try_on(&user.email, "wrong"));
}

#[test]
fn missing_parameters_of_a_sign_in_are_named() {
    let missing = |pairs: &[(&str, &str)]| {
        let error = sign_in(server(), pairs).error(400, "REQUEST_VARIABLE_MISSING");
        error["var_name"].as_str().expect("a name").to_owned()
    };
    assert_eq!(missing(&[]), "username");
    assert_eq!(missing(&[("username", "x")]), "password");
    assert_eq!(missing(&[("password", "x")]), "username");
    for name in ["username", "password"] {
        let token = "0".repeat(64);
        let pairs = [("sign_in_token", token.as_str()), (name, "x")];
        let error = sign_in(server(), &pairs).bad_request();
        assert_eq!(error["parameters"], format!("sign_in_token, {name}"));
    }
}

/// Both ways to sign in with a password share one limit per account.
#[test]
fn failed_sign_ins_and_failed_key_requests_share_a_limit() {
    let server = Server::own(Options {
        rate_limit_user: 0,
        rate_limit_address: 0,
        ..Options::default()
    });
    let user = with_password(&server);
    let browser = Browser::of(&server, &user);
    let (right, wrong) = (
        [("username", user.email.as_str()), ("password", PASSWORD)],
        [("username", user.email.as_str()), ("password", "wrong")],
    );
    for _ in 0..2 {
        sign_in(&server, &wrong).error(401, "AUTHENTICATION_FAILED");
        let fetched = server.anonymous().post("/fetch_api_key", &wrong);
        fetched.error(401, "AUTHENTICATION_FAILED");
        sign_in(&server, &right).ok();
    }
    // A stolen session does not help to guess the password.
    let change = Call::new("PATCH", "/settings");
    let pairs = [
        ("old_password", "wrong"),
        ("new_password", "unrelated words, three of them"),
    ];
    browser.call(change.clone().form(&pairs)).bad_request();
    browser
        .call(change.form(&pairs))
        .error(429, "RATE_LIMIT_HIT");
    sign_in(&server, &right).error(429, "RATE_LIMIT_HIT");
    server
        .anonymous()
        .post("/fetch_api_key", &right)
        .error(429, "RATE_LIMIT_HIT");
    assert!(browser.is_signed_in(), "existing sessions go on");
}

/// The first session counts as the first sign-in.
#[test]
fn an_imported_stub_becomes_a_regular_account() {
    let watcher = server().user("member");
    let stub = server().user_with("member", &["--imported-stub", "--password", PASSWORD]);
    let mut queue = Queue::of(&watcher, &["realm_user"]);
    let browser = Browser::of(server(), &stub);
    let event = queue.expect(|event| {
        event["person"]["user_id"] == stub.user_id
            && event["person"].get("is_imported_stub").is_some()
    });
    assert_eq!(event["person"]["is_imported_stub"], false);
    assert_eq!(browser.get("/users/me").ok()["is_imported_stub"], false);
}

/// Clients with keys are answered as without sessions, and a cookie does not help a wrong key.
#[test]
fn the_authorization_header_takes_precedence() {
    let (user, other) = (with_password(server()), server().user("member"));
    let browser = Browser::of(server(), &user);
    let me = || {
        let call = Call::new("GET", "/users/me").header("Spindle-Client", "test");
        call.header("Cookie", &browser.cookie)
    };
    let body = other.client.send(me()).ok();
    assert_eq!(body["user_id"], other.user_id);
    let wrong = Client::new(server().base_url(), Some((&user.email, &other.api_key)));
    wrong.send(me()).error(401, "UNAUTHORIZED");
    // Every test's answers are checked for not setting a cookie for other clients.
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let fetched = server().anonymous().post("/fetch_api_key", &pairs);
    assert_eq!(fetched.header("set-cookie"), None);
    fetched.ok();
    let refused = server().anonymous().get("/users/me", &[]);
    assert!(refused.header("www-authenticate").is_some());
    let refused = server()
        .anonymous()
        .send(Call::new("GET", "/users/me").header("Spindle-Client", "test"));
    assert_eq!(refused.header("www-authenticate"), None);
    refused.error(401, "UNAUTHORIZED");
}

/// Where the configured address is an HTTPS one, the cookie is for TLS only, and for this host.
#[test]
fn over_tls_the_cookie_is_secure() {
    let extra = ["--external-url", "https://chat.example.org"].map(str::to_owned);
    let server = Server::spawn(Options {
        extra: extra.to_vec(),
        ..Options::default()
    });
    let user = with_password(&server);
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let reply = sign_in(&server, &pairs);
    let set = reply.header("set-cookie").expect("Set-Cookie").to_owned();
    assert!(set.starts_with("__Host-spindle_session="), "{set}");
    assert!(
        set.ends_with("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure"),
        "{set}"
    );
    let browser = Browser::from(&server, reply);
    let from = |origin: &str| {
        let call = Call::new("GET", "/users/me").header("Origin", origin);
        browser.call(call)
    };
    from("https://chat.example.org").ok();
    from("http://chat.example.org").error(401, "UNAUTHORIZED");
    // A cookie name that another host of the domain could set is ignored.
    let tossed = Browser {
        cookie: browser.cookie.replacen("__Host-", "", 1),
        ..Browser::of(&server, &user)
    };
    assert!(browser.is_signed_in() && !tossed.is_signed_in());
}
