//! Emits the event that the server was restarted, to every queue (docs/protocol/events.md#queues).
//!
//! Queues outlive a restart, so this is how a client learns of an upgrade: version and feature
//! level are in the event.

use spindle_domain::RealmId;
use spindle_domain::feature_level::{FEATURE_LEVEL, ZULIP_MERGE_BASE, ZULIP_VERSION};
use spindle_events::kinds;
use spindle_store::{Connection, realms};

use crate::{ActionError, change};

/// Notes the start at `now` (UNIX seconds) as the next `server_generation`, and emits `restart` to
/// all.
pub fn announce_restart(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<(), ActionError> {
    change::emitting(db, realm_id, now, |tx| {
        let generation = realms::next_server_generation(tx, realm_id, now)?;
        let event = kinds::restart(ZULIP_VERSION, ZULIP_MERGE_BASE, FEATURE_LEVEL, generation);
        Ok(change::made((), event))
    })
}
