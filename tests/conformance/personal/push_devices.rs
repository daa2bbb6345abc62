//! Devices and their registration with the push service (docs/protocol/push.md#devices,
//! docs/protocol/differences.md#push-devices, docs/protocol/register.md#sections). No push service
//! is configured, so every registration fails.

use serde_json::{Value, json};
use spindle_tests::{Queue, User};

use super::{section, without_ids};
use crate::support::{server, settle};

const REGISTER: &str = "/mobile_push/register";
const FAILED: &str = "PUSH_SERVICE_NOT_CONFIGURED";

fn device(user: &User) -> i64 {
    user.post("/register_client_device", &[]).ok()["device_id"]
        .as_i64()
        .unwrap()
}

fn devices(user: &User) -> Value {
    section(user, "device")["devices"].clone()
}

const KEY: [(&str, &str); 2] = [("push_key", "MTaUDJDMWypQ"), ("push_key_id", "2408")];
const TOKEN: [(&str, &str); 4] = [
    ("bouncer_public_key", "key"),
    ("encrypted_push_registration", "data"),
    ("token_id", "hGsEWGmyyfI="),
    ("token_kind", "fcm"),
];

#[test]
fn a_device_is_registered_and_removed() {
    let user = server().user("member");
    let id = device(&user);
    assert_eq!(
        devices(&user),
        json!({id.to_string(): {"push_key_id": null, "push_token_id": null,
            "pending_push_token_id": null, "push_token_last_updated_timestamp": null,
            "push_registration_error_code": null}})
    );
    let second = device(&user);
    assert!(second > id);
    let gone = id.to_string();
    user.post("/remove_client_device", &[("device_id", &gone)])
        .ok();
    user.post("/remove_client_device", &[("device_id", &gone)])
        .bad_request();
    assert_eq!(devices(&user).as_object().unwrap().len(), 1);
    user.post("/remove_client_device", &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
}

#[test]
fn a_registration_without_a_push_service_fails() {
    let user = server().user("member");
    let id = device(&user).to_string();
    let own = [("device_id", id.as_str())];
    user.post(REGISTER, &[&own[..], &KEY, &TOKEN].concat()).ok();
    let found = devices(&user)[&id].clone();
    assert_eq!(found["push_key_id"], 2408);
    assert_eq!(
        found["push_token_id"],
        Value::Null,
        "nothing was sent to a service"
    );
    assert_eq!(found["pending_push_token_id"], "hGsEWGmyyfI=");
    assert_eq!(found["push_registration_error_code"], FAILED);
    assert!(found["push_token_last_updated_timestamp"].is_i64());
    // Later the key and the token can be replaced separately.
    let key = [("push_key", "MTother"), ("push_key_id", "7")];
    user.post(REGISTER, &[&own[..], &key].concat()).ok();
    assert_eq!(devices(&user)[&id]["push_key_id"], 7);
    user.post(REGISTER, &[&own[..], &TOKEN].concat()).ok();
}

#[test]
fn the_parameters_of_a_registration_are_required() {
    let user = server().user("member");
    let id = device(&user).to_string();
    let own = [("device_id", id.as_str())];
    let missing = |pairs: &[(&str, &str)], name: &str| {
        let error = user.post(REGISTER, pairs);
        let error = error.error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], name);
    };
    missing(&[&KEY[..], &TOKEN].concat(), "device_id");
    missing(&[&own[..], &KEY[..1], &TOKEN].concat(), "push_key_id");
    missing(&[&own[..], &KEY[1..], &TOKEN].concat(), "push_key");
    for left_out in 0..TOKEN.len() {
        let mut token = TOKEN.to_vec();
        let (name, _) = token.remove(left_out);
        missing(&[&own[..], &KEY, &token].concat(), name);
    }
    // The first registration needs both.
    user.post(REGISTER, &[&own[..], &KEY].concat())
        .bad_request();
    user.post(REGISTER, &[&own[..], &TOKEN].concat())
        .bad_request();
    user.post(REGISTER, &own).bad_request();
    let mut wrong = TOKEN;
    wrong[3].1 = "pigeon";
    user.post(REGISTER, &[&own[..], &KEY, &wrong].concat())
        .bad_request();
    let too_large = [("push_key", "x"), ("push_key_id", "4294967296")];
    user.post(REGISTER, &[&own[..], &too_large, &TOKEN].concat())
        .bad_request();
    let both = [("push_account_id", "5")];
    user.post(REGISTER, &[&own[..], &both, &KEY, &TOKEN].concat())
        .error(400, "REQUEST_CONFUSING_VAR");
    assert_eq!(devices(&user)[&id]["push_key_id"], Value::Null);
}

#[test]
fn a_device_of_another_user_looks_like_a_missing_one() {
    let (user, other) = (server().user("owner"), server().user("member"));
    let theirs = device(&other).to_string();
    let missing = "999999999";
    let remove = |id: &str| user.post("/remove_client_device", &[("device_id", id)]);
    assert_eq!(remove(missing).body, remove(&theirs).body);
    let register =
        |id: &str| user.post(REGISTER, &[&[("device_id", id)][..], &KEY, &TOKEN].concat());
    assert_eq!(register(missing).body, register(&theirs).body);
    register(&theirs).bad_request();
    assert_eq!(devices(&other)[&theirs]["push_key_id"], Value::Null);
    assert_eq!(devices(&user), json!({}));
}

#[test]
fn the_older_form_uses_the_account_id() {
    let user = server().user("member");
    let mut queue = Queue::of(&user, &["push_device", "user_status"]);
    let pairs = [
        ("push_account_id", "2408"),
        ("push_key", "MTaU"),
        ("token_kind", "apns"),
        ("bouncer_public_key", "key"),
        ("encrypted_push_registration", "data"),
    ];
    user.post(REGISTER, &pairs).ok();
    let found = section(&user, "push_device");
    assert_eq!(
        found["push_devices"],
        json!({"2408": {"status": "failed", "error_code": FAILED}})
    );
    let events = without_ids(settle(&mut queue));
    let event = json!({"type": "push_device", "push_account_id": 2408, "status": "failed",
                       "error_code": FAILED});
    assert_eq!(events, [event]);
    for left_out in 1..pairs.len() {
        let mut fewer = pairs.to_vec();
        fewer.remove(left_out);
        user.post(REGISTER, &fewer)
            .error(400, "REQUEST_VARIABLE_MISSING");
    }
}

#[test]
fn device_events_go_to_the_owner_only_with_the_changed_fields() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let types = ["device", "user_status"];
    let (mut own, mut others) = (Queue::of(&user, &types), Queue::of(&other, &types));
    let id = device(&user);
    let text = id.to_string();
    let device_id = [("device_id", text.as_str())];
    user.post(REGISTER, &[&device_id[..], &KEY, &TOKEN].concat())
        .ok();
    let key = [("push_key", "MTother"), ("push_key_id", "7")];
    user.post(REGISTER, &[&device_id[..], &key].concat()).ok();
    user.post("/remove_client_device", &device_id).ok();
    let mine = |events: Vec<Value>| -> Vec<Value> {
        let events = without_ids(events).into_iter();
        events.filter(|event| event["type"] == "device").collect()
    };
    let events = mine(settle(&mut own));
    let time = events[1]["push_token_last_updated_timestamp"].clone();
    assert_eq!(
        events,
        [
            json!({"type": "device", "op": "add", "device_id": id}),
            json!({"type": "device", "op": "update", "device_id": id, "push_key_id": 2408,
                   "pending_push_token_id": "hGsEWGmyyfI=",
                   "push_token_last_updated_timestamp": time,
                   "push_registration_error_code": FAILED}),
            json!({"type": "device", "op": "update", "device_id": id, "push_key_id": 7}),
            json!({"type": "device", "op": "remove", "device_id": id}),
        ]
    );
    assert!(mine(settle(&mut others)).is_empty());
}

#[test]
fn bots_have_no_devices() {
    let bot = server().bot();
    bot.post("/register_client_device", &[]).bad_request();
    bot.post("/remove_client_device", &[("device_id", "1")])
        .bad_request();
    bot.post(REGISTER, &KEY).bad_request();
}
