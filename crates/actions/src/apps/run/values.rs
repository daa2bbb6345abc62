//! What an app stores, and when it wants to be woken.

use spindle_domain::MessageId;
use spindle_domain::apps::{Entry, EventKind, Scope, limits};
use spindle_store::apps::{schedules, values};

use super::making::{Belongings, Making};
use crate::ActionError;
use crate::access::access_message::access_message_in_place;

impl Making<'_> {
    /// Stores a value, or removes it.
    pub(super) fn store(
        &self,
        scope: Scope,
        key: &str,
        value: Option<&str>,
    ) -> Result<(), ActionError> {
        let app_id = self.app.row.id;
        let text = scope.to_string();
        let Some(value) = value else {
            return Ok(values::delete(self.tx, app_id, &text, key)?);
        };
        let message_id = self.check_scope(scope)?;
        let bytes = size(key, value);
        let others = values::bytes_of_scope(self.tx, app_id, &text, key)?;
        if others + bytes > int(limits::SCOPE_BYTES) {
            return Err(ActionError::BadRequest(format!(
                "the values of the scope would have more than {} bytes",
                limits::SCOPE_BYTES
            )));
        }
        self.take_room(bytes + values::BYTES_OF_ENTRY)?;
        Ok(values::set(
            self.tx,
            app_id,
            (&text, message_id),
            key,
            value,
        )?)
    }

    /// Counts bytes that are about to be stored. A value that replaces another one counts in full until the limit is
    /// reached, and exactly from there on.
    fn take_room(&self, bytes: i64) -> Result<(), ActionError> {
        let app_id = self.app.row.id;
        let before = match self.bytes.get() {
            Some(before) if before + bytes <= int(limits::APP_BYTES) => before,
            _ => values::bytes_of_app(self.tx, app_id)?,
        };
        if before + bytes > int(limits::APP_BYTES) {
            return Err(ActionError::BadRequest(format!(
                "the values of the app would have more than {} bytes",
                limits::APP_BYTES
            )));
        }
        self.bytes.set(Some(before + bytes));
        Ok(())
    }

    /// Sets the time of a name, or takes it back.
    pub(super) fn schedule(
        &self,
        scope: Scope,
        name: &str,
        at: Option<i64>,
    ) -> Result<(), ActionError> {
        let app_id = self.app.row.id;
        let text = scope.to_string();
        let Some(at) = at else {
            return Ok(schedules::delete(self.tx, app_id, &text, name)?);
        };
        let message_id = self.check_scope(scope)?;
        let is_new = !schedules::exists(self.tx, app_id, &text, name)?;
        self.check_ticks(usize::from(is_new))?;
        Ok(schedules::set(
            self.tx,
            app_id,
            (&text, message_id),
            name,
            at,
        )?)
    }

    fn check_ticks(&self, more: usize) -> Result<(), ActionError> {
        if !self.app.rights.events.contains(&EventKind::Tick) {
            return Err(ActionError::bad_request("ticks are not granted"));
        }
        if more > 0 && schedules::count(self.tx, self.app.row.id)? + int(more) > limits::SCHEDULES {
            return Err(ActionError::BadRequest(format!(
                "the app would wait for more than {} ticks",
                limits::SCHEDULES
            )));
        }
        Ok(())
    }

    /// Values of a message need a message that the account reads; returns it.
    fn check_scope(&self, scope: Scope) -> Result<Option<MessageId>, ActionError> {
        match scope {
            Scope::Message(id) => {
                access_message_in_place(self.tx, self.bot, id)?;
                Ok(Some(id))
            }
            Scope::App | Scope::Channel(_) | Scope::Person(_) => Ok(None),
        }
    }

    /// Whether there is room for what belongs to a new message, before it is sent.
    pub(super) fn check_belongings(&self, new: Belongings<'_>) -> Result<(), ActionError> {
        if !new.ticks.is_empty() {
            self.check_ticks(new.ticks.len())?;
        }
        let bytes = |entry: &Entry| size(&entry.key, &entry.value) + values::BYTES_OF_ENTRY;
        match new.values.iter().map(bytes).sum() {
            0 => Ok(()),
            bytes => self.take_room(bytes),
        }
    }

    /// Stores what was checked and belongs to a new message.
    pub(super) fn store_belongings(
        &self,
        message_id: MessageId,
        new: Belongings<'_>,
    ) -> Result<(), ActionError> {
        let (tx, app_id) = (self.tx, self.app.row.id);
        let scope = Scope::Message(message_id).to_string();
        let place = (scope.as_str(), Some(message_id));
        for Entry { key, value } in new.values {
            values::set(tx, app_id, place, key, value)?;
        }
        for tick in new.ticks {
            schedules::set(tx, app_id, place, &tick.name, tick.at)?;
        }
        Ok(())
    }
}

fn size(key: &str, value: &str) -> i64 {
    int(key.len() + value.len())
}

fn int(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
