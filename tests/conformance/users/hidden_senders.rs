//! Guests with limited access to users get messages of people whom they may not see without name and address
//! (docs/protocol/messages.md#hidden-senders).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, User};

use super::hidden_users::server;

struct World {
    guest: User,
    /// Shares the channel with the guest.
    member: User,
    /// Writes in the channel without being subscribed, or has left it.
    stranger: User,
    channel: Channel,
}

fn world() -> World {
    let [guest, member, stranger] = ["guest", "member", "member"].map(|role| server().user(role));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&guest, &member]);
    World {
        guest,
        member,
        stranger,
        channel,
    }
}

fn send(world: &World, user: &User, content: &str) -> String {
    let to = world.channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "t"),
        ("content", content),
    ];
    user.post("/messages", &pairs).ok()["id"].to_string()
}

/// Whether an event is about the message with this id.
fn is_message(event: &Value, id: &str) -> bool {
    event["message"]["id"].as_i64() == id.parse().ok()
}

/// Asserts that a message shows its sender as an unknown user.
#[track_caller]
fn assert_hidden(message: &Value, sender: &User) {
    let shown = [
        "sender_id",
        "sender_full_name",
        "sender_email",
        "avatar_url",
    ]
    .map(|name| message[name].clone());
    let email = format!("user{}@hidden.invalid", sender.id());
    let expected = [
        json!(sender.user_id),
        json!("Unknown user"),
        json!(email),
        json!("/avatar/0"),
    ];
    assert_eq!(shown, expected);
    let text = message.to_string();
    assert!(!text.contains(&sender.full_name), "{text}");
    assert!(!text.contains(&sender.email), "{text}");
}

#[track_caller]
fn assert_shown(message: &Value, sender: &User) {
    assert_eq!(message["sender_full_name"], sender.full_name.as_str());
    assert_eq!(message["sender_email"], sender.email.as_str());
}

#[test]
fn messages_of_a_hidden_sender_do_not_name_them() {
    let world = world();
    let World {
        guest,
        member,
        stranger,
        channel,
    } = &world;
    fixture::subscribe(server(), stranger, channel);
    let known = send(&world, member, "known needle");
    let hidden = send(&world, stranger, "hidden needle");
    guest
        .post(
            &format!("/messages/{hidden}/reactions"),
            &[("emoji_name", "tada")],
        )
        .ok();
    let page = |user: &User, more: &[(&str, &str)]| {
        let around = [
            ("anchor", "newest"),
            ("num_before", "2"),
            ("num_after", "0"),
        ];
        let messages = user.get("/messages", &[&around[..], more].concat()).ok();
        messages["messages"].as_array().expect("a list").clone()
    };
    // As long as they share the channel.
    assert_shown(&page(guest, &[])[1], stranger);
    fixture::unsubscribe(server(), stranger, channel);
    let search = json!([["channel", channel.id()], ["search", "needle"]]).to_string();
    let ids = format!("[{known},{hidden}]");
    let by_ids = guest.get("/messages", &[("message_ids", &ids)]).ok();
    let one = guest.get(&format!("/messages/{hidden}"), &[]).ok();
    for page in [
        page(guest, &[]),
        page(guest, &[("client_gravatar", "false")]),
        page(guest, &[("narrow", &search)]),
        by_ids["messages"].as_array().expect("a list").clone(),
        vec![Value::Null, one["message"].clone()],
    ] {
        assert_hidden(&page[1], stranger);
        assert_eq!(page[1]["reactions"][0]["user_id"], guest.user_id);
        if page[0] != Value::Null {
            assert_shown(&page[0], member);
        }
    }
    assert_shown(&page(member, &[])[1], stranger);
    // The list of users has the same placeholder.
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_user\"]"),
    ];
    let users = guest.post("/register", &pairs).ok();
    let unknown = super::hidden_users::find(&users["realm_users"], stranger).expect("a stand-in");
    for (of_user, of_message) in [
        ("full_name", "sender_full_name"),
        ("email", "sender_email"),
        ("avatar_url", "avatar_url"),
    ] {
        assert_eq!(unknown[of_user], one["message"][of_message]);
    }
}

#[test]
fn events_of_a_hidden_sender_do_not_name_them() {
    let world = world();
    let World {
        guest,
        member,
        stranger,
        channel,
    } = &world;
    let pairs = [
        ("event_types", "[\"message\", \"typing\"]"),
        ("fetch_event_types", "[]"),
        (
            "client_capabilities",
            "{\"stream_typing_notifications\": true}",
        ),
    ];
    let mut queues = [guest, member].map(|user| Queue::open(user, &pairs));
    let narrow = json!([["channel", channel.name]]).to_string();
    let all = [("narrow", narrow.as_str())];
    let outside = server().user("member");
    let mut narrowed = Queue::open(&outside, &[&pairs[..], &all].concat());
    let typing = [
        ("type", "stream"),
        ("op", "start"),
        ("stream_id", &channel.id()),
        ("topic", "t"),
    ];
    stranger.post("/typing", &typing).ok();
    let content = format!("to @**{}**", guest.full_name);
    let hidden = send(&world, stranger, &content);
    let known = send(&world, member, "the last one");
    let mut received = queues
        .each_mut()
        .map(|queue| queue.until(|event| is_message(event, &known)));
    let [to_guest, to_member] = received.each_mut().map(|events| {
        assert_eq!(events.len(), 3, "{events:?}");
        &*events
    });
    let email = format!("user{}@hidden.invalid", stranger.id());
    let sender = json!({"user_id": stranger.user_id, "email": email});
    assert_eq!(to_guest[0]["sender"], sender);
    assert_eq!(to_member[0]["sender"]["email"], stranger.email.as_str());
    assert_eq!(to_guest[1]["message"]["id"].to_string(), hidden);
    assert_hidden(&to_guest[1]["message"], stranger);
    assert_eq!(to_guest[1]["flags"], json!(["mentioned"]));
    assert_shown(&to_member[1]["message"], stranger);
    assert_eq!(to_member[1]["flags"], json!([]));
    assert_shown(&to_guest[2]["message"], member);
    // Reactions name a user in queues without capabilities.
    let old = [
        ("event_types", "[\"reaction\"]"),
        ("fetch_event_types", "[]"),
    ];
    let mut queues = [guest, member].map(|user| Queue::open(user, &old));
    let path = format!("/messages/{known}/reactions");
    stranger.post(&path, &[("emoji_name", "tada")]).ok();
    stranger.delete(&path, &[("emoji_name", "tada")]).ok();
    let shown = [
        json!({"user_id": stranger.user_id, "email": email, "full_name": "Unknown user"}),
        json!({"user_id": stranger.user_id, "email": stranger.email, "full_name": stranger.full_name}),
    ];
    for (queue, user) in queues.iter_mut().zip(shown) {
        let events = queue.until(|event| event["op"] == "remove");
        let users: Vec<&Value> = events.iter().map(|event| &event["user"]).collect();
        assert_eq!(users, [&user, &user]);
    }
    // People who are no recipients receive it once.
    let events = narrowed.until(|event| is_message(event, &known));
    assert_eq!(events.len(), 2, "{events:?}");
    assert_shown(&events[0]["message"], stranger);
}

/// Typing precedes the first message, so the listener may not see the others yet.
#[test]
fn typing_to_a_guest_names_only_people_whom_the_guest_sees() {
    let world = world();
    let World {
        guest,
        stranger,
        member,
        ..
    } = &world;
    let events = [("event_types", "[\"typing\"]"), ("fetch_event_types", "[]")];
    let mut queues = [guest, member].map(|user| Queue::open(user, &events));
    let to = json!([guest.user_id, member.user_id]).to_string();
    stranger
        .post("/typing", &[("op", "start"), ("to", to.as_str())])
        .ok();
    let [to_guest, to_member] = queues
        .each_mut()
        .map(|queue| queue.expect(|event| event["type"] == "typing"));
    let hidden = format!("user{}@hidden.invalid", stranger.id());
    assert_eq!(to_guest["sender"]["email"], hidden);
    assert_eq!(to_member["sender"]["email"], stranger.email.as_str());
    let email_of = |event: &Value, user: &User| {
        let people = event["recipients"].as_array().expect("recipients");
        let found = people.iter().find(|one| one["user_id"] == user.user_id);
        found.expect("a recipient")["email"].clone()
    };
    assert_eq!(email_of(&to_guest, member), member.email.as_str());
    assert_eq!(email_of(&to_guest, stranger), hidden);
    assert_eq!(email_of(&to_member, stranger), stranger.email.as_str());
}
