//! POST /mobile_push/e2ee/test_notification (feature level 420).

use serde_json::{Value, json};
use spindle_tests::unique;

use super::{Received, World};
use crate::support::server;

const PATH: &str = "/mobile_push/e2ee/test_notification";

#[test]
fn a_test_notification_goes_to_all_phones_or_to_one() {
    let world = World::shared();
    let one = world.phone();
    let other = world.phone_of(one.user.clone(), "apns", &unique("token "));
    let check = |said: &Value| {
        let time = said["time"].clone();
        assert!(time.as_i64().unwrap() > 1_700_000_000);
        let expected = json!({"type": "test", "realm_url": world.realm_url(),
            "realm_name": "Spindle", "user_id": one.user.user_id, "time": time});
        assert_eq!(*said, expected);
    };
    let reached = |call: &Received| call.json()["push_requests"].as_array().unwrap().len();
    one.user.post(PATH, &[]).ok();
    let (call, _, said) = one.next_call();
    check(&said);
    assert_eq!(reached(&call), 2);
    let id = other.id.to_string();
    one.user.post(PATH, &[("device_id", id.as_str())]).ok();
    let (call, _, said) = other.next_call();
    check(&said);
    assert_eq!(reached(&call), 1);
}

/// The operation from before encryption answers that it is unsupported.
#[test]
fn unencrypted_test_notifications_are_refused() {
    let (plain, world) = ("/mobile_push/test_notification", World::shared());
    let phone = world.phone();
    for pairs in [&[] as &[(&str, &str)], &[("token", "abc")]] {
        let with = phone.user.post(plain, pairs);
        let without = server().user("member").post(plain, pairs);
        for reply in [with, without] {
            let error = reply.bad_request();
            let text = error["msg"].as_str().unwrap();
            assert!(text.contains("not configured"), "{text}");
        }
    }
}

#[test]
fn a_test_notification_without_a_phone_is_refused() {
    let world = World::shared();
    let phone = world.phone();
    let other = world.server.user("member");
    let no_phone =
        |pairs: &[(&str, &str)]| other.post(PATH, pairs).error(400, "NO_ACTIVE_PUSH_DEVICE");
    no_phone(&[]);
    no_phone(&[("device_id", "999999999")]);
    no_phone(&[("device_id", &phone.id.to_string())]);
    no_phone(&[("push_account_id", "1")]);
    other.post(PATH, &[("device_id", "x")]).bad_request();
    let both = [("device_id", "1"), ("push_account_id", "1")];
    other.post(PATH, &both).error(400, "REQUEST_CONFUSING_VAR");
    // Nor without a push service.
    let elsewhere = server().user("member");
    elsewhere
        .post(PATH, &[])
        .error(400, "NO_ACTIVE_PUSH_DEVICE");
    server().bot().post(PATH, &[]).bad_request();
}
