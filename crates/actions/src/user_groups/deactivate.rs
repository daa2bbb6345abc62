//! Deactivates a group that nothing else relies on
//! (docs/protocol/user-groups.md#deactivate_user_group). Members and subgroups stay, for the day it
//! returns.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spindle_domain::errors::ClientError;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::may_manage_group;
use spindle_domain::{ChannelId, GroupId};
use spindle_events::{Audience, kinds};
use spindle_store::group_settings::{self, Owner};
use spindle_store::{Connection, WriteTx, audit, group_nesting, groups};

use super::access::access_managed_group;
use crate::access::access_channel::access_channel;
use crate::{ActionError, Actor, change};

/// Deactivates a group at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when there is no such group or the caller does not manage it;
/// [`ActionError::BadRequest`] when it is deactivated already;
/// [`ClientError::CannotDeactivateGroupInUse`] when an active group contains it, or it holds a
/// permission other than its own, alone or as a part of the value.
pub fn deactivate_group(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    group_id: GroupId,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        let target = access_managed_group(tx, actor, group_id)?;
        may_manage_group(&target.facts).check()?;
        let id = target.row.id;
        if target.row.deactivated {
            return Err(ActionError::bad_request(
                "This group is deactivated already",
            ));
        }
        if let Some(objections) = objections(tx, actor, id)? {
            return Err(ClientError::CannotDeactivateGroupInUse { objections }.into());
        }
        groups::set_deactivated(tx, id, true)?;
        let (acting, data) = (Some(actor.user_id), json!({"group_id": id}).to_string());
        audit::append(
            tx,
            realm_id,
            now,
            acting,
            None,
            "user_group_deactivated",
            &data,
        )?;
        let event = kinds::user_group_deactivated(id, Audience::realm());
        Ok(change::made((), event))
    })
}

/// Where a group is used, as a JSON list; `None` when it is not. What its own permissions are set
/// to does not count, and neither do archived channels.
fn objections(tx: &WriteTx<'_>, actor: &Actor, id: GroupId) -> Result<Option<Value>, ActionError> {
    let supergroup_ids = group_nesting::active_supergroups(tx, id)?;
    let mut channels: BTreeMap<ChannelId, Vec<String>> = BTreeMap::new();
    let mut groups: BTreeMap<GroupId, Vec<String>> = BTreeMap::new();
    let mut realm = Vec::new();
    for usage in group_settings::uses_of_group(tx, actor.realm_id, id)? {
        match usage.owner {
            Owner::Channel(_) if usage.is_owner_inactive => {}
            Owner::Channel(channel_id) => channels.entry(channel_id).or_default().push(usage.name),
            Owner::UserGroup(group_id) if group_id == id => {}
            Owner::UserGroup(group_id) => groups.entry(group_id).or_default().push(usage.name),
            Owner::Realm(_) => realm.push(usage.name),
        }
    }
    if supergroup_ids.is_empty() && channels.is_empty() && groups.is_empty() && realm.is_empty() {
        return Ok(None);
    }
    let mut objections = Vec::new();
    if !supergroup_ids.is_empty() {
        objections.push(json!({"type": "subgroup", "supergroup_ids": supergroup_ids}));
    }
    for (channel_id, settings) in channels {
        // A channel that the caller may not know of still objects, but is not named.
        let channel = ChannelReference::Id(channel_id);
        match access_channel(tx, actor, &channel, "") {
            Ok(_) => objections
                .push(json!({"type": "channel", "channel_id": channel_id, "settings": settings})),
            Err(ActionError::Client(ClientError::StreamDoesNotExist { .. })) => {}
            Err(other) => return Err(other),
        }
    }
    for (group_id, settings) in groups {
        objections.push(json!({"type": "user_group", "group_id": group_id, "settings": settings}));
    }
    if !realm.is_empty() {
        objections.push(json!({"type": "realm", "settings": realm}));
    }
    Ok(Some(json!(objections)))
}
