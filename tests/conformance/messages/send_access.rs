//! POST /messages: who may send where.

use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use super::direct;
use crate::support::server;

fn post(user: &User, channel: &Channel) -> spindle_tests::Reply {
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "t"),
        ("content", "x"),
    ];
    user.post("/messages", &pairs)
}

#[test]
fn public_channels_are_open_to_members_and_closed_to_guests() {
    let member = server().user("member");
    let guest = server().user("guest");
    let bot = server().bot();
    let public = fixture::channel(server(), ChannelKind::Public, &[]);
    post(&member, &public).ok();
    post(&bot, &public).ok();
    assert_eq!(post(&guest, &public).status, 400);
    fixture::subscribe(server(), &guest, &public);
    post(&guest, &public).ok();
}

/// An outsider is refused by id and by name, even as administrator.
#[test]
fn only_subscribers_send_to_private_channels() {
    let insider = server().user("member");
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    post(&insider, &private).ok();
    for role in ["member", "administrator", "owner", "guest"] {
        let outsider = server().user(role);
        assert_eq!(post(&outsider, &private).status, 400, "{role}");
        let pairs = [
            ("type", "channel"),
            ("to", private.name.as_str()),
            ("topic", "t"),
            ("content", "x"),
        ];
        assert_eq!(
            outsider.post("/messages", &pairs).status,
            400,
            "{role} by name"
        );
    }
}

#[test]
fn the_channel_permission_decides_who_sends() {
    let member = server().user("member");
    let moderator = server().user("moderator");
    let administrator = server().user("administrator");
    let channel = fixture::channel(
        server(),
        ChannelKind::Public,
        &[&member, &moderator, &administrator],
    );
    fixture::channel_permission(
        server(),
        &channel,
        "can_send_message_group",
        "role:moderators",
    );
    post(&member, &channel).bad_request();
    post(&moderator, &channel).ok();
    post(&administrator, &channel).ok();
    fixture::channel_permission(server(), &channel, "can_send_message_group", "role:nobody");
    post(&administrator, &channel).bad_request();
}

#[test]
fn archived_channels_accept_no_messages() {
    let member = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&member]);
    fixture::channel_column(server(), &channel, "is_archived", &1);
    assert_eq!(post(&member, &channel).status, 400);
}

#[test]
fn guests_and_bots_may_send_direct_messages() {
    let member = server().user("member");
    direct(&server().user("guest"), &[&member], "hello");
    direct(&server().bot(), &[&member], "beep");
}

/// The organization's permission for direct messages applies.
#[test]
fn a_refused_message_leaves_nothing_behind() {
    let insider = server().user("member");
    let outsider = server().user("member");
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let mut queue = spindle_tests::Queue::of(&insider, &["message", "user_status"]);
    assert_eq!(post(&outsider, &private).status, 400);
    let events = crate::support::settle(&mut queue);
    assert!(crate::support::messages_from(&events, &outsider).is_empty());
    let count: i64 = server()
        .database()
        .query_row(
            "SELECT count(*) FROM messages WHERE sender_id = ?1",
            [outsider.user_id],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(count, 0);
}
