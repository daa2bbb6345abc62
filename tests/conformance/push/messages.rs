//! Which messages cause notifications to whom, and the content of a notification
//! (docs/protocol/settings.md#user-settings, FL 429).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Server, User, unique, until_the_next_second};

use super::{KEY, Phone, World, send_direct};

/// Sends to a channel; returns the id of the message.
#[track_caller]
fn say(from: &User, channel: &Channel, topic: &str, content: &str) -> i64 {
    let pairs = [
        ("type", "channel"),
        ("to", &channel.id()),
        ("topic", topic),
        ("content", content),
    ];
    from.post("/messages", &pairs).ok()["id"].as_i64().unwrap()
}

/// The message object as its reader fetches it.
#[track_caller]
fn message(reader: &User, id: i64) -> Value {
    let path = format!("/messages/{id}");
    let pairs = [("client_gravatar", "false")];
    reader.get(&path, &pairs).ok()["message"].clone()
}

/// Fields of every notification of a message.
fn expected(phone: &Phone<'_>, id: i64, content: &str) -> Value {
    let message = message(&phone.user, id);
    let url = phone.world.realm_url();
    let avatar = message["avatar_url"].as_str().unwrap();
    let avatar = if avatar.starts_with('/') {
        format!("{url}{avatar}")
    } else {
        avatar.to_owned()
    };
    json!({"type": "message", "realm_url": url, "realm_name": "Spindle",
        "user_id": phone.user.user_id, "message_id": id, "time": message["timestamp"],
        "content": content, "sender_id": message["sender_id"],
        "sender_full_name": message["sender_full_name"], "sender_avatar_url": avatar})
}

fn with(mut object: Value, further: Value) -> Value {
    let fields = further.as_object().unwrap().clone();
    object.as_object_mut().unwrap().extend(fields);
    object
}

fn sender(server: &Server) -> User {
    server.user("member")
}

#[test]
fn notifications_of_direct_messages_name_all_participants() {
    let world = World::shared();
    let phone = world.phone();
    let (sender, third) = (sender(&world.server), world.server.user("member"));
    let id = send_direct(&sender, &[&phone.user], "**hello** :tada:");
    let mut both = [sender.user_id, phone.user.user_id];
    both.sort_unstable();
    assert_eq!(
        phone.next(),
        with(
            expected(&phone, id, "hello 🎉"),
            json!({"recipient_type": "direct", "recipient_user_ids": both})
        )
    );
    let id = send_direct(&sender, &[&third, &phone.user], "to both");
    let mut all = [sender.user_id, phone.user.user_id, third.user_id];
    all.sort_unstable();
    assert_eq!(
        phone.next(),
        with(
            expected(&phone, id, "to both"),
            json!({"recipient_type": "direct", "recipient_user_ids": all})
        )
    );
}

#[test]
fn notifications_of_mentions_name_the_channel_and_the_group() {
    let world = World::shared();
    let phone = world.phone();
    let sender = sender(&world.server);
    let channel = fixture::channel(&world.server, ChannelKind::Public, &[&phone.user, &sender]);
    let place = json!({"recipient_type": "channel", "channel_id": channel.stream_id,
        "channel_name": channel.name, "topic": "Tea"});
    say(&sender, &channel, "Tea", "for no one in particular");
    let name = &phone.user.full_name;
    let id = say(&sender, &channel, "Tea", &format!("@**{name}** hi"));
    let content = format!("@{name} hi");
    assert_eq!(
        phone.next(),
        with(expected(&phone, id, &content), place.clone())
    );
    let group = unique("group ");
    let members = json!([phone.user.user_id]).to_string();
    let pairs = [
        ("name", group.as_str()),
        ("description", ""),
        ("members", &members),
    ];
    let owner = world.server.user("owner");
    let group_id = owner.post("/user_groups/create", &pairs).ok()["group_id"].clone();
    let id = say(&sender, &channel, "Tea", &format!("@*{group}* hi"));
    let through = json!({"mentioned_user_group_id": group_id, "mentioned_user_group_name": group});
    let content = format!("@{group} hi");
    let all = with(expected(&phone, id, &content), place.clone());
    assert_eq!(phone.next(), with(all, through));
    // A mention by name takes precedence over one of a group.
    let id = say(&sender, &channel, "Tea", &format!("@*{group}* @**{name}**"));
    let content = format!("@{group} @{name}");
    assert_eq!(phone.next(), with(expected(&phone, id, &content), place));
    phone.was_not_notified();
}

#[test]
fn the_push_service_cannot_read_the_content() {
    let world = World::shared();
    let android = world.phone();
    let token = unique("token ");
    let apple = world.phone_of(android.user.clone(), "apns", &token);
    send_direct(
        &sender(&world.server),
        &[&android.user],
        "a secret between us",
    );
    let (call, request, said) = android.next_call();
    assert_eq!(said["content"], "a secret between us");
    let key = call.headers["idempotency-key"].clone();
    let body = call.json();
    let uuid = body["realm_uuid"].as_str().unwrap();
    assert!(key.starts_with(&format!("{uuid}-")), "{key}");
    let sealed = request["payload"]["encrypted_data"].clone();
    assert_eq!(
        request,
        json!({"token_id": android.token, "fcm_priority": "high",
            "payload": {"push_key_id": 2408, "encrypted_data": sealed}})
    );
    // Both phones are in one call, each with its own ciphertext.
    let requests = body["push_requests"].as_array().unwrap();
    assert_eq!(requests.len(), 2);
    let other = &requests[1];
    let sealed = other["payload"]["encrypted_data"].clone();
    assert_eq!(
        *other,
        json!({"token_id": apple.token,
            "http_headers": {"apns_priority": 10, "apns_push_type": "alert"},
            "payload": {"push_key_id": 2408, "encrypted_data": sealed,
                "aps": {"mutable-content": 1, "alert": {"title": "New notification"}}}})
    );
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["push_requests", "realm_uuid"]);
    for secret in [
        "secret between",
        &android.user.full_name,
        &android.user.email,
        KEY,
    ] {
        assert!(!call.body.contains(secret), "{secret}");
    }
}

#[test]
fn notification_settings_are_respected() {
    let world = World::shared();
    let phone = world.phone();
    let sender = sender(&world.server);
    let channel = fixture::channel(&world.server, ChannelKind::Public, &[&phone.user, &sender]);
    let mention = format!("@**{}**", phone.user.full_name);
    let id = say(&sender, &channel, "t", "@**all**");
    assert_eq!(phone.next()["message_id"], id);
    phone.set("wildcard_mentions_notify", "false");
    say(&sender, &channel, "t", "@**all**");
    phone.set("enable_offline_push_notifications", "false");
    // Calls decided before the setting changed may still be under way.
    phone.was_not_notified();
    send_direct(&sender, &[&phone.user], "hello");
    say(&sender, &channel, "mentions", &mention);
    phone.was_not_notified();
    // All messages of the channel, by the user's default or by the setting for this channel.
    let id = {
        phone.set("enable_stream_push_notifications", "true");
        say(&sender, &channel, "t", "anything")
    };
    assert_eq!(phone.next()["message_id"], id);
    let property = |value: &str| {
        let data = format!(
            "[{{\"stream_id\": {}, \"property\": \"push_notifications\", \"value\": {value}}}]",
            channel.id()
        );
        let pairs = [("subscription_data", data.as_str())];
        phone
            .user
            .post("/users/me/subscriptions/properties", &pairs)
            .ok();
    };
    property("false");
    say(&sender, &channel, "t", "anything");
    phone.was_not_notified();
    phone.set("enable_stream_push_notifications", "false");
    property("true");
    let id = say(&sender, &channel, "t", "anything");
    assert_eq!(phone.next()["message_id"], id);
    // Followed topics, and muted ones.
    property("false");
    let policy = |value: &str| {
        let id = channel.id();
        let pairs = [
            ("stream_id", id.as_str()),
            ("topic", "t"),
            ("visibility_policy", value),
        ];
        phone.user.post("/user_topics", &pairs).ok();
    };
    policy("3");
    // A message sent in the same second may count as sent before.
    until_the_next_second();
    let id = say(&sender, &channel, "t", "anything");
    assert_eq!(phone.next()["message_id"], id);
    phone.set("enable_followed_topic_push_notifications", "false");
    say(&sender, &channel, "t", "anything");
    phone.was_not_notified();
    property("true");
    policy("1");
    say(&sender, &channel, "t", "anything");
    phone.was_not_notified();
    phone.set("enable_online_push_notifications", "false");
    say(&sender, &channel, "other", "anything");
    phone.was_not_notified();
}

#[test]
fn users_who_are_active_get_no_notification() {
    let world = World::shared();
    let phone = world.phone();
    let sender = sender(&world.server);
    let pairs = [("status", "active"), ("new_user_input", "true")];
    phone.user.post("/users/me/presence", &pairs).ok();
    let id = send_direct(&sender, &[&phone.user], "also while active");
    assert_eq!(phone.next()["message_id"], id);
    phone.set("enable_online_push_notifications", "false");
    send_direct(&sender, &[&phone.user], "not while active");
    phone.was_not_notified();
}

#[test]
fn own_messages_and_those_of_muted_users_cause_no_notification() {
    let world = World::shared();
    let phone = world.phone();
    let sender = sender(&world.server);
    // Not for messages that they send themselves, to themselves or to others.
    send_direct(&phone.user, &[&phone.user], "a note");
    send_direct(&phone.user, &[&sender], "hello");
    phone.was_not_notified();
    // Not for messages of a user whom they have muted.
    let path = format!("/users/me/muted_users/{}", sender.id());
    phone.user.post(&path, &[]).ok();
    send_direct(&sender, &[&phone.user], "hello?");
    phone.was_not_notified();
    phone.user.delete(&path, &[]).ok();
    let id = send_direct(&sender, &[&phone.user], "hello!");
    assert_eq!(phone.next()["message_id"], id);
}

#[test]
fn deactivated_users_get_no_notification() {
    let world = World::shared();
    let (phone, witness) = (world.phone(), world.phone());
    let sender = sender(&world.server);
    let owner = world.server.user("owner");
    owner
        .delete(&format!("/users/{}", phone.user.id()), &[])
        .ok();
    send_direct(&sender, &[&witness.user], "before");
    let channel = fixture::channel(
        &world.server,
        ChannelKind::Public,
        &[&phone.user, &witness.user, &sender],
    );
    let id = say(&sender, &channel, "t", "@**all**");
    assert_eq!(witness.next()["content"], "before");
    assert_eq!(witness.next()["message_id"], id);
    witness.was_not_notified();
    owner
        .post(&format!("/users/{}/reactivate", phone.user.id()), &[])
        .ok();
    // The first notification of the phone is for the message sent after that.
    let id = send_direct(&sender, &[&witness.user, &phone.user], "after");
    let all = world.service.notification(&phone.address(), &phone.key).2;
    assert_eq!(all["message_id"], id);
}

#[test]
fn long_messages_are_cut_and_spoilers_stay_hidden() {
    let world = World::shared();
    let phone = world.phone();
    let sender = sender(&world.server);
    send_direct(&sender, &[&phone.user], &"ä".repeat(300));
    assert_eq!(phone.next()["content"], format!("{}…", "ä".repeat(200)));
    send_direct(
        &sender,
        &[&phone.user],
        "```spoiler The end\nThey die.\n```",
    );
    assert_eq!(phone.next()["content"], "The end (…)");
    send_direct(&sender, &[&phone.user], "> said before\n\nindeed");
    assert_eq!(phone.next()["content"], "> said before\nindeed");
}
