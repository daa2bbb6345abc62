//! `actions` of DELETE /users/{user_id} (docs/protocol/users.md#deactivate_user, FL 459): data
//! deleted together with an account.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User};

use super::{bot_of, shown};
use crate::support::{server, settle};

fn send(user: &User, kind: &str, to: &str, topic: &str) -> i64 {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", "x"),
    ];
    user.post("/messages", &pairs).ok()["id"].as_i64().unwrap()
}

fn deactivate(admin: &User, user: &User, actions: &Value) {
    let text = actions.to_string();
    admin
        .delete(&format!("/users/{}", user.id()), &[("actions", &text)])
        .ok();
}

/// Which of the messages a reader can still read.
fn left(reader: &User, ids: &[i64]) -> Vec<bool> {
    let is_there = |id: &i64| reader.get(&format!("/messages/{id}"), &[]).status == 200;
    ids.iter().map(is_there).collect()
}

#[test]
fn messages_are_deleted_by_kind_of_recipient() {
    let admin = server().user("administrator");
    for (name, kept) in [
        ("delete_public_channel_messages", [false, true, true]),
        ("delete_private_channel_messages", [true, false, true]),
        ("delete_direct_messages", [true, true, false]),
    ] {
        let (user, reader) = (server().user("member"), server().user("member"));
        let public = fixture::channel(server(), ChannelKind::Public, &[&user, &reader]);
        let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&user, &reader]);
        let ids = [
            send(&user, "channel", &public.id(), "t"),
            send(&user, "channel", &private.id(), "t"),
            send(&user, "direct", &format!("[{}]", reader.user_id), ""),
        ];
        let answer = send(&reader, "channel", &public.id(), "t");
        deactivate(&admin, &user, &json!({name: true}));
        assert_eq!(left(&reader, &ids), kept, "{name}");
        assert_eq!(left(&reader, &[answer]), [true], "messages of others stay");
    }
}

/// One event for each topic and conversation, to its readers; those of the bots first.
#[test]
fn readers_receive_the_deletions_also_of_bots_messages() {
    let admin = server().user("administrator");
    let (user, reader) = (server().user("member"), server().user("member"));
    let bot = bot_of(server(), &user);
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &reader, &bot]);
    let of_bot = send(&bot, "channel", &channel.id(), "t");
    let first = send(&user, "channel", &channel.id(), "t");
    let second = send(&user, "channel", &channel.id(), "t");
    let elsewhere = send(&user, "channel", &channel.id(), "u");
    let direct = send(&user, "direct", &format!("[{}]", reader.user_id), "");
    let types = ["delete_message", "realm_user", "user_status"];
    let capabilities = r#"{"bulk_message_deletion": true}"#;
    let types_text = json!(types).to_string();
    let mut queue = Queue::open(
        &reader,
        &[
            ("event_types", types_text.as_str()),
            ("fetch_event_types", "[]"),
            ("client_capabilities", capabilities),
        ],
    );
    let actions = json!({
        "delete_profile": false,
        "delete_public_channel_messages": true,
        "delete_direct_messages": true,
    });
    deactivate(&admin, &user, &actions);
    let events = settle(&mut queue);
    let deleted: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "delete_message")
        .map(|event| &event["message_ids"])
        .collect();
    assert_eq!(
        deleted,
        [
            &json!([of_bot]),
            &json!([first, second]),
            &json!([elsewhere]),
            &json!([direct])
        ]
    );
    let gone: Vec<&Value> = events
        .iter()
        .filter(|event| event["person"]["is_active"] == false)
        .map(|event| &event["person"]["user_id"])
        .filter(|id| **id == bot.user_id || **id == user.user_id)
        .collect();
    assert_eq!(gone, [&json!(bot.user_id), &json!(user.user_id)]);
    assert_eq!(shown(&admin, &user)["full_name"], user.full_name.as_str());
}

#[test]
fn a_deleted_profile_has_neither_name_nor_avatar() {
    let admin = server().user("administrator");
    let (user, watcher) = (server().user("member"), server().user("member"));
    server()
        .database()
        .execute(
            "UPDATE users SET avatar_source = 'G', avatar_name = 'profile' || id WHERE id = ?1",
            [user.user_id],
        )
        .unwrap();
    let mut queue = Queue::of(&watcher, &["realm_user", "user_status"]);
    deactivate(&admin, &user, &json!({"delete_profile": true}));
    let person = shown(&admin, &user);
    assert_eq!(person["full_name"], "Deleted user");
    assert_eq!(person["is_active"], false);
    let avatar = person["avatar_url"].as_str().unwrap();
    assert!(avatar.starts_with("/avatar/"), "drawn: {avatar}");
    let events = settle(&mut queue);
    let received: Vec<&Value> = events
        .iter()
        .map(|event| &event["person"])
        .filter(|person| person["user_id"] == user.user_id)
        .collect();
    assert_eq!(received[0]["full_name"], "Deleted user");
    assert_eq!(received[1]["avatar_source"], "J");
    assert_eq!(received[2]["is_active"], false);
    assert_eq!(received.len(), 3);
}

#[test]
fn actions_are_an_object_of_flags() {
    let admin = server().user("administrator");
    let user = server().user("member");
    let path = format!("/users/{}", user.id());
    for bad in [
        "[1]",
        "true",
        r#"{"delete_profile":"yes"}"#,
        "delete_profile",
    ] {
        admin.delete(&path, &[("actions", bad)]).bad_request();
    }
    assert_eq!(
        shown(&admin, &user)["is_active"],
        true,
        "nothing has changed"
    );
    deactivate(&admin, &user, &json!({}));
    assert_eq!(shown(&admin, &user)["full_name"], user.full_name.as_str());
}
