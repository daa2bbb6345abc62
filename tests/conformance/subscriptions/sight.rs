//! Visibility of channels, which changes with subscriptions and permissions.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User};

use super::{add, find, ids, listen, received, record, remove};
use crate::support::{server, settle};

fn bring(user: &User, name: &str, other: &User) {
    add(user, &[name], &[("principals", &ids(&[other]))]).ok();
}

fn take_out(user: &User, name: &str, other: &User) {
    remove(user, &[name], &[("principals", &ids(&[other]))]).ok();
}

#[test]
fn a_private_channel_appears_and_vanishes() {
    let (admin, user, outsider) = (
        server().user("administrator"),
        server().user("member"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&admin]);
    let id = channel.stream_id;
    let mut queues = [&user, &admin, &outsider].map(listen);
    bring(&admin, &channel.name, &user);
    let [own, inside, outside] = queues.each_mut().map(settle);
    assert_eq!(received(&own, id), ["stream create", "subscription add"]);
    assert_eq!(received(&inside, id), ["subscription peer_add"]);
    assert!(received(&outside, id).is_empty());
    take_out(&admin, &channel.name, &user);
    let [own, inside, outside] = queues.each_mut().map(settle);
    assert_eq!(received(&own, id), ["subscription remove", "stream delete"]);
    let event = find(&own, id, "stream", "delete");
    assert_eq!(event["stream_ids"], json!([id]));
    assert_eq!(event["streams"], json!([{"stream_id": id}]));
    assert_eq!(received(&inside, id), ["subscription peer_remove"]);
    assert!(received(&outside, id).is_empty());
    // The snapshot and the list no longer contain it.
    let fetch = "[\"subscription\", \"stream\"]";
    let state = user.post("/register", &[("fetch_event_types", fetch)]).ok();
    for list in [
        "subscriptions",
        "unsubscribed",
        "never_subscribed",
        "streams",
    ] {
        let list = state[list].as_array().unwrap();
        assert!(list.iter().all(|channel| channel["stream_id"] != id));
    }
}

#[test]
fn a_public_channel_appears_to_guests_only() {
    let (host, member, guest) = (
        server().user("administrator"),
        server().user("member"),
        server().user("guest"),
    );
    let channel = fixture::channel(server(), ChannelKind::Public, &[&host]);
    let id = channel.stream_id;
    for (user, coming, going) in [
        (
            &member,
            vec!["subscription add"],
            vec!["subscription remove"],
        ),
        (
            &guest,
            vec!["stream create", "subscription add"],
            vec!["subscription remove", "stream delete"],
        ),
    ] {
        let mut queue: Queue = listen(user);
        bring(&host, &channel.name, user);
        assert_eq!(received(&settle(&mut queue), id), coming);
        take_out(&host, &channel.name, user);
        assert_eq!(received(&settle(&mut queue), id), going);
    }
}

#[test]
fn holders_of_a_permission_see_the_channel_without_a_subscription() {
    let (host, user) = (server().user("administrator"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&host]);
    let name = "can_administer_channel_group";
    fixture::channel_permission(server(), &channel, name, "role:members");
    let mut queue = listen(&user);
    bring(&host, &channel.name, &user);
    let id = channel.stream_id;
    assert_eq!(received(&settle(&mut queue), id), ["subscription add"]);
    take_out(&host, &channel.name, &user);
    assert_eq!(received(&settle(&mut queue), id), ["subscription remove"]);
    let state = user
        .post("/register", &[("fetch_event_types", "[\"subscription\"]")])
        .ok();
    let former = state["unsubscribed"].as_array().unwrap();
    assert!(former.iter().any(|channel| channel["stream_id"] == id));
}

/// A new subscriber of a private channel reads earlier messages only with shared history.
#[test]
fn earlier_messages_are_readable_with_shared_history_only() {
    for (kind, reads) in [
        (ChannelKind::PrivateShared, true),
        (ChannelKind::PrivateProtected, false),
    ] {
        let (host, user) = (server().user("member"), server().user("member"));
        let channel = fixture::channel(server(), kind, &[&host]);
        let send = || {
            let to = channel.id();
            let pairs = [
                ("type", "channel"),
                ("to", &to),
                ("topic", "t"),
                ("content", "x"),
            ];
            host.post("/messages", &pairs).ok()["id"].to_string()
        };
        let before = send();
        bring(&host, &channel.name, &user);
        let after = send();
        let path = |id: &str| format!("/messages/{id}");
        assert_eq!(
            user.get(&path(&before), &[]).status == 200,
            reads,
            "{kind:?}"
        );
        user.get(&path(&after), &[]).ok();
        remove(&user, &[&channel.name], &[]).ok();
        user.get(&path(&after), &[]).bad_request();
        assert_eq!(record(&user, channel.stream_id), None);
    }
}
