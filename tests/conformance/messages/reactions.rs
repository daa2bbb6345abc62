//! POST and DELETE /messages/{message_id}/reactions (docs/protocol/emoji.md#codes,
//! docs/protocol/messages.md#add_reaction, docs/protocol/messages.md#remove_reaction).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{direct, read, to_channel};
use crate::support::{server, settle};

fn path(id: i64) -> String {
    format!("/messages/{id}/reactions")
}

#[track_caller]
fn add(user: &User, id: i64, pairs: &[(&str, &str)]) -> Reply {
    user.post(&path(id), pairs)
}

#[track_caller]
fn remove(user: &User, id: i64, pairs: &[(&str, &str)]) -> Reply {
    user.delete(&path(id), pairs)
}

fn reaction(user: &User, name: &str, code: &str, kind: &str) -> Value {
    json!({"emoji_name": name, "emoji_code": code, "reaction_type": kind, "user_id": user.user_id})
}

fn reactions(user: &User, id: i64) -> Value {
    read(user, id)["reactions"].clone()
}

/// A custom emoji of the organization; returns its id as a string.
fn custom(name: &str) -> String {
    let picture = spindle_tests::images::png(8, 8);
    let owner = server().user("owner");
    owner
        .upload(&format!("/realm/emoji/{name}"), "x.png", &picture)
        .ok();
    let table = owner.get("/realm/emoji", &[]).ok();
    let table = table["emoji"].as_object().unwrap();
    let found = table
        .iter()
        .find(|(_, emoji)| emoji["name"] == name && emoji["deactivated"] == false);
    found.unwrap().0.clone()
}

#[test]
fn an_emoji_has_several_accepted_names() {
    let user = server().user("member");
    let name = spindle_tests::unique("party").replace(' ', "_");
    let code = custom(&name);
    let id = direct(&user, &[&user], "x");
    let unicode = "unicode_emoji";
    let cases: [(&[(&str, &str)], Value); 6] = [
        (
            &[("emoji_name", "tada")],
            reaction(&user, "tada", "1f389", unicode),
        ),
        // An alias stays as it was entered.
        (
            &[("emoji_name", "thumbs_up")],
            reaction(&user, "thumbs_up", "1f44d", unicode),
        ),
        (
            &[
                ("emoji_name", "heart"),
                ("emoji_code", "2764"),
                ("reaction_type", unicode),
            ],
            reaction(&user, "heart", "2764", unicode),
        ),
        (
            &[("emoji_name", &name)],
            reaction(&user, &name, &code, "realm_emoji"),
        ),
        (
            &[
                ("emoji_name", "zulip"),
                ("reaction_type", "service_extra_emoji"),
            ],
            reaction(&user, "zulip", "zulip", "service_extra_emoji"),
        ),
        (
            &[("emoji_name", "octopus"), ("emoji_code", "1f419")],
            reaction(&user, "octopus", "1f419", unicode),
        ),
    ];
    let mut expected = Vec::new();
    for (pairs, reaction) in cases {
        add(&user, id, pairs).ok();
        expected.push(reaction);
        assert_eq!(
            reactions(&user, id),
            json!(expected),
            "in the order of adding"
        );
    }
    let list = user
        .get("/messages", &[("anchor", "newest"), ("num_before", "1")])
        .ok();
    assert_eq!(list["messages"][0]["reactions"], json!(expected));
}

#[test]
fn emoji_that_do_not_exist_are_refused() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    let cases: [&[(&str, &str)]; 8] = [
        &[("emoji_name", "no_such_emoji")],
        &[("emoji_name", "")],
        &[("emoji_name", "tada"), ("emoji_code", "1f44d")],
        &[
            ("emoji_name", "tada"),
            ("emoji_code", "zzz"),
            ("reaction_type", "unicode_emoji"),
        ],
        &[("emoji_name", "tada"), ("reaction_type", "realm_emoji")],
        &[("emoji_name", "tada"), ("reaction_type", "emoticon")],
        &[
            ("emoji_name", "zulip"),
            ("emoji_code", "x"),
            ("reaction_type", "zulip_extra_emoji"),
        ],
        &[
            ("emoji_name", "x"),
            ("emoji_code", "99999"),
            ("reaction_type", "realm_emoji"),
        ],
    ];
    for pairs in cases {
        add(&user, id, pairs).bad_request();
    }
    let body = add(&user, id, &[]).error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(body["var_name"], "emoji_name");
    remove(&user, id, &[("emoji_name", "no_such_emoji")]).bad_request();
    remove(&user, id, &[]).bad_request();
    assert_eq!(reactions(&user, id), json!([]));
}

#[test]
fn a_second_reaction_with_an_alias_is_refused() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    add(&user, id, &[("emoji_name", "like")]).ok();
    for name in ["like", "thumbs_up", "+1"] {
        add(&user, id, &[("emoji_name", name)]).error(400, "REACTION_ALREADY_EXISTS");
    }
    add(&user, id, &[("emoji_name", "zulip")]).ok();
    let other_spelling = [
        ("emoji_name", "zulip"),
        ("reaction_type", "service_extra_emoji"),
    ];
    add(&user, id, &other_spelling).error(400, "REACTION_ALREADY_EXISTS");
    assert_eq!(reactions(&user, id).as_array().unwrap().len(), 2);
}

/// Terminal clients have the names of before April 2025 (docs/protocol/emoji.md#former-names).
#[test]
fn a_former_name_is_accepted_with_its_code() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    let former = [
        ("emoji_name", "smile"),
        ("emoji_code", "1f642"),
        ("reaction_type", "unicode_emoji"),
    ];
    add(&user, id, &former).ok();
    let old = reaction(&user, "smile", "1f642", "unicode_emoji");
    assert_eq!(reactions(&user, id), json!([old]));
    add(&user, id, &[("emoji_name", "slight_smile")]).error(400, "REACTION_ALREADY_EXISTS");
    remove(&user, id, &former).ok();
    for (name, code) in [("smile", "1f604"), ("slight_smile", "1f642")] {
        add(&user, id, &[("emoji_name", name)]).ok();
        let expected = reaction(&user, name, code, "unicode_emoji");
        assert_eq!(reactions(&user, id), json!([expected]));
        remove(&user, id, &[("emoji_name", name)]).ok();
    }
    let wrong = [("emoji_name", "slight_smile"), ("emoji_code", "1f604")];
    add(&user, id, &wrong).bad_request();
}

#[test]
fn a_later_reaction_takes_the_stored_name() {
    let (user, other) = (server().user("member"), server().user("member"));
    let name = spindle_tests::unique("gone").replace(' ', "_");
    let code = custom(&name);
    let id = direct(&user, &[&other], "x");
    add(&user, id, &[("emoji_name", "like")]).ok();
    add(&other, id, &[("emoji_name", "thumbs_up")]).ok();
    let extra = [
        ("emoji_name", "zulip"),
        ("reaction_type", "service_extra_emoji"),
    ];
    add(&user, id, &extra).ok();
    add(&other, id, &[("emoji_name", "zulip")]).ok();
    add(&user, id, &[("emoji_name", &name)]).ok();
    server()
        .user("owner")
        .delete(&format!("/realm/emoji/{name}"), &[])
        .ok();
    // The emoji is deactivated, but exists.
    let by_code = [
        ("emoji_name", "whatever"),
        ("emoji_code", code.as_str()),
        ("reaction_type", "realm_emoji"),
    ];
    add(&other, id, &by_code).ok();
    let expected = [
        reaction(&user, "like", "1f44d", "unicode_emoji"),
        reaction(&other, "like", "1f44d", "unicode_emoji"),
        reaction(&user, "zulip", "zulip", "service_extra_emoji"),
        reaction(&other, "zulip", "zulip", "service_extra_emoji"),
        reaction(&user, &name, &code, "realm_emoji"),
        reaction(&other, &name, &code, "realm_emoji"),
    ];
    assert_eq!(reactions(&user, id), json!(expected));
    let elsewhere = direct(&user, &[&other], "y");
    add(&other, elsewhere, &by_code).bad_request();
    // By the name on the message, though no emoji has this name any more.
    remove(&other, id, &[("emoji_name", &name)]).ok();
    assert_eq!(reactions(&user, id), json!(expected[..5]));
}

#[test]
fn reactions_are_removed_by_code_or_name() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    let gone: [&[(&str, &str)]; 5] = [
        &[("emoji_name", "tada")],
        &[("emoji_code", "1f389")],
        &[("emoji_code", "1f389"), ("reaction_type", "unicode_emoji")],
        &[("emoji_name", "ignored"), ("emoji_code", "1f389")],
        &[
            ("emoji_name", "tada"),
            ("emoji_code", "1f389"),
            ("reaction_type", "unicode_emoji"),
        ],
    ];
    for pairs in gone {
        remove(&user, id, pairs).error(400, "REACTION_DOES_NOT_EXIST");
        add(&user, id, &[("emoji_name", "tada")]).ok();
        remove(&user, id, pairs).ok();
    }
    // By another name of the emoji, and with the other form of its code.
    add(&user, id, &[("emoji_name", "like")]).ok();
    remove(&user, id, &[("emoji_name", "+1")]).ok();
    add(&user, id, &[("emoji_name", "zulip")]).ok();
    let other_spelling = [
        ("emoji_code", "zulip"),
        ("reaction_type", "service_extra_emoji"),
    ];
    remove(&user, id, &[("emoji_code", "zulip")]).error(400, "REACTION_DOES_NOT_EXIST");
    remove(&user, id, &other_spelling).ok();
    assert_eq!(reactions(&user, id), json!([]));
    // A user removes only their own reactions.
    let other = server().user("owner");
    let id = direct(&user, &[&other], "x");
    add(&user, id, &[("emoji_name", "tada")]).ok();
    remove(&other, id, &[("emoji_name", "tada")]).error(400, "REACTION_DOES_NOT_EXIST");
}

#[test]
fn hidden_messages_look_missing_and_are_checked_before_the_emoji() {
    let (user, other) = (server().user("member"), server().user("member"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let ids = [
        direct(&user, &[&user], "x"),
        to_channel(&user, &hidden, "t", "x"),
        999_999_999,
    ];
    let mut answers = Vec::new();
    for id in ids {
        for name in ["tada", "no_such_emoji"] {
            answers.push(add(&other, id, &[("emoji_name", name)]).bad_request());
            answers.push(remove(&other, id, &[("emoji_name", name)]).bad_request());
        }
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[test]
fn messages_of_archived_channels_cannot_be_changed() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    add(&user, id, &[("emoji_name", "tada")]).ok();
    fixture::channel_column(server(), &channel, "is_archived", &true);
    add(&user, id, &[("emoji_name", "heart")]).bad_request();
    remove(&user, id, &[("emoji_name", "tada")]).bad_request();
    assert_eq!(reactions(&user, id).as_array().unwrap().len(), 1);
}

#[test]
fn reacting_to_an_undelivered_message_makes_it_historical() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    let newest = |user: &User| {
        let pairs = [
            ("fetch_event_types", "[\"message\"]"),
            ("event_types", "[]"),
        ];
        user.post("/register", &pairs).ok()["max_message_id"].clone()
    };
    let before = newest(&other);
    add(&other, id, &[("emoji_name", "tada")]).ok();
    assert_eq!(read(&other, id)["flags"], json!(["read", "historical"]));
    assert_eq!(newest(&other), before, "it was not received");
    let narrow = "[{\"operator\": \"is\", \"operand\": \"unread\"}]";
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "5"),
        ("narrow", narrow),
    ];
    assert_eq!(other.get("/messages", &pairs).ok()["messages"], json!([]));
}

#[test]
fn all_readers_of_the_message_receive_the_event() {
    let (user, late, outsider) = (
        server().user("member"),
        server().user("member"),
        server().user("member"),
    );
    let types = ["reaction", "user_status"];
    let mine = |events: Vec<Value>, id: i64| -> Vec<Value> {
        let events = events.into_iter();
        events
            .filter(|event| event["type"] == "reaction" && event["message_id"] == id)
            .collect()
    };
    for (kind, late_hears) in [
        (ChannelKind::PrivateShared, true),
        (ChannelKind::PrivateProtected, false),
    ] {
        let channel = fixture::channel(server(), kind, &[&user]);
        let id = to_channel(&user, &channel, "t", "x");
        fixture::subscribe(server(), &late, &channel);
        let mut queues = [
            (Queue::of(&user, &types), true),
            (Queue::of(&late, &types), late_hears),
            (Queue::of(&outsider, &types), false),
        ];
        add(&user, id, &[("emoji_name", "tada")]).ok();
        add(&user, id, &[("emoji_name", "tada")]).error(400, "REACTION_ALREADY_EXISTS");
        remove(&user, id, &[("emoji_name", "tada")]).ok();
        for (queue, hears) in &mut queues {
            let events = mine(settle(queue), id);
            let expected = |op: &str, event: &Value| {
                json!({"type": "reaction", "op": op, "user_id": user.user_id, "message_id": id,
                    "emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji",
                    "user": {"user_id": user.user_id, "email": user.email,
                        "full_name": user.full_name}, "id": event["id"]})
            };
            if *hears {
                assert_eq!(events.len(), 2, "{kind:?}");
                assert_eq!(events[0], expected("add", &events[0]));
                assert_eq!(events[1], expected("remove", &events[1]));
            } else {
                assert!(events.is_empty(), "{kind:?}: {events:?}");
            }
        }
    }
    let id = direct(&user, &[&late], "x");
    let (mut theirs, mut others) = (Queue::of(&late, &types), Queue::of(&outsider, &types));
    add(&user, id, &[("emoji_name", "heart")]).ok();
    assert_eq!(mine(settle(&mut theirs), id).len(), 1);
    assert!(mine(settle(&mut others), id).is_empty());
}

/// The object `user` is for clients before feature level 484, which declare no capability.
#[test]
fn clients_with_capabilities_receive_only_the_id() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    let pairs = [
        ("event_types", r#"["reaction"]"#),
        ("fetch_event_types", "[]"),
        (
            "client_capabilities",
            r#"{"notification_settings_null": true}"#,
        ),
    ];
    let mut queue = Queue::open(&user, &pairs);
    add(&user, id, &[("emoji_name", "tada")]).ok();
    let event = queue.expect(|event| event["message_id"] == id);
    assert_eq!(event["user_id"], user.user_id);
    assert_eq!(event.get("user"), None);
}
