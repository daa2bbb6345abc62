//! Users who begin or cease to see private channels when a group changes.
//!
//! Permissions of a channel may let a group see it, so a new member of a group may begin to see
//! channels. Read before and after the change, in its transaction.

use std::collections::{BTreeMap, BTreeSet};

use spindle_domain::{ChannelId, GroupId, RealmId, Role, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::user_lists::RoleRow;
use spindle_store::visible_channels::{self, VisibleChannel};
use spindle_store::{Db, WriteTx, channel_viewers, id_list, user_lists};

use crate::ActionError;
use crate::access::appearing::{BEYOND_MOST, MOST_EVENTS, Room, end_queues};
use crate::access::visible_channels::visible_to;

/// Most pairs of a person and a channel that are compared, before and after the change.
const MOST_PAIRS: usize = 20_000;

/// The private channels that depend on a group, and who of the people in question saw them.
pub(crate) struct ChannelSight {
    realm_id: RealmId,
    now: i64,
    /// JSON list of ids.
    channels: String,
    people: Vec<RoleRow>,
    /// The channels that each of them saw; `None` when there are too many to compare.
    before: Option<Vec<Sight>>,
}

/// The channels that one person sees, and whether each is archived.
type Sight = BTreeSet<(bool, ChannelId)>;

impl ChannelSight {
    /// Reads the channels before `group_id` is changed at `now` (UNIX seconds); most groups have none. `members` are the
    /// users who may come into the group or leave it, and `subgroups` the groups whose members may.
    pub(crate) fn before(
        db: &dyn Db,
        realm_id: RealmId,
        now: i64,
        group_id: GroupId,
        members: impl IntoIterator<Item = UserId>,
        subgroups: impl IntoIterator<Item = GroupId>,
    ) -> Result<Self, ActionError> {
        let ids = channel_viewers::private_channels_of_group(db, realm_id, group_id, BEYOND_MOST)?;
        let mut sight = Self {
            realm_id,
            now,
            channels: id_list(ids.iter().copied()),
            people: Vec::new(),
            before: None,
        };
        if !ids.is_empty() {
            let (members, subgroups) = (id_list(members), id_list(subgroups));
            sight.people = user_lists::roles_of(db, realm_id, &members, &subgroups)?;
        }
        let pairs = ids.len().saturating_mul(sight.people.len());
        if ids.len() <= MOST_EVENTS && pairs <= MOST_PAIRS {
            sight.before = Some(sight.read(db)?);
        }
        Ok(sight)
    }

    fn read(&self, db: &dyn Db) -> Result<Vec<Sight>, ActionError> {
        self.people
            .iter()
            .map(|person| self.of_person(db, person.user_id, person.role))
            .collect()
    }

    fn of_person(&self, db: &dyn Db, user_id: UserId, role: Role) -> Result<Sight, ActionError> {
        let visible = visible_to(self.realm_id, role, Some(user_id), self.now, true);
        let rows = visible_channels::among(db, &visible, &self.channels)?;
        let key = |row: VisibleChannel| (row.is_archived, row.channel_id);
        Ok(rows.into_iter().map(key).collect())
    }

    /// Reads them again; returns the events for users to whom a channel appears or vanishes. Where that is too much, the
    /// queues of all people in question end instead.
    pub(crate) fn after(self, tx: &WriteTx<'_>) -> Result<Vec<Event>, ActionError> {
        if let Some(before) = &self.before
            && let Some(events) = self.differences(tx, before)?
            && events.len() <= MOST_EVENTS
        {
            return Ok(events);
        }
        let people: Vec<UserId> = self.people.iter().map(|person| person.user_id).collect();
        end_queues(tx, &people)
    }

    /// These events; `None` when there is not enough room for them.
    fn differences(
        &self,
        db: &dyn Db,
        before: &[Sight],
    ) -> Result<Option<Vec<Event>>, ActionError> {
        // People with the same difference are the audience of the same events.
        let mut groups: BTreeMap<[Vec<(bool, ChannelId)>; 2], Vec<UserId>> = BTreeMap::new();
        for ((person, before), after) in self.people.iter().zip(before).zip(self.read(db)?) {
            let gone = before.difference(&after).copied().collect();
            let come = after.difference(before).copied().collect();
            let group = groups.entry([gone, come]).or_default();
            group.push(person.user_id);
        }
        let mut events = Vec::new();
        let mut room = Room::new();
        for ([gone, come], users) in groups {
            let audience = || Audience::users(users.iter().copied());
            for archived in [false, true] {
                let gone = of_kind(&gone, archived);
                if !gone.is_empty() {
                    events.push(kinds::stream_hidden(&gone, archived, audience()));
                }
                let come = of_kind(&come, archived);
                match room.shown(db, self.realm_id, &come, archived, audience())? {
                    Some(shown) => events.extend(shown),
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(events))
    }
}

fn of_kind(channels: &[(bool, ChannelId)], archived: bool) -> Vec<ChannelId> {
    let channels = channels.iter();
    channels
        .filter(|(is_archived, _)| *is_archived == archived)
        .map(|(_, id)| *id)
        .collect()
}
