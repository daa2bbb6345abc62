//! The events about bots for the people who manage them.

use spindle_domain::{RealmId, UserId};
use spindle_events::{Event, Record, kinds};
use spindle_store::users::UserRow;
use spindle_store::{Db, bots};

use crate::ActionError;
use crate::access::bot_managers::who_manages;
use crate::json_record::parse_record;

/// The event that shows a bot to the users who manage it.
pub(crate) fn added(
    db: &dyn Db,
    realm_id: RealmId,
    bot_id: UserId,
    owner_id: Option<UserId>,
) -> Result<Event, ActionError> {
    let record = parse_record(&bots::record(db, bot_id)?)?;
    let audience = who_manages(db, realm_id, owner_id)?;
    Ok(kinds::realm_bot_add(record, audience))
}

/// The event about the new address of a bot for the users who manage it; others receive only
/// `realm_user` (docs/protocol/conventions.md#feature-levels, FL 461).
pub(crate) fn readdressed(
    db: &dyn Db,
    realm_id: RealmId,
    bot: &UserRow,
    email: &str,
) -> Result<Event, ActionError> {
    let changed = Record::from_iter([("email".to_owned(), email.into())]);
    let audience = who_manages(db, realm_id, bot.bot_owner_id)?;
    Ok(kinds::realm_bot_update(bot.id, changed, audience))
}

/// The event that takes a bot away from the users who manage it.
pub(crate) fn removed(
    db: &dyn Db,
    realm_id: RealmId,
    bot_id: UserId,
    owner_id: Option<UserId>,
) -> Result<Event, ActionError> {
    let audience = who_manages(db, realm_id, owner_id)?;
    Ok(kinds::realm_bot_delete(bot_id, audience))
}
