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

/// An anonymous visitor finds channels among those never subscribed to.
pub(super) fn visible_channels(
    snapshot: &Snapshot<'_>,
    fields: &mut Fields,
) -> Result<(), ActionError> {
    if snapshot.actor.is_some() {
        let visible = visible_to_viewer(snapshot);
        fields.raw("streams", &channels::objects(snapshot.db, &visible)?);
    }
    Ok(())
}

/// The channels that new accounts are put into; guests are put into none.
pub(super) fn default_channels(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let is_insider = snapshot.actor.is_some_and(|actor| !actor.role.is_guest());
    if is_insider {
        Ok(default_channels::ids(snapshot.db, snapshot.realm_id())?)
    } else {
        Ok("[]".to_owned())
    }
}

pub(super) fn folders(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let outside = snapshot.actor.is_none();
    Ok(channel_folders::records(
        snapshot.db,
        snapshot.realm_id(),
        true,
        outside,
    )?)
}

/// Which channels the viewer may know of.
fn visible_to_viewer(snapshot: &Snapshot<'_>) -> Visible {
    let archived = snapshot.input.client_capabilities.archived_channels;
    visible(snapshot.realm_id(), snapshot.actor, snapshot.now, archived)
}

/// The caller's subscriptions, present and former, and the channels they could subscribe to.
pub(super) fn subscriptions(
    snapshot: &Snapshot<'_>,
    fields: &mut Fields,
) -> Result<(), ActionError> {
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
