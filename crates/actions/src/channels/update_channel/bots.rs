//! Bots whose defaults name a channel that has a new name.

use serde_json::Value;
use spindle_domain::{ChannelId, RealmId};
use spindle_events::{Event, kinds};
use spindle_store::{Db, bots};

use crate::ActionError;
use crate::access::bot_managers::who_manages;

/// The events about the bots that name a channel among their defaults and that has a new name.
pub(super) fn bots_naming_channel(
    db: &dyn Db,
    realm_id: RealmId,
    channel_id: ChannelId,
    name: &Value,
) -> Result<Vec<Event>, ActionError> {
    let mut events = Vec::new();
    for bot in bots::naming_channel(db, channel_id)? {
        let fields = [
            ("default_sending_stream", bot.sends),
            ("default_events_register_stream", bot.registers),
        ];
        let changed = fields
            .into_iter()
            .filter(|(_, is_so)| *is_so)
            .map(|(field, _)| (field.to_owned(), name.clone()));
        let audience = who_manages(db, realm_id, bot.owner_id)?;
        events.push(kinds::realm_bot_update(bot.id, changed.collect(), audience));
    }
    Ok(events)
}
