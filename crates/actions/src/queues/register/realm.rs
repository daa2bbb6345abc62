//! Sections about the organization and the server (docs/protocol/register.md#realm).

use serde_json::{Value, json};
use spindle_domain::permission::SupportedPermissionSettings;
use spindle_domain::{limits, realm_setting, settings, thumbnails};
use spindle_store::pictures::RealmPicture;
use spindle_store::{group_settings, linkifiers, pictures, push_service, user_settings};

use super::fields::Fields;
use super::{Settings, Snapshot, profile_fields};
use crate::ActionError;
use crate::bots::{listed_embedded, listed_integrations};
use crate::organization::realm_policies;
use crate::organization::set_realm_picture::shown;
use crate::users::bot_domain;

/// Everything of fetch type `realm`.
pub(super) fn organization(
    snapshot: &Snapshot<'_>,
    fields: &mut Fields,
) -> Result<(), ActionError> {
    put_settings(snapshot, fields)?;
    put_identity(snapshot, fields)?;
    put_server(snapshot, fields)?;
    let holders = group_settings::of_realm(snapshot.db, snapshot.realm_id())?;
    fields.members_of("realm_", &holders)?;
    for (name, value) in realm_policies::all(snapshot.db, snapshot.realm_id(), &holders)? {
        fields.put(&format!("realm_{name}"), &value)?;
    }
    Ok(())
}

/// Clients that do not know URL templates would take them for the format strings of former times.
pub(super) fn linkifiers(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    if snapshot.input.client_capabilities.linkifier_url_template {
        Ok(linkifiers::records(snapshot.db, snapshot.realm_id())?)
    } else {
        Ok("[]".to_owned())
    }
}

pub(super) fn embedded_bots(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(json!(listed_embedded()).to_string())
}

pub(super) fn integrations(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(json!(listed_integrations()).to_string())
}

pub(super) fn billing(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(json!({"has_pending_sponsorship_request": false}).to_string())
}

fn put_settings(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let settings = &snapshot.settings;
    for (name, value) in settings.all() {
        if !matches!(name, "name" | "description") {
            fields.put(&format!("realm_{name}"), &value)?;
        }
    }
    let disables_empty = settings.text(realm_setting!("topics_policy")) == "disable_empty_topic";
    fields.put("realm_mandatory_topics", &disables_empty)?;
    let hides_history =
        settings.text(realm_setting!("message_edit_history_visibility_policy")) == "none";
    fields.put("realm_allow_edit_history", &!hides_history)?;
    for name in [
        "realm_email_auth_enabled",
        "realm_password_auth_enabled",
        "zulip_plan_is_not_limited",
    ] {
        fields.put(name, &true)?;
    }
    put_push_notifications(snapshot, fields)
}

/// Whether phones are reached, as far as the push service has said.
fn put_push_notifications(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let service = push_service::state(snapshot.db, snapshot.realm_id())?;
    let is_enabled = service.is_some_and(|service| service.can_push);
    fields.put("realm_push_notifications_enabled", &is_enabled)?;
    let end = service.and_then(|service| service.end_timestamp);
    fields.put("realm_push_notifications_enabled_end_timestamp", &end)
}

fn put_identity(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let realm = snapshot.realm;
    let url = &snapshot.input.external_url;
    fields.put("realm_name", &realm.name)?;
    fields.put("realm_description", &realm.description)?;
    fields.put("realm_url", url)?;
    fields.put("realm_uri", url)?;
    fields.put("realm_uuid", &realm.uuid)?;
    fields.put("realm_date_created", &realm.date_created)?;
    fields.put("realm_plan_type", &1)?;
    fields.put(
        "realm_empty_topic_display_name",
        crate::EMPTY_TOPIC_DISPLAY_NAME,
    )?;
    fields.put("realm_bot_domain", bot_domain(url))?;
    put_pictures(snapshot, fields)?;
    let password = json!({"Email": {"enabled": true, "available": true}});
    fields.put("realm_authentication_methods", &password)?;
    let providers = json!({
        "disabled": {"id": 0, "name": "None"},
        "jitsi_meet": {"id": 1, "name": "Jitsi Meet"},
    });
    fields.put("realm_available_video_chat_providers", &providers)?;
    fields.put(
        "realm_default_external_accounts",
        &profile_fields::external_accounts(),
    )
}

/// Icon and logos, and how much room uploads have.
fn put_pictures(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let realm_id = snapshot.realm_id();
    let stored = pictures::of_realm(snapshot.db, realm_id)?;
    for picture in [
        RealmPicture::Icon,
        RealmPicture::Logo,
        RealmPicture::NightLogo,
    ] {
        for (name, value) in shown(realm_id, &stored, picture).fields("realm_") {
            fields.put(&name, &value)?;
        }
    }
    fields.put("realm_upload_quota_mib", &stored.upload_quota_mib)?;
    fields.put("max_file_upload_size_mib", &stored.max_file_upload_size_mib)
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

fn put_server(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    for (name, value) in limits::ANNOUNCED {
        fields.put(name, value)?;
    }
    fields.put("server_max_deactivated_realm_deletion_days", &Value::Null)?;
    // Grows when the server starts anew with another schema of answers; clients compare only.
    fields.put("server_generation", &snapshot.realm.server_generation)?;
    let emoji_data = format!(
        "{}/static/emoji/emoji_api.{}.json",
        snapshot.input.external_url,
        spindle_emoji::content_hash()
    );
    fields.put("server_emoji_data_url", &emoji_data)?;
    fields.put("server_thumbnail_formats", &thumbnail_formats())?;
    for (name, value) in [
        ("development_environment", false),
        ("server_needs_upgrade", false),
        ("server_inline_image_preview", true),
        ("server_inline_url_embed_preview", false),
        ("server_avatar_changes_disabled", false),
        ("server_name_changes_disabled", false),
        ("server_web_public_streams_enabled", true),
        ("server_can_summarize_topics", false),
        ("settings_send_digest_emails", false),
    ] {
        fields.put(name, &value)?;
    }
    // The server has none of its own, so the organization's is the one that counts.
    fields.put(
        "jitsi_server_url",
        &snapshot.settings.get(realm_setting!("jitsi_server_url")),
    )?;
    for name in [
        "server_jitsi_server_url",
        "upgrade_text_for_wide_organization_logo",
    ] {
        fields.put(name, &Value::Null)?;
    }
    fields.put("server_report_message_types", &report_types())?;
    fields.put(
        "server_supported_permission_settings",
        &SupportedPermissionSettings,
    )?;
    let ratings = json!({
        "disabled": {"id": 0, "name": "GIF integration disabled"},
        "y": {"id": 1, "name": "Suitable for everybody"},
        "g": {"id": 2, "name": "General audience"},
        "pg": {"id": 3, "name": "Parental guidance"},
        "pg-13": {"id": 4, "name": "From thirteen years"},
    });
    fields.put("gif_rating_policy_options", &ratings)
}

fn report_types() -> Value {
    let types = crate::messages::REPORT_TYPES;
    types
        .iter()
        .map(|(key, name)| json!({"key": key, "name": name}))
        .collect()
}

/// What a new account starts with.
pub(super) fn default_user_settings(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let stored = user_settings::defaults(snapshot.db, snapshot.realm_id())?;
    let mut defaults: serde_json::Map<String, Value> = Settings::of_user(&stored)
        .all()
        .filter(|(name, _)| !settings::is_personal(name))
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    add_choices(&mut defaults);
    Ok(Value::Object(defaults).to_string())
}

/// The lists that clients offer for two of the settings.
pub(super) fn add_choices(settings: &mut serde_json::Map<String, Value>) {
    let emojisets = settings::EMOJISETS
        .iter()
        .map(|(key, text)| json!({"key": key, "text": text}))
        .collect();
    settings.insert("emojiset_choices".to_owned(), emojisets);
    settings.insert(
        "available_notification_sounds".to_owned(),
        json!(settings::AVAILABLE_NOTIFICATION_SOUNDS),
    );
}
