//! Sections about channels: those the caller is in, was in, and could find.

use serde_json::json;
use spindle_domain::Role;
use spindle_domain::policy::{ChannelFacts, may_see_channel, may_see_subscribers};
use spindle_store::channel_folders;
use spindle_store::channels::{self, Visible};
use spindle_store::subscriptions::{self, Wanted};

use super::fields::Fields;
use super::{IncludeSubscribers, Snapshot};
use crate::notifications::notification_defaults;
use crate::{ActionError, Actor};

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
    if wanted.has("channel_folders") {
        let outside = snapshot.actor.is_none();
        let list = channel_folders::records(snapshot.db, snapshot.realm_id(), true, outside)?;
        fields.raw("channel_folders", &list);
    }
    Ok(())
}

/// A channel that the viewer is not in.
const fn outsider(invite_only: bool, is_web_public: bool) -> ChannelFacts {
    ChannelFacts {
        invite_only,
        history_public_to_subscribers: true,
        is_web_public,
        is_archived: false,
        is_subscribed: false,
        grants_content_access: false,
        administers: false,
    }
}

/// Which channels the viewer may know of; an anonymous visitor is like a guest who is in none.
fn visible(snapshot: &Snapshot<'_>, actor: Option<&Actor>) -> Visible {
    let role = actor.map_or(Role::Guest, |actor| actor.role);
    let sees = |facts: ChannelFacts| may_see_channel(role, &facts).is_allowed();
    Visible {
        realm_id: snapshot.realm_id(),
        user_id: snapshot.user_id(),
        now: snapshot.now,
        public: sees(outsider(false, false)),
        web_public: sees(outsider(false, true)),
        private: sees(outsider(true, false)),
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
        let sees = |invite_only| {
            may_see_subscribers(actor.role, &outsider(invite_only, false)).is_allowed()
        };
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
                    sees_private: sees(true),
                    sees_public: sees(false),
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
    json!(notification_defaults(&actor.settings())).to_string()
}
