//! Sections about the organization and the server (docs/protocol/register.md#realm).

use serde_json::json;
use spindle_domain::{realm_setting, settings};
use spindle_events::Record;
use spindle_store::pictures::RealmPicture;
use spindle_store::{group_settings, linkifiers, pictures, realm_emoji};

use super::fields::Fields;
use super::{Settings, Snapshot, constants};
use crate::ActionError;
use crate::account::ways;
use crate::app_events::granted_commands;
use crate::organization::realm_policies;
use crate::organization::set_realm_picture::shown;

/// Everything of fetch type `realm`.
pub(super) fn organization(
    snapshot: &Snapshot<'_>,
    fields: &mut Fields,
) -> Result<(), ActionError> {
    put_settings(snapshot, fields)?;
    put_identity(snapshot, fields)?;
    put_server(snapshot, fields)?;
    let holders = group_settings::of_realm(snapshot.db, snapshot.realm_id())?;
    let holders: Record = serde_json::from_str(&holders)
        .map_err(|error| ActionError::Internal(format!("permissions: {error}")))?;
    let policies = realm_policies::changed(snapshot.db, snapshot.realm_id(), &holders)?;
    for (name, value) in holders.iter().chain(&policies) {
        fields.put_prefixed("realm_", name, value)?;
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

pub(super) fn emoji(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    match snapshot.realm_lists()?.has_emoji {
        true => Ok(realm_emoji::object(snapshot.db, snapshot.realm_id())?),
        false => Ok("{}".to_owned()),
    }
}

pub(super) fn embedded_bots(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(constants::EMBEDDED_BOTS.clone())
}

pub(super) fn integrations(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(constants::INTEGRATIONS.clone())
}

pub(super) fn app_commands(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    granted_commands(snapshot.db)
}

pub(super) fn billing(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(json!({"has_pending_sponsorship_request": false}).to_string())
}

fn put_settings(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let settings = &snapshot.settings;
    for (name, value) in settings.shown() {
        if !matches!(name, "name" | "description") {
            fields.put_prefixed("realm_", name, &value)?;
        }
    }
    let disables_empty = settings.text(realm_setting!("topics_policy")) == "disable_empty_topic";
    fields.put("realm_mandatory_topics", &disables_empty)?;
    let hides_history =
        settings.text(realm_setting!("message_edit_history_visibility_policy")) == "none";
    fields.put("realm_allow_edit_history", &!hides_history)?;
    fields.members(&constants::ORGANIZATION);
    for (name, value) in ways::fields(&ways::read(snapshot.db, snapshot.realm_id())?) {
        fields.put_prefixed("realm_", name, &value)?;
    }
    put_services(snapshot, fields)
}

/// Whether phones are reached, as far as the push service has said, and whether mail is configured.
fn put_services(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let service = snapshot.realm_lists()?;
    let is_enabled = service.can_push == Some(true);
    fields.put("realm_push_notifications_enabled", &is_enabled)?;
    fields.put("settings_send_digest_emails", &service.sends_mail)?;
    fields.put(
        "realm_push_notifications_enabled_end_timestamp",
        &service.end_timestamp,
    )
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
    fields.put("realm_bot_domain", &snapshot.input.bot_domain)?;
    put_pictures(snapshot, fields)
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

fn put_server(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    fields.members(&constants::SERVER);
    // Grows when the server restarts with another schema of answers; clients only compare it.
    fields.put("server_generation", &snapshot.realm.server_generation)?;
    let emoji_data = format!(
        "{}/static/emoji/emoji_api.{}.json",
        snapshot.input.external_url,
        spindle_emoji::content_hash()
    );
    fields.put("server_emoji_data_url", &emoji_data)?;
    // The server has none of its own, so the organization's is the one that counts.
    fields.put(
        "jitsi_server_url",
        &snapshot.settings.get(realm_setting!("jitsi_server_url")),
    )
}

/// What a new account starts with.
pub(super) fn default_user_settings(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let settings = Settings::of_user(&snapshot.realm_lists()?.user_settings_defaults);
    let mut defaults = Fields::default();
    for (name, value) in settings.shown() {
        if !settings::is_personal(name) {
            defaults.put(name, &value)?;
        }
    }
    defaults.members(&constants::CHOICES);
    defaults.into_object()
}
