//! The channels that new users join (docs/protocol/channels.md#add_default_channel,
//! docs/protocol/channels.md#remove_default_channel).
//!
//! Guests do not receive the event: they join the channels that they are invited to.

use serde_json::json;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::Reason;
use spindle_domain::{ChannelId, RealmId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{
    Connection, Db, Outcome, audit, channel_changes, default_channels, user_lists,
};

use crate::access::access_channel::access_channel;
use crate::{ActionError, Actor, change};

/// Makes a channel one that new users join, or no longer; at `now` (UNIX seconds).
///
/// # Errors
/// `ClientError::StreamDoesNotExist` whether it does not exist or is hidden;
/// [`ActionError::BadRequest`] for adding a private channel; [`ActionError::Denied`] for adding
/// an archived one.
pub fn set_default_channel(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    channel_id: ChannelId,
    is_default: bool,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let reference = ChannelReference::Id(channel_id);
        let channel = access_channel(tx, actor, &reference, "")?;
        if is_default && channel.is_archived {
            return Err(Reason::ChannelArchived.into());
        }
        if is_default && channel.invite_only {
            return Err(ActionError::bad_request(
                "A private channel cannot be a default channel",
            ));
        }
        if channel_changes::state(tx, channel.id)?.is_default == is_default {
            return Ok(Outcome::Unchanged(()));
        }
        if is_default {
            default_channels::add(tx, channel.id)?;
        } else {
            default_channels::remove(tx, channel.id)?;
        }
        audit::append(
            tx,
            realm_id,
            now,
            Some(actor.user_id),
            None,
            "default_channel_set",
            &json!({"stream_id": channel.id, "is_default": is_default}).to_string(),
        )?;
        let event = default_channels_event(tx, realm_id)?;
        Ok(change::outcome((), [event]))
    })
}

/// The whole current list, for all users but guests.
pub(crate) fn default_channels_event(db: &dyn Db, realm_id: RealmId) -> Result<Event, ActionError> {
    let ids: Vec<ChannelId> = serde_json::from_str(&default_channels::ids(db, realm_id)?)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    let roles = user_lists::active_roles(db, realm_id)?;
    let guests = roles
        .iter()
        .filter(|account| account.role.is_guest())
        .map(|account| account.user_id);
    Ok(kinds::default_streams(&ids, Audience::realm_except(guests)))
}
