//! DELETE /users/{user_id} (docs/protocol/subscriptions.md#appearing,
//! docs/protocol/users.md#deactivate_user).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Server, User};

use super::{bot_of, shown};
use crate::support::server;

fn path(user: &User) -> String {
    format!("/users/{}", user.id())
}

#[test]
fn deactivating_a_user_ends_access_and_sends_events_in_order() {
    let admin = server().user("administrator");
    let (user, watcher) = (server().user("member"), server().user("member"));
    let public = fixture::channel(server(), ChannelKind::Public, &[&user, &watcher]);
    let archived = fixture::channel(server(), ChannelKind::Public, &[&user, &watcher]);
    fixture::channel_column(server(), &archived, "is_archived", &true);
    let own = Queue::of(&user, &["message"]);
    let mut queue = Queue::of(&watcher, &["realm_user", "subscription", "user_group"]);
    let comment = [("deactivation_notification_comment", " Farewell! ")];
    admin.delete(&path(&user), &comment).ok();
    let about = |event: &Value| {
        event["person"]["user_id"] == user.user_id || event["user_ids"] == json!([user.user_id])
    };
    let is_last = |event: &Value| event["person"]["is_active"] == false && about(event);
    let mut events = queue.until(is_last);
    events.extend(queue.poll());
    let seen: Vec<&Value> = events.iter().filter(|event| about(event)).collect();
    assert_eq!(seen[0]["op"], "peer_remove");
    let left = seen[0]["stream_ids"].as_array().unwrap();
    assert!(left.contains(&json!(public.stream_id)));
    assert!(
        left.contains(&json!(archived.stream_id)),
        "archived channels too"
    );
    assert_eq!(
        seen[1]["person"],
        json!({"user_id": user.user_id, "is_active": false})
    );
    // That groups have one member less follows from it.
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert_eq!(shown(&admin, &user)["is_active"], false);
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    own.fetch(-1, true).error(401, "UNAUTHORIZED");
    let sql = "SELECT data FROM audit_log WHERE modified_user_id = ?1 AND event_type = 'user_deactivated'";
    let database = server().database();
    let data: String = database
        .query_row(sql, [user.user_id], |row| row.get(0))
        .unwrap();
    assert_eq!(data, r#"{"comment":"Farewell!"}"#);
}

#[test]
fn the_bots_of_a_deactivated_user_are_deactivated() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let (bot, stranger) = (bot_of(server(), &user), bot_of(server(), &admin));
    let mut queue = Queue::of(&admin, &["realm_user"]);
    admin.delete(&path(&user), &[]).ok();
    let events = queue.until(|event| event["person"]["user_id"] == user.user_id);
    let changed: Vec<&Value> = events
        .iter()
        .filter(|event| event["person"]["is_active"] == false)
        .map(|event| &event["person"]["user_id"])
        .filter(|id| **id == user.user_id || **id == bot.user_id)
        .collect();
    assert_eq!(changed, [&json!(bot.user_id), &json!(user.user_id)]);
    bot.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    stranger.get("/users/me", &[]).ok();
}

#[test]
fn only_administrators_deactivate_users_and_only_owners_owners() {
    let admin = server().user("administrator");
    let (owner, other_owner) = (server().user("owner"), server().user("owner"));
    let member = server().user("member");
    let moderator = server().user("moderator");
    moderator
        .delete(&path(&member), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    moderator
        .delete("/users/999999", &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let missing = admin.delete("/users/999999", &[]).bad_request();
    admin
        .delete(&path(&owner), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    // Bots have an operation of their own.
    let bot = bot_of(server(), &admin);
    assert_eq!(admin.delete(&path(&bot), &[]).bad_request(), missing);
    other_owner.delete(&path(&owner), &[]).ok();
    other_owner.delete(&path(&owner), &[]).bad_request();
    for user in [&member, &bot] {
        assert_eq!(shown(&admin, user)["is_active"], true);
    }
}

#[test]
fn the_comment_has_a_maximum_length() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let name = "deactivation_notification_comment";
    let long = "é".repeat(2001);
    admin.delete(&path(&user), &[(name, &long)]).bad_request();
    assert_eq!(shown(&admin, &user)["is_active"], true);
    let fitting = format!("  {}\n", "é".repeat(2000));
    admin.delete(&path(&user), &[(name, &fitting)]).ok();
}

#[test]
fn the_last_owner_cannot_be_deactivated() {
    let server = Server::own(spindle_tests::Options::default());
    let owner = server.user("owner");
    let admin = server.user("administrator");
    let others = "UPDATE users SET is_active = 0 WHERE role = 100 AND id <> ?1";
    server.database().execute(others, [owner.user_id]).unwrap();
    // Bots with the role of an owner do not count.
    server.user_with("owner", &["--bot"]);
    for (caller, call) in [(&owner, path(&owner)), (&owner, "/users/me".to_owned())] {
        let body = caller
            .delete(&call, &[])
            .error(400, "CANNOT_DEACTIVATE_LAST_USER");
        assert_eq!(body["is_last_owner"], true);
        assert!(body["entity"].is_string());
    }
    // The rule about owners is reported first.
    admin
        .delete(&path(&owner), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    assert_eq!(shown(&admin, &owner)["is_active"], true);
    let second = server.user("owner");
    owner.delete("/users/me", &[]).ok();
    assert_eq!(shown(&second, &owner)["is_active"], false);
}

/// A permission that lists a person and their bots changes once, when all of them are gone.
#[test]
fn a_permission_that_lists_a_person_and_their_bots_changes_once() {
    let admin = server().user("administrator");
    let (user, watcher) = (server().user("member"), server().user("member"));
    let bots = [(); 2].map(|()| bot_of(server(), &user));
    let ids = [
        user.user_id,
        bots[0].user_id,
        bots[1].user_id,
        watcher.user_id,
    ];
    let senders = json!({"direct_members": ids, "direct_subgroups": []}).to_string();
    let channel = fixture::channel(server(), ChannelKind::Public, &[&watcher]);
    let value = format!("{{\"new\": {senders}}}");
    let pairs = [("can_send_message_group", value.as_str())];
    admin
        .patch(&format!("/streams/{}", channel.id()), &pairs)
        .ok();
    let mut queue = Queue::of(&watcher, &["stream", "realm_user"]);
    admin.delete(&path(&user), &[]).ok();
    let is_value = |event: &Value| event["property"] == "can_send_message_group";
    let mut events = queue.until(is_value);
    events.extend(queue.poll());
    let values: Vec<&Value> = events.iter().filter(|event| is_value(event)).collect();
    assert_eq!(values.len(), 1);
    assert_eq!(
        values[0]["value"]["direct_members"],
        json!([watcher.user_id])
    );
}
