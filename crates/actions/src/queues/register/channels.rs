//! Sections about channels: those the caller is in, was in, and could find.

use serde_json::json;
use spindle_store::channel_folders;
use spindle_store::channels::{self, Visible};
use spindle_store::default_channels;
use spindle_store::subscription_records::{self, Wanted};

use super::Snapshot;
use super::fields::Fields;
use crate::access::visible_channels::visible;
use crate::notifications::notification_defaults;
use crate::{ActionError, Actor};

/// Puts subscriptions, visible channels and the channels that new accounts are put into.
pub(super) fn put(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let wanted = &snapshot.wanted;
    if wanted.has("subscription") {
        put_subscriptions(snapshot, fields)?;
    }
    if wanted.has("stream") && snapshot.actor.is_some() {
        let visible = visible_to_viewer(snapshot);
        fields.raw("streams", &channels::objects(snapshot.db, &visible)?);
    }
    let is_insider = snapshot.actor.is_some_and(|actor| !actor.role.is_guest());
    if wanted.has("default_streams") {
        let list = if is_insider {
            default_channels::ids(snapshot.db, snapshot.realm_id())?
        } else {
            "[]".to_owned()
        };
        fields.raw("realm_default_streams", &list);
    }
    if wanted.has("default_stream_groups") {
        fields.raw("realm_default_stream_groups", "[]");
    }
    if wanted.has("channel_folders") {
        let outside = snapshot.actor.is_none();
        let list = channel_folders::records(snapshot.db, snapshot.realm_id(), true, outside)?;
        fields.raw("channel_folders", &list);
    }
    Ok(())
}

/// Which channels the viewer may know of.
fn visible_to_viewer(snapshot: &Snapshot<'_>) -> Visible {
    let archived = snapshot.input.client_capabilities.archived_channels;
    visible(snapshot.realm_id(), snapshot.actor, snapshot.now, archived)
}

fn put_subscriptions(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let subscribers = snapshot.input.include_subscribers.lists();
    let visible = visible_to_viewer(snapshot);
    let (mut current, mut former) = ("[]".to_owned(), "[]".to_owned());
    if let Some(actor) = snapshot.actor {
        let defaults = defaults(snapshot, actor);
        let records = |active| {
            let wanted = Wanted {
                visible,
                active,
                subscribers,
                defaults: &defaults,
            };
            subscription_records::records(snapshot.db, &wanted)
        };
        current = records(true)?;
        former = records(false)?;
    }
    fields.raw("subscriptions", &current);
    fields.raw("unsubscribed", &former);
    let never = subscription_records::never_subscribed(snapshot.db, &visible, subscribers)?;
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
    json!(notification_defaults(&actor.settings())).to_string()
}
