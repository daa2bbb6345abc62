//! POST /messages/flags/narrow (docs/protocol/flags.md#update_message_flags_for_narrow).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{direct, read, to_channel};
use crate::support::{server, settle};

fn mark(user: &User, narrow: &Value, changes: &[(&str, &str)]) -> Reply {
    let narrow = narrow.to_string();
    let mut pairs = vec![
        ("anchor", "oldest"),
        ("num_before", "0"),
        ("num_after", "100"),
        ("narrow", &narrow),
        ("op", "add"),
        ("flag", "read"),
    ];
    for (name, value) in changes {
        pairs.retain(|(known, _)| known != name);
        pairs.push((name, value));
    }
    user.post("/messages/flags/narrow", &pairs)
}

fn scene() -> (User, User, Channel, [i64; 4]) {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let ids = ["tea", "b", "tea", "tea"].map(|topic| to_channel(&other, &channel, topic, "x"));
    (user, other, channel, ids)
}

fn topic(channel: &Channel) -> Value {
    json!([["channel", channel.name], ["topic", "tea"]])
}

#[test]
fn flags_are_set_on_the_messages_of_a_narrow() {
    let (user, other, channel, ids) = scene();
    let aside = direct(&other, &[&user], "x");
    let mut queue = Queue::of(&user, &["update_message_flags", "user_status"]);
    let answer = mark(&user, &topic(&channel), &[]).ok();
    let expected = |updated: i64| {
        json!({"result": "success", "msg": "", "processed_count": 3, "updated_count": updated,
            "first_processed_id": ids[0], "last_processed_id": ids[3], "found_oldest": true,
            "found_newest": true, "ignored_because_not_subscribed_channels": []})
    };
    assert_eq!(answer, expected(3));
    assert_eq!(mark(&user, &topic(&channel), &[]).ok(), expected(0));
    assert_eq!(read(&user, ids[2])["flags"], json!(["read"]));
    for id in [ids[1], aside] {
        assert_eq!(read(&user, id)["flags"], json!([]));
    }
    let mut events = settle(&mut queue);
    events.retain(|event| event["type"] == "update_message_flags");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["messages"], json!([ids[0], ids[2], ids[3]]));
}

#[test]
fn the_anchor_limits_which_messages_are_flagged() {
    let (user, _, channel, ids) = scene();
    let all = json!([{"operator": "channel", "operand": channel.stream_id}]);
    let anchor = ids[1].to_string();
    let around = [
        ("anchor", anchor.as_str()),
        ("num_before", "1"),
        ("num_after", "1"),
        ("flag", "starred"),
    ];
    let answer = mark(&user, &all, &around).ok();
    assert_eq!(answer["processed_count"], 3);
    assert_eq!(answer["found_newest"], false);
    let after = [
        ("anchor", anchor.as_str()),
        ("include_anchor", "false"),
        ("num_after", "1"),
        ("flag", "collapsed"),
    ];
    let answer = mark(&user, &all, &after).ok();
    assert_eq!(answer["first_processed_id"], ids[2]);
    assert_eq!(answer["last_processed_id"], ids[2]);
    // Counts above the maximum are lowered, and beyond the end nothing is found.
    let beyond = [
        ("anchor", "newest"),
        ("num_before", "0"),
        ("num_after", "99999"),
    ];
    let answer = mark(&user, &all, &beyond).ok();
    assert_eq!(answer["processed_count"], 0);
    assert_eq!(answer["first_processed_id"], Value::Null);
    assert_eq!(answer["last_processed_id"], Value::Null);
    let everything = [("num_before", "6000"), ("num_after", "6000")];
    assert_eq!(mark(&user, &all, &everything).ok()["processed_count"], 4);
}

#[test]
fn messages_of_channels_left_stay_read() {
    let (user, _, channel, ids) = scene();
    mark(&user, &topic(&channel), &[]).ok();
    fixture::unsubscribe(server(), &user, &channel);
    let answer = mark(&user, &topic(&channel), &[("op", "remove")]).ok();
    assert_eq!(answer["processed_count"], 3);
    assert_eq!(answer["updated_count"], 0);
    assert_eq!(
        answer["ignored_because_not_subscribed_channels"],
        json!([channel.stream_id])
    );
    assert_eq!(read(&user, ids[0])["flags"], json!(["read"]));
}

#[test]
fn undelivered_messages_of_a_public_channel_can_be_starred() {
    let (_, _, channel, ids) = scene();
    let late = server().user("member");
    let answer = mark(&late, &topic(&channel), &[("flag", "starred")]).ok();
    assert_eq!(answer["updated_count"], 3);
    assert_eq!(
        read(&late, ids[0])["flags"],
        json!(["read", "starred", "historical"])
    );
}

#[test]
fn wrong_parameters_are_refused_in_order() {
    let (user, _, channel, _) = scene();
    let narrow = topic(&channel);
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for (name, value) in [
        ("anchor", "oldest"),
        ("num_before", "0"),
        ("num_after", "1"),
        ("op", "add"),
        ("flag", "read"),
    ] {
        let body = user
            .post("/messages/flags/narrow", &pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], name);
        pairs.push((name, value));
    }
    for change in [
        [("anchor", "middle")],
        [("num_before", "-1")],
        [("num_after", "-1")],
        [("flag", "mentioned")],
        [("op", "toggle")],
    ] {
        mark(&user, &narrow, &change).bad_request();
    }
    let middle = [("num_before", "1"), ("include_anchor", "false")];
    mark(&user, &narrow, &middle).bad_request();
    mark(&user, &json!([["channel", "no such channel"]]), &[]).error(400, "BAD_NARROW");
    mark(&user, &json!([["nonsense", "x"]]), &[]).error(400, "BAD_NARROW");
}
