//! DELETE /users/me/subscriptions.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, unique};

use super::{add, find, listen, received, record, remove, settle_about};
use crate::messages::to_channel;
use crate::support::{server, settle};

#[test]
fn the_answer_lists_removed_and_not_removed_names() {
    let user = server().user("member");
    let one = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let two = fixture::channel(server(), ChannelKind::Public, &[]);
    let names = [one.name.to_uppercase(), two.name.clone(), one.name.clone()];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let body = remove(&user, &names, &[]).ok();
    assert_eq!(body["removed"], json!([one.name]));
    assert_eq!(body["not_removed"], json!([two.name]));
    assert_eq!(record(&user, one.stream_id), None);
}

#[test]
fn missing_and_hidden_channels_get_the_same_error() {
    let user = server().user("member");
    let own = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    let missing = unique("missing ");
    for name in [&hidden.name, &missing] {
        let body = remove(&user, &[&own.name, name], &[]).bad_request();
        let expected = format!("There is no channel called '{name}'");
        assert_eq!(body["msg"], expected.as_str());
    }
    assert!(record(&user, own.stream_id).is_some());
}

#[test]
fn the_user_and_the_other_subscribers_receive_the_removal() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let mut queues = [&user, &other].map(listen);
    remove(&user, &[&channel.name], &[]).ok();
    let [own, others] = queues.each_mut().map(settle);
    assert_eq!(received(&own, channel.stream_id), ["subscription remove"]);
    assert_eq!(
        find(&own, channel.stream_id, "subscription", "remove")["subscriptions"],
        json!([{"stream_id": channel.stream_id, "name": channel.name}])
    );
    assert_eq!(
        received(&others, channel.stream_id),
        ["subscription peer_remove"]
    );
    let event = find(&others, channel.stream_id, "subscription", "peer_remove");
    assert_eq!(event["user_ids"], json!([user.user_id]));
    remove(&user, &[&channel.name], &[]).ok();
    assert!(settle_about(&mut queues[0], channel.stream_id).is_empty());
}

#[test]
fn guests_unsubscribe_themselves() {
    let guest = server().user("guest");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&guest]);
    remove(&guest, &[&channel.name], &[]).ok();
    assert_eq!(record(&guest, channel.stream_id), None);
}

#[test]
fn unread_messages_of_left_channels_become_read() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let kept = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let send = |channel| to_channel(&other, channel, "t", "x");
    let (one, elsewhere, two) = (send(&channel), send(&kept), send(&channel));
    let mut queue = listen(&user);
    remove(&user, &[&channel.name], &[]).ok();
    let events = settle(&mut queue);
    let event = events
        .iter()
        .find(|event| event["type"] == "update_message_flags")
        .expect("messages become read");
    assert_eq!(event["messages"], json!([one, two]));
    assert_eq!(
        (&event["flag"], &event["all"]),
        (&json!("read"), &json!(false))
    );
    add(&user, &[&channel.name], &[]).ok();
    let fetch = "[\"message\", \"update_message_flags\"]";
    let state = user.post("/register", &[("fetch_event_types", fetch)]).ok();
    let unread = state["unread_msgs"]["streams"].as_array().unwrap();
    assert_eq!(unread.len(), 1);
    assert_eq!(unread[0]["unread_message_ids"], json!([elsewhere]));
}

/// More than one transaction marks as read: a job marks the rest soon after, and each message is in
/// one event.
#[test]
fn many_unread_messages_become_read_in_parts() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let mut ids = fixture::messages(server(), &channel, "t", &[&other, &user], 4500);
    let sql = "UPDATE user_messages SET flags = 0 WHERE user_id = ?1";
    let database = server().database();
    database.execute(sql, [user.user_id]).expect("unread");
    let mut queue = listen(&user);
    remove(&user, &[&channel.name], &[]).ok();
    add(&user, &[&channel.name], &[]).ok();
    let later = to_channel(&other, &channel, "t", "x");
    let mut read: Vec<i64> = Vec::new();
    while read.len() < ids.len() {
        let is_mark = |event: &Value| event["type"] == "update_message_flags";
        for event in queue.until(is_mark).iter().filter(|event| is_mark(event)) {
            assert_eq!(event["flag"], "read");
            let part = event["messages"].as_array().expect("ids");
            assert!(part.len() <= 2000, "{}", part.len());
            read.extend(part.iter().filter_map(Value::as_i64));
        }
    }
    read.sort_unstable();
    ids.sort_unstable();
    assert_eq!(read, ids);
    let fetch = "[\"message\", \"update_message_flags\"]";
    let state = user.post("/register", &[("fetch_event_types", fetch)]).ok();
    let unread = state["unread_msgs"]["streams"].as_array().unwrap();
    assert_eq!(unread.len(), 1);
    assert_eq!(unread[0]["unread_message_ids"], json!([later]));
}

/// No one could ever subscribe to it again.
#[test]
fn a_private_channel_without_subscribers_is_archived() {
    let (user, admin) = (server().user("member"), server().user("administrator"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let mut queue = listen(&admin);
    remove(&user, &[&channel.name], &[]).ok();
    let events = settle(&mut queue);
    assert_eq!(
        received(&events, channel.stream_id),
        ["subscription peer_remove", "stream update"]
    );
    let event = find(&events, channel.stream_id, "stream", "update");
    assert_eq!(event["property"], "is_archived");
    assert_eq!(event["value"], true);
    // It stays while a permission lets a user subscribe.
    let open = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    fixture::channel_permission(server(), &open, "can_subscribe_group", "role:members");
    remove(&user, &[&open.name], &[]).ok();
    assert_eq!(
        received(&settle(&mut queue), open.stream_id),
        ["subscription peer_remove"]
    );
    add(&user, &[&open.name], &[]).ok();
    // A public channel stays too.
    let public = fixture::channel(server(), ChannelKind::Public, &[&user]);
    remove(&user, &[&public.name], &[]).ok();
    add(&user, &[&public.name], &[]).ok();
}

#[test]
fn parameters_are_strict_and_accepted_in_body_and_query() {
    let user = server().user("member");
    let path = "/users/me/subscriptions";
    user.delete(path, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    for wrong in ["general", "\"general\"", "[1]", "{}"] {
        user.delete(path, &[("subscriptions", wrong)]).bad_request();
    }
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let names = json!([channel.name]).to_string();
    let call = Call::new("DELETE", path).query(&[("subscriptions", &names)]);
    let body = user.client.send(call).ok();
    assert_eq!(body["removed"], json!([channel.name]));
    let body = user.delete(path, &[("subscriptions", "[]")]).ok();
    assert_eq!(body["removed"], json!([]));
}
