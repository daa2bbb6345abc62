//! Runs `table.txt`: who receives which events of an operation, in which order
//! (docs/protocol/events.md#order).

use std::collections::BTreeMap;

use serde_json::Value;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Options, Queue, Server, User, unique};

const TABLE: &str = include_str!("table.txt");

/// Everything that a client of today declares.
const CAPABILITIES: &str = r#"{"bulk_message_deletion": true, "archived_channels": true,
    "include_deactivated_groups": true, "simplified_presence_events": true,
    "empty_topic_name": true, "notification_settings_null": true}"#;

const OBSERVERS: [&str; 3] = ["owner", "member", "guest"];

struct Row<'a> {
    call: &'a str,
    /// The events of each observer, as the table has them.
    received: [&'a str; 3],
}

fn rows() -> Vec<Row<'static>> {
    let mut rows: Vec<Row<'static>> = Vec::new();
    for line in TABLE.lines() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        let Some(events) = line.strip_prefix("  ") else {
            rows.push(Row {
                call: line,
                received: [""; 3],
            });
            continue;
        };
        let (who, events) = events.split_once(' ').expect("an observer and events");
        let received = &mut rows.last_mut().expect("a call").received;
        for (name, list) in OBSERVERS.iter().zip(received) {
            if who == *name || who == "all" {
                *list = events.trim();
            }
        }
    }
    rows
}

/// What the table says of an event.
fn label(event: &Value) -> String {
    let kind = event["type"].as_str().unwrap();
    let fields = |object: &Value, except: &[&str]| -> Vec<String> {
        let names = object.as_object().into_iter().flat_map(|map| map.keys());
        let names = names.filter(|name| !except.contains(&name.as_str()));
        names.cloned().collect()
    };
    let mut words = vec![kind.to_owned()];
    for field in ["op", "property", "flag"] {
        words.extend(event[field].as_str().map(str::to_owned));
    }
    words.extend(match kind {
        "message" => serde_json::from_value(event["flags"].clone()).unwrap(),
        "realm_user" => fields(&event["person"], &["user_id"]),
        "user_status" => fields(event, &["id", "type", "user_id"]),
        _ => fields(&event["data"], &[]),
    });
    words.join(" ")
}

fn filled(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, value) in names {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    text
}

/// Makes the call of a row; keeps what later rows need of its answer.
#[track_caller]
fn run(row: &Row<'_>, owner: &User, member: &User, names: &mut BTreeMap<String, String>) {
    let (caller, call) = match row.call.strip_prefix("member: ") {
        Some(call) => (member, call),
        None => (owner, row.call),
    };
    let (call, keep) = call.split_once(" -> ").unwrap_or((call, ""));
    let mut words = call.splitn(3, ' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let parameters = filled(words.next().unwrap_or(""), names);
    let pairs = parameters.split(" & ").filter(|pair| !pair.is_empty());
    let pairs: Vec<(&str, &str)> = pairs.map(|pair| pair.split_once('=').unwrap()).collect();
    let call = Call::new(method, &filled(path, names)).form(&pairs);
    let answer = caller.send(call).ok();
    if let Some((name, pointer)) = keep.split_once('=') {
        let value = answer.pointer(pointer).expect(pointer).to_string();
        names.insert(name.to_owned(), value);
    }
}

#[test]
fn every_observer_receives_the_events_of_each_operation_in_order() {
    let server = Server::own(Options::default());
    let [owner, member, guest] = OBSERVERS.map(|role| server.user(role));
    let leaving = fixture::hermit(&server, "member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner, &member, &guest]);
    let message = fixture::messages(&server, &channel, "before", &[&owner, &member, &guest], 1);
    // The first request of an account has events of its own.
    for user in [&owner, &member, &guest] {
        user.get("/users/me", &[]).ok();
    }
    let mut names = BTreeMap::new();
    for (name, id) in [
        ("channel", channel.stream_id),
        ("message", message[0]),
        ("owner", owner.user_id),
        ("member", member.user_id),
        ("guest", guest.user_id),
        ("leaving", leaving.user_id),
    ] {
        names.insert(name.to_owned(), id.to_string());
    }
    // The last one is another device of the owner.
    let mut queues = [&owner, &member, &guest, &owner].map(|user| {
        let capabilities = ("client_capabilities", CAPABILITIES);
        Queue::open(user, &[("fetch_event_types", "[]"), capabilities])
    });
    let mut wrong = Vec::new();
    for row in rows() {
        run(&row, &owner, &member, &mut names);
        let beacon = unique("beacon ");
        owner
            .post("/users/me/status", &[("status_text", &beacon)])
            .ok();
        let seen = queues.each_mut().map(|queue| {
            let events = queue.until(|event| event["status_text"] == beacon.as_str());
            let events = events.iter().filter(|event| event["status_text"].is_null());
            events.map(label).collect::<Vec<_>>().join(", ")
        });
        let [of_owner, of_member, of_guest] = row.received;
        if seen != [of_owner, of_member, of_guest, of_owner] {
            wrong.push(format!("{}: {seen:#?}", row.call));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
