//! What clients and the audit log are told of a change.

use serde_json::{Map, json};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Emitted, audit};

use super::Update;
use crate::access::channel_audience::Viewers;
use crate::channels::channel_appears::channel_appears;
use crate::channels::default_channels::default_channels_event;
use crate::channels::get_channel::channel_object;
use crate::channels::notices::channel_changed;
use crate::record::parse_record;
use crate::{ActionError, emit};

impl Update<'_, '_> {
    /// Writes the audit row and returns the events.
    pub(super) fn told(self, now: i64) -> Result<Emitted, ActionError> {
        if self.changes.is_empty() && !self.is_unarchived && !self.defaults_changed {
            return Ok(Emitted::Nothing("everything was so already"));
        }
        self.audit(now)?;
        let realm_id = self.actor.realm_id.get();
        let seen = Viewers::read(self.tx, realm_id, self.row.id)?;
        let mut events = self.tell_those_who_cross(&seen)?;
        events.extend(self.tell_those_who_stay(&seen)?);
        if self.defaults_changed {
            events.push(default_channels_event(self.tx, realm_id)?);
        }
        let (tx, actor, id) = (self.tx, self.actor, self.row.id);
        events.extend(channel_changed(tx, actor, now, id, &self.before)?);
        Ok(emit::events(events))
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
            self.actor.realm_id.get(),
            now,
            Some(self.actor.user_id.get()),
            None,
            "channel_updated",
            &json!({"stream_id": self.row.id, "data": data}).to_string(),
        )?;
        Ok(())
    }

    /// The channel vanishes for some, and appears for others together with its subscribers.
    fn tell_those_who_cross(&self, seen: &Viewers) -> Result<Vec<Event>, ActionError> {
        let (ceasing, beginning) = self.crossing(seen);
        let mut events = Vec::new();
        if !ceasing.is_empty() {
            let audience = Audience::users(ceasing);
            events.push(kinds::stream_delete(&[self.row.id], audience));
        }
        if !beginning.is_empty() {
            let realm_id = self.actor.realm_id.get();
            events.extend(channel_appears(self.tx, realm_id, self.row.id, beginning)?);
        }
        Ok(events)
    }

    fn tell_those_who_stay(&self, seen: &Viewers) -> Result<Vec<Event>, ActionError> {
        let audience = seen.audience_of_staying(&self.seen_before);
        let (id, name) = (self.row.id, self.before.name.as_str());
        let mut events = Vec::new();
        if self.is_unarchived {
            let object = channel_object(self.tx, self.actor.realm_id.get(), id)?;
            let record = parse_record(&object)?;
            events.push(kinds::stream_unarchived(id, name, record, audience.clone()));
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
}
