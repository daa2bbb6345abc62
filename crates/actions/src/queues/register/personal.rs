//! Sections that belong to the caller alone; empty for an anonymous visitor, whose settings are
//! those of a new account.

use serde_json::{Map, Value, json};
use spindle_domain::{MessageId, limits};
use spindle_store::{conversations, id_list, messages, unread, user_settings, user_topics};

use super::fields::Fields;
use super::{Settings, Snapshot, realm};
use crate::ActionError;

pub(super) fn user_topics(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(user_topics::records(
        snapshot.db,
        snapshot.user_id(),
        snapshot.empty_topic(),
    )?)
}

pub(super) fn muted_topics(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let lists = user_topics::muted(
        snapshot.db,
        &id_list([snapshot.user_id()]),
        snapshot.empty_topic(),
    )?;
    let first = lists.into_iter().next();
    Ok(first.map_or_else(|| "[]".to_owned(), |(_, list)| list))
}

/// The server shows no steps.
pub(super) fn onboarding(_: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    fields.raw("onboarding_steps", "[]");
    fields.put("navigation_tour_video_url", &Value::Null)
}

/// The id of the newest message that the caller received; -1 when there is none.
pub(super) fn newest_message(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let newest = messages::newest_received(snapshot.db, snapshot.user_id())?;
    Ok(newest.map_or(-1, MessageId::get).to_string())
}

pub(super) fn unread_messages(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(unread::object(
        snapshot.db,
        snapshot.user_id(),
        limits::MAX_UNREAD_MESSAGES,
        snapshot.empty_topic(),
    )?)
}

pub(super) fn recent_conversations(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(conversations::recent(
        snapshot.db,
        snapshot.user_id(),
        limits::MAX_RECENT_DIRECT_MESSAGES,
    )?)
}

pub(super) fn user_settings(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(Value::Object(user_settings_object(snapshot)?).to_string())
}

/// Every setting of the caller at the top level; an anonymous visitor has none of their own.
pub(super) fn legacy_settings(
    snapshot: &Snapshot<'_>,
    fields: &mut Fields,
) -> Result<(), ActionError> {
    if snapshot.actor.is_none() {
        return Ok(());
    }
    for (name, value) in user_settings_object(snapshot)? {
        fields.put(&name, &value)?;
    }
    Ok(())
}

/// Every setting of a user (docs/protocol/settings.md#user-settings). A visitor's client is set up
/// as that of a new account would be.
fn user_settings_object(snapshot: &Snapshot<'_>) -> Result<Map<String, Value>, ActionError> {
    let (settings, timezone) = match snapshot.actor {
        Some(actor) => (actor.settings(), actor.timezone.as_str()),
        None => {
            let stored = user_settings::defaults(snapshot.db, snapshot.realm_id())?;
            (Settings::of_user(&stored), "")
        }
    };
    let mut settings: Map<String, Value> = settings
        .all()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    settings.insert("timezone".to_owned(), json!(timezone));
    realm::add_choices(&mut settings);
    Ok(settings)
}
