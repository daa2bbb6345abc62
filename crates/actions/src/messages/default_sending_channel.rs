//! The channel that a bot writes to when it names none (docs/protocol/bots.md#defaults,
//! `default_sending_stream`).

use spindle_domain::ChannelId;
use spindle_store::{Db, bots};

use crate::{ActionError, Actor};

/// The caller's channel; `None` for people, without a statement, and for bots that have none.
pub fn default_sending_channel(
    db: &dyn Db,
    actor: &Actor,
) -> Result<Option<ChannelId>, ActionError> {
    if !actor.is_bot {
        return Ok(None);
    }
    let bot = bots::by_id(db, actor.user_id)?;
    Ok(bot.default_sending_channel_id)
}
