//! Archives a channel (docs/protocol/channels.md#archive_channel).
//!
//! Its messages stay readable and its subscribers stay subscribed, so that it can be restored
//! unchanged; it is no longer a default channel, and nothing is announced in it.

use serde_json::json;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{Reason, may_administer_channel};
use spindle_domain::{ChannelId, RealmId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{
    Connection, Freeing, WriteTx, audit, channel_changes, channels, default_channels, realms,
};

use crate::access::access_channel::{access_channel, facts};
use crate::access::channel_audience::who_sees_channel;
use crate::channels::default_channels::default_channels_event;
use crate::channels::notices::channel_changed;
use crate::{ActionError, Actor, Settings, change};

/// Settings of the organization that name a channel; -1 means none.
const ANNOUNCEMENT_SETTINGS: [&str; 4] = [
    "moderation_request_channel_id",
    "new_stream_announcements_stream_id",
    "signup_announcements_stream_id",
    "zulip_update_announcements_stream_id",
];

/// Archives a channel at `now` (UNIX seconds).
///
/// # Errors
/// `ClientError::StreamDoesNotExist` whether it does not exist or is hidden;
/// [`ActionError::Denied`] when the actor may not administer it, and when it is archived.
pub fn archive_channel(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    channel_id: ChannelId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        let reference = ChannelReference::Id(channel_id);
        let row = access_channel(tx, actor, &reference, "")?;
        may_administer_channel(actor.role, &facts(&row, actor.role)).check()?;
        if row.is_archived {
            return Err(Reason::ChannelArchived.into());
        }
        let mut events = Vec::new();
        let before = channel_changes::state(tx, row.id)?;
        if before.is_default {
            default_channels::remove(tx, row.id)?;
            events.push(default_channels_event(tx, realm_id)?);
        }
        channels::set_archived(tx, row.id, true)?;
        events.extend(end_announcements(tx, realm_id, row.id)?);
        // Said before the channel vanishes for clients that do not know archived ones.
        events.extend(channel_changed(tx, actor, now, row.id, &before)?);
        let audience = who_sees_channel(tx, realm_id, row.id)?;
        let archived = kinds::stream_archived(row.id, &row.name, audience);
        audit::append(
            tx,
            realm_id,
            now,
            Some(actor.user_id),
            None,
            "channel_archived",
            &json!({"stream_id": row.id}).to_string(),
        )?;
        Ok(change::made_after((), events, archived))
    })
}

/// Switches off the announcements of the organization that went to this channel.
fn end_announcements(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    channel_id: ChannelId,
) -> Result<Vec<Event>, ActionError> {
    let Some(realm) = realms::by_id(tx, realm_id)? else {
        return Ok(Vec::new());
    };
    let settings = Settings::of_realm(&realm.settings);
    let mut events = Vec::new();
    for name in ANNOUNCEMENT_SETTINGS {
        if settings.named(name) == channel_id.get() {
            realms::set_setting(tx, realm_id, name, "-1")?;
            events.push(kinds::realm_update(name, json!(-1), Audience::realm()));
        }
    }
    Ok(events)
}
