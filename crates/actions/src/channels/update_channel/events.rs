//! The events of a change and its entry in the audit log.

use serde_json::{Map, json};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{DbError, audit, id_list, subscriptions};

use super::Update;
use super::bots::bots_naming_channel;
use crate::ActionError;
use crate::access::channel_appears::{channel_appears, channel_object, subscribers};
use crate::access::channel_audience::Viewers;
use crate::audience::who_sees_subscribers_except;
use crate::channels::default_channels::default_channels_event;
use crate::channels::notices::{channel_changed, posting_changed};
use crate::channels::subscriptions::Change;
use crate::json_record::parse_record;

impl Update<'_, '_> {
    /// Writes the audit row and returns the events; no events when nothing has changed.
    pub(super) fn events(self, now: i64) -> Result<Vec<Event>, ActionError> {
        if self.changes.is_empty() && !self.is_unarchived && !self.defaults_changed {
            return Ok(Vec::new());
        }
        self.audit(now)?;
        let realm_id = self.actor.realm_id;
        let seen = Viewers::read(self.tx, realm_id, self.row.id)?;
        let mut events = self.crossing_events(&seen)?;
        events.extend(self.staying_events(&seen, now)?);
        if self.defaults_changed {
            events.push(default_channels_event(self.tx, realm_id)?);
        }
        if let Some(told) = self.changes.iter().find(|told| told.property == "name") {
            events.extend(bots_naming_channel(
                self.tx,
                realm_id,
                self.row.id,
                &told.value,
            )?);
        }
        let (tx, actor, id) = (self.tx, self.actor, self.row.id);
        events.extend(channel_changed(tx, actor, now, id, &self.before)?);
        if let Some([before, after]) = &self.posting {
            events.extend(posting_changed(tx, actor, now, id, [before, after])?);
        }
        Ok(events)
    }

    fn audit(&self, now: i64) -> Result<(), ActionError> {
        let mut data: Map<_, _> = self
            .changes
            .iter()
            .map(|told| (told.property.clone(), told.value.clone()))
            .collect();
        if self.is_unarchived {
            data.insert("is_archived".to_owned(), json!(false));
        }
        if self.defaults_changed {
            data.insert("is_default".to_owned(), json!(!self.before.is_default));
        }
        audit::append(
            self.tx,
            self.actor.realm_id,
            now,
            Some(self.actor.user_id),
            None,
            "channel_updated",
            &json!({"stream_id": self.row.id, "data": data}).to_string(),
        )?;
        Ok(())
    }

    /// The channel vanishes for some, and appears for others together with its subscribers.
    fn crossing_events(&self, seen: &Viewers) -> Result<Vec<Event>, ActionError> {
        let (ceasing, beginning) = self.crossing(seen);
        let mut events = Vec::new();
        if !ceasing.is_empty() {
            let audience = Audience::users(ceasing);
            let was_archived = self.before.is_archived;
            events.push(kinds::stream_hidden(&[self.row.id], was_archived, audience));
        }
        if !beginning.is_empty() {
            let realm_id = self.actor.realm_id;
            events.extend(channel_appears(self.tx, realm_id, self.row.id, beginning)?);
        }
        Ok(events)
    }

    fn staying_events(&self, seen: &Viewers, now: i64) -> Result<Vec<Event>, ActionError> {
        let audience = seen.audience_of_staying(&self.seen_before);
        let (id, name) = (self.row.id, self.before.name.as_str());
        let mut events = Vec::new();
        if self.is_unarchived {
            events.extend(self.return_events(audience.clone(), now)?);
        }
        events.extend(self.changes.iter().map(|told| {
            let change = kinds::StreamChange {
                stream_id: id,
                name: name.to_owned(),
                property: told.property.clone(),
                value: told.value.clone(),
                extra: told.extra.clone(),
                is_archived: false,
            };
            kinds::stream_update(change, audience.clone())
        }));
        Ok(events)
    }

    /// The channel is there again. Clients that know no archived channels also receive the
    /// subscriptions of its subscribers.
    fn return_events(&self, audience: Audience, now: i64) -> Result<Vec<Event>, ActionError> {
        let (realm_id, id) = (self.actor.realm_id, self.row.id);
        let peers = subscriptions::peers(self.tx, id)?.ok_or(DbError::NoRow)?;
        let record = parse_record(&channel_object(self.tx, realm_id, id)?)?;
        let name = self.before.name.as_str();
        let change = Change::new(self.tx, realm_id, now)?;
        let others = who_sees_subscribers_except(&peers, change.roles(), &peers.subscribers);
        let mut events = vec![kinds::stream_unarchived(id, name, record, audience)];
        let lists = subscriptions::subscriber_lists(self.tx, &id_list([id]))?;
        let added = subscribers(&lists, &others).into_iter();
        events.extend(added.map(kinds::subscription_restored));
        events.extend(change.restored(peers)?);
        Ok(events)
    }
}
