//! Sections that belong to the caller alone; empty for an anonymous visitor, whose settings are
//! those of a new account.

use spindle_domain::{MessageId, limits};
use spindle_store::{conversations, id_list, messages, unread, user_topics};

use super::fields::Fields;
use super::{Settings, Snapshot, constants};
use crate::ActionError;
use crate::messages::narrow::unreadable_channels;

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
    Ok(first.map_or_else(|| "[]".to_owned(), |muted| muted.topics))
}

/// The server shows no steps.
pub(super) fn onboarding(_: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    fields.raw("onboarding_steps", "[]");
    fields.raw("navigation_tour_video_url", "null");
    Ok(())
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
        limits::MAX_UNREAD_BYTES,
        snapshot.empty_topic(),
    )?)
}

/// The newest ones that the caller may still read.
pub(super) fn starred(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let Some(actor) = snapshot.actor else {
        return Ok("[]".to_owned());
    };
    if !snapshot.own_lists()?.has_starred {
        return Ok("[]".to_owned());
    }
    let unreadable = unreadable_channels(snapshot.db, actor)?;
    Ok(messages::starred(
        snapshot.db,
        actor.user_id,
        &id_list(unreadable),
        limits::MAX_STARRED_MESSAGES,
    )?)
}

pub(super) fn recent_conversations(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok(conversations::recent(
        snapshot.db,
        snapshot.user_id(),
        limits::MAX_RECENT_DIRECT_MESSAGES,
        limits::MAX_RECENT_RECIPIENTS,
    )?)
}

pub(super) fn user_settings(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let mut settings = Fields::default();
    put_settings(snapshot, &mut settings)?;
    settings.into_object()
}

/// Every setting of the caller at the top level; an anonymous visitor has none of their own.
pub(super) fn legacy_settings(
    snapshot: &Snapshot<'_>,
    fields: &mut Fields,
) -> Result<(), ActionError> {
    match snapshot.actor {
        Some(_) => put_settings(snapshot, fields),
        None => Ok(()),
    }
}

/// Every setting of a user (docs/protocol/settings.md#user-settings). A visitor's client is set up
/// like a new account's.
fn put_settings(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let (settings, timezone) = match snapshot.actor {
        Some(actor) => (actor.settings(), actor.timezone.as_str()),
        None => {
            let stored = &snapshot.realm_lists()?.user_settings_defaults;
            (Settings::of_user(stored), "")
        }
    };
    for (name, value) in settings.shown() {
        // The account's value counts.
        if name != "timezone" {
            fields.put(name, &value)?;
        }
    }
    fields.put("timezone", timezone)?;
    fields.members(&constants::CHOICES);
    Ok(())
}
