//! GET /streams/{stream_id}/members.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};

use super::subscribers;
use crate::support::server;

#[test]
fn active_subscribers_are_listed_in_order() {
    let (one, two, gone) = (
        server().user("member"),
        server().user("guest"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&two, &one, &gone]);
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    for viewer in [&one, &two] {
        assert_eq!(subscribers(viewer, &channel), [one.user_id, two.user_id]);
    }
    fixture::unsubscribe(server(), &one, &channel);
    assert_eq!(subscribers(&two, &channel), [two.user_id]);
}

#[test]
fn hidden_and_missing_channels_get_the_same_error() {
    let insider = server().user("member");
    let public = fixture::channel(server(), ChannelKind::Public, &[&insider]);
    let web = fixture::channel(server(), ChannelKind::WebPublic, &[&insider]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let (member, guest, admin) = (
        server().user("member"),
        server().user("guest"),
        server().user("administrator"),
    );
    for (user, channel, allowed) in [
        (&member, &public, true),
        (&member, &private, false),
        (&guest, &public, false),
        (&guest, &web, true),
        (&guest, &private, false),
        (&admin, &private, true),
    ] {
        if allowed {
            assert_eq!(subscribers(user, channel), [insider.user_id]);
            continue;
        }
        let path = format!("/streams/{}/members", channel.id());
        let body = user.get(&path, &[]).error(400, "STREAM_DOES_NOT_EXIST");
        assert_eq!(body["stream_id"], channel.stream_id);
    }
    let body = admin.get("/streams/999999/members", &[]);
    body.error(400, "STREAM_DOES_NOT_EXIST");
}

#[test]
fn administrators_of_a_channel_see_its_subscribers() {
    let (insider, user) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let name = "can_administer_channel_group";
    fixture::channel_permission(server(), &channel, name, "role:members");
    assert_eq!(subscribers(&user, &channel), [insider.user_id]);
}

/// Users who can see a channel get its subscribers, and no others do.
#[test]
fn subscribers_are_listed_only_for_those_who_can_see_the_channel() {
    let host = server().user("member");
    let kinds = [
        ChannelKind::Public,
        ChannelKind::WebPublic,
        ChannelKind::PrivateShared,
        ChannelKind::PrivateProtected,
    ];
    let channels = kinds.map(|kind| fixture::channel(server(), kind, &[&host]));
    let form = [
        ("fetch_event_types", "[\"subscription\", \"stream\"]"),
        ("include_subscribers", "true"),
    ];
    let mut shown = 0;
    for role in ["owner", "administrator", "moderator", "member", "guest"] {
        let user = server().user(role);
        let state = user.post("/register", &form).ok();
        for channel in &channels {
            let path = format!("/streams/{}/members", channel.stream_id);
            let reply = user.get(&path, &[]);
            let records = ["subscriptions", "unsubscribed", "never_subscribed"]
                .iter()
                .flat_map(|list| state[list].as_array().unwrap())
                .filter(|record| record["stream_id"] == channel.stream_id);
            let records: Vec<&Value> = records.collect();
            match records[..] {
                [record] => {
                    assert_eq!(record["subscribers"], json!([host.user_id]), "{role}");
                    assert_eq!(reply.ok()["subscribers"], record["subscribers"]);
                    shown += 1;
                }
                [] => drop(reply.error(400, "STREAM_DOES_NOT_EXIST")),
                _ => panic!("{role} is shown {} twice", channel.name),
            }
        }
    }
    // Administrators can see all four channels, members two, guests the web-public one.
    assert_eq!(shown, 4 + 4 + 2 + 2 + 1);
}
