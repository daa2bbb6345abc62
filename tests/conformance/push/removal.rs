//! Removal of notifications from phones, and phones that are gone.

use serde_json::{Value, json};
use spindle_tests::{Queue, unique};

use super::{World, read, send_direct};

#[test]
fn notifications_of_read_messages_are_removed() {
    let world = World::shared();
    let phone = world.phone();
    let sender = world.server.user("member");
    let ids = ["one", "two", "three"].map(|text| {
        let id = send_direct(&sender, &[&phone.user], text);
        assert_eq!(phone.next()["message_id"], id);
        id
    });
    read(&phone.user, &ids[..2]);
    let (_, request, said) = phone.next_call();
    assert_eq!(
        said,
        json!({"type": "remove", "realm_url": world.realm_url(), "realm_name": "Spindle",
            "user_id": phone.user.user_id, "message_ids": ids[..2]})
    );
    assert_eq!(request["fcm_priority"], "normal");
    // Each removal is sent once, however the other messages are read.
    phone.user.post("/mark_all_as_read", &[]).ok();
    assert_eq!(phone.next()["message_ids"], json!([ids[2]]));
    read(&phone.user, &ids);
    phone.was_not_notified();
}

#[test]
fn notifications_of_deleted_messages_are_removed() {
    let world = World::shared();
    let phone = world.phone();
    let owner = world.server.user("owner");
    let id = send_direct(&owner, &[&phone.user], "a mistake");
    assert_eq!(phone.next()["message_id"], id);
    owner.delete(&format!("/messages/{id}"), &[]).ok();
    assert_eq!(phone.next()["message_ids"], json!([id]));
}

#[test]
fn notifications_on_apple_devices_are_removed_in_the_background() {
    let world = World::shared();
    let user = world.server.user("member");
    let phone = world.phone_of(user, "apns", &unique("token "));
    let id = send_direct(&world.server.user("member"), &[&phone.user], "hello");
    phone.next();
    read(&phone.user, &[id]);
    let (_, request, said) = phone.next_call();
    assert_eq!(said["type"], "remove");
    assert_eq!(
        request["http_headers"],
        json!({"apns_priority": 5, "apns_push_type": "background"})
    );
    assert_eq!(request["payload"]["aps"], json!({"content-available": 1}));
}

#[test]
fn a_phone_that_is_gone_is_deleted() {
    let world = World::shared();
    let user = world.server.user("member");
    let gone = world.phone_of(user.clone(), "fcm", &unique("gone "));
    let kept = world.phone_of(user, "fcm", &unique("token "));
    let sender = world.server.user("member");
    let mut queue = Queue::of(&gone.user, &["device"]);
    send_direct(&sender, &[&gone.user], "hello");
    gone.next();
    let mut event = queue.expect(|event| event["type"] == "device");
    event.as_object_mut().unwrap().remove("id");
    assert_eq!(
        event,
        json!({"type": "device", "op": "update", "device_id": gone.id, "push_token_id": null})
    );
    assert_eq!(gone.state()["push_token_id"], Value::Null);
    assert_eq!(kept.state()["push_token_id"], kept.token);
    send_direct(&sender, &[&gone.user], "hello again");
    let (call, _, said) = kept.next_call();
    let (call, said) = match said["content"].as_str() {
        Some("hello again") => (call, said),
        _ => {
            let (call, _, said) = kept.next_call();
            (call, said)
        }
    };
    assert_eq!(said["content"], "hello again");
    assert_eq!(call.json()["push_requests"].as_array().unwrap().len(), 1);
}
