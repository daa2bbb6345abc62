//! The fields that are the same in every answer of this program, as text that is written once.
//!
//! Must not depend on a database, on the caller or on the address of the server.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use spindle_domain::permission::SupportedPermissionSettings;
use spindle_domain::profile_field::{EXTERNAL_ACCOUNTS, FieldType};
use spindle_domain::{limits, settings, thumbnails};

use crate::bots::{listed_embedded, listed_integrations};

/// Members about the server.
pub(super) static SERVER: LazyLock<String> = LazyLock::new(|| {
    let server = json!({
        "server_max_deactivated_realm_deletion_days": null,
        "server_thumbnail_formats": thumbnail_formats(),
        "development_environment": false,
        "server_needs_upgrade": false,
        "server_inline_image_preview": true,
        "server_inline_url_embed_preview": false,
        "server_avatar_changes_disabled": false,
        "server_name_changes_disabled": false,
        "server_web_public_streams_enabled": true,
        "server_can_summarize_topics": false,
        "server_jitsi_server_url": null,
        "upgrade_text_for_wide_organization_logo": null,
        "server_report_message_types": report_types(),
        "server_supported_permission_settings": SupportedPermissionSettings,
        "gif_rating_policy_options": {
            "disabled": {"id": 0, "name": "GIF integration disabled"},
            "y": {"id": 1, "name": "Suitable for everybody"},
            "g": {"id": 2, "name": "General audience"},
            "pg": {"id": 3, "name": "Parental guidance"},
            "pg-13": {"id": 4, "name": "From thirteen years"},
        },
    });
    let limits = limits::ANNOUNCED.iter();
    let limits: Map<String, Value> = limits
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    [members(&server), members(&Value::Object(limits))].join(",")
});

/// Members about the organization that no organization has otherwise.
pub(super) static ORGANIZATION: LazyLock<String> = LazyLock::new(|| {
    members(&json!({
        "zulip_plan_is_not_limited": true,
        "realm_plan_type": 1,
        "realm_empty_topic_display_name": crate::EMPTY_TOPIC_DISPLAY_NAME,
        "realm_available_video_chat_providers": {
            "disabled": {"id": 0, "name": "None"},
            "jitsi_meet": {"id": 1, "name": "Jitsi Meet"},
        },
        "realm_default_external_accounts": external_accounts(),
    }))
});

/// Members of an object with a user's settings: the lists that clients offer for two of them.
pub(super) static CHOICES: LazyLock<String> = LazyLock::new(|| {
    let emojisets: Vec<Value> = settings::EMOJISETS
        .iter()
        .map(|(key, text)| json!({"key": key, "text": text}))
        .collect();
    members(&json!({
        "emojiset_choices": emojisets,
        "available_notification_sounds": settings::AVAILABLE_NOTIFICATION_SOUNDS,
    }))
});

/// The types of custom profile fields.
pub(super) static FIELD_TYPES: LazyLock<String> = LazyLock::new(|| {
    let types: Map<String, Value> = FieldType::ALL
        .iter()
        .map(|(kind, keyword, name)| {
            let described = json!({"id": kind.as_i64(), "name": name});
            ((*keyword).to_owned(), described)
        })
        .collect();
    Value::Object(types).to_string()
});

/// Bots that run within the server.
pub(super) static EMBEDDED_BOTS: LazyLock<String> =
    LazyLock::new(|| json!(listed_embedded()).to_string());

/// Services whose webhooks are understood.
pub(super) static INTEGRATIONS: LazyLock<String> =
    LazyLock::new(|| json!(listed_integrations()).to_string());

/// The members of an object as text, without its braces.
fn members(object: &Value) -> String {
    let mut text = object.to_string();
    text.pop();
    text.split_off(1)
}

/// The pictures of uploaded images that clients may ask for.
fn thumbnail_formats() -> Vec<Value> {
    let formats = thumbnails::FORMATS.iter();
    formats
        .map(|format| {
            json!({
                "name": format.name,
                "max_width": format.max_width,
                "max_height": format.max_height,
                "format": format.format,
                "animated": format.is_animated,
            })
        })
        .collect()
}

fn report_types() -> Value {
    let types = crate::messages::REPORT_TYPES;
    types
        .iter()
        .map(|(key, name)| json!({"key": key, "name": name}))
        .collect()
}

/// The accounts elsewhere that a field can name without further description.
fn external_accounts() -> Map<String, Value> {
    EXTERNAL_ACCOUNTS
        .iter()
        .map(|account| {
            let described = json!({"text": account.text, "name": account.name,
                "hint": account.hint, "url_pattern": account.url_pattern});
            (account.subtype.to_owned(), described)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_between_braces() {
        assert_eq!(members(&json!({"a": {"b": []}})), r#""a":{"b":[]}"#);
        for text in [&*SERVER, &*ORGANIZATION, &*CHOICES] {
            let object: Map<String, Value> = serde_json::from_str(&format!("{{{text}}}")).unwrap();
            assert!(object.len() > 1, "{text}");
        }
    }
}
