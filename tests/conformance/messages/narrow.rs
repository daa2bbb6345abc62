//! The narrow language of GET /messages (docs/protocol/narrow.md#operators); pairs of terms are in
//! `narrow_pairs`, searches in `search`.

use serde_json::{Value, json};
use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use super::{direct, to_channel};
use crate::support::server;

pub(super) struct World {
    pub(super) user: User,
    pub(super) other: User,
    pub(super) channel: Channel,
    pub(super) alpha: i64,
    pub(super) beta: i64,
    pub(super) mention: i64,
    pub(super) note: i64,
    pub(super) pair: i64,
    pub(super) group: i64,
}

pub(super) fn world() -> World {
    let user = server().user("member");
    let other = server().user("member");
    let third = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    World {
        alpha: to_channel(&other, &channel, "Alpha", "see https://example.com/x"),
        beta: to_channel(&user, &channel, "beta", "x"),
        mention: to_channel(
            &other,
            &channel,
            "beta",
            &format!("@**{}**", user.full_name),
        ),
        note: direct(&user, &[&user], "note"),
        pair: direct(&other, &[&user], "pair"),
        group: direct(&user, &[&other, &third], "group"),
        user,
        other,
        channel,
    }
}

pub(super) fn fetch(user: &User, narrow: &Value) -> spindle_tests::Reply {
    let narrow = narrow.to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
        ("narrow", &narrow),
    ];
    user.get("/messages", &pairs)
}

#[track_caller]
pub(super) fn ids(user: &User, narrow: &Value) -> Vec<i64> {
    let body = fetch(user, narrow).ok();
    let messages = body["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| message["id"].as_i64().unwrap())
        .collect()
}

fn term(operator: &str, operand: Value) -> Value {
    json!([{"operator": operator, "operand": operand}])
}

#[test]
fn narrows_by_channel_and_topic() {
    let w = world();
    let all = [w.alpha, w.beta, w.mention];
    let name = &w.channel.name;
    for narrow in [
        term("channel", json!(name)),
        term("stream", json!(name)),
        term("channel", json!(w.channel.stream_id)),
        json!([["stream", name]]),
        json!([["channel", name.to_uppercase()]]),
    ] {
        assert_eq!(ids(&w.user, &narrow), all, "{narrow}");
    }
    let topic = json!([{"operator": "channel", "operand": name},
                       {"operator": "topic", "operand": "aLPHA"}]);
    assert_eq!(ids(&w.user, &topic), [w.alpha]);
    let not = json!([{"operator": "channel", "operand": name},
                     {"operator": "topic", "operand": "alpha", "negated": true}]);
    assert_eq!(ids(&w.user, &not), [w.beta, w.mention]);
    assert_eq!(
        ids(&w.user, &json!([["stream", name], ["topic", "beta"]])),
        [w.beta, w.mention]
    );
}

#[test]
fn narrows_by_sender_and_recipient() {
    let w = world();
    let sent = [w.alpha, w.mention, w.pair];
    assert_eq!(ids(&w.user, &term("sender", json!(w.other.email))), sent);
    assert_eq!(ids(&w.user, &term("sender", json!(w.other.user_id))), sent);
    for narrow in [
        term("dm", json!(w.other.email)),
        term("dm", json!([w.other.user_id])),
        term("pm-with", json!(w.other.email)),
        json!([["pm-with", w.other.email]]),
        json!([["pm-with", format!("{}, {}", w.other.email, w.user.email)]]),
    ] {
        assert_eq!(ids(&w.user, &narrow), [w.pair], "{narrow}");
    }
    assert_eq!(ids(&w.user, &term("dm", json!([w.user.user_id]))), [w.note]);
    let including = term("dm-including", json!(w.other.user_id));
    assert_eq!(ids(&w.user, &including), [w.pair, w.group]);
}

#[test]
fn narrows_by_kind_and_flag() {
    let w = world();
    let private = [w.note, w.pair, w.group];
    assert_eq!(ids(&w.user, &term("is", json!("dm"))), private);
    assert_eq!(ids(&w.user, &json!([["is", "private"]])), private);
    assert_eq!(ids(&w.user, &term("is", json!("mentioned"))), [w.mention]);
    assert_eq!(ids(&w.user, &json!([["is", "starred"]])), Vec::<i64>::new());
    let unread = ids(&w.user, &term("is", json!("unread")));
    assert!(
        unread.contains(&w.pair) && unread.contains(&w.alpha),
        "{unread:?}"
    );
    let has_link = ids(&w.user, &term("has", json!("link")));
    assert_eq!(has_link, [w.alpha]);
    assert_eq!(ids(&w.user, &term("id", json!(w.beta))), [w.beta]);
    assert_eq!(
        ids(&w.user, &term("id", json!(w.beta.to_string()))),
        [w.beta]
    );
    let all = [w.alpha, w.beta, w.mention, w.note, w.pair, w.group];
    assert_eq!(ids(&w.user, &json!([])), all);
    assert_eq!(ids(&w.user, &term("in", json!("all"))), all);
    assert_eq!(
        ids(&w.user, &term("near", json!(w.beta))),
        all,
        "near does not filter"
    );
}

#[test]
fn the_kind_public_channels_includes_their_history() {
    let w = world();
    let found = ids(&w.user, &term("channels", json!("public")));
    for id in [w.alpha, w.beta, w.mention] {
        assert!(found.contains(&id));
    }
    assert!(!found.contains(&w.pair));
}

/// FL 489.
#[test]
fn the_kind_archived_channels_has_what_was_received() {
    let w = world();
    let later = server().user("member");
    let archived = json!([{"operator": "channels", "operand": "archived"}]);
    assert_eq!(ids(&w.user, &archived), [0; 0]);
    fixture::channel_column(server(), &w.channel, "is_archived", &1);
    assert_eq!(ids(&w.user, &archived), [w.alpha, w.beta, w.mention]);
    assert_eq!(ids(&later, &archived), [0; 0]);
    let others = json!([{"operator": "channels", "operand": "archived", "negated": true}]);
    assert_eq!(ids(&w.user, &others), [w.note, w.pair, w.group]);
    let named = json!([archived[0], {"operator": "topic", "operand": "beta"}]);
    assert_eq!(ids(&w.user, &named), [w.beta, w.mention]);
}

#[test]
fn unknown_operators_and_values_are_refused() {
    let w = world();
    for narrow in [
        term("channel", json!("no such channel")),
        term("channel", json!(99_999_999)),
        term("sender", json!("nobody@example.com")),
        term("is", json!("bogus")),
        term("bogus", json!("x")),
        term("has", json!("bogus")),
        term("id", json!("x")),
        json!([["bogus", "x"]]),
        json!([{"operator": "channel", "operand": w.channel.name},
               {"operator": "dm", "operand": w.other.email}]),
    ] {
        let error = fetch(&w.user, &narrow).error(400, "BAD_NARROW");
        assert!(error["desc"].is_string(), "{error}");
    }
}

#[test]
fn malformed_narrows_are_refused() {
    let user = server().user("member");
    for narrow in [
        json!({}),
        json!("x"),
        json!([1]),
        json!([["one"]]),
        json!([["a", "b", "c"]]),
        json!([{"operator": "channel"}]),
        json!([{"operand": "x"}]),
        json!([{"operator": 1, "operand": "x"}]),
        json!([{"operator": "is", "operand": "dm", "negated": "x"}]),
    ] {
        assert_eq!(fetch(&user, &narrow).status, 400, "{narrow}");
    }
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "1"),
        ("num_after", "0"),
        ("narrow", "["),
    ];
    user.get("/messages", &pairs).bad_request();
}

/// A private channel without access gets the same error as a missing one.
#[test]
fn a_hidden_channel_is_refused_like_an_unknown_one() {
    let w = world();
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&w.other]);
    to_channel(&w.other, &private, "t", "x");
    let hidden = fetch(&w.user, &term("channel", json!(private.stream_id)));
    let unknown = fetch(&w.user, &term("channel", json!(99_999_999)));
    if hidden.status == 200 {
        assert_eq!(hidden.body["messages"], json!([]));
    } else {
        assert_eq!(hidden.body["code"], unknown.body["code"]);
    }
}

/// A message that was never delivered is readable with access to the channel's history, and counts
/// as read and historical.
#[test]
fn access_to_history_depends_on_the_kind_of_channel() {
    let other = server().user("member");
    let user = server().user("member");
    let guest = server().user("guest");
    let send = |channel: &Channel| to_channel(&other, channel, "t", "before");
    let kinds = [
        // kind, a subscribed member and an unsubscribed one, a subscribed guest and an unsubscribed
        // one
        (ChannelKind::Public, [true, true, true, false]),
        (ChannelKind::WebPublic, [true, true, true, true]),
        (ChannelKind::PrivateShared, [true, false, true, false]),
        (ChannelKind::PrivateProtected, [false, false, false, false]),
    ];
    for (kind, [member_in, member_out, guest_in, guest_out]) in kinds {
        for (joined, reader, reads) in [
            (true, &user, member_in),
            (false, &user, member_out),
            (true, &guest, guest_in),
            (false, &guest, guest_out),
        ] {
            let channel = fixture::channel(server(), kind, &[&other]);
            let id = send(&channel);
            if joined {
                fixture::subscribe(server(), reader, &channel);
            }
            let reply = fetch(reader, &term("channel", json!(channel.stream_id)));
            let context = format!("{kind:?} joined: {joined} reader: {}", reader.email);
            if !reads && !joined {
                reply.error(400, "BAD_NARROW");
                continue;
            }
            let body = reply.ok();
            let messages = body["messages"].as_array().unwrap();
            assert_eq!(messages.len(), usize::from(reads), "{context}");
            if let Some(message) = messages.first() {
                assert_eq!(message["id"], id, "{context}");
                assert_eq!(message["flags"], json!(["read", "historical"]), "{context}");
            }
            assert!(!ids(reader, &json!([])).contains(&id), "{context}");
        }
    }
}

/// Both names of an id that is sent as a string.
#[test]
fn ids_may_be_strings() {
    let w = world();
    let channel = w.channel.stream_id.to_string();
    assert_eq!(
        ids(&w.user, &json!([["stream", channel]])),
        [w.alpha, w.beta, w.mention]
    );
    let person = w.other.user_id.to_string();
    assert_eq!(ids(&w.user, &json!([["dm", person]])), [w.pair]);
    assert_eq!(
        ids(&w.user, &json!([["sender", person]])),
        [w.alpha, w.mention, w.pair]
    );
}

/// A delivered message is readable as long as its channel is.
#[test]
fn received_messages_are_hidden_after_losing_access() {
    let other = server().user("member");
    for (kind, role, remains) in [
        (ChannelKind::Public, "member", true),
        (ChannelKind::PrivateShared, "member", false),
        (ChannelKind::PrivateProtected, "member", false),
        (ChannelKind::WebPublic, "guest", true),
        (ChannelKind::Public, "guest", false),
    ] {
        let user = server().user(role);
        let channel = fixture::channel(server(), kind, &[&other, &user]);
        let id = to_channel(&other, &channel, "t", "delivered");
        let everything = [
            json!([]),
            json!([["search", "delivered"]]),
            json!([["is", "unread"]]),
        ];
        for narrow in &everything {
            assert_eq!(ids(&user, narrow), [id], "{kind:?} {narrow}");
        }
        fixture::unsubscribe(server(), &user, &channel);
        let left: &[i64] = if remains { &[id] } else { &[] };
        for narrow in &everything {
            assert_eq!(ids(&user, narrow), left, "{kind:?} {role} {narrow}");
        }
        let message_ids = json!([id]).to_string();
        let body = user.get("/messages", &[("message_ids", &message_ids)]).ok();
        assert_eq!(body["messages"].as_array().unwrap().len(), left.len());
    }
}

#[test]
fn a_narrow_applies_to_messages_given_by_id() {
    let w = world();
    let message_ids = json!([w.alpha, w.beta, w.pair]).to_string();
    let get = |narrow: Value| {
        let narrow = narrow.to_string();
        let pairs = [("message_ids", message_ids.as_str()), ("narrow", &narrow)];
        let body = w.user.get("/messages", &pairs).ok();
        let messages = body["messages"].as_array().unwrap().clone();
        messages
            .iter()
            .map(|message| message["id"].as_i64().unwrap())
            .collect::<Vec<i64>>()
    };
    assert_eq!(get(json!([])), [w.alpha, w.beta, w.pair]);
    assert_eq!(get(json!([["topic", "beta"]])), [w.beta]);
    assert_eq!(
        get(json!([["has", "link"], ["sender", w.other.email]])),
        [w.alpha]
    );
}

/// The flags and the first unread message of a narrow.
#[test]
fn the_first_unread_anchor_respects_the_narrow() {
    let w = world();
    let narrow = json!([["topic", "beta"], ["channel", w.channel.name]]).to_string();
    let pairs = [
        ("anchor", "first_unread"),
        ("num_before", "0"),
        ("num_after", "5"),
        ("narrow", &narrow),
    ];
    let body = w.user.get("/messages", &pairs).ok();
    assert_eq!(body["anchor"], w.beta, "not the one of another topic");
    assert_eq!(body["found_anchor"], true);
    assert_eq!(body["found_newest"], true);
    assert_eq!(body["found_oldest"], false);
}
