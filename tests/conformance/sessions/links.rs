//! Signing in by a one-time link, and when joining.

use spindle_tests::{Call, Options, Server, User, unique};

use super::{Browser, PASSWORD, cookie_of, sign_in, with_password};
use crate::support::{keys, server};

/// The token of a new link.
fn link(server: &Server, user: &User) -> String {
    let made = server.admin(&["user", "sign-in-link", "--email", &user.email]);
    assert_eq!(keys(&made), ["email", "sign_in_link", "user_id"]);
    assert_eq!(made["user_id"], user.user_id);
    let link = made["sign_in_link"].as_str().expect("a link");
    let (address, token) = link.split_once("/#sign-in/").expect("/#sign-in/");
    assert!(address.starts_with("http"), "{address}");
    token.to_owned()
}

fn follow(server: &Server, token: &str) -> spindle_tests::Reply {
    sign_in(server, &[("sign_in_token", token)])
}

#[test]
fn a_link_works_once() {
    let user = server().user("member");
    let token = link(server(), &user);
    let browser = Browser::from(server(), follow(server(), &token));
    assert_eq!(browser.get("/users/me").ok()["user_id"], user.user_id);
    assert!(!browser.cookie.contains(&token));
    let used = follow(server(), &token).error(401, "AUTHENTICATION_FAILED");
    let never_made = "0".repeat(64);
    for other in [never_made.as_str(), "", "x", &token.to_uppercase()] {
        let refused = follow(server(), other).error(401, "AUTHENTICATION_FAILED");
        assert_eq!(refused, used);
    }
    // A newer link replaces an older one.
    let (older, newer) = (link(server(), &user), link(server(), &user));
    follow(server(), &older).error(401, "AUTHENTICATION_FAILED");
    follow(server(), &newer).ok();
    // Only hashes are stored.
    let token = link(server(), &user);
    let sql = "SELECT count(*) FROM sign_in_links WHERE hex(hash) = upper(?1)";
    let found: i64 = server()
        .database()
        .query_row(sql, [token], |row| row.get(0))
        .unwrap();
    assert_eq!(found, 0);
}

#[test]
fn of_many_simultaneous_uses_one_signs_in() {
    let user = server().user("member");
    let token = link(server(), &user);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let token = token.as_str();
        let tries: Vec<_> = (0..8)
            .map(|_| scope.spawn(move || follow(server(), token).status))
            .collect();
        let tries = tries.into_iter();
        tries.map(|one| one.join().expect("an answer")).collect()
    });
    let of = |status: u16| statuses.iter().filter(|found| **found == status).count();
    assert_eq!((of(200), of(401)), (1, 7), "{statuses:?}");
}

#[test]
fn a_link_is_for_users_who_may_sign_in() {
    let bot = server().bot();
    let refused = server().admin_output(&["user", "sign-in-link", "--email", &bot.email]);
    assert!(!refused.status.success());
    let user = server().user("member");
    let token = link(server(), &user);
    server().admin(&["user", "deactivate", "--email", &user.email]);
    follow(server(), &token).error(401, "AUTHENTICATION_FAILED");
    let refused = server().admin_output(&["user", "sign-in-link", "--email", &user.email]);
    assert!(!refused.status.success());
    // Another person may have the link: a new password revokes it.
    let user = with_password(server());
    let token = link(server(), &user);
    let words = ["user", "set-password", "--email", &user.email, "--password"];
    server().admin(&[&words[..], &["unrelated words, three of them"]].concat());
    follow(server(), &token).error(401, "AUTHENTICATION_FAILED");
}

#[test]
fn a_link_is_valid_for_a_quarter_of_an_hour() {
    let server = Server::own(Options::default());
    if !server.has_test_clock() {
        return;
    }
    // Links use the clock of the machine, which is also the server's until a test moves it.
    let (early, late) = (server.user("member"), server.user("member"));
    let (in_time, too_late) = (link(&server, &early), link(&server, &late));
    server.advance(14 * 60);
    follow(&server, &in_time).ok();
    server.advance(61);
    follow(&server, &too_late).error(401, "AUTHENTICATION_FAILED");
}

/// A browser on a page of this server is signed in with the new account; other clients are not.
#[test]
fn joining_in_a_browser_signs_in() {
    let administrator = server().user("administrator");
    let join = |headers: &[(&str, &str)]| {
        let made = administrator.post("/invites/multiuse", &[]).ok();
        let url = made["invite_link"].as_str().expect("a link");
        let (_, key) = url.rsplit_once("/join/").expect("/join/");
        let email = format!("{}@example.com", unique("joiner.n"));
        let name = unique("Joiner ");
        let pairs = [
            ("key", key),
            ("email", email.as_str()),
            ("full_name", name.as_str()),
            ("password", PASSWORD),
        ];
        let call = Call::new("POST", "/invites/join").form(&pairs);
        let call = headers
            .iter()
            .fold(call, |call, (name, value)| call.header(name, value));
        server().anonymous().send(call)
    };
    let reply = join(&[("Spindle-Client", "test")]);
    let cookie = cookie_of(&reply).expect("a cookie");
    let body = reply.ok();
    let browser = Browser {
        client: server().anonymous(),
        cookie,
        session_id: 0,
    };
    assert_eq!(browser.get("/users/me").ok()["user_id"], body["user_id"]);
    let reply = join(&[]);
    assert_eq!(reply.header("set-cookie"), None);
    reply.ok();
    let evil = ("Origin", "https://evil.example");
    join(&[("Spindle-Client", "test"), evil]).bad_request();
}
