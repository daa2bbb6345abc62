//! POST /mobile_push/register where a push service is configured (docs/protocol/push.md#devices,
//! docs/protocol/differences.md#push-devices).

use serde_json::{Value, json};
use spindle_tests::{Queue, unique, until};

use super::service::Address;
use super::{Phone, World};

/// Events of one type, without their ids.
#[track_caller]
fn next_event(queue: &mut Queue) -> Value {
    let mut event = queue.expect(|event| event["type"] != "heartbeat");
    event.as_object_mut().unwrap().remove("id");
    event
}

/// The events of a registration: that it is pending, and its outcome, which has this value.
#[track_caller]
fn two_events(queue: &mut Queue, name: &str, value: &str) -> [Value; 2] {
    let mut events = queue.until(|event| event[name] == value);
    events.retain(|event| event["type"] != "heartbeat");
    for event in &mut events {
        event.as_object_mut().unwrap().remove("id");
    }
    events.try_into().expect("two events")
}

#[test]
fn a_device_is_registered_with_the_service() {
    let world = World::shared();
    let phone = Phone::new(world, world.server.user("member"), &unique("token "));
    let mut queue = Queue::of(&phone.user, &["device"]);
    phone.register("fcm", "key of the service").ok();
    let call = world.service.registration(&phone.token);
    let form = call.form();
    let uuid = form["realm_uuid"].clone();
    assert_eq!(
        json!(form),
        json!({"realm_uuid": uuid, "token_id": phone.token,
            "bouncer_public_key": "key of the service",
            "encrypted_push_registration": "sealed for the service"})
    );
    let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"realm\"]")];
    let snapshot = phone.user.post("/register", &pairs).ok();
    assert_eq!(snapshot["realm_uuid"], uuid);
    let state = phone.settled();
    assert_eq!(state["push_token_id"], phone.token);
    assert_eq!(state["push_registration_error_code"], Value::Null);
    let [pending, done] = two_events(&mut queue, "push_token_id", &phone.token);
    let time = state["push_token_last_updated_timestamp"].clone();
    assert_eq!(
        pending,
        json!({"type": "device", "op": "update", "device_id": phone.id, "push_key_id": 2408,
            "pending_push_token_id": phone.token, "push_token_last_updated_timestamp": time})
    );
    assert_eq!(
        done,
        json!({"type": "device", "op": "update", "device_id": phone.id,
            "push_token_id": phone.token, "pending_push_token_id": null})
    );
    // An identical registration sends no event.
    phone.register("fcm", "key of the service").ok();
    assert_eq!(phone.state(), state);
}

#[test]
fn a_device_that_the_service_refuses_can_register_again() {
    let world = World::shared();
    for code in [
        "INVALID_BOUNCER_PUBLIC_KEY",
        "BAD_REQUEST",
        "REQUEST_EXPIRED",
    ] {
        let phone = Phone::new(world, world.server.user("member"), &unique("token "));
        let mut queue = Queue::of(&phone.user, &["device"]);
        phone.register("apns", &format!("refuse {code}")).ok();
        let [_, failed] = two_events(&mut queue, "push_registration_error_code", code);
        assert_eq!(
            failed,
            json!({"type": "device", "op": "update", "device_id": phone.id,
                "push_registration_error_code": code})
        );
        let state = phone.state();
        assert_eq!(state["push_registration_error_code"], code);
        assert_eq!(state["push_token_id"], Value::Null);
        assert_eq!(state["pending_push_token_id"], phone.token);
        phone.register("apns", "key of the service").ok();
        let state = phone.settled();
        assert_eq!(state["push_token_id"], phone.token);
        assert_eq!(state["push_registration_error_code"], Value::Null);
    }
}

#[test]
fn a_registration_by_account_id_sends_push_device_events() {
    let world = World::shared();
    let user = world.server.user("member");
    let key = super::PushKey::new(200).text();
    let register = |account: &str, service_key: &str| {
        let pairs = [
            ("push_account_id", account),
            ("push_key", key.as_str()),
            ("token_kind", "fcm"),
            ("bouncer_public_key", service_key),
            ("encrypted_push_registration", "sealed"),
        ];
        user.post("/mobile_push/register", &pairs).ok();
    };
    let devices = || {
        let types = "[\"push_device\"]";
        let pairs = [("event_types", "[]"), ("fetch_event_types", types)];
        user.post("/register", &pairs).ok()["push_devices"].clone()
    };
    let mut queue = Queue::of(&user, &["push_device"]);
    register("2408", "key of the service");
    assert_eq!(
        next_event(&mut queue),
        json!({"type": "push_device", "push_account_id": 2408, "status": "active"})
    );
    assert_eq!(devices(), json!({"2408": {"status": "active"}}));
    let form = world.service.registration("2408").form();
    let uuid = form["realm_uuid"].clone();
    assert_eq!(
        json!(form),
        json!({"realm_uuid": uuid, "push_account_id": "2408",
            "bouncer_public_key": "key of the service", "encrypted_push_registration": "sealed"})
    );
    register("2409", "refuse INVALID_BOUNCER_PUBLIC_KEY");
    assert_eq!(
        next_event(&mut queue),
        json!({"type": "push_device", "push_account_id": 2409, "status": "failed",
            "error_code": "INVALID_BOUNCER_PUBLIC_KEY"})
    );
    // Messages reach the phone under the id that the service assigned.
    let sender = world.server.user("member");
    let id = super::send_direct(&sender, &[&user], "hello");
    let (_, request, said) = world
        .service
        .notification(&Address::Device(2415), &super::PushKey::new(200));
    assert_eq!(said["message_id"], id);
    assert_eq!(request["payload"]["push_account_id"], 2408);
    // A token that the service reports as gone is deleted.
    register("5000000", "key of the service");
    next_event(&mut queue);
    super::send_direct(&sender, &[&user], "hello");
    until("the end of the registration", || {
        devices().get("5000000").is_none().then_some(())
    });
    assert_eq!(devices()["2408"], json!({"status": "active"}));
}

#[test]
fn an_invalid_key_is_refused() {
    let world = World::shared();
    let phone = Phone::new(world, world.server.user("member"), &unique("token "));
    let id = phone.id.to_string();
    let (good, token) = (phone.key.text(), phone.token.clone());
    for key in [
        "MTaU",
        "no Base64",
        "MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy",
    ] {
        let pairs = [
            ("device_id", id.as_str()),
            ("push_key", key),
            ("push_key_id", "1"),
            ("token_kind", "fcm"),
            ("token_id", &token),
            ("bouncer_public_key", "k"),
            ("encrypted_push_registration", "r"),
        ];
        phone
            .user
            .post("/mobile_push/register", &pairs)
            .bad_request();
    }
    assert_eq!(phone.state()["push_key_id"], Value::Null);
    phone.register("fcm", "key of the service").ok();
    phone.settled();
    // A new key alone is used immediately.
    let rotated = super::PushKey::new(201);
    assert_ne!(good, rotated.text());
    let pairs = [
        ("device_id", id.as_str()),
        ("push_key", &rotated.text()),
        ("push_key_id", "77"),
    ];
    phone.user.post("/mobile_push/register", &pairs).ok();
    super::send_direct(&world.server.user("member"), &[&phone.user], "hello");
    let (_, request, said) = world.service.notification(&phone.address(), &rotated);
    assert_eq!(said["content"], "hello");
    assert_eq!(request["payload"]["push_key_id"], 77);
}

#[test]
fn a_new_token_replaces_the_old_one() {
    let world = World::shared();
    let phone = world.phone();
    let (id, token) = (phone.id.to_string(), unique("token "));
    let pairs = [
        ("device_id", id.as_str()),
        ("token_kind", "fcm"),
        ("token_id", &token),
        ("bouncer_public_key", "k"),
        ("encrypted_push_registration", "r"),
    ];
    phone.user.post("/mobile_push/register", &pairs).ok();
    world.service.registration(&token);
    assert_eq!(phone.settled()["push_token_id"], token);
    super::send_direct(&world.server.user("member"), &[&phone.user], "hello");
    let (_, _, said) = world
        .service
        .notification(&Address::Token(token), &phone.key);
    assert_eq!(said["content"], "hello");
}

#[test]
fn the_snapshot_says_that_push_notifications_work() {
    let world = World::shared();
    let settings = world.server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["push_notifications_enabled"], true);
    let pairs = [("event_types", "[]"), ("fetch_event_types", "[\"realm\"]")];
    let snapshot = world.server.user("member").post("/register", &pairs).ok();
    assert_eq!(snapshot["realm_push_notifications_enabled"], true);
    assert_eq!(
        snapshot["realm_push_notifications_enabled_end_timestamp"],
        Value::Null
    );
}
