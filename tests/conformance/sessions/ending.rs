//! Sessions are listed and end: on request, by age, by a new password, with the account.

use serde_json::json;
use spindle_tests::{Call, Options, Server, User};

use super::{Browser, PASSWORD, cookie_of, with_password};
use crate::support::{keys, server};

const NEW_PASSWORD: &str = "unrelated words, three of them";
const DAY: u64 = 24 * 60 * 60;

fn ids(browser: &Browser) -> Vec<i64> {
    let body = browser.get("/sessions").ok();
    let listed = body["sessions"].as_array().expect("sessions").iter();
    listed
        .map(|one| one["id"].as_i64().expect("an id"))
        .collect()
}

fn change_password(user: &User) -> Call {
    let _ = user;
    let pairs = [("old_password", PASSWORD), ("new_password", NEW_PASSWORD)];
    Call::new("PATCH", "/settings").form(&pairs)
}

#[test]
fn the_owner_lists_and_ends_sessions() {
    let (user, other) = (with_password(server()), with_password(server()));
    let [first, second, third] = [(); 3].map(|()| Browser::of(server(), &user));
    let foreign = Browser::of(server(), &other);
    let body = first.get("/sessions").ok();
    let listed = body["sessions"].as_array().unwrap().clone();
    assert_eq!(
        ids(&first),
        [first.session_id, second.session_id, third.session_id]
    );
    let now = spindle_tests::unix_now();
    for one in &listed {
        assert_eq!(
            keys(one),
            ["client", "created", "id", "is_current", "last_used"]
        );
        assert_eq!(one["client"], "Firefox on Linux");
        assert_eq!(one["is_current"], json!(one["id"] == first.session_id));
        for time in ["created", "last_used"] {
            let time = one[time].as_i64().unwrap();
            assert!((now - 120..=now + 5).contains(&time), "{time}");
        }
    }
    // A request with a key has no current session.
    let body = user.get("/sessions", &[]).ok();
    let is_any = |one: &serde_json::Value| one["is_current"] == true;
    assert!(!body["sessions"].as_array().unwrap().iter().any(is_any));

    let path = |browser: &Browser| format!("/sessions/{}", browser.session_id);
    foreign.delete(&path(&first)).error(404, "BAD_REQUEST");
    let ended = first.delete(&path(&second));
    assert_eq!(ended.header("set-cookie"), None);
    ended.ok();
    assert!(!second.is_signed_in() && first.is_signed_in());
    first.delete(&path(&second)).error(404, "BAD_REQUEST");
    user.delete("/sessions/current", &[])
        .error(404, "BAD_REQUEST");

    let fourth = Browser::of(server(), &user);
    first.delete("/sessions").ok();
    assert_eq!(ids(&first), [first.session_id]);
    assert!(!third.is_signed_in() && !fourth.is_signed_in());
    assert!(foreign.is_signed_in());

    for path in ["/sessions/current".to_owned(), path(&foreign)] {
        let browser = if path.ends_with("current") {
            &first
        } else {
            &foreign
        };
        let ended = browser.delete(&path);
        assert_eq!(cookie_of(&ended).as_deref(), Some("spindle_session="));
        assert!(ended.header("set-cookie").unwrap().contains("; Max-Age=0;"));
        ended.ok();
        assert!(!browser.is_signed_in());
    }
    let last = Browser::of(server(), &user);
    user.delete("/sessions", &[]).ok();
    assert!(
        !last.is_signed_in(),
        "a request with a key ends all sessions"
    );
}

#[test]
fn a_new_password_ends_all_other_sessions() {
    let user = with_password(server());
    let (changing, other) = (Browser::of(server(), &user), Browser::of(server(), &user));
    let wrong = [("old_password", "wrong"), ("new_password", NEW_PASSWORD)];
    changing
        .call(Call::new("PATCH", "/settings").form(&wrong))
        .bad_request();
    assert!(other.is_signed_in());
    changing.call(change_password(&user)).ok();
    assert!(changing.is_signed_in() && !other.is_signed_in());
    user.get("/users/me", &[]).ok();

    // After a password change by key, no session is kept.
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    user.send(change_password(&user)).ok();
    assert!(!browser.is_signed_in());

    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    server().admin(&[
        "user",
        "set-password",
        "--email",
        &user.email,
        "--password",
        NEW_PASSWORD,
    ]);
    assert!(!browser.is_signed_in());
}

#[test]
fn a_new_api_key_ends_no_session() {
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    server().admin(&["user", "rotate-key", "--email", &user.email]);
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    assert!(browser.is_signed_in());
}

#[test]
fn deactivating_an_account_ends_its_sessions() {
    let administrator = server().user("administrator");
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    administrator
        .delete(&format!("/users/{}", user.user_id), &[])
        .ok();
    assert!(!browser.is_signed_in());
    let path = format!("/users/{}/reactivate", user.user_id);
    administrator.post(&path, &[]).ok();
    assert!(!browser.is_signed_in(), "it has ended for good");
    assert!(Browser::of(server(), &user).is_signed_in());

    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    browser.delete("/users/me").ok();
    assert!(!browser.is_signed_in());
}

/// Sessions end thirty days after their last use. The use is stored, and the cookie renewed, at
/// most once an hour.
#[test]
fn a_session_lives_for_thirty_days_from_its_last_use() {
    let server = Server::own(Options::default());
    if !server.has_test_clock() {
        return;
    }
    let user = with_password(&server);
    let (used, left) = (Browser::of(&server, &user), Browser::of(&server, &user));
    let renewed = |browser: &Browser| {
        let reply = browser.get("/users/me");
        let cookie = cookie_of(&reply);
        reply.ok();
        if let Some(cookie) = &cookie {
            assert_eq!(cookie, &browser.cookie, "the token stays");
        }
        cookie.is_some()
    };
    let last_used = || {
        let sql = "SELECT last_used FROM sessions WHERE id = ?1";
        let id = used.session_id;
        let found = server.database().query_row(sql, [id], |row| row.get(0));
        found.unwrap()
    };
    let first: i64 = last_used();
    server.advance(3000);
    assert!(!renewed(&used));
    assert_eq!(last_used(), first);
    let now = server.advance(1000);
    // Images do not count as use, nor do polls, whose answers come late, nor refused requests.
    let call = Call::new("POST", "/register").form(&[("event_types", r#"["message"]"#)]);
    let queue = user.send(call).ok();
    let (id, last) = (
        queue["queue_id"].as_str().unwrap(),
        queue["last_event_id"].to_string(),
    );
    let pairs = [
        ("queue_id", id),
        ("last_event_id", &last),
        ("dont_block", "true"),
    ];
    let polled = used.call(Call::new("GET", "/events").query(&pairs));
    assert_eq!(cookie_of(&polled), None);
    polled.ok();
    used.fetch(&format!("/avatar/{}", user.user_id), &[]);
    used.bare(Call::new("GET", "/users/me"))
        .error(401, "UNAUTHORIZED");
    assert_eq!(last_used(), first);
    assert!(renewed(&used) && !renewed(&used));
    assert!((now..now + 60).contains(&last_used()));
    server.advance(29 * DAY);
    assert!(renewed(&used));
    server.advance(2 * DAY);
    assert!(!left.is_signed_in());
    assert_eq!(
        ids(&used),
        [used.session_id],
        "only live sessions are listed"
    );
    server.advance(29 * DAY);
    assert!(used.is_signed_in());
    server.advance(30 * DAY + 60);
    assert!(!used.is_signed_in());
    // The rows are deleted at the next sign-in.
    let late = Browser::of(&server, &user);
    let rows: i64 = server
        .database()
        .query_row("SELECT count(*) FROM sessions", [], |row| row.get(0))
        .unwrap();
    assert_eq!((rows, ids(&late)), (1, vec![late.session_id]));
}
