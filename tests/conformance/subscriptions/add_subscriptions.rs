//! POST /users/me/subscriptions for existing channels.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{User, unique};

use super::{add, find, listen, received, record, settle_about};
use crate::support::{server, settle};

#[test]
fn the_answer_is_keyed_by_user() {
    let user = server().user("member");
    let one = fixture::channel(server(), ChannelKind::Public, &[]);
    let two = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let body = add(&user, &[&two.name, &one.name.to_uppercase()], &[]).ok();
    assert_eq!(body["subscribed"], json!({user.id(): [one.name]}));
    assert_eq!(body["already_subscribed"], json!({user.id(): [two.name]}));
    assert!(body.get("unauthorized").is_none());
    assert_eq!(body["new_subscription_messages_sent"], true);
    let body = add(
        &user,
        &[&one.name],
        &[("send_new_subscription_messages", "false")],
    )
    .ok();
    assert_eq!(body["subscribed"], json!({}));
    assert_eq!(body["already_subscribed"], json!({user.id(): [one.name]}));
    assert!(body.get("new_subscription_messages_sent").is_none());
}

#[test]
fn a_repeated_name_is_one_channel() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    let spaced = format!("  {} ", channel.name.to_uppercase());
    let body = add(&user, &[&channel.name, &spaced], &[]).ok();
    assert_eq!(body["subscribed"], json!({user.id(): [channel.name]}));
    assert_eq!(body["already_subscribed"], json!({}));
}

#[test]
fn the_subscriber_receives_the_record_and_others_a_peer_event() {
    let (user, other, guest) = (
        server().user("member"),
        server().user("member"),
        server().user("guest"),
    );
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let mut queues = [&user, &other, &guest].map(listen);
    add(&user, &[&channel.name], &[]).ok();
    let [own, others, guests] = queues.each_mut().map(settle);
    assert_eq!(received(&own, channel.stream_id), ["subscription add"]);
    let event = find(&own, channel.stream_id, "subscription", "add");
    let expected = record(&user, channel.stream_id).unwrap();
    assert_eq!(event["subscriptions"], json!([expected]));
    assert_eq!(
        expected["subscribers"],
        json!([user.user_id, other.user_id])
    );
    assert_eq!(
        received(&others, channel.stream_id),
        ["subscription peer_add"]
    );
    let event = find(&others, channel.stream_id, "subscription", "peer_add");
    assert_eq!(event["stream_ids"], json!([channel.stream_id]));
    assert_eq!(event["user_ids"], json!([user.user_id]));
    assert!(received(&guests, channel.stream_id).is_empty());
}

#[test]
fn existing_subscriptions_send_no_events() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let mut queue = listen(&user);
    add(&user, &[&channel.name], &[]).ok();
    assert!(received(&settle(&mut queue), channel.stream_id).is_empty());
}

#[test]
fn a_new_subscription_keeps_the_settings_of_an_earlier_one() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let data = json!([
        {"stream_id": channel.stream_id, "property": "color", "value": "#123456"},
        {"stream_id": channel.stream_id, "property": "pin_to_top", "value": true},
    ])
    .to_string();
    let path = "/users/me/subscriptions/properties";
    user.post(path, &[("subscription_data", &data)]).ok();
    super::remove(&user, &[&channel.name], &[]).ok();
    add(&user, &[&channel.name], &[]).ok();
    let found = record(&user, channel.stream_id).unwrap();
    assert_eq!(
        (&found["color"], &found["pin_to_top"]),
        (&json!("#123456"), &json!(true))
    );
}

fn with_color(user: &User, name: &str, color: &str) -> spindle_tests::Reply {
    let wishes = json!([{"name": name, "color": color}]).to_string();
    user.post("/users/me/subscriptions", &[("subscriptions", &wishes)])
}

#[test]
fn colours_are_accepted_in_every_form_and_stored_in_one() {
    let user = server().user("member");
    for (sent, stored) in [("#FA8", "#ffaa88"), ("#00aaBB", "#00aabb")] {
        let channel = fixture::channel(server(), ChannelKind::Public, &[]);
        with_color(&user, &channel.name, sent).ok();
        assert_eq!(record(&user, channel.stream_id).unwrap()["color"], stored);
        super::remove(&user, &[&channel.name], &[]).ok();
        with_color(&user, &channel.name, "#010203").ok();
        assert_eq!(
            record(&user, channel.stream_id).unwrap()["color"],
            "#010203"
        );
    }
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    for wrong in ["red", "#12", "#1234567", "#ggg", ""] {
        with_color(&user, &channel.name, wrong).bad_request();
    }
    assert_eq!(record(&user, channel.stream_id), None);
}

#[test]
fn new_subscriptions_get_different_colours() {
    let user = server().user("member");
    let names: Vec<String> = (0..5)
        .map(|_| fixture::channel(server(), ChannelKind::Public, &[]).name)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    add(&user, &names, &[]).ok();
    let body = user.get("/users/me/subscriptions", &[]).ok();
    let records = body["subscriptions"].as_array().unwrap();
    let mut colors: Vec<&str> = records.iter().filter_map(|r| r["color"].as_str()).collect();
    colors.sort_unstable();
    let count = colors.len();
    colors.dedup();
    assert_eq!(colors.len(), count);
}

#[test]
fn the_kind_of_channel_decides_who_may_subscribe() {
    let insider = server().user("member");
    let cases = [
        (ChannelKind::Public, "member", true),
        (ChannelKind::Public, "guest", false),
        (ChannelKind::WebPublic, "member", true),
        (ChannelKind::WebPublic, "guest", true),
        (ChannelKind::PrivateShared, "member", false),
        (ChannelKind::PrivateShared, "owner", false),
        (ChannelKind::PrivateProtected, "guest", false),
    ];
    for (kind, role, allowed) in cases {
        let user = server().user(role);
        let channel = fixture::channel(server(), kind, &[&insider]);
        let reply = add(&user, &[&channel.name], &[]);
        if allowed {
            reply.ok();
        } else {
            reply.bad_request();
        }
        let is_in = record(&user, channel.stream_id).is_some();
        assert_eq!(is_in, allowed, "{kind:?} {role}");
    }
}

#[test]
fn permissions_for_a_private_channel_admit_members_but_never_guests() {
    let insider = server().user("member");
    for permission in ["can_subscribe_group", "can_add_subscribers_group"] {
        let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
        fixture::channel_permission(server(), &channel, permission, "role:everyone");
        add(&server().user("member"), &[&channel.name], &[]).ok();
        add(&server().user("guest"), &[&channel.name], &[]).bad_request();
    }
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let name = "can_administer_channel_group";
    fixture::channel_permission(server(), &channel, name, "role:members");
    add(&server().user("member"), &[&channel.name], &[]).bad_request();
}

#[test]
fn archived_channels_accept_no_subscribers() {
    let user = server().user("owner");
    let channel = fixture::channel(server(), ChannelKind::Public, &[]);
    fixture::channel_column(server(), &channel, "is_archived", &1);
    add(&user, &[&channel.name], &[]).bad_request();
    let body = add(
        &user,
        &[&channel.name],
        &[("authorization_errors_fatal", "false")],
    )
    .ok();
    assert_eq!(body["unauthorized"], json!([channel.name]));
}

/// A fatal error undoes everything, including the creation of a channel.
#[test]
fn authorization_errors_are_fatal_unless_switched_off() {
    let user = server().user("member");
    let public = fixture::channel(server(), ChannelKind::Public, &[]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    let new = unique("new ");
    let names = [public.name.as_str(), &private.name, &new];
    let mut queue = listen(&user);
    add(&user, &names, &[]).bad_request();
    assert!(settle_about(&mut queue, public.stream_id).is_empty());
    assert_eq!(record(&user, public.stream_id), None);
    let body = add(&user, &names, &[("authorization_errors_fatal", "false")]).ok();
    assert_eq!(body["subscribed"], json!({user.id(): [public.name, new]}));
    assert_eq!(body["unauthorized"], json!([private.name]));
    // An existing subscription is not an authorization error.
    let body = add(
        &user,
        &[&public.name],
        &[("authorization_errors_fatal", "false")],
    )
    .ok();
    assert_eq!(body["unauthorized"], json!([]));
}

#[test]
fn parameters_are_checked_in_their_order() {
    let user = server().user("member");
    let path = "/users/me/subscriptions";
    user.post(path, &[]).error(400, "REQUEST_VARIABLE_MISSING");
    for wrong in [
        "general",
        "{}",
        "[\"general\"]",
        "[{}]",
        "[{\"name\": 5}]",
        "[{\"name\": \"a\", \"color\": 5}]",
    ] {
        user.post(path, &[("subscriptions", wrong)]).bad_request();
    }
    let body = user
        .post(
            path,
            &[
                ("subscriptions", "[{\"name\": \" \"}]"),
                ("principals", "7"),
            ],
        )
        .bad_request();
    assert!(body["msg"].as_str().unwrap().contains("principals"));
    for (name, value) in [
        ("authorization_errors_fatal", "yes"),
        ("announce", "1"),
        ("send_new_subscription_messages", "True"),
        ("invite_only", "no"),
    ] {
        user.post(path, &[("subscriptions", "[]"), (name, value)])
            .bad_request();
    }
    let body = user.post(path, &[("subscriptions", "[]")]).ok();
    assert_eq!(body["subscribed"], json!({}));
}

#[test]
fn parameters_are_accepted_in_body_and_query() {
    use spindle_tests::Call;
    let user = server().user("member");
    for number in 0..3 {
        let channel = fixture::channel(server(), ChannelKind::Public, &[]);
        let wishes = json!([{"name": channel.name, "more": 1}]).to_string();
        let pairs = [("subscriptions", wishes.as_str())];
        let call = Call::new("POST", "/users/me/subscriptions");
        let call = match number {
            0 => call.form(&pairs),
            1 => call.multipart(&pairs),
            _ => call.query(&pairs),
        };
        user.client.send(call).ok();
        assert!(record(&user, channel.stream_id).is_some());
    }
}
