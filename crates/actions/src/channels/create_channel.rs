//! Creates a channel with everything that it starts with, its first subscribers included
//! (docs/protocol/channels.md#create_channel).

use spindle_domain::ChannelId;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::narrow::UserReference;
use spindle_store::Connection;

use crate::channels::channel_properties::ChannelProperties;
use crate::channels::creation::{Creation, Prepared};
use crate::channels::hidden_names::check_new_names;
use crate::channels::notices;
use crate::channels::subscriptions::{Change, access_principals, check_size};
use crate::{ActionError, Actor, change, quota};

/// A channel to create on its own (POST /channels/create).
#[derive(Debug, Clone, Default)]
pub struct NewChannelInput {
    /// Trimmed here.
    pub name: String,
    /// Markdown.
    pub description: String,
    /// Everything else.
    pub properties: ChannelProperties,
    /// First subscribers; unlike in POST /users/me/subscriptions, none when it is empty.
    pub subscribers: Vec<UserReference>,
    /// Whether it is announced to the organization.
    pub announce: bool,
}

/// Creates a channel at `now` (UNIX seconds) and returns its id. A user who may
/// create a channel may subscribe any user to it.
///
/// # Errors
/// In this order: [`ActionError::BadRequest`] for a bad name or description;
/// [`ActionError::Denied`] for a subscriber who does not exist, is deactivated or hidden; when
/// the actor may not create such a channel; [`ActionError::BadRequest`] for properties that
/// exclude each other, a folder that takes no channels, permissions that cannot be so; at
/// last when the name is taken, and for more than quotas allow.
pub fn create_channel(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &NewChannelInput,
) -> Result<ChannelId, ActionError> {
    let realm_id = actor.realm_id;
    let prepared = Prepared::new(
        db,
        actor,
        &input.name,
        &input.description,
        &input.properties,
    )?;
    check_new_names(db, actor, now, &[&prepared.folded])?;
    change::if_needed(db, realm_id, now, |tx| {
        let user_ids = if input.subscribers.is_empty() {
            Vec::new()
        } else {
            access_principals(tx, actor, &input.subscribers)?
        };
        check_size(user_ids.len(), 1)?;
        let change = Change::new(tx, realm_id, now)?;
        let creation = Creation::new(tx, actor, now, &change)?;
        creation.check_room(1, &input.properties)?;
        let (channel_id, mut events) = creation.run(&prepared, &input.properties)?;
        creation.check_growth()?;
        events.extend(change.join(&user_ids, &[(channel_id, None)])?.events);
        if !user_ids.is_empty() {
            let is_self = user_ids == [actor.user_id];
            quota::check_people(tx, Quota::Subscriptions, actor, is_self)?;
        }
        if input.announce && !input.properties.invite_only {
            let new = [(channel_id, prepared.name.as_str())];
            events.extend(notices::announce(tx, actor, now, &new)?);
        }
        events.extend(notices::channels_created(tx, actor, now, &[channel_id])?);
        Ok(change::outcome(channel_id, events))
    })
}
