//! Cross-site requests: forms, requests of scripts, navigations and images of other sites. The
//! browser sends the cookie with some of them, and it must have no effect.

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::images::png;
use spindle_tests::openapi::contract;
use spindle_tests::{Call, FilePart, User, unique};

use super::{Browser, PASSWORD, with_password};
use crate::support::server;

const EVIL: &str = "https://evil.example";

/// Headers of browsers on requests from another site.
const FOREIGN: [&[(&str, &str)]; 6] = [
    &[("Sec-Fetch-Site", "cross-site")],
    &[("Sec-Fetch-Site", "same-site")],
    &[("Sec-Fetch-Site", "")],
    &[("Origin", EVIL)],
    &[("Origin", "null")],
    &[("Sec-Fetch-Site", "same-origin"), ("Origin", EVIL)],
];

fn with(call: Call, headers: &[(&str, &str)]) -> Call {
    headers
        .iter()
        .fold(call, |call, (name, value)| call.header(name, value))
}

fn set_status(text: &str) -> Call {
    Call::new("POST", "/users/me/status").form(&[("status_text", text)])
}

fn status_of(user: &User) -> String {
    let path = format!("/users/{}/status", user.user_id);
    let body = user.get(&path, &[]).ok();
    body["status"]["status_text"]
        .as_str()
        .unwrap_or("")
        .to_owned()
}

#[test]
fn forms_of_other_sites_change_nothing() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    // A form sends no custom header; without TLS browsers send few others.
    let silent: &[(&str, &str)] = &[];
    let own: &[(&str, &str)] = &[("Sec-Fetch-Site", "same-origin")];
    for headers in FOREIGN.into_iter().chain([silent, own]) {
        let reply = browser.bare(with(set_status("forged"), headers));
        reply.error(401, "UNAUTHORIZED");
        let multipart = Call::new("POST", "/users/me/status");
        let multipart = multipart.multipart(&[("status_text", "forged")]);
        browser
            .bare(with(multipart, headers))
            .error(401, "UNAUTHORIZED");
    }
    // Another method given in the body of a form.
    let call = Call::new("POST", "/users/me").form(&[("method", "DELETE")]);
    let call = call.undocumented();
    browser.bare(call).error(401, "UNAUTHORIZED");
    assert_eq!(status_of(&user), "");
    assert!(browser.is_signed_in());
}

#[test]
fn scripts_of_other_sites_are_refused() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    for headers in FOREIGN {
        let reply = browser.call(with(set_status("forged"), headers));
        reply.error(401, "UNAUTHORIZED");
        let reply = browser.call(with(Call::new("GET", "/users/me"), headers));
        reply.error(401, "UNAUTHORIZED");
    }
    assert_eq!(status_of(&user), "");
    // An empty value names no client.
    let call = set_status("forged").header("Spindle-Client", "");
    let cookie = browser.cookie.as_str();
    let call = call.header("Cookie", cookie);
    server().anonymous().send(call).error(401, "UNAUTHORIZED");
    // The headers of the server's own pages.
    let address = server().base_url();
    for headers in [
        &[("Sec-Fetch-Site", "same-origin"), ("Origin", address)][..],
        &[("Origin", address)],
        &[("Sec-Fetch-Site", "none")],
    ] {
        browser
            .call(with(Call::new("GET", "/users/me"), headers))
            .ok();
    }
    // Browsers send a preflight request before a custom header, and it is refused.
    let call = Call::new("OPTIONS", "/users/me/status");
    let call = call.header("Origin", EVIL);
    let call = call.header("Access-Control-Request-Method", "POST");
    let call = call.header("Access-Control-Request-Headers", "spindle-client");
    let asked = server().anonymous().try_send(&call).expect("an answer");
    assert_eq!(asked.status, 204);
    let allows = |name: &String| name.starts_with("access-control-");
    assert!(!asked.headers.iter().any(|(name, _)| allows(name)));
}

/// Another site cannot sign a user in to an attacker's account, which could then read the user's
/// input.
#[test]
fn other_sites_cannot_sign_users_in() {
    let user = with_password(server());
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let sign_in = |headers: &[(&str, &str)]| {
        let call = Call::new("POST", "/sessions").form(&pairs);
        let reply = server().anonymous().send(with(call, headers));
        assert_eq!(reply.header("set-cookie"), None);
        reply.bad_request();
    };
    sign_in(&[]);
    sign_in(&[("Sec-Fetch-Site", "same-origin")]);
    for headers in FOREIGN {
        sign_in(&[&[("Spindle-Client", "x")], headers].concat());
    }
    let count = "SELECT count(*) FROM sessions WHERE user_id = ?1";
    let made: i64 = server()
        .database()
        .query_row(count, [user.user_id], |row| row.get(0))
        .unwrap();
    assert_eq!(made, 0);
}

/// Every operation of the document answers a request with only the cookie as if there were no
/// cookie.
#[test]
fn the_cookie_alone_is_accepted_by_no_operation() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let outcome = |call: &Call| {
        let reply = server().anonymous().try_send(call).expect("an answer");
        (reply.status, reply.body["code"].clone())
    };
    let mut seen = 0;
    for operation in contract().operations() {
        // Pages are the same for all users; files have a test of their own.
        let paths = &contract().document()["paths"];
        let is_of_api = paths.get(format!("/api/v1{}", operation.path)).is_some();
        if !is_of_api {
            continue;
        }
        let path: String = operation
            .path
            .split('/')
            .map(|segment| {
                if segment.starts_with('{') {
                    "1"
                } else {
                    segment
                }
            })
            .collect::<Vec<_>>()
            .join("/");
        let call = Call::new(&operation.method, &path);
        let bare = call.clone().header("Cookie", &browser.cookie);
        let name = format!("{} {path}", operation.method);
        assert_eq!(outcome(&bare), outcome(&call), "{name}");
        let navigated = bare.header("Sec-Fetch-Site", "none");
        assert_eq!(outcome(&navigated), outcome(&call), "{name}");
        seen += 1;
    }
    assert!(seen > 150, "{seen} operations");
    assert!(browser.is_signed_in());
}

#[test]
fn files_are_shown_only_in_pages_of_this_server() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let picture = png(300, 200);
    let file = FilePart {
        field: "filename",
        file_name: "picture.png",
        content_type: None,
        content: &picture,
    };
    let upload = Call::new("POST", "/user_uploads").upload(&[], &[file]);
    let url = browser.call(upload).ok()["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let content = format!("[a]({url})");
    let pairs = [
        ("type", "channel"),
        ("to", &channel.id()),
        ("topic", "t"),
        ("content", &content),
    ];
    user.post("/messages", &pairs).ok();
    user.upload("/users/me/avatar", "face.png", &picture).ok();
    let avatar = format!("/avatar/{}", user.user_id);
    let preview = url.replacen("/user_uploads/", "/user_uploads/thumbnail/", 1) + "/300x200.webp";
    let visitor = server().anonymous();
    let own: [&[(&str, &str)]; 4] = [
        &[],
        &[("Sec-Fetch-Site", "same-origin")],
        &[("Sec-Fetch-Site", "none")],
        &[("Spindle-Client", "test")],
    ];
    for path in [&url, &avatar, &preview] {
        let strange = visitor.fetch(path, &[]);
        let known = user.client.fetch(path, &[]);
        assert_ne!(known.status, strange.status, "{path}");
        for headers in own {
            let seen = browser.fetch(path, headers);
            assert_eq!(seen.status, known.status, "{path} {headers:?}");
            assert_eq!(seen.bytes, known.bytes, "{path}");
        }
        for headers in FOREIGN {
            let seen = browser.fetch(path, headers);
            assert_eq!(seen.status, strange.status, "{path} {headers:?}");
            assert_eq!(seen.bytes, strange.bytes, "{path}");
        }
        // An ended session counts as none, where the client does not require one.
        let over = format!("spindle_session={}", "0b".repeat(32));
        let seen = visitor.fetch(path, &[("Cookie", &over)]);
        assert_eq!(seen.status, strange.status, "{path}");
    }
    // A file is never a page of this server.
    let shown = browser.fetch(&url, &[]);
    assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
    let policy = shown.header("content-security-policy").unwrap_or("");
    assert!(policy.starts_with("sandbox"), "{policy}");
    assert_eq!(browser.fetch(&url, &[]).header("set-cookie"), None);
}

/// Accounts may send larger bodies than anonymous clients, also with a session.
#[test]
fn a_browser_can_upload_large_files() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let name = format!("{}.txt", unique("large"));
    let content = vec![b'x'; 300_000];
    let file = FilePart {
        field: "filename",
        file_name: &name,
        content_type: None,
        content: &content,
    };
    let upload = Call::new("POST", "/user_uploads").upload(&[], &[file]);
    let origin = server().base_url();
    let call = upload.clone().header("Origin", origin);
    let url = browser.call(call).ok()["url"].as_str().unwrap().to_owned();
    assert_eq!(browser.fetch(&url, &[]).bytes, content);
    let sent = |call: Call| {
        let call = call.header("Cookie", &browser.cookie);
        server().anonymous().try_send(&call)
    };
    // The server may close the connection before the whole body is sent.
    for call in [
        upload.clone(),
        upload
            .header("Spindle-Client", "test")
            .header("Origin", EVIL),
    ] {
        if let Ok(reply) = sent(call) {
            assert_eq!(reply.status, 401, "{}", reply.body);
        }
    }
}
