//! POST /users/{user_id}/reactivate (docs/protocol/users.md#reactivate_user).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Queue, User};

use super::{bot_of, shown};
use crate::support::server;

fn path(user: &User) -> String {
    format!("/users/{}/reactivate", user.id())
}

#[test]
fn a_reactivated_user_has_their_groups_and_channels() {
    let admin = server().user("administrator");
    let (user, watcher) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &watcher]);
    server().admin(&["user", "deactivate", "--email", &user.email]);
    let mut queue = Queue::of(&watcher, &["realm_user", "user_group", "subscription"]);
    admin.post(&path(&user), &[]).ok();
    let about = |event: &Value| {
        event["person"]["user_id"] == user.user_id || event["user_ids"] == json!([user.user_id])
    };
    let events = queue.until(|event| event["op"] == "peer_add" && about(event));
    let ops: Vec<&Value> = events
        .iter()
        .filter(|event| about(event))
        .map(|event| &event["op"])
        .collect();
    assert_eq!(ops.first(), Some(&&json!("update")));
    assert!(ops.contains(&&json!("add_members")));
    let peers = events
        .iter()
        .rfind(|event| event["op"] == "peer_add")
        .unwrap();
    assert!(
        peers["stream_ids"]
            .as_array()
            .unwrap()
            .contains(&json!(channel.stream_id))
    );
    // Reactivating an active user changes nothing.
    admin.post(&path(&user), &[]).ok();
    assert!(queue.poll().iter().all(|event| !about(event)));
    // A key from before the deactivation stays invalid.
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let made = server().admin(&["user", "rotate-key", "--email", &user.email]);
    let key = made["api_key"].as_str().expect("the new key");
    let client = Client::new(server().base_url(), Some((&user.email, key)));
    client.get("/users/me", &[]).ok();
}

#[test]
fn the_permission_decides_who_may() {
    let admin = server().user("administrator");
    let (user, owner) = (server().user("member"), server().user("member"));
    let bot = bot_of(server(), &owner);
    for email in [&user.email, &bot.email] {
        server().admin(&["user", "deactivate", "--email", email]);
    }
    for role in ["moderator", "member", "guest"] {
        let caller = server().user(role);
        caller
            .post(&path(&user), &[])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
        caller
            .post(&path(&bot), &[])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
        caller.post("/users/999999/reactivate", &[]).bad_request();
    }
    assert_eq!(shown(&admin, &user)["is_active"], false);
    owner.post(&path(&bot), &[]).ok();
    bot.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    admin.post("/users/999999/reactivate", &[]).bad_request();
}

/// Administrators ask it of every active user.
#[test]
fn administrators_receive_the_consent_of_a_reactivated_user() {
    let (admin, member) = (server().user("administrator"), server().user("member"));
    let user = server().user("member");
    user.patch("/settings", &[("allow_private_data_export", "true")])
        .ok();
    server().admin(&["user", "deactivate", "--email", &user.email]);
    let types = ["realm_user", "realm_export_consent"];
    let (mut queue, mut others) = (Queue::of(&admin, &types), Queue::of(&member, &types));
    admin.post(&path(&user), &[]).ok();
    let consent = queue.expect(|event| event["user_id"] == user.user_id);
    assert_eq!(consent["type"], "realm_export_consent");
    assert_eq!(consent["consented"], true);
    let mut events = others.until(|event| event["person"]["user_id"] == user.user_id);
    events.extend(others.poll());
    assert!(events.iter().all(|event| event["user_id"] != user.user_id));
}
