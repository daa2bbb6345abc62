//! Makes a permitted change: messages, deliveries, edit history, and the order of the events.

use serde_json::{Value, json};
use spindle_domain::{MessageId, UserId};
use spindle_events::{Event, Record};
use spindle_store::message_changes::{self, Destination};
use spindle_store::{WriteTx, audit, id_list};

use super::change::{Change, Edit};
use super::relocate::Relocation;
use super::{edit, events as emitted, notices, topics};
use crate::ActionError;
use crate::messages::erase::first_message_event;
use crate::messages::readers::Readers;
use crate::text::fold;
use spindle_domain::limits::MAX_EDIT_HISTORY_LENGTH;
use spindle_domain::policy::Move;

impl Change<'_> {
    /// Changes the rows; returns the events, and the actor's files that no message names any longer. Steps that a move
    /// takes once are taken with its last part.
    pub(super) fn apply(&self, tx: &WriteTx<'_>) -> Result<(Vec<Event>, Vec<Record>), ActionError> {
        let realm_id = self.actor.realm_id;
        let edited = match self.edit {
            Some(edit) => edit::edit(tx, self, edit)?,
            None => edit::Edited::default(),
        };
        let ids = self.message_ids();
        let between_channels = self.relocation.filter(|there| there.kind.changes_channel());
        let before = match between_channels {
            Some(there) => Readers::of_channel(tx, realm_id, there.from.id, &ids, &[])?,
            None => Readers::default(),
        };
        if let Some(there) = self.relocation {
            self.relocate(tx, there)?;
        }
        self.remember(tx, &ids)?;
        let readers = self.readers(tx, &ids, &before)?;
        let lost = before.without(&readers);
        for (ids, users) in lost.groups() {
            let users = id_list(users.iter().copied());
            message_changes::take_back(tx, &id_list(ids.iter().copied()), &users)?;
        }
        let completed = self.relocation.filter(|there| there.rest.is_none());
        let mut events = Vec::new();
        if between_channels.is_some() {
            events.extend(emitted::lost(self, &lost));
        }
        // Before `update_message`, so that clients count what has moved by the policy that holds there.
        if let Some(there) = completed {
            events.extend(topics::carry_over(tx, self, there)?);
        }
        events.extend(emitted::updated(tx, self, &ids, &readers)?);
        if let Some(there) = between_channels {
            for channel_id in [there.from.id, there.to.id] {
                events.extend(first_message_event(tx, realm_id, channel_id)?);
            }
            events.extend(emitted::read_where_not_subscribed(tx, there)?);
        }
        events.extend(edited.events);
        if let Some(there) = completed {
            events.extend(notices::notices(tx, self, there)?);
        }
        if self.relocation.is_none() || completed.is_some() {
            self.note(tx)?;
        }
        Ok((events, edited.detached))
    }

    /// All messages that are changed, ascending.
    fn message_ids(&self) -> Vec<MessageId> {
        match self.relocation {
            Some(there) => there.message_ids.clone(),
            None => vec![self.message_id],
        }
    }

    fn relocate(&self, tx: &WriteTx<'_>, there: &Relocation) -> Result<(), ActionError> {
        let ids = id_list(there.message_ids.iter().copied());
        let place = Destination {
            channel_id: there.to.id,
            conversation_id: there.to.conversation_id,
            topic: &there.topic,
            topic_folded: &fold(&there.topic),
        };
        // Resolving a topic does not count as a move for the readers of its messages.
        let moved = (there.kind != Move::Resolve).then_some(self.started);
        message_changes::relocate(tx, &ids, &place, moved)?;
        if there.gives_to_subscribers() {
            message_changes::give_to_subscribers(tx, &ids, there.to.id)?;
        }
        Ok(())
    }

    /// Writes the edit history of each message: where it came from, and the text of the edited one.
    fn remember(&self, tx: &WriteTx<'_>, ids: &[MessageId]) -> Result<(), ActionError> {
        let moved = self.history_entry();
        let others = ids.iter().copied().filter(|id| *id != self.message_id);
        let others = id_list(others);
        if others != "[]" {
            message_changes::remember(tx, &others, &Value::Object(moved.clone()).to_string())?;
            message_changes::shorten_history(tx, &others, MAX_EDIT_HISTORY_LENGTH)?;
        }
        if ids.binary_search(&self.message_id).is_err() {
            return Ok(());
        }
        let mut own = moved;
        if let Some(Edit { message, .. }) = self.edit {
            own.insert("prev_content".into(), message.content.as_str().into());
            let html = message.rendered_content.as_str();
            own.insert("prev_rendered_content".into(), html.into());
        }
        let own = Value::Object(own).to_string();
        let id = id_list([self.message_id]);
        message_changes::remember(tx, &id, &own)?;
        message_changes::shorten_history(tx, &id, MAX_EDIT_HISTORY_LENGTH)?;
        Ok(())
    }

    /// An entry of `edit_history` without the text.
    fn history_entry(&self) -> Record {
        let mut entry = Record::new();
        entry.insert("user_id".into(), json!(self.actor.user_id));
        entry.insert("timestamp".into(), self.started.into());
        let Some(there) = self.relocation else {
            return entry;
        };
        if self.old_topic != there.topic {
            entry.insert("prev_topic".into(), self.old_topic.into());
            entry.insert("topic".into(), there.topic.as_str().into());
        }
        if there.kind.changes_channel() {
            entry.insert("prev_stream".into(), json!(there.from.id));
            entry.insert("stream".into(), json!(there.to.id));
        }
        entry
    }

    /// Who reads the messages after the change.
    fn readers(
        &self,
        tx: &WriteTx<'_>,
        ids: &[MessageId],
        before: &Readers,
    ) -> Result<Readers, ActionError> {
        let channel = match self.relocation {
            Some(there) => Some(&there.to),
            None => self.channel,
        };
        let Some(channel) = channel else {
            return Readers::of_direct(tx, ids);
        };
        let mut further: Vec<UserId> = before.users().collect();
        further.push(self.actor.user_id);
        Readers::of_channel(tx, self.actor.realm_id, channel.id, ids, &further)
    }

    fn note(&self, tx: &WriteTx<'_>) -> Result<(), ActionError> {
        let data = json!({
            "message_id": self.message_id,
            "messages": self.relocation.map_or(1, |there| there.count),
            "content": self.content_changed,
            "topic": self.relocation.map(|there| &there.topic),
            "stream_id": self.relocation.map(|there| there.to.id),
        });
        audit::append(
            tx,
            self.actor.realm_id,
            self.now,
            Some(self.actor.user_id),
            Some(self.sender_id),
            "message_changed",
            &data.to_string(),
        )?;
        Ok(())
    }
}
