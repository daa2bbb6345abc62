//! The table of sections: which names in `fetch_event_types` ask for what, and what reads it.
//!
//! A new section is a row here, a function next to it, and its shape in the OpenAPI document. All rows are read in one
//! transaction, in the order of the table; none may depend on another.

use spindle_domain::UserId;
use spindle_store::register_lists::{OwnLists, RealmLists};
use spindle_store::{Db, DbError, drafts, reminders, saved_snippets, scheduled_messages};

use super::fields::Fields;
use super::{Snapshot, channels, people, personal, profile_fields, realm};
use crate::ActionError;

/// When a section is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// The client wants this type: it names it, or names none at all.
    Wanted(&'static str),
    /// The client wants both.
    BothWanted(&'static str, &'static str),
    /// The client wants the first, and does not name the second, which replaces it.
    WantedWithout(&'static str, &'static str),
    /// The client names one of these itself.
    Named(&'static [&'static str]),
}

/// What writes a section.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// One field: its name, and what reads its value, as JSON.
    Field(
        &'static str,
        fn(&Snapshot<'_>) -> Result<String, ActionError>,
    ),
    /// One field: its name, and its value, as JSON, among the short lists of the organization.
    OfRealm(&'static str, fn(&RealmLists) -> &str),
    /// Likewise, among those of the caller. The id of an anonymous visitor belongs to no row, so these are empty.
    Own(&'static str, fn(&OwnLists) -> &str),
    /// One list of the caller that may be long: its name, whether it is not empty, and the statement that reads it.
    LongOwn(
        &'static str,
        fn(&OwnLists) -> bool,
        fn(&dyn Db, UserId) -> Result<String, DbError>,
    ),
    /// Several fields.
    Fields(fn(&Snapshot<'_>, &mut Fields) -> Result<(), ActionError>),
}

use Content::{Field, Fields as Several, LongOwn, OfRealm, Own};
use When::{BothWanted, Named, Wanted, WantedWithout};

/// Every section.
pub(super) const SECTIONS: &[(When, Content)] = &[
    // The organization and the server.
    (Wanted("realm"), Several(realm::organization)),
    (
        Wanted("realm_linkifiers"),
        Field("realm_linkifiers", realm::linkifiers),
    ),
    (
        Wanted("realm_user_settings_defaults"),
        Field("realm_user_settings_defaults", realm::default_user_settings),
    ),
    (
        Wanted("realm_domains"),
        OfRealm("realm_domains", |lists| &lists.domains),
    ),
    (
        Wanted("realm_playgrounds"),
        OfRealm("realm_playgrounds", |lists| &lists.playgrounds),
    ),
    // Linkifiers in their former form; always empty.
    (Wanted("realm_filters"), Field("realm_filters", empty_list)),
    (
        Wanted("realm_embedded_bots"),
        Field("realm_embedded_bots", realm::embedded_bots),
    ),
    (
        Wanted("realm_incoming_webhook_bots"),
        Field("realm_incoming_webhook_bots", realm::integrations),
    ),
    (
        Wanted("apps"),
        Field("realm_app_commands", realm::app_commands),
    ),
    (Wanted("realm_emoji"), Field("realm_emoji", realm::emoji)),
    (
        Wanted("realm_billing"),
        Field("realm_billing", realm::billing),
    ),
    // Search looks for every word.
    (Wanted("stop_words"), Field("stop_words", empty_list)),
    // Without a key clients hide their pickers.
    (Wanted("giphy"), Field("giphy_api_key", empty_text)),
    (Wanted("tenor"), Field("tenor_api_key", empty_text)),
    (Wanted("klipy"), Field("klipy_api_key", empty_text)),
    // People and groups.
    (Wanted("realm_user"), Several(people::users)),
    (Wanted("realm_bot"), Field("realm_bots", people::bots)),
    (
        Wanted("realm_user_groups"),
        Field("realm_user_groups", people::groups),
    ),
    (
        Wanted("user_status"),
        Field("user_status", people::user_statuses),
    ),
    (Wanted("presence"), Several(people::presence)),
    (
        Wanted("custom_profile_fields"),
        Several(profile_fields::put),
    ),
    // Channels.
    (Wanted("subscription"), Several(channels::subscriptions)),
    (Wanted("stream"), Several(channels::visible_channels)),
    (
        Wanted("default_streams"),
        Field("realm_default_streams", channels::default_channels),
    ),
    (
        Wanted("default_stream_groups"),
        Field("realm_default_stream_groups", empty_list),
    ),
    (
        Wanted("channel_folders"),
        Field("channel_folders", channels::folders),
    ),
    // Data of the caller alone.
    (Wanted("video_calls"), Several(video_calls)),
    (
        Wanted("drafts"),
        LongOwn("drafts", |own| own.has_drafts, drafts::records),
    ),
    (
        Wanted("reminders"),
        LongOwn("reminders", |own| own.has_reminders, reminders::records),
    ),
    (
        Wanted("scheduled_messages"),
        LongOwn(
            "scheduled_messages",
            |own| own.has_scheduled,
            scheduled_messages::records,
        ),
    ),
    (
        Wanted("alert_words"),
        Own("alert_words", |own| &own.alert_words),
    ),
    (
        Wanted("muted_users"),
        Own("muted_users", |own| &own.muted_users),
    ),
    (
        Wanted("navigation_views"),
        Own("navigation_views", |own| &own.navigation_views),
    ),
    (
        Wanted("saved_snippets"),
        LongOwn(
            "saved_snippets",
            |own| own.has_snippets,
            saved_snippets::records,
        ),
    ),
    (Wanted("device"), Own("devices", |own| &own.devices)),
    (
        Wanted("push_device"),
        Own("push_devices", |own| &own.push_devices),
    ),
    (
        Wanted("user_topic"),
        Field("user_topics", personal::user_topics),
    ),
    // Older clients know muted topics only.
    (
        WantedWithout("muted_topics", "user_topic"),
        Field("muted_topics", personal::muted_topics),
    ),
    (Wanted("onboarding_steps"), Several(personal::onboarding)),
    (
        Wanted("message"),
        Field("max_message_id", personal::newest_message),
    ),
    (
        BothWanted("message", "update_message_flags"),
        Field("unread_msgs", personal::unread_messages),
    ),
    (
        Wanted("starred_messages"),
        Field("starred_messages", personal::starred),
    ),
    (
        Wanted("recent_private_conversations"),
        Field(
            "recent_private_conversations",
            personal::recent_conversations,
        ),
    ),
    (
        Wanted("user_settings"),
        Field("user_settings", personal::user_settings),
    ),
    // The names that settings of a user had before `user_settings`. Clients that name one of them look for the settings
    // at the top level, and do not start without. Events of these types are no longer sent.
    (
        Named(&["update_display_settings", "update_global_notifications"]),
        Several(personal::legacy_settings),
    ),
];

/// Writes the sections that the client asked for.
///
/// # Errors
/// What a section's function says: [`ActionError::Store`].
pub(super) fn put(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let wanted = &snapshot.wanted;
    for (when, content) in SECTIONS {
        let is_asked_for = match *when {
            Wanted(name) => wanted.has(name),
            BothWanted(one, other) => wanted.has(one) && wanted.has(other),
            WantedWithout(name, newer) => wanted.has(name) && !wanted.names(newer),
            Named(names) => names.iter().any(|name| wanted.names(name)),
        };
        if !is_asked_for {
            continue;
        }
        match content {
            Field(name, read) => fields.raw(name, &read(snapshot)?),
            OfRealm(name, list) => fields.raw(name, list(snapshot.realm_lists()?)),
            Own(name, list) => fields.raw(name, list(snapshot.own_lists()?)),
            LongOwn(name, has_any, read) => match has_any(snapshot.own_lists()?) {
                true => fields.raw(name, &read(snapshot.db, snapshot.user_id())?),
                false => fields.raw(name, "[]"),
            },
            Several(put) => put(snapshot, fields)?,
        }
    }
    Ok(())
}

fn empty_list(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok("[]".to_owned())
}

fn empty_text(_: &Snapshot<'_>) -> Result<String, ActionError> {
    Ok("\"\"".to_owned())
}

/// No account is connected to a video service.
fn video_calls(_: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    fields.put("has_zoom_token", &false)?;
    fields.put("has_webex_token", &false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_condition_and_a_field_stand_once() {
        let mut names = BTreeSet::new();
        for (when, content) in SECTIONS {
            let others = SECTIONS.iter().filter(|(other, _)| other == when);
            assert_eq!(others.count(), 1, "{when:?}");
            if let Field(name, _) | OfRealm(name, _) | Own(name, _) | LongOwn(name, _, _) = content
            {
                assert!(names.insert(*name), "{name}");
            }
        }
    }
}
