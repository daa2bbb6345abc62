//! What an account sees by its role: private channels, the addresses of other people, and their bots. A
//! change of the role compares it before and after, for the events.

use std::collections::BTreeMap;

use spindle_domain::{ChannelId, Role, UserId};
use spindle_events::kinds::UserChange;
use spindle_events::{Audience, Record, credentials_ended, kinds};
use spindle_store::{DbError, bots, channels, id_list, queues, subscriptions, user_lists};

use crate::ActionError;
use crate::access::channel_appears::subscribers;
use crate::access::view::visible_levels;
use crate::access::visible_channels::visible_to;
use crate::account::manage_account::Change;

/// Most events about a changed view. Each private channel may have subscribers of its own, and each person an address.
const MOST_AT_ONCE: usize = 1_000;

/// The view of one account under one role.
pub(crate) struct RoleView {
    channels: BTreeMap<ChannelId, Record>,
    /// Real addresses by user, of those who confine who may see theirs.
    addresses: BTreeMap<UserId, String>,
    /// Bots that the account manages, by user: its own, or all.
    bots: BTreeMap<UserId, Record>,
}

impl RoleView {
    /// Reads the view as the rows are now, for an account that has this role.
    pub(crate) fn read(
        change: &Change<'_, '_>,
        user_id: UserId,
        role: Role,
    ) -> Result<Self, ActionError> {
        let (tx, realm_id) = (change.tx, change.realm_id);
        let visible = visible_to(realm_id, role, Some(user_id), change.now, true);
        let bots = bots::records(tx, realm_id, user_id, role.is_admin())?;
        let addresses = user_lists::confined_addresses(tx, realm_id, &visible_levels(role))?;
        Ok(Self {
            channels: by_id(&channels::objects(tx, &visible)?, "stream_id")?,
            bots: by_id(&bots, "user_id")?,
            addresses: addresses
                .into_iter()
                .map(|row| (row.user_id, row.delivery_email))
                .collect(),
        })
    }

    /// Adds the events that take the account's clients from the view `before` to this one. Beyond [`MOST_AT_ONCE`], the
    /// account's queues end instead, and its clients register again.
    pub(crate) fn emit_differences(
        self,
        change: &mut Change<'_, '_>,
        user_id: UserId,
        before: &Self,
    ) -> Result<(), ActionError> {
        let earlier = change.events.len();
        self.emit_all(change, user_id, before)?;
        if change.events.len().saturating_sub(earlier) > MOST_AT_ONCE {
            change.events.truncate(earlier);
            queues::delete_of_user(change.tx, user_id)?;
            change.events.push(credentials_ended(user_id));
        }
        Ok(())
    }

    fn emit_all(
        mut self,
        change: &mut Change<'_, '_>,
        user_id: UserId,
        before: &Self,
    ) -> Result<(), ActionError> {
        let audience = || Audience::user(user_id);
        let is_archived = |record: &Record| record.get("is_archived") == Some(&true.into());
        for archived in [false, true] {
            let lost: Vec<ChannelId> = before
                .channels
                .iter()
                .filter(|(id, record)| {
                    !self.channels.contains_key(id) && is_archived(record) == archived
                })
                .map(|(id, _)| *id)
                .collect();
            if !lost.is_empty() {
                let event = kinds::stream_hidden(&lost, archived, audience());
                change.events.push(event);
            }
        }
        self.emit_bots(change, user_id, before);
        self.channels
            .retain(|id, _| !before.channels.contains_key(id));
        let ids = id_list(self.channels.keys().copied());
        let (archived, live): (Vec<Record>, Vec<Record>) =
            self.channels.into_values().partition(is_archived);
        for (records, archived) in [(live, false), (archived, true)] {
            if !records.is_empty() {
                let event = kinds::stream_shown(records, archived, audience());
                change.events.push(event);
            }
        }
        let peers = subscriptions::peers_among(change.tx, &ids)?;
        change.events.extend(subscribers(&peers, &audience()));
        let mut emit = |id: UserId, address: Option<String>| {
            let update = UserChange::DeliveryEmail(address);
            let event = kinds::realm_user_update(id, update, audience());
            change.events.push(event);
        };
        for id in before.addresses.keys() {
            if *id != user_id && !self.addresses.contains_key(id) {
                emit(*id, None);
            }
        }
        for (id, address) in self.addresses {
            if id != user_id && !before.addresses.contains_key(&id) {
                emit(id, Some(address));
            }
        }
        Ok(())
    }

    /// Administrators manage the bots of all users.
    fn emit_bots(&self, change: &mut Change<'_, '_>, user_id: UserId, before: &Self) {
        let audience = || Audience::user(user_id);
        let gone = before.bots.keys().filter(|id| !self.bots.contains_key(id));
        let gone = gone.map(|id| kinds::realm_bot_delete(*id, audience()));
        let come = self.bots.iter();
        let come = come.filter(|(id, _)| !before.bots.contains_key(id));
        let come = come.map(|(_, bot)| kinds::realm_bot_add(bot.clone(), audience()));
        change.events.extend(gone.chain(come));
    }
}

/// The objects of a JSON list by the id that each of them has under this name.
fn by_id<Id: From<i64> + Ord>(list: &str, name: &str) -> Result<BTreeMap<Id, Record>, DbError> {
    let objects: Vec<Record> =
        serde_json::from_str(list).map_err(|error| DbError::Json(error.to_string()))?;
    Ok(objects
        .into_iter()
        .filter_map(|object| Some((object.get(name)?.as_i64()?.into(), object)))
        .collect())
}
