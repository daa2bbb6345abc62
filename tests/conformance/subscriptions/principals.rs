//! Subscribing and unsubscribing other users.

use serde_json::json;
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{User, unique};

use super::{add, find, ids, listen, received, remove, settle_about, subscribers};
use crate::support::{server, settle};

fn bring(user: &User, channel: &Channel, others: &[&User]) -> spindle_tests::Reply {
    add(user, &[&channel.name], &[("principals", &ids(others))])
}

fn take_out(user: &User, channel: &Channel, others: &[&User]) -> spindle_tests::Reply {
    remove(user, &[&channel.name], &[("principals", &ids(others))])
}

#[test]
fn principals_are_ids_or_addresses() {
    let user = server().user("member");
    let (one, two) = (server().user("member"), server().user("guest"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let body = bring(&user, &channel, &[&two, &one, &one]).ok();
    let expected = json!({one.id(): [channel.name], two.id(): [channel.name]});
    assert_eq!(body["subscribed"], expected);
    let emails = json!([one.email.to_uppercase(), user.email]).to_string();
    let body = add(&user, &[&channel.name], &[("principals", &emails)]).ok();
    let expected = json!({user.id(): [channel.name], one.id(): [channel.name]});
    assert_eq!(body["already_subscribed"], expected);
    let body = add(&user, &[&channel.name], &[("principals", "[]")]).ok();
    assert_eq!(
        body["already_subscribed"],
        json!({user.id(): [channel.name]})
    );
}

#[test]
fn missing_and_deactivated_users_get_the_same_error() {
    let user = server().user("owner");
    let gone = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &gone]);
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    for principals in [
        "[999999]".to_owned(),
        format!("[{}]", gone.id()),
        format!("[{}, 999999]", user.id()),
        json!(["nobody@nowhere"]).to_string(),
        json!([gone.email]).to_string(),
    ] {
        let pairs = [("principals", principals.as_str())];
        let one = add(&user, &[&channel.name], &pairs).bad_request();
        let two = remove(&user, &[&channel.name], &pairs).bad_request();
        assert_eq!(one["msg"], two["msg"], "{principals}");
    }
}

#[test]
fn adding_others_needs_a_permission() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    // The organization gives it to members by default.
    bring(&user, &channel, &[&other]).ok();
    // Guests never have it.
    let guest = server().user("guest");
    fixture::subscribe(server(), &guest, &channel);
    bring(&guest, &channel, &[&server().user("member")]).bad_request();
    // No one adds users to a channel that they cannot read.
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    bring(&server().user("owner"), &private, &[&user]).bad_request();
    bring(&other, &private, &[&user]).ok();
    assert_eq!(subscribers(&user, &private), [user.user_id, other.user_id]);
}

#[test]
fn removing_others_needs_the_permission_of_the_channel() {
    let (user, other, admin) = (
        server().user("member"),
        server().user("member"),
        server().user("administrator"),
    );
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user, &other]);
    take_out(&user, &channel, &[&other]).bad_request();
    assert_eq!(subscribers(&user, &channel), [user.user_id, other.user_id]);
    // Administrators may, also without being subscribed.
    take_out(&admin, &channel, &[&other]).ok();
    bring(&user, &channel, &[&other]).ok();
    let name = "can_remove_subscribers_group";
    fixture::channel_permission(server(), &channel, name, "role:members");
    let body = take_out(&user, &channel, &[&other, &admin]).ok();
    assert_eq!(body["removed"], json!([channel.name]));
    assert_eq!(body["not_removed"], json!([channel.name]));
    assert_eq!(subscribers(&user, &channel), [user.user_id]);
}

#[test]
fn administrators_of_a_channel_unsubscribe_others() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    take_out(&user, &channel, &[&other]).bad_request();
    let name = "can_administer_channel_group";
    fixture::channel_permission(server(), &channel, name, "role:members");
    take_out(&user, &channel, &[&other]).ok();
}

#[test]
fn owners_unsubscribe_their_bots_freely() {
    let new = unique("with a bot ");
    let bot = server().bot();
    let owner = server().user("member");
    add(&owner, &[&new], &[("principals", &ids(&[&bot]))]).ok();
    remove(&owner, &[&new], &[("principals", &ids(&[&bot]))]).ok();
    let channel = fixture::channel(server(), ChannelKind::Public, &[&bot]);
    take_out(&owner, &channel, &[&bot]).bad_request();
    server()
        .database()
        .execute(
            "UPDATE users SET bot_owner_id = ?1 WHERE id = ?2",
            [owner.user_id, bot.user_id],
        )
        .unwrap();
    take_out(&owner, &channel, &[&bot, &owner]).ok();
    assert!(subscribers(&owner, &channel).is_empty());
}

#[test]
fn several_new_subscribers_are_one_event_for_others() {
    let (user, one, two) = (
        server().user("member"),
        server().user("member"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let mut queues = [&user, &one, &two].map(listen);
    bring(&user, &channel, &[&one, &two]).ok();
    let [host, first, second] = queues.each_mut().map(settle);
    assert_eq!(
        received(&host, channel.stream_id),
        ["subscription peer_add"]
    );
    let event = find(&host, channel.stream_id, "subscription", "peer_add");
    assert_eq!(event["user_ids"], json!([one.user_id, two.user_id]));
    for events in [&first, &second] {
        assert_eq!(received(events, channel.stream_id), ["subscription add"]);
        let record = &find(events, channel.stream_id, "subscription", "add")["subscriptions"][0];
        let all = json!([user.user_id, one.user_id, two.user_id]);
        assert_eq!(record["subscribers"], all);
    }
}

/// A user who unsubscribes and can still see the channel receives the other removals, but not their
/// own.
#[test]
fn several_removed_subscribers_receive_each_others_removal() {
    let (admin, one, two) = (
        server().user("administrator"),
        server().user("member"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::Public, &[&admin, &one, &two]);
    let mut queues = [&admin, &one, &two].map(listen);
    take_out(&admin, &channel, &[&one, &two]).ok();
    let gone = |events: &[serde_json::Value]| -> Vec<i64> {
        let mut gone: Vec<i64> = events
            .iter()
            .filter(|event| event["op"] == "peer_remove")
            .flat_map(|event| event["user_ids"].as_array().unwrap().clone())
            .filter_map(|id| id.as_i64())
            .collect();
        gone.sort_unstable();
        gone
    };
    let [host, first, second] = queues
        .each_mut()
        .map(|queue| settle_about(queue, channel.stream_id));
    assert_eq!(gone(&host), [one.user_id, two.user_id]);
    assert_eq!(gone(&first), [two.user_id]);
    assert_eq!(gone(&second), [one.user_id]);
    assert_eq!(
        received(&first, channel.stream_id)[0],
        "subscription remove"
    );
}
