//! Sections about channels: those the caller is in, was in, and could find.

use serde_json::json;
use spindle_store::channels::{self, Visible};
use spindle_store::subscriptions::{self, Wanted};

use super::fields::Fields;
use super::{IncludeSubscribers, Snapshot};
use crate::{ActionError, Actor};

/// Notification settings of a channel, with the user's setting that null stands for
/// (spec: Subscription record).
const INHERITED: [(&str, &str); 5] = [
    (
        "desktop_notifications",
        "enable_stream_desktop_notifications",
    ),
    ("email_notifications", "enable_stream_email_notifications"),
    ("push_notifications", "enable_stream_push_notifications"),
    (
        "audible_notifications",
        "enable_stream_audible_notifications",
    ),
    ("wildcard_mentions_notify", "wildcard_mentions_notify"),
];

/// Puts subscriptions, visible channels and the channels that new accounts are put into.
pub(super) fn put(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let wanted = &snapshot.wanted;
    if wanted.has("subscription") {
        put_subscriptions(snapshot, fields)?;
    }
    if wanted.has("stream")
        && let Some(actor) = snapshot.actor
    {
        let visible = visible(snapshot, Some(actor));
        fields.raw("streams", &channels::objects(snapshot.db, &visible)?);
    }
    let is_insider = snapshot.actor.is_some_and(|actor| !actor.role.is_guest());
    if wanted.has("default_streams") {
        let list = if is_insider {
            channels::defaults(snapshot.db, snapshot.realm_id())?
        } else {
            "[]".to_owned()
        };
        fields.raw("realm_default_streams", &list);
    }
    if wanted.has("default_stream_groups") {
        fields.raw("realm_default_stream_groups", "[]");
    }
    Ok(())
}

fn visible(snapshot: &Snapshot<'_>, actor: Option<&Actor>) -> Visible {
    Visible {
        realm_id: snapshot.realm_id(),
        user_id: snapshot.user_id(),
        now: snapshot.now,
        public: actor.is_some_and(|actor| !actor.role.is_guest()),
        web_public: true,
        private: actor.is_some_and(|actor| actor.role.is_admin()),
        archived: snapshot.input.client_capabilities.archived_channels,
        subscribed: actor.is_some(),
    }
}

fn put_subscriptions(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let with_subscribers = snapshot.input.include_subscribers != IncludeSubscribers::No;
    let visible = visible(snapshot, snapshot.actor);
    let (mut current, mut former) = ("[]".to_owned(), "[]".to_owned());
    if let Some(actor) = snapshot.actor {
        let defaults = defaults(snapshot, actor);
        let records = |active| {
            subscriptions::records(
                snapshot.db,
                &Wanted {
                    user_id: actor.user_id.get(),
                    now: snapshot.now,
                    active,
                    archived: visible.archived,
                    subscribers: with_subscribers,
                    only: None,
                    defaults: &defaults,
                    sees_private: actor.role.is_admin(),
                    sees_public: !actor.role.is_guest(),
                },
            )
        };
        current = records(true)?;
        former = records(false)?;
    }
    fields.raw("subscriptions", &current);
    fields.raw("unsubscribed", &former);
    let never = channels::never_subscribed(snapshot.db, &visible, with_subscribers)?;
    fields.raw("never_subscribed", &never);
    Ok(())
}

/// What replaces null for a client that does not know it: the user's own defaults.
fn defaults(snapshot: &Snapshot<'_>, actor: &Actor) -> String {
    if snapshot
        .input
        .client_capabilities
        .notification_settings_null
    {
        return "{}".to_owned();
    }
    let settings = actor.settings();
    let object: serde_json::Map<_, _> = INHERITED
        .iter()
        .map(|(name, default)| ((*name).to_owned(), json!(settings.is_on(default))))
        .collect();
    serde_json::Value::Object(object).to_string()
}
