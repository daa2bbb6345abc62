//! Sections that belong to the caller alone; empty for an anonymous visitor, whose settings are
//! those of a new account.

use serde_json::{Map, Value, json};
use spindle_domain::limits;
use spindle_store::{
    Db, DbError, alert_words, conversations, drafts, id_list, messages, muted_users,
    navigation_views, push_devices, reminders, saved_snippets, scheduled_messages, unread,
    user_settings, user_topics,
};

use super::fields::Fields;
use super::{Settings, Snapshot, realm};
use crate::ActionError;

/// Sections of things that no operation can create yet, with their empty form.
const EMPTY: [(&str, &str, &str); 1] = [("video_calls", "has_zoom_token", "false")];

/// Puts everything personal.
pub(super) fn put(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let wanted = &snapshot.wanted;
    for (section, field, empty) in EMPTY {
        if wanted.has(section) {
            fields.raw(field, empty);
        }
    }
    put_own_things(snapshot, fields)?;
    put_topics(snapshot, fields)?;
    if wanted.has("onboarding_steps") {
        fields.raw("onboarding_steps", "[]");
        fields.put("navigation_tour_video_url", &Value::Null)?;
    }
    put_messages(snapshot, fields)?;
    put_settings(snapshot, fields)
}

/// Names that the settings of a user had before `user_settings`.
const LEGACY_SETTINGS: [&str; 2] = ["update_display_settings", "update_global_notifications"];

/// Every setting of the caller. Clients that name one of the former fetch types look for them at
/// the top level, and do not start without. Events of these types are not sent any more (spec:
/// Versioning, 439).
fn put_settings(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let wanted = &snapshot.wanted;
    let is_legacy =
        snapshot.actor.is_some() && LEGACY_SETTINGS.iter().any(|name| wanted.names(name));
    if !is_legacy && !wanted.has("user_settings") {
        return Ok(());
    }
    let settings = user_settings_object(snapshot)?;
    if wanted.has("user_settings") {
        fields.put("user_settings", &settings)?;
    }
    if is_legacy {
        for (name, value) in settings {
            fields.put(&name, &value)?;
        }
    }
    Ok(())
}

/// What a user keeps, by fetch type: the field and the statement.
type OwnThing = (
    &'static str,
    &'static str,
    fn(&dyn Db, i64) -> Result<String, DbError>,
);

const OWN_THINGS: [OwnThing; 9] = [
    ("drafts", "drafts", drafts::records),
    ("reminders", "reminders", reminders::records),
    (
        "scheduled_messages",
        "scheduled_messages",
        scheduled_messages::records,
    ),
    ("alert_words", "alert_words", alert_words::records),
    ("muted_users", "muted_users", muted_users::records),
    (
        "navigation_views",
        "navigation_views",
        navigation_views::records,
    ),
    ("saved_snippets", "saved_snippets", saved_snippets::records),
    ("device", "devices", push_devices::devices),
    ("push_device", "push_devices", push_devices::accounts),
];

/// An anonymous visitor's id belongs to no row, so that these are empty.
fn put_own_things(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    for (section, field, read) in OWN_THINGS {
        if snapshot.wanted.has(section) {
            fields.raw(field, &read(snapshot.db, snapshot.user_id())?);
        }
    }
    Ok(())
}

fn put_topics(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let (wanted, db, user_id) = (&snapshot.wanted, snapshot.db, snapshot.user_id());
    let empty_topic = snapshot.empty_topic();
    if wanted.has("user_topic") {
        let list = user_topics::records(db, user_id, empty_topic)?;
        fields.raw("user_topics", &list);
    }
    // Older clients know muted topics only; who names the newer section gets that one.
    if wanted.has("muted_topics") && !wanted.names("user_topic") {
        let lists = user_topics::muted(db, &id_list([user_id]), empty_topic)?;
        let list = lists.first().map_or("[]", |(_, list)| list.as_str());
        fields.raw("muted_topics", list);
    }
    Ok(())
}

fn put_messages(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let (wanted, db, user_id) = (&snapshot.wanted, snapshot.db, snapshot.user_id());
    if wanted.has("message") {
        let newest = messages::newest_received(db, user_id)?;
        fields.put("max_message_id", &newest.unwrap_or(-1))?;
    }
    if wanted.has("message") && wanted.has("update_message_flags") {
        let limit = limits::MAX_UNREAD_MESSAGES;
        let object = unread::object(db, user_id, limit, snapshot.empty_topic())?;
        fields.raw("unread_msgs", &object);
    }
    if wanted.has("starred_messages") {
        fields.raw("starred_messages", &messages::starred(db, user_id)?);
    }
    if wanted.has("recent_private_conversations") {
        let list = conversations::recent(db, user_id, limits::MAX_RECENT_DIRECT_MESSAGES)?;
        fields.raw("recent_private_conversations", &list);
    }
    Ok(())
}

/// Every setting of a user (protocol-facts 4.6). A visitor's client is set up as that of a new
/// account would be.
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
