//! Events about the groups of an account that is deactivated or reactivated. Memberships outlive
//! both, so that no row changes here.

use spindle_domain::UserId;
use spindle_events::kinds::ChangedGroup;
use spindle_events::{Audience, Event};
use spindle_store::{Db, groups};

use crate::ActionError;

type MemberEvent = fn(ChangedGroup, &[UserId], Audience) -> Event;

/// One event for every group that the account is a direct member of.
pub(super) fn group_events(
    db: &dyn Db,
    user_id: UserId,
    event: MemberEvent,
    audience: &Audience,
) -> Result<Vec<Event>, ActionError> {
    let groups = groups::direct_groups_of(db, user_id)?;
    Ok(groups
        .into_iter()
        .map(|row| {
            let group = ChangedGroup {
                id: row.group_id,
                deactivated: row.deactivated,
            };
            event(group, &[user_id], audience.clone())
        })
        .collect())
}
