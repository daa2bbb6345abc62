//! Unsubscribes users from channels.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_domain::errors::ClientError;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::policy::{RemoveSubscribersFacts, may_remove_subscribers, may_see_channel};
use spindle_domain::{ChannelId, UserId, permission};
use spindle_events::Event;
use spindle_store::channel_facts::{self, ChannelFactsRow};
use spindle_store::{Connection, Db, WriteTx, audit};

use crate::access::access_channel::{facts, without_code};
use crate::access::permissions::holds;
use crate::channels::subscriptions::{Change, access_principals, check_size, owns_all};
use crate::{ActionError, Actor, change, fold_name};

/// The parameters of DELETE /users/me/subscriptions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoveSubscriptionsInput {
    /// Names of channels, compared without regard to case.
    pub subscriptions: Vec<String>,
    /// Who is unsubscribed; empty for the caller.
    pub principals: Vec<UserReference>,
}

/// The answer: names of channels, in the order of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemovedSubscriptions {
    /// Channels that at least one user was unsubscribed from.
    pub removed: Vec<String>,
    /// Channels that at least one user was not subscribed to.
    pub not_removed: Vec<String>,
}

/// Unsubscribes users at `now` (UNIX seconds). See
/// docs/protocol/subscriptions.md#remove_subscriptions.
///
/// # Errors
/// In this order: [`ActionError::Denied`] for a principal who does not exist, is deactivated
/// or hidden; [`ActionError::BadRequest`] for a channel that does not exist or is hidden;
/// [`ActionError::Denied`] when the caller may not unsubscribe another user: that needs the
/// permission of the channel or to administer it, except for bots of their own.
pub fn remove_subscriptions(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &RemoveSubscriptionsInput,
) -> Result<RemovedSubscriptions, ActionError> {
    change::if_needed(db, actor.realm_id, now, |tx| {
        let user_ids = access_principals(tx, actor, &input.principals)?;
        let (removed, events) = remove_in(tx, actor, now, &user_ids, &input.subscriptions)?;
        Ok(change::outcome(removed, events))
    })
}

/// Unsubscribes `user_ids` within the caller's transaction; returns the events with the answer.
///
/// # Errors
/// As [`remove_subscriptions`].
pub(crate) fn remove_in(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    user_ids: &[UserId],
    names: &[String],
) -> Result<(RemovedSubscriptions, Vec<Event>), ActionError> {
    check_size(user_ids.len(), names.len())?;
    let rows = access_channels(tx, actor, names)?;
    if !owns_all(tx, actor, user_ids)? {
        for row in &rows {
            let permission = permission!(CHANNEL, "can_remove_subscribers_group");
            let facts = RemoveSubscribersFacts {
                channel: facts(row, actor.role),
                holds_channel_permission: holds(permission, &row.held, actor.role),
            };
            may_remove_subscribers(actor.role, &facts).check()?;
        }
    }
    let realm_id = actor.realm_id;
    let acting = Some(actor.user_id);
    let left = Change::new(tx, realm_id, now)?.leave(acting, user_ids, &rows)?;
    let mut answer = RemovedSubscriptions::default();
    for row in &rows {
        let gone = left.pairs.iter().filter(|pair| pair.channel_id == row.id);
        let gone = gone.count();
        if gone > 0 {
            answer.removed.push(row.name.clone());
        }
        if gone < user_ids.len() {
            answer.not_removed.push(row.name.clone());
        }
    }
    for own in left
        .pairs
        .chunk_by(|one, other| one.user_id == other.user_id)
    {
        let ids: Vec<ChannelId> = own.iter().map(|pair| pair.channel_id).collect();
        let user_id = own.first().map(|pair| pair.user_id);
        let data = json!({"stream_ids": ids}).to_string();
        audit::append(tx, realm_id, now, acting, user_id, "unsubscribed", &data)?;
    }
    Ok((answer, left.events))
}

/// The channels of these names, in this order and each once.
fn access_channels(
    db: &dyn Db,
    actor: &Actor,
    names: &[String],
) -> Result<Vec<ChannelFactsRow>, ActionError> {
    let folded: Vec<String> = names.iter().map(|name| fold_name(name)).collect();
    let mut found: BTreeMap<String, ChannelFactsRow> = channel_facts::by_names(
        db,
        actor.realm_id,
        actor.member(),
        &json!(folded).to_string(),
    )?
    .into_iter()
    .filter(|row| may_see_channel(actor.role, &facts(row, actor.role)).is_allowed())
    .map(|row| (fold_name(&row.name), row))
    .collect();
    let missing = names
        .iter()
        .zip(&folded)
        .find(|(_, folded)| !found.contains_key(*folded));
    if let Some((name, _)) = missing {
        let reference = ChannelReference::Name(name.trim().to_owned());
        return Err(without_code(
            ClientError::StreamDoesNotExist { channel: reference }.into(),
        ));
    }
    Ok(folded
        .iter()
        .filter_map(|folded| found.remove(folded))
        .collect())
}
