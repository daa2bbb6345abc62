//! The document is well-formed, strict everywhere, and agrees with the tables of the domain.

use super::{DOCUMENT, OPERATIONS};
use serde_json::{Value, json};
use spindle_domain::narrow::ChannelReference;
use spindle_domain::{feature_level, limits, permission, settings};
use spindle_wire::{ApiError, ClientError};
use std::collections::BTreeSet;

fn document() -> Value {
    serde_json::from_str(DOCUMENT).unwrap()
}

/// Checks an instance against the schema at a JSON pointer of the document.
fn is_valid(pointer: &str, instance: &Value) -> Result<(), String> {
    let document = document();
    assert!(document.pointer(pointer).is_some(), "{pointer}");
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#{pointer}"),
        "components": document["components"],
        "paths": document["paths"],
    });
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    validator
        .validate(instance)
        .map_err(|error| format!("{}: {error}", error.instance_path()))
}

fn is_valid_schema(name: &str, instance: &Value) -> Result<(), String> {
    is_valid(&format!("/components/schemas/{name}"), instance)
}

pub(super) fn walk(value: &Value, visit: &mut impl FnMut(&Value)) {
    visit(value);
    match value {
        Value::Array(list) => list.iter().for_each(|value| walk(value, visit)),
        Value::Object(map) => map.values().for_each(|value| walk(value, visit)),
        _ => {}
    }
}

fn operations(document: &Value) -> Vec<(&String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().values().map(move |o| (path, o)))
        .collect()
}

#[test]
fn the_table_has_every_operation() {
    let document = document();
    assert_eq!(OPERATIONS.len(), operations(&document).len());
    let known = ("GET", "/api/v1/users/{user_id}", "get-user");
    assert!(OPERATIONS.contains(&known));
    let ids: BTreeSet<&str> = OPERATIONS.iter().map(|(_, _, id)| *id).collect();
    assert_eq!(
        ids.len(),
        OPERATIONS.len(),
        "an id is that of one operation"
    );
}

#[test]
fn the_announced_level_is_the_one_of_the_server() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], feature_level::ZULIP_VERSION);
    assert_eq!(
        document["info"]["x-feature-level"],
        feature_level::FEATURE_LEVEL
    );
    let level = &document["components"]["schemas"]["FeatureLevel"]["properties"];
    assert_eq!(
        level["zulip_feature_level"]["const"],
        feature_level::FEATURE_LEVEL
    );
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    let mut count = 0;
    walk(&document, &mut |value| {
        if let Some(Value::String(reference)) = value.get("$ref") {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
            count += 1;
        }
    });
    assert!(count > 200);
}

#[test]
fn every_object_is_closed_and_requires_what_it_has() {
    let document = document();
    let mut closed = 0;
    let mut check = |value: &Value| {
        let Some(properties) = value.get("properties").and_then(Value::as_object) else {
            return;
        };
        if value.get("type") != Some(&json!("object")) {
            return;
        }
        assert_eq!(value["additionalProperties"], false, "{value}");
        for name in value["required"].as_array().unwrap() {
            assert!(properties.contains_key(name.as_str().unwrap()), "{name}");
        }
        closed += 1;
    };
    walk(&document["components"]["schemas"], &mut check);
    for (_, operation) in operations(&document) {
        walk(&operation["responses"], &mut check);
    }
    assert!(closed > 100);
}

#[test]
fn every_operation_names_its_answers() {
    let document = document();
    let mut ids = BTreeSet::new();
    for (path, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id.to_owned()), "{id} twice");
        assert!(
            id.bytes()
                .all(|byte| byte == b'-' || byte.is_ascii_lowercase()),
            "{id}"
        );
        for status in ["200", "400", "413", "500"] {
            let content = &operation["responses"][status]["content"];
            // A protocol may demand a success without a body.
            let has = |status: &str| operation["responses"][status].is_object();
            let is_bare = status == "200" && (has("204") || has("302"));
            assert!(content.is_object() || is_bare, "{path} {status}");
        }
        let placeholders = path.matches('{').count();
        let empty = Vec::new();
        let parameters = operation["parameters"].as_array().unwrap_or(&empty);
        let in_path = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path");
        assert_eq!(in_path.count(), placeholders, "{path}");
    }
    for expected in [
        "register",
        "get-events",
        "delete-queue",
        "send-message",
        "get-own-user",
    ] {
        assert!(ids.contains(expected), "{expected}");
    }
}

#[test]
fn settings_and_permissions_are_those_of_the_domain() {
    let document = document();
    let properties = |name: &str| document["components"]["schemas"][name]["properties"].clone();
    let realm = properties("RealmSection");
    for setting in settings::REALM {
        assert!(
            realm.get(format!("realm_{}", setting.name)).is_some(),
            "{}",
            setting.name
        );
    }
    for setting in permission::REALM {
        assert!(
            realm.get(format!("realm_{}", setting.name)).is_some(),
            "{}",
            setting.name
        );
    }
    let channel = properties("Channel");
    for setting in permission::CHANNEL {
        assert!(channel.get(setting.name).is_some(), "{}", setting.name);
    }
    let user = properties("UserSettings");
    for setting in settings::USER {
        let schema = format!(
            "/components/schemas/UserSettings/properties/{}",
            setting.name
        );
        is_valid(&schema, &setting.default_json()).unwrap();
    }
    // emojiset_choices and available_notification_sounds are no settings.
    assert_eq!(user.as_object().unwrap().len(), settings::USER.len() + 2);
    assert_eq!(
        realm["max_message_length"]["const"],
        limits::MAX_MESSAGE_LENGTH
    );
    assert_eq!(realm["max_topic_length"]["const"], limits::MAX_TOPIC_LENGTH);
    let table = serde_json::to_value(permission::SupportedPermissionSettings).unwrap();
    is_valid(
        "/components/schemas/RealmSection/properties/server_supported_permission_settings",
        &table,
    )
    .unwrap();
}

#[test]
fn every_error_of_the_server_is_described() {
    let plain = [
        ApiError::bad_request("x"),
        ApiError::invalid_fields(&[("x", "y".to_owned())]),
        ApiError::method_not_allowed(&["GET"]),
        ApiError::incompatible_parameters(&["x", "y"]),
        ApiError::wrong_credentials(),
        ApiError::rate_limited(0.5),
        ApiError::internal(),
    ];
    let of_the_table = ClientError::samples().into_iter().map(ApiError::from);
    for error in plain.into_iter().chain(of_the_table) {
        let mut body: Value = serde_json::from_slice(error.into_response().body()).unwrap();
        is_valid_schema("AnyError", &body).unwrap();
        body["detail"] = json!("more than a strict client accepts");
        assert!(is_valid_schema("AnyError", &body).is_err(), "{body}");
    }
}

#[test]
fn a_missing_channel_is_named_as_it_was_sent() {
    let named = |channel| {
        let error = ClientError::StreamDoesNotExist { channel };
        serde_json::from_slice::<Value>(ApiError::from(error).into_response().body()).unwrap()
    };
    let mut by_id = named(ChannelReference::Id(spindle_domain::ChannelId(7)));
    let by_name = named(ChannelReference::Name("x".to_owned()));
    for body in [&by_id, &by_name] {
        is_valid_schema("StreamDoesNotExistError", body).unwrap();
    }
    by_id["stream"] = json!("x");
    assert!(is_valid_schema("StreamDoesNotExistError", &by_id).is_err());
}

#[test]
fn the_register_response_is_open_to_filters_but_not_to_half_sections() {
    let pointer = "/paths/~1api~1v1~1register/post/responses/200/content/application~1json/schema";
    let always = json!({
        "result": "success", "msg": "", "queue_id": "q", "last_event_id": -1,
        "idle_queue_timeout_secs": 600, "zulip_version": "12.0", "zulip_merge_base": "12.0",
        "zulip_feature_level": 496, "service_feature_level": 496,
    });
    is_valid(pointer, &always).unwrap();
    let with = |name: &str, value: Value| {
        let mut body = always.clone();
        body[name] = value;
        is_valid(pointer, &body)
    };
    with("starred_messages", json!([3, 5])).unwrap();
    with("starred_messages", json!([3, 3])).unwrap_err();
    with("realm_name", json!("Spindle")).unwrap_err();
    with("realm_can_create_groups", json!(4)).unwrap_err();
    with("surprise", json!(1)).unwrap_err();
}

fn message() -> Value {
    json!({
        "id": 7, "type": "stream", "sender_id": 2, "sender_email": "a@b", "sender_full_name": "A",
        "sender_realm_str": "", "content": "<p>x</p>", "content_type": "text/html",
        "timestamp": 1, "client": "test", "subject": "", "topic_links": [],
        "is_me_message": false, "reactions": [], "submessages": [], "recipient_id": 4,
        "display_recipient": "general", "stream_id": 1, "avatar_url": null,
    })
}

#[test]
fn events_are_told_apart_and_a_mutated_one_is_refused() {
    let event = json!({"id": 0, "type": "message", "message": message(), "flags": ["read"]});
    is_valid_schema("Event", &event).unwrap();
    for (pointer, value) in [
        ("/message/type", json!("channel")),
        ("/message/display_recipient", json!(1)),
        ("/message/timestamp", json!(1.5)),
        ("/flags", json!(["seen"])),
        ("/type", json!("heartbeat")),
        ("/id", json!(-1)),
    ] {
        let mut mutated = event.clone();
        *mutated.pointer_mut(pointer).unwrap() = value;
        assert!(is_valid_schema("Event", &mutated).is_err(), "{pointer}");
    }
    for name in ["sender_realm_str", "stream_id", "avatar_url"] {
        let mut mutated = event.clone();
        mutated["message"].as_object_mut().unwrap().remove(name);
        assert!(is_valid_schema("Event", &mutated).is_err(), "{name}");
    }
    for valid in [
        json!({"id": 1, "type": "heartbeat"}),
        json!({"id": 1, "type": "user_status", "user_id": 4, "status_text": ""}),
        json!({"id": 1, "type": "delete_message", "message_type": "private", "message_id": 4}),
        json!({"id": 1, "type": "presence", "presences": {}}),
        json!({"id": 1, "type": "realm_user", "op": "update", "person": {"user_id": 4, "role": 200}}),
        json!({"id": 1, "type": "user_group", "op": "add_members", "group_id": 2, "user_ids": [4]}),
        json!({"id": 1, "type": "subscription", "op": "peer_add", "stream_ids": [2], "user_ids": [4]}),
        json!({"id": 1, "type": "stream", "op": "update", "stream_id": 1, "name": "x", "property": "folder_id", "value": null}),
    ] {
        is_valid_schema("Event", &valid).unwrap();
    }
    for invalid in [
        json!({"id": 1, "type": "heartbeat", "op": "x"}),
        json!({"id": 1, "type": "realm_user", "op": "update", "person": {"user_id": 4}}),
        json!({"id": 1, "type": "realm_user", "op": "update", "person": {"user_id": 4, "role": 500}}),
        json!({"id": 1, "type": "stream", "op": "delete", "stream_ids": [1]}),
    ] {
        assert!(is_valid_schema("Event", &invalid).is_err(), "{invalid}");
    }
}

#[test]
fn a_direct_message_lists_people_and_has_no_topic() {
    let mut direct = message();
    let fields = direct.as_object_mut().unwrap();
    fields.remove("stream_id");
    fields.insert("type".to_owned(), json!("private"));
    let people = json!([{"id": 2, "email": "a@b", "full_name": "A", "is_mirror_dummy": false}]);
    fields.insert("display_recipient".to_owned(), people);
    is_valid_schema("Message", &direct).unwrap();
    direct["subject"] = json!("topic");
    assert!(is_valid_schema("Message", &direct).is_err());
}

#[test]
fn a_status_is_whole_or_absent() {
    for valid in [
        json!({}),
        json!({"status_text": "away"}),
        json!({"emoji_name": "car", "emoji_code": "1f697", "reaction_type": "unicode_emoji"}),
    ] {
        is_valid_schema("UserStatus", &valid).unwrap();
    }
    for invalid in [
        json!({"emoji_name": "car"}),
        json!({"status_text": ""}),
        json!({"away": false}),
    ] {
        assert!(
            is_valid_schema("UserStatus", &invalid).is_err(),
            "{invalid}"
        );
    }
}
