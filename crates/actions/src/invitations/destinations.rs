//! The channels and groups that an invitation names: those to which the inviter may add others.
//!
//! Checked strictly when an invitation is created, and again when it is used: what the inviter may no
//! longer give is then left out.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::MAX_INVITATION_DESTINATIONS;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{Reason, may_add_to_group, may_see_channel};
use spindle_domain::{ChannelId, GroupId};
use spindle_store::{Db, channel_facts, default_channels, id_list};

use crate::access::access_channel::facts;
use crate::channels::may_add;
use crate::user_groups::access::access_managed_group;
use crate::{ActionError, Actor};

/// Ids, ascending and once each, with the reason why the actor may not add others, if there is one.
type Judged<Id> = Vec<(Id, Result<(), ActionError>)>;

/// The ids, ascending and once each, if the actor may add others to all of them.
///
/// # Errors
/// [`ActionError::BadRequest`] for too many; else the first refusal.
pub(super) fn all<Id>(judged: Judged<Id>) -> Result<Vec<Id>, ActionError> {
    if judged.len() > MAX_INVITATION_DESTINATIONS {
        return Err(ActionError::BadRequest(format!(
            "An invitation names at most {MAX_INVITATION_DESTINATIONS} channels or groups"
        )));
    }
    judged
        .into_iter()
        .map(|(id, verdict)| verdict.map(|()| id))
        .collect()
}

/// Those ids to which the actor may add others.
pub(super) fn allowed<Id>(judged: Judged<Id>) -> Vec<Id> {
    let allowed = judged.into_iter().filter(|(_, verdict)| verdict.is_ok());
    allowed.map(|(id, _)| id).collect()
}

/// Channels: the default ones, and any that the actor may subscribe others to.
pub(super) fn channels(
    db: &dyn Db,
    actor: &Actor,
    ids: &BTreeSet<ChannelId>,
) -> Result<Judged<ChannelId>, ActionError> {
    let realm_id = actor.realm_id;
    let listed = id_list(ids.iter().copied());
    let rows = channel_facts::by_ids(db, realm_id, actor.member(), &listed)?;
    let rows: BTreeMap<ChannelId, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    let defaults: BTreeSet<ChannelId> = parse_ids(&default_channels::ids(db, realm_id)?)?;
    let judge = |id: ChannelId| -> Result<(), ActionError> {
        let row = rows
            .get(&id)
            .filter(|row| may_see_channel(actor.role, &facts(row, actor.role)).is_allowed())
            .ok_or(ClientError::StreamDoesNotExist {
                channel: ChannelReference::Id(id),
            })?;
        if row.is_archived {
            return Err(Reason::ChannelArchived.into());
        }
        if !defaults.contains(&id) {
            may_add(actor, row, false).check()?;
        }
        Ok(())
    };
    Ok(ids.iter().map(|id| (*id, judge(*id))).collect())
}

/// Groups that the actor may add others to.
pub(super) fn groups(
    db: &dyn Db,
    actor: &Actor,
    ids: &BTreeSet<GroupId>,
) -> Result<Judged<GroupId>, ActionError> {
    let judge = |id: GroupId| -> Result<(), ActionError> {
        let target = access_managed_group(db, actor, id)?;
        may_add_to_group(&target.facts, false).check()?;
        if target.row.deactivated {
            return Err(ActionError::bad_request("This group is deactivated"));
        }
        Ok(())
    };
    Ok(ids.iter().map(|id| (*id, judge(*id))).collect())
}

/// A JSON list of ids as stored.
pub(super) fn parse_ids<Id: DeserializeOwned + Ord>(
    list: &str,
) -> Result<BTreeSet<Id>, ActionError> {
    serde_json::from_str(list).map_err(|error| ActionError::Internal(error.to_string()))
}
