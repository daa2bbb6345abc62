//! GET /attachments, DELETE /attachments/{id}, and how messages reference files.

use serde_json::{Value, json};
use spindle_tests::Queue;

use super::{attachments, link, send, uploaded};
use crate::support::{keys, server};

#[test]
fn only_own_files_are_listed_newest_first() {
    let (user, other) = (server().user("member"), server().user("member"));
    assert_eq!(attachments(&user), [json!(null); 0]);
    uploaded(&other, "other.txt");
    uploaded(&user, "first.txt");
    uploaded(&user, "second.txt");
    let listed = attachments(&user);
    let names: Vec<_> = listed.iter().map(|file| file["name"].clone()).collect();
    assert_eq!(names, ["second.txt", "first.txt"]);
    let expected = [
        "create_time",
        "id",
        "message_ids",
        "messages",
        "name",
        "path_id",
        "size",
    ];
    assert_eq!(keys(&listed[0]), expected);
    let now = spindle_tests::unix_now();
    assert!((listed[0]["create_time"].as_i64().unwrap() - now).abs() < 100);
}

#[test]
fn a_message_claims_the_files_that_it_links_to() {
    let (user, friend) = (server().user("member"), server().user("member"));
    let url = uploaded(&user, "a.txt");
    let unlinked = uploaded(&user, "b.txt");
    let mut queue = Queue::of(&user, &["attachment"]);
    let mut others = Queue::of(&friend, &["attachment"]);
    let to = format!("[{}]", friend.id());
    let content = format!("[a]({url}) [again]({url}) `[b]({unlinked})`");
    let id = send(&user, "direct", &to, &content);
    let event = queue.expect(|event| event["op"] == "update");
    assert_eq!(event["attachment"]["message_ids"], json!([id]));
    let listed = attachments(&user);
    assert_eq!(listed[0]["message_ids"], json!([]));
    assert_eq!(listed[1], event["attachment"]);
    let second = send(&user, "direct", &to, &link(&url));
    assert_eq!(attachments(&user)[1]["message_ids"], json!([id, second]));
    queue.expect(|event| event["attachment"]["message_ids"] == json!([id, second]));
    assert!(queue.poll().is_empty());
    assert!(others.poll().is_empty());
}

#[test]
fn times_of_messages_are_in_seconds() {
    let user = server().user("member");
    let url = uploaded(&user, "timed.txt");
    let ids = [(); 2].map(|()| send(&user, "direct", &format!("[{}]", user.id()), &link(&url)));
    let listed = attachments(&user);
    let messages = listed[0]["messages"].as_array().unwrap();
    assert_eq!(listed[0]["message_ids"], json!(ids));
    for (message, id) in messages.iter().zip(ids) {
        let shown = user.get(&format!("/messages/{id}"), &[]).ok();
        let expected = json!({"id": id, "date_sent": shown["message"]["timestamp"]});
        assert_eq!(*message, expected);
    }
    assert_eq!(messages.len(), 2);
    let sent = messages[0]["date_sent"].as_i64().unwrap();
    assert!((sent - spindle_tests::unix_now()).abs() < 100);
}

fn found(user: &spindle_tests::User) -> Vec<i64> {
    let narrow = json!([{"operator": "has", "operand": "attachment"}]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "50"),
        ("num_after", "0"),
        ("narrow", narrow.as_str()),
    ];
    let body = user.get("/messages", &pairs).ok();
    let messages = body["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| message["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn searches_find_messages_with_files_that_exist() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    let with = send(&user, "direct", &to, &link(&uploaded(&user, "a.txt")));
    send(&user, "direct", &to, "nothing");
    send(&user, "direct", &to, "[x](/user_uploads/1/none/x.txt)");
    assert_eq!(found(&user), [with]);
}

#[test]
fn a_deleted_file_is_gone_for_all_users() {
    let (user, friend) = (server().user("member"), server().user("member"));
    let url = uploaded(&user, "a.txt");
    send(&user, "direct", &format!("[{}]", friend.id()), &link(&url));
    let id = attachments(&user)[0]["id"].clone();
    let mut queue = Queue::of(&user, &["attachment"]);
    user.delete(&format!("/attachments/{id}"), &[]).ok();
    let event = queue.expect(|event| event["op"] == "remove");
    assert_eq!(event["attachment"], json!({"id": id}));
    assert!(event["upload_space_used"].is_i64());
    assert!(attachments(&user).is_empty());
    for user in [&user, &friend] {
        assert_eq!(user.fetch(&url, &[]).status, 404);
    }
    user.delete(&format!("/attachments/{id}"), &[])
        .error(404, "BAD_REQUEST");
}

#[test]
fn a_file_of_another_user_looks_like_a_missing_one() {
    let (user, owner) = (server().user("member"), server().user("owner"));
    uploaded(&user, "a.txt");
    let id = attachments(&user)[0]["id"].clone();
    let others = owner
        .delete(&format!("/attachments/{id}"), &[])
        .error(404, "BAD_REQUEST");
    let missing = owner
        .delete("/attachments/999999999", &[])
        .error(404, "BAD_REQUEST");
    assert_eq!(others, missing);
    assert_eq!(attachments(&user).len(), 1);
}

/// A client that applies the events has the same list as one that fetches it.
#[test]
fn the_listing_and_its_events_agree() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    uploaded(&user, "before.txt");
    let mut queue = Queue::of(&user, &["attachment"]);
    let mut model = attachments(&user);
    for number in 0..12 {
        let url = uploaded(&user, "during.txt");
        if number % 2 == 0 {
            send(&user, "direct", &to, &link(&url));
        }
        if number % 3 == 0 {
            let id = attachments(&user)[number % 2]["id"].clone();
            user.delete(&format!("/attachments/{id}"), &[]).ok();
        }
    }
    let mut space = Value::Null;
    for event in queue.poll() {
        let file = event["attachment"].clone();
        let known = model.iter().position(|known| known["id"] == file["id"]);
        match (event["op"].as_str().unwrap(), known) {
            ("add", None) => model.insert(0, file),
            ("update", Some(place)) => model[place] = file,
            ("remove", Some(place)) => drop(model.remove(place)),
            other => panic!("{other:?}: {event}"),
        }
        space = event["upload_space_used"].clone();
    }
    assert_eq!(attachments(&user), model);
    assert!(space.is_i64());
}

/// Once no message names a file any more, it is deleted with the last one.
#[test]
fn a_file_goes_with_the_last_message_that_names_it() {
    let user = server().user("member");
    let to = format!("[{}]", user.id());
    let (url, kept) = (uploaded(&user, "a.txt"), uploaded(&user, "kept.txt"));
    let path = url.split_once("/user_uploads/").unwrap().1;
    let ids = [
        send(&user, "direct", &to, &link(&url)),
        send(
            &user,
            "direct",
            &to,
            &format!("{} {}", link(&url), link(&kept)),
        ),
    ];
    let later = spindle_tests::unix_now() + 100_000;
    let content = link(&kept);
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", &content),
        ("scheduled_delivery_timestamp", &later.to_string()),
    ];
    user.post("/scheduled_messages", &pairs).ok();
    let mut queue = Queue::of(&user, &["delete_message", "attachment"]);
    let space = user.get("/attachments", &[]).ok()["upload_space_used"].clone();
    assert!(space.as_i64().unwrap() > 0);
    let ops = |events: Vec<Value>| -> Vec<String> {
        let name = |event: &Value| {
            format!(
                "{} {}",
                event["type"].as_str().unwrap(),
                event["op"].as_str().unwrap_or("")
            )
        };
        events.iter().map(name).collect()
    };
    for (id, expected) in [
        (ids[0], &["delete_message ", "attachment update"][..]),
        (
            ids[1],
            &["delete_message ", "attachment remove", "attachment update"][..],
        ),
    ] {
        user.delete(&format!("/messages/{id}"), &[]).ok();
        let mut events = queue.until(|event| event["type"] == "attachment");
        events.extend(queue.poll());
        assert_eq!(ops(events), expected);
    }
    let listed = attachments(&user);
    assert_eq!(listed.len(), 1, "a scheduled message names the other file");
    assert_ne!(listed[0]["path_id"], path);
    assert_eq!(user.fetch(&url, &[]).status, 404);
}
