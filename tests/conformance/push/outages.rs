//! Outages of the push service and of the server, and errors of the configuration.

use serde_json::{Value, json};
use spindle_tests::{Options, Queue, Server, unique, until};

use super::service::{Mood, Service};
use super::{Phone, Received, World, native_flags, read, send_direct};

/// Waits until every stored call has failed once and waits for its next attempt.
#[track_caller]
fn all_wait(server: &Server, calls: i64) {
    until("the failure", || {
        let sql = "SELECT count(*) FROM push_calls WHERE attempts > 0 AND claimed_until = 0 \
                   AND due > created";
        let waiting: i64 = server
            .database()
            .query_row(sql, [], |row| row.get(0))
            .unwrap();
        (waiting == calls).then_some(())
    });
}

/// Waits until no call is left.
#[track_caller]
fn nothing_waits(server: &Server) {
    until("the end of the calls", || {
        let sql = "SELECT count(*) FROM push_calls";
        let database = server.database();
        let left: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
        (left == 0).then_some(())
    });
}

/// A registration and a message while the service is in this state, and their outcome.
#[track_caller]
fn outlast(mood: Mood) {
    let world = World::start();
    let phone = world.phone();
    let second = Phone::new(&world, phone.user.clone(), &unique("token "));
    world.service.be(mood);
    second.register("fcm", "key of the service").ok();
    let id = send_direct(&world.server.user("member"), &[&phone.user], "hello");
    all_wait(&world.server, 2);
    let state = second.state();
    assert_eq!(state["push_registration_error_code"], Value::Null);
    assert_eq!(state["pending_push_token_id"], second.token);
    let (first, _, said) = phone.next_call();
    assert_eq!(said["message_id"], id);
    world.service.be(Mood::Well);
    world.server.hasten(6);
    let (again, _, said) = phone.next_call();
    assert_eq!(said["message_id"], id);
    // The id lets the service drop a duplicate.
    let key = |call: &Received| call.headers["idempotency-key"].clone();
    assert_eq!(key(&first), key(&again));
    assert_eq!(second.settled()["push_token_id"], second.token);
}

#[test]
fn an_outage_of_the_service_loses_no_notification() {
    outlast(Mood::Answers(503, String::new()));
}

#[test]
fn a_wrong_key_of_the_server_can_be_corrected() {
    let refusal = json!({"result": "error", "code": "INVALID_ZULIP_SERVER"});
    outlast(Mood::Answers(401, refusal.to_string()));
}

#[test]
fn messages_read_during_an_outage_are_not_shown_after_it() {
    let world = World::start();
    let phone = world.phone();
    let sender = world.server.user("member");
    world.service.be(Mood::Answers(503, String::new()));
    let read_meanwhile = send_direct(&sender, &[&phone.user], "one");
    let unread = send_direct(&sender, &[&phone.user], "two");
    all_wait(&world.server, 2);
    read(&phone.user, &[read_meanwhile]);
    until("the failed removal", || {
        let sql = "SELECT 1 FROM push_calls WHERE kind = 'remove' AND attempts > 0 \
                   AND claimed_until = 0";
        world.server.database().query_row(sql, [], |_| Ok(())).ok()
    });
    world.service.forget();
    world.service.be(Mood::Well);
    world.server.hasten(200);
    nothing_waits(&world.server);
    let mut kinds = Vec::new();
    for said in phone.all_notifications() {
        let kind = said["type"].as_str().unwrap().to_owned();
        if kind == "message" {
            assert_eq!(said["message_id"], unread);
        } else {
            assert_eq!(said["message_ids"], json!([read_meanwhile]));
        }
        kinds.push(kind);
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["message", "remove"]);
}

#[test]
fn a_kill_between_message_and_push_loses_no_notification() {
    let mut world = World::start();
    let (user, key, token) = {
        let phone = world.phone();
        (phone.user.clone(), phone.key.clone(), phone.token.clone())
    };
    let address = super::Address::Token(token);
    let sender = world.server.user("member");
    // Right after the sender's request was answered.
    let id = send_direct(&sender, &[&user], "one");
    world.server.kill();
    world.server.restart();
    let (_, _, said) = world.service.notification(&address, &key);
    assert_eq!(said["message_id"], id);
    // While the service has the call, and has not answered yet.
    world.service.be(Mood::Silent);
    let id = send_direct(&sender, &[&user], "two");
    let (first, _, said) = world.service.notification(&address, &key);
    assert_eq!(said["message_id"], id);
    world.server.kill();
    world.service.be(Mood::Well);
    world.server.restart();
    world.server.hasten(61);
    let (again, _, said) = world.service.notification(&address, &key);
    assert_eq!(said["message_id"], id);
    assert_eq!(
        first.headers["idempotency-key"],
        again.headers["idempotency-key"]
    );
}

#[test]
fn the_state_of_the_push_service_is_broadcast() {
    let world = World::start();
    let phone = world.phone();
    let sender = world.server.user("member");
    let mut queue = Queue::of(&sender, &["realm"]);
    // Names and values, up to the property of this name.
    let mut received = |last: &str| -> Vec<(Value, Value)> {
        let mut events = queue.until(|event| event["property"] == last);
        events.retain(|event| event["type"] == "realm");
        let pairs = events.iter();
        pairs
            .map(|event| (event["property"].clone(), event["value"].clone()))
            .collect()
    };
    let (able, end) = (
        "push_notifications_enabled",
        "push_notifications_enabled_end_timestamp",
    );
    let enabled = || {
        let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"realm\"]")];
        let snapshot = sender.post("/register", &pairs).ok();
        json!([
            snapshot["realm_push_notifications_enabled"],
            snapshot["realm_push_notifications_enabled_end_timestamp"]
        ])
    };
    world
        .service
        .say_standing(json!({"can_push": true, "expected_end_timestamp": 2_000_000_000}));
    send_direct(&sender, &[&phone.user], "one");
    assert_eq!(received(end), [(json!(end), json!(2_000_000_000))]);
    assert_eq!(enabled(), json!([true, 2_000_000_000]));
    let refusal = json!({"result": "error", "code": "PUSH_NOTIFICATIONS_DISALLOWED"});
    world.service.be(Mood::Answers(403, refusal.to_string()));
    send_direct(&sender, &[&phone.user], "two");
    let gone = [(json!(able), json!(false)), (json!(end), json!(null))];
    assert_eq!(received(end), gone);
    assert_eq!(enabled(), json!([false, null]));
    world.service.be(Mood::Well);
    send_direct(&sender, &[&phone.user], "three");
    let back = [
        (json!(able), json!(true)),
        (json!(end), json!(2_000_000_000)),
    ];
    assert_eq!(received(end), back);
}

#[test]
fn a_registration_ends_when_the_service_is_silent_for_a_day() {
    let service = Service::start();
    let server = Server::spawn(Options {
        extra: native_flags(&service),
        ..Options::default()
    });
    let world = World { server, service };
    let phone = Phone::new(&world, world.server.user("member"), &unique("token "));
    world.service.be(Mood::Answers(503, String::new()));
    phone.register("fcm", "key of the service").ok();
    all_wait(&world.server, 1);
    world.server.advance(24 * 3600);
    let state = phone.settled();
    assert_eq!(state["push_registration_error_code"], "REQUEST_EXPIRED");
}

/// Without the service that it was sent to, a registration has failed like any other.
#[test]
fn switching_the_service_off_ends_pending_registrations() {
    let service = Service::start();
    let folder = tempfile::tempdir().unwrap().keep();
    let start = |extra: Vec<String>| {
        let options = Options {
            extra,
            ..Options::default()
        };
        Server::spawn_on(folder.clone(), options)
    };
    let mut world = World {
        server: start(native_flags(&service)),
        service,
    };
    world.service.be(Mood::Answers(503, String::new()));
    let user = world.server.user("member");
    let id = {
        let phone = Phone::new(&world, user.clone(), &unique("token "));
        phone.register("fcm", "key of the service").ok();
        phone.id.to_string()
    };
    all_wait(&world.server, 1);
    let address = world.server.address().to_owned();
    world.server.terminate();
    let kept = tempfile::tempdir().unwrap().keep();
    copy(&folder, &kept);
    let options = Options {
        extra: vec!["--listen".to_owned(), address],
        ..Options::default()
    };
    world.server = Server::spawn_on(kept, options);
    let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"device\"]")];
    let devices = user.post("/register", &pairs).ok()["devices"].clone();
    assert_eq!(
        devices[&id]["push_registration_error_code"],
        "PUSH_SERVICE_NOT_CONFIGURED"
    );
    let settings = world.server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["push_notifications_enabled"], false);
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}
