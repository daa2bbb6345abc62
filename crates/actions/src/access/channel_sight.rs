//! Users who begin or cease to see private channels when a group changes.
//!
//! Permissions of a channel may let a group see it, so a new member of a group may begin to see
//! channels. Read before and after the change, in its transaction.

use spindle_domain::{ChannelId, GroupId, RealmId, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Db, channel_viewers};

use crate::ActionError;
use crate::access::channel_appears::channel_appears;
use crate::access::channel_audience::Viewers;

/// The private channels that depend on a group, with the users who saw them.
pub(crate) struct ChannelSight {
    before: Vec<(ChannelId, Viewers)>,
}

impl ChannelSight {
    /// Reads the channels before `group_id` is changed; most groups have none.
    pub(crate) fn before(
        db: &dyn Db,
        realm_id: RealmId,
        group_id: GroupId,
    ) -> Result<Self, ActionError> {
        let before = channel_viewers::private_channels_of_group(db, realm_id, group_id)?
            .into_iter()
            .map(|channel_id| Ok((channel_id, Viewers::read(db, realm_id, channel_id)?)))
            .collect::<Result<_, ActionError>>()?;
        Ok(Self { before })
    }

    /// Reads them again; returns the events for users to whom a channel appears or vanishes.
    pub(crate) fn after(self, db: &dyn Db, realm_id: RealmId) -> Result<Vec<Event>, ActionError> {
        let mut events = Vec::new();
        for (channel_id, before) in self.before {
            let after = Viewers::read(db, realm_id, channel_id)?;
            let new: Vec<UserId> = after.seeing.difference(&before.seeing).copied().collect();
            if !new.is_empty() {
                events.extend(channel_appears(db, realm_id, channel_id, new)?);
            }
            let gone: Vec<UserId> = before.seeing.difference(&after.seeing).copied().collect();
            if !gone.is_empty() {
                events.push(kinds::stream_delete(&[channel_id], Audience::users(gone)));
            }
        }
        Ok(events)
    }
}
