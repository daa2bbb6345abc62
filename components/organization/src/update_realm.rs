//! PATCH /realm (docs/protocol/register.md#realm): settings and permissions of the organization.

use serde_json::Value;
use spindle_actions::organization::{RealmChange, update_realm};
use spindle_domain::permission;
use spindle_domain::settings::{self, Setting, ValueType};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, permissions};

pub(crate) const OPERATION: Operation =
    Operation::patch("update-realm", "/api/v1/realm", Guard::Administrator, run);

/// The word for "unlimited", with or without JSON quotes.
const UNLIMITED: [&str; 2] = ["unlimited", "\"unlimited\""];
/// The word for "no meeting server of the organization's own".
const DEFAULT_SERVER: [&str; 2] = ["default", "\"default\""];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let mut change = RealmChange::default();
    for setting in settings::REALM {
        if let Some(value) = read(&call.params, setting)? {
            change.settings.push((setting.name, value));
        }
    }
    change.permissions = permissions::updates(&call.params, permission::REALM)?;
    change.ways = call
        .params
        .optional("authentication_methods")?
        .unwrap_or_default();
    update_realm(call.db()?, call.actor()?, call.now(), &change)?;
    Ok(spindle_wire::Reply::empty().into())
}

/// The stored value of one setting. Texts are sent raw, all other types as JSON.
fn read(params: &Params<'_>, setting: &Setting) -> Result<Option<Value>, ApiError> {
    let name = setting.name;
    let Some(text) = params.optional_text(name) else {
        return Ok(None);
    };
    let value = match setting.kind {
        ValueType::NullableText(_) if DEFAULT_SERVER.contains(&text) || text == "null" => {
            Value::Null
        }
        // Some clients encode this one as JSON.
        ValueType::NullableText(_) if text.starts_with('"') => required(params, name)?,
        _ if setting.is_text() => Value::from(text),
        ValueType::NullableInteger(..) if UNLIMITED.contains(&text) => Value::Null,
        ValueType::IntegerOrOff(..) if UNLIMITED.contains(&text) => Value::from(-1),
        _ => required(params, name)?,
    };
    // Texts are checked after trimming.
    if !setting.is_text() && !setting.accepts(&value) {
        return Err(ApiError::bad_parameter(name, "this value is not possible"));
    }
    Ok(Some(value))
}

fn required(params: &Params<'_>, name: &str) -> Result<Value, ApiError> {
    params.required(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(name: &str, text: &str) -> Option<Value> {
        let body: String = form(name, text);
        let request = http::Request::patch("/api/v1/realm")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.into())
            .unwrap();
        let params = Params::from_request(&request).unwrap();
        let setting = settings::by_name(settings::REALM, name).unwrap();
        read(&params, setting).ok().flatten()
    }

    fn form(name: &str, text: &str) -> String {
        format!("{name}={}", text.replace('"', "%22"))
    }

    #[test]
    fn values_in_all_their_forms() {
        for (name, text, expected) in [
            ("name", "null", Some(json!("null"))),
            (
                "topics_policy",
                "disable_empty_topic",
                Some(json!("disable_empty_topic")),
            ),
            ("invite_required", "true", Some(json!(true))),
            ("invite_required", "1", None),
            ("digest_weekday", "3", Some(json!(3))),
            ("digest_weekday", "3.0", None),
            ("digest_weekday", "\"3\"", None),
            ("message_retention_days", "unlimited", Some(json!(-1))),
            ("message_retention_days", "\"unlimited\"", Some(json!(-1))),
            ("message_retention_days", "null", None),
            (
                "message_content_edit_limit_seconds",
                "unlimited",
                Some(json!(null)),
            ),
            (
                "message_content_edit_limit_seconds",
                "\"unlimited\"",
                Some(json!(null)),
            ),
            (
                "message_content_edit_limit_seconds",
                "null",
                Some(json!(null)),
            ),
            ("message_content_edit_limit_seconds", "60", Some(json!(60))),
            ("message_content_edit_limit_seconds", "forever", None),
            ("jitsi_server_url", "default", Some(json!(null))),
            (
                "jitsi_server_url",
                "https://m.example",
                Some(json!("https://m.example")),
            ),
            (
                "jitsi_server_url",
                "\"https://m.example\"",
                Some(json!("https://m.example")),
            ),
        ] {
            assert_eq!(found(name, text), expected, "{name}={text}");
        }
    }
}
