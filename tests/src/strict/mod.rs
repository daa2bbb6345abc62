//! A second decoder, as strict as the strictest of the known clients: it refuses unknown fields in
//! channels, user groups, histories, presences, error bodies and events, and values that fit none
//! or several forms of a union.
//!
//! Written from the lists of fields that clients decode, not from the OpenAPI document, so that a
//! mistake in the document cannot hide one in the server. Must not have exceptions.

mod events;
mod objects;

use serde::de::DeserializeOwned;
use serde_json::Value;

use objects::{
    Channel, ErrorBody, Group, HistorySnapshot, Message, Person, Presence, ProfileField,
    UserPresence,
};

/// Decodes what the clients decode of an answer.
///
/// # Errors
/// A text that says what does not decode.
pub fn check(body: &Value) -> Result<(), String> {
    if body["result"] == "error" {
        return check_error(body);
    }
    each::<Channel>(body, "streams")?;
    each::<Channel>(body, "subscriptions")?;
    each::<Channel>(body, "unsubscribed")?;
    each::<Channel>(body, "never_subscribed")?;
    one::<Channel>(body, "stream")?;
    each::<Group>(body, "realm_user_groups")?;
    each::<Group>(body, "user_groups")?;
    each::<HistorySnapshot>(body, "message_history")?;
    each::<Message>(body, "messages")?;
    one::<Message>(body, "message")?;
    for people in [
        "realm_users",
        "realm_non_active_users",
        "cross_realm_bots",
        "members",
    ] {
        each::<Person>(body, people)?;
    }
    one::<Person>(body, "user")?;
    each::<ProfileField>(body, "custom_profile_fields")?;
    one::<UserPresence>(body, "presence")?;
    if let Some(presences) = body["presences"].as_object() {
        for presence in presences.values() {
            decode::<Presence>("presences", presence)?;
        }
    }
    for event in body["events"].as_array().into_iter().flatten() {
        events::check(event)?;
    }
    Ok(())
}

/// Codes whose bodies clients decode field by field; of others they read the code alone.
fn check_error(body: &Value) -> Result<(), String> {
    let code = body["code"].as_str().unwrap_or("");
    let extra: &[&[&str]] = match code {
        "BAD_EVENT_QUEUE_ID" => &[&["queue_id"]],
        "STREAM_DOES_NOT_EXIST" => &[&["stream_id"], &["stream"]],
        "BAD_NARROW" => &[&["desc"]],
        "REQUEST_VARIABLE_MISSING" => &[&["var_name"]],
        "RATE_LIMIT_HIT" => &[&["retry-after"]],
        "INVITATION_FAILED" => &[&[
            "daily_limit_reached",
            "errors",
            "license_limit_reached",
            "sent_invitations",
        ]],
        // The fields of a wrong method, of parameters that exclude each other, and of forms with
        // errors per field belong to no code.
        "BAD_REQUEST" => &[&[], &["allowed_methods"], &["errors"], &["parameters"]],
        "UNAUTHORIZED_PRINCIPAL"
        | "REACTION_ALREADY_EXISTS"
        | "REACTION_DOES_NOT_EXIST"
        | "INVALID_API_KEY"
        | "UNAUTHORIZED" => &[&[]],
        _ => return Ok(()),
    };
    decode::<ErrorBody>("error", body)?;
    let own = ["result", "msg", "code"];
    let mut found: Vec<&str> = body
        .as_object()
        .into_iter()
        .flat_map(|body| body.keys().map(String::as_str))
        .filter(|name| !own.contains(name))
        .collect();
    found.sort_unstable();
    if extra.iter().any(|names| **names == found) {
        Ok(())
    } else {
        Err(format!("{code} has the fields {found:?}: {body}"))
    }
}

/// Decodes the objects of a list, if there is one of this name; lists of ids are left out.
fn each<T: DeserializeOwned>(body: &Value, name: &str) -> Result<(), String> {
    let list = body.get(name).and_then(Value::as_array);
    for object in list.into_iter().flatten().filter(|item| item.is_object()) {
        decode::<T>(name, object)?;
    }
    Ok(())
}

fn one<T: DeserializeOwned>(body: &Value, name: &str) -> Result<(), String> {
    match body.get(name) {
        Some(object) if object.is_object() => decode::<T>(name, object),
        _ => Ok(()),
    }
}

fn decode<T: DeserializeOwned>(name: &str, value: &Value) -> Result<(), String> {
    T::deserialize(value)
        .map(|_| ())
        .map_err(|error| format!("a strict client cannot decode {name}: {error} in {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PERMISSIONS: [&str; 11] = [
        "can_add_subscribers_group",
        "can_administer_channel_group",
        "can_create_topic_group",
        "can_delete_any_message_group",
        "can_delete_own_message_group",
        "can_move_messages_out_of_channel_group",
        "can_move_messages_within_channel_group",
        "can_remove_subscribers_group",
        "can_resolve_topics_group",
        "can_send_message_group",
        "can_subscribe_group",
    ];

    fn channel() -> Value {
        let mut channel = json!({"stream_id": 1, "name": "n", "description": "", "rendered_description": "",
            "date_created": 1, "creator_id": null, "invite_only": false, "is_web_public": false,
            "is_archived": false, "history_public_to_subscribers": true, "first_message_id": null,
            "message_retention_days": null, "stream_post_policy": 1, "is_announcement_only": false,
            "topics_policy": "inherit", "folder_id": null, "is_recently_active": true,
            "subscriber_count": 0, "stream_weekly_traffic": null});
        for name in PERMISSIONS {
            channel[name] = json!({"direct_members": [1], "direct_subgroups": []});
        }
        channel
    }

    #[test]
    fn an_invented_field_is_refused_where_clients_refuse_it() {
        let body = |extra: Option<&str>| {
            let mut channel = channel();
            if let Some(name) = extra {
                channel[name] = json!(1);
            }
            check(&json!({"result": "success", "msg": "", "streams": [channel]}))
        };
        assert_eq!(body(None), Ok(()));
        assert!(body(Some("invented")).is_err());
        let error = |extra: Value| {
            let mut body = json!({"result": "error", "msg": "x", "code": "BAD_NARROW"});
            body.as_object_mut()
                .expect("an object")
                .extend(extra.as_object().expect("an object").clone());
            check(&body)
        };
        assert_eq!(error(json!({"desc": "d"})), Ok(()));
        assert!(error(json!({})).is_err());
        assert!(error(json!({"desc": "d", "more": 1})).is_err());
    }

    #[test]
    fn values_fit_exactly_one_form() {
        for wrong in [
            json!("role:everyone"),
            json!({"direct_members": [1]}),
            json!(null),
        ] {
            let mut channel = channel();
            channel["can_subscribe_group"] = wrong;
            let body = json!({"result": "success", "msg": "", "stream": channel});
            assert!(check(&body).is_err(), "{body}");
        }
        let presence = |value: Value| {
            check(&json!({"result": "success", "msg": "", "presences": {"7": value}}))
        };
        assert_eq!(
            presence(json!({"active_timestamp": 1, "idle_timestamp": 2})),
            Ok(())
        );
        let website = json!({"client": "website", "status": "active", "timestamp": 1});
        assert_eq!(
            presence(json!({"aggregated": website, "website": website})),
            Ok(())
        );
        assert!(presence(json!({"active_timestamp": 1.5})).is_err());
        assert!(presence(json!({"website": {"status": "offline", "timestamp": 1}})).is_err());
    }

    #[test]
    fn events_are_decoded_by_type_and_operation() {
        let event =
            |event: Value| check(&json!({"result": "success", "msg": "", "events": [event]}));
        assert_eq!(event(json!({"id": 0, "type": "heartbeat"})), Ok(()));
        assert!(event(json!({"type": "heartbeat"})).is_err());
        assert!(event(json!({"id": 0, "type": "heart"})).is_err());
        assert!(event(json!({"id": 0, "type": "user_group", "op": "explode"})).is_err());
        let gone = json!({"id": 1, "type": "user_group", "op": "remove", "group_id": 3});
        assert_eq!(event(gone.clone()), Ok(()));
        let mut more = gone;
        more["more"] = json!(1);
        assert!(event(more).is_err());
    }
}
