//! Owners list and end sessions and keys of others, with a notice; other roles do neither.

use serde_json::{Value, json};
use spindle_tests::{Client, Queue, Reply, Server, User};

use super::{Browser, PASSWORD, with_password};
use crate::support::{keys, server};

fn path(user: &User, what: &str) -> String {
    format!("/users/{}/{what}", user.user_id)
}

fn listed(owner: &User, user: &User) -> Value {
    owner.get(&path(user, "sessions"), &[]).ok()
}

fn end(owner: &Client, user: &User, what: &str) -> Reply {
    owner.delete(&path(user, what), &[])
}

/// Kinds of the entries about a user that `owner` has caused, with their data.
fn recorded(owner: &User, user: &User) -> Vec<(String, Value)> {
    let (own, of) = (owner.id(), user.id());
    let pairs = [("acting_user_id", own.as_str()), ("modified_user_id", &of)];
    let body = owner.get("/audit_log", &pairs).ok();
    let found = body["audit_log"].as_array().expect("entries").iter();
    found
        .map(|one| {
            let kind = one["event_type"].as_str().expect("a kind");
            (kind.to_owned(), one["data"].clone())
        })
        .collect()
}

/// The newest message of the notification bot to a user.
fn notice(queue: &mut Queue) -> String {
    let found = queue.until(|event| event["type"] == "message");
    let last = found.last().expect("an event");
    let sender = last["message"]["sender_email"].as_str().expect("a sender");
    assert!(sender.starts_with("notification-bot@"), "{sender}");
    let text = last["message"]["content"].as_str().expect("a text");
    text.to_owned()
}

fn fetch_key(server: &Server, user: &User) -> Client {
    let pairs = [("username", user.email.as_str()), ("password", PASSWORD)];
    let fetched = server.anonymous().post("/fetch_api_key", &pairs).ok();
    let key = fetched["api_key"].as_str().expect("a key");
    Client::new(server.base_url(), Some((&user.email, key)))
}

#[test]
fn an_owner_ends_one_session_and_all() {
    let owner = server().user("owner");
    let user = with_password(server());
    let [first, second, third] = [(); 3].map(|()| Browser::of(server(), &user));
    let body = listed(&owner, &user);
    assert_eq!(keys(&body), ["api_keys", "msg", "result", "sessions"]);
    let sessions = body["sessions"].as_array().expect("sessions");
    assert_eq!(sessions.len(), 3);
    assert_eq!(sessions[0]["id"], first.session_id);
    assert_eq!(sessions[0]["client"], "Firefox on Linux");
    assert_eq!(sessions[0]["is_current"], false);
    assert_eq!(keys(&body["api_keys"][0]), ["created", "label"]);
    // Neither keys nor hashes.
    assert!(!body.to_string().contains(&user.api_key));
    let mut queue = Queue::of(&user, &["message"]);
    end(&owner, &user, &format!("sessions/{}", first.session_id)).ok();
    assert!(!first.is_signed_in() && second.is_signed_in());
    let mention = format!("@_**{}|{}**", owner.full_name, owner.user_id);
    let text = notice(&mut queue);
    let expected = format!("One of your browsers was signed out by {mention}");
    assert!(text.starts_with(&expected), "{text}");
    end(&owner, &user, "sessions").ok();
    assert!(!second.is_signed_in() && !third.is_signed_in());
    assert!(notice(&mut queue).starts_with("All of your browsers"));
    // Keys stay.
    user.get("/users/me", &[]).ok();
    let data = json!({"session_id": first.session_id});
    let expected = [
        ("user_sessions_ended".to_owned(), json!({})),
        ("user_session_ended".to_owned(), data),
    ];
    assert_eq!(recorded(&owner, &user), expected);
}

#[test]
fn an_owner_revokes_keys() {
    let owner = server().user("owner");
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let client = fetch_key(server(), &user);
    let before = listed(&owner, &user);
    assert_eq!(before["api_keys"].as_array().map(Vec::len), Some(2));
    end(&owner, &user, "api_keys").ok();
    client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    assert!(browser.is_signed_in(), "sessions stay");
    assert_eq!(listed(&owner, &user)["api_keys"], json!([]));
    let expected = [("user_api_keys_revoked".to_owned(), json!({}))];
    assert_eq!(recorded(&owner, &user), expected);
    // Of a bot as well.
    let bot = server().bot();
    end(&owner, &bot, "api_keys").ok();
    bot.get("/users/me", &[]).error(401, "UNAUTHORIZED");
}

#[test]
fn other_roles_neither_list_nor_end_them() {
    let (owner, other) = (server().user("owner"), with_password(server()));
    let user = with_password(server());
    let browser = Browser::of(server(), &user);
    let session = format!("sessions/{}", browser.session_id);
    for role in ["administrator", "moderator", "member", "guest"] {
        let caller = server().user(role);
        for whose in [&user, &caller] {
            let refused = caller.get(&path(whose, "sessions"), &[]);
            refused.error(400, "UNAUTHORIZED_PRINCIPAL");
            for what in [session.as_str(), "sessions", "api_keys"] {
                end(&caller, whose, what).error(400, "UNAUTHORIZED_PRINCIPAL");
            }
        }
    }
    // The session of one account under the name of another; an account that does not exist; one's own.
    end(&owner, &other, &session).bad_request();
    end(&owner, &other, "sessions/999999").bad_request();
    for what in ["sessions", "api_keys"] {
        let path = format!("/users/999999/{what}");
        owner.delete(&path, &[]).bad_request();
    }
    end(&owner, &owner, "sessions").bad_request();
    end(&owner, &owner, "api_keys").bad_request();
    assert!(browser.is_signed_in());
    user.get("/users/me", &[]).ok();
    owner.get("/users/me", &[]).ok();
}
