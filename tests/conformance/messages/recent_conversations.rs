//! GET /users/me/recent_conversations (docs/protocol/topics.md#get_recent_conversations).

use serde_json::{Value, json};
use spindle_tests::User;
use spindle_tests::fixture::{self, ChannelKind};

use super::to_channel;
use crate::support::server;

const PATH: &str = "/users/me/recent_conversations";

fn recent(user: &User, pairs: &[(&str, &str)]) -> Value {
    let mut all = vec![("allow_empty_topic_name", "true")];
    all.extend_from_slice(pairs);
    user.get(PATH, &all).ok()
}

fn to_people(sender: &User, people: &[&User], content: &str) -> i64 {
    let ids: Vec<_> = people.iter().map(|one| one.user_id).collect();
    let to = json!(ids).to_string();
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", content),
    ];
    sender.post("/messages", &pairs).ok()["id"]
        .as_i64()
        .expect("an id")
}

fn names(answer: &Value) -> Vec<String> {
    let list = answer["conversations"].as_array().expect("a list");
    list.iter()
        .map(|one| one.get("topic").unwrap_or(&one["user_ids"]).to_string())
        .collect()
}

#[test]
fn topics_and_direct_conversations_are_listed_in_pages() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    to_channel(&user, &channel, "busy", "x");
    to_channel(&other, &channel, "", "x");
    let direct = to_people(&other, &[&user], "x");
    let note = to_people(&user, &[&user], "x");
    let busy = to_channel(&other, &channel, "Busy", "x");
    let all = recent(&user, &[]);
    let mine: Vec<_> = names(&all).into_iter().take(4).collect();
    let with_other = json!([other.user_id]).to_string();
    assert_eq!(mine, ["\"Busy\"", "[]", &with_other, "\"\""]);
    let first = &all["conversations"][0];
    assert_eq!(first["max_id"], busy);
    assert_eq!(first["stream_id"], channel.stream_id);
    assert_eq!(first["sender_ids"], json!([other.user_id, user.user_id]));
    let message = user.get(&format!("/messages/{busy}"), &[]).ok();
    assert_eq!(first["timestamp"], message["message"]["timestamp"]);
    let page = recent(&user, &[("limit", "2"), ("before", &busy.to_string())]);
    assert_eq!(page["conversations"][0]["max_id"], note);
    assert_eq!(page["conversations"][1]["max_id"], direct);
    assert_eq!(page["conversations"].as_array().map(Vec::len), Some(2));
    assert_eq!(page["found_oldest"], false);
    let end = recent(&user, &[("before", "1")]);
    assert_eq!((names(&end).len(), &end["found_oldest"]), (0, &json!(true)));
    let old = user.get(PATH, &[]).ok();
    assert_eq!(old["conversations"][3]["topic"], "general chat");
}

#[test]
fn only_what_the_caller_may_read_is_listed() {
    let (user, late) = (server().user("member"), server().user("member"));
    let protected = fixture::channel(server(), ChannelKind::PrivateProtected, &[&user]);
    let shared = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let public = fixture::channel(server(), ChannelKind::Public, &[&user]);
    for channel in [&protected, &shared, &public] {
        to_channel(&user, channel, "before", "x");
    }
    let of = |user: &User| names(&recent(user, &[]));
    let before = |user: &User| of(user).iter().filter(|one| *one == "\"before\"").count();
    // Not of channels that one is not in, even open ones.
    assert_eq!((before(&user), before(&late)), (3, 0));
    for channel in [&protected, &shared, &public] {
        fixture::subscribe(server(), &late, channel);
    }
    assert_eq!(before(&late), 2, "all but the protected one");
    to_channel(&user, &protected, "after", "x");
    assert_eq!(of(&late)[0], "\"after\"");
    // Of a topic with earlier messages, only received ones count.
    let own = to_channel(&late, &protected, "before", "x");
    let first = recent(&late, &[])["conversations"][0].clone();
    assert_eq!(first["max_id"], own);
    assert_eq!(first["sender_ids"], json!([late.user_id]));
    // Nothing is left of a channel that one has left.
    fixture::unsubscribe(server(), &late, &shared);
    assert_eq!(before(&late), 2, "the public and the protected one");
}

#[test]
fn a_moved_or_deleted_topic_is_listed_as_it_is() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "old", "x");
    let gone = to_channel(&user, &channel, "gone", "x");
    let change = [("topic", "new"), ("propagate_mode", "change_all")];
    user.patch(&format!("/messages/{id}"), &change).ok();
    server()
        .user("administrator")
        .delete(&format!("/messages/{gone}"), &[])
        .ok();
    let all = names(&recent(&user, &[]));
    assert!(all.contains(&"\"new\"".to_owned()), "{all:?}");
    assert!(!all.contains(&"\"old\"".to_owned()) && !all.contains(&"\"gone\"".to_owned()));
}

#[test]
fn a_limit_out_of_range_is_refused() {
    let user = server().user("member");
    for limit in ["0", "501", "-1"] {
        user.get(PATH, &[("limit", limit)]).bad_request();
    }
    let all = recent(&user, &[("limit", "500")]);
    assert_eq!(all["found_oldest"], true);
}
