//! What an account sees by its role: private channels, the addresses of other people, and their bots. A
//! change of the role compares it before and after, for the events.

use std::collections::BTreeMap;

use spindle_domain::{ChannelId, Role, UserId};
use spindle_events::kinds::UserChange;
use spindle_events::{Audience, Event, kinds};
use spindle_store::{bots, user_lists, visible_channels};

use crate::ActionError;
use crate::access::appearing::{BEYOND_MOST, MOST_EVENTS, Room, end_queues};
use crate::access::view::levels_gained;
use crate::access::visible_channels::visible_to;
use crate::account::manage_account::Change;
use crate::json_record::parse_record;

/// The view of one account under one role.
pub(crate) struct RoleView {
    role: Role,
    /// Visible channels, and whether each is archived.
    channels: BTreeMap<ChannelId, bool>,
}

impl RoleView {
    /// Reads the view as the rows are now, for an account that has this role.
    pub(crate) fn read(
        change: &Change<'_, '_>,
        user_id: UserId,
        role: Role,
    ) -> Result<Self, ActionError> {
        let visible = visible_to(change.realm_id, role, Some(user_id), change.now, true);
        let rows = visible_channels::list(change.tx, &visible)?.into_iter();
        let channels = rows.map(|row| (row.channel_id, row.is_archived)).collect();
        Ok(Self { role, channels })
    }

    /// Adds the events that take the account's clients from the view `before` to this one. Beyond [`MOST_EVENTS`], or where
    /// the channels that appear take too much [`Room`], the account's queues end instead, and its clients register again.
    pub(crate) fn emit_differences(
        &self,
        change: &mut Change<'_, '_>,
        user_id: UserId,
        before: &Self,
    ) -> Result<(), ActionError> {
        let events = match self.differences(change, user_id, before)? {
            Some(events) if events.len() <= MOST_EVENTS => events,
            _ => end_queues(change.tx, &[user_id])?,
        };
        change.events.extend(events);
        Ok(())
    }

    /// These events; `None` means that there are too many.
    fn differences(
        &self,
        change: &Change<'_, '_>,
        user_id: UserId,
        before: &Self,
    ) -> Result<Option<Vec<Event>>, ActionError> {
        let audience = || Audience::user(user_id);
        let mut events = Vec::new();
        for archived in [false, true] {
            let lost = before.without(self, archived);
            if !lost.is_empty() {
                events.push(kinds::stream_hidden(&lost, archived, audience()));
            }
        }
        let Some(bots) = self.bots(change, user_id, before)? else {
            return Ok(None);
        };
        events.extend(bots);
        let mut room = Room::new();
        for archived in [false, true] {
            let shown = self.without(before, archived);
            let Some(shown) =
                room.shown(change.tx, change.realm_id, &shown, archived, audience())?
            else {
                return Ok(None);
            };
            events.extend(shown);
        }
        let addresses = |levels: &str| {
            user_lists::confined_addresses(change.tx, change.realm_id, levels, BEYOND_MOST)
        };
        let lost = addresses(&levels_gained(self.role, before.role))?;
        let lost = lost.into_iter().map(|row| (row.user_id, None));
        let gained = addresses(&levels_gained(before.role, self.role))?;
        let gained = gained
            .into_iter()
            .map(|row| (row.user_id, Some(row.delivery_email)));
        for (id, address) in lost.chain(gained).filter(|(id, _)| *id != user_id) {
            let update = UserChange::DeliveryEmail(address);
            events.push(kinds::realm_user_update(id, update, audience()));
        }
        Ok(Some(events))
    }

    /// Channels of this view that are not in the other one.
    fn without(&self, other: &Self, archived: bool) -> Vec<ChannelId> {
        let channels = self.channels.iter();
        channels
            .filter(|(id, is_archived)| {
                **is_archived == archived && !other.channels.contains_key(id)
            })
            .map(|(id, _)| *id)
            .collect()
    }

    /// The events about bots: administrators manage those of all users. `None` means that there are too many.
    fn bots(
        &self,
        change: &Change<'_, '_>,
        user_id: UserId,
        before: &Self,
    ) -> Result<Option<Vec<Event>>, ActionError> {
        let manages_all = self.role.is_admin();
        if before.role.is_admin() == manages_all {
            return Ok(Some(Vec::new()));
        }
        let ids = bots::ids_of_others(change.tx, change.realm_id, user_id, BEYOND_MOST)?;
        if ids.len() > MOST_EVENTS {
            return Ok(None);
        }
        let audience = || Audience::user(user_id);
        let event = |id: UserId| {
            if !manages_all {
                return Ok(kinds::realm_bot_delete(id, audience()));
            }
            let record = parse_record(&bots::record(change.tx, id)?)?;
            Ok(kinds::realm_bot_add(record, audience()))
        };
        let events: Result<_, ActionError> = ids.into_iter().map(event).collect();
        events.map(Some)
    }
}
