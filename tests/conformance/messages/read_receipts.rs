//! GET /messages/{message_id}/read_receipts (docs/protocol/flags.md#get_read_receipts).

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Server, User};

use super::edit_support::setting;
use super::{direct, to_channel};
use crate::support::server;

fn readers(user: &User, id: i64) -> serde_json::Value {
    let path = format!("/messages/{id}/read_receipts");
    user.get(&path, &[]).ok()["user_ids"].clone()
}

fn mark_read(server: &Server, user: &User, id: i64) {
    server
        .database()
        .execute(
            "UPDATE user_messages SET flags = flags | 1 WHERE user_id = ?1 AND message_id = ?2",
            [user.user_id, id],
        )
        .expect("flags");
}

#[test]
fn readers_are_listed_unless_they_hide_receipts() {
    let sender = server().user("member");
    let people: Vec<User> = (0..5).map(|_| server().user("member")).collect();
    let mut all: Vec<&User> = people.iter().collect();
    all.push(&sender);
    let channel = fixture::channel(server(), ChannelKind::Public, &all);
    let id = to_channel(&sender, &channel, "t", "x");
    assert_eq!(readers(&sender, id), json!([]));
    for user in &all {
        mark_read(server(), user, id);
    }
    let ids: Vec<i64> = people.iter().map(|user| user.user_id).collect();
    assert_eq!(readers(&people[0], id), json!(ids));
    // One reader hides receipts, one is deactivated, one is muted by the caller, one has muted the
    // caller.
    fixture::user_setting(server(), &people[1], "send_read_receipts", "false");
    server().admin(&["user", "deactivate", "--email", &people[2].email]);
    let mute = |one: &User, other: &User| {
        one.post(&format!("/users/me/muted_users/{}", other.id()), &[])
            .ok();
    };
    mute(&people[0], &people[3]);
    mute(&people[4], &people[0]);
    assert_eq!(readers(&people[0], id), json!([ids[0]]));
    assert_eq!(readers(&sender, id), json!([ids[0], ids[3], ids[4]]));
}

#[test]
fn receipts_are_for_readers_and_only_if_the_organization_enables_them() {
    let server = Server::start(Options::default());
    let one = server.user("member");
    let other = server.user("owner");
    let id = direct(&one, &[&one], "x");
    let path = format!("/messages/{id}/read_receipts");
    let missing = other.get("/messages/99999999/read_receipts", &[]);
    assert_eq!(other.get(&path, &[]).bad_request(), missing.bad_request());
    assert_eq!(readers(&one, id), json!([]));
    setting(&server, "enable_read_receipts", json!(false));
    one.get(&path, &[]).bad_request();
}
