//! Notes a new message for the services of bots, which the host calls afterwards.

use spindle_domain::limits;
use spindle_domain::{MessageId, UserId};
use spindle_store::{DbError, WriteTx, bot_calls, id_list};

use crate::Actor;

/// Notes a new message for the bots with services that it is for: all in a direct conversation,
/// only those mentioned by name in a channel. Messages of bots call no bot, or two of them would
/// talk forever.
pub(super) fn note_calls(
    tx: &WriteTx<'_>,
    sender: &Actor,
    now: i64,
    message_id: MessageId,
    direct_recipients: Option<&[UserId]>,
    mentioned: impl Iterator<Item = UserId>,
) -> Result<(), DbError> {
    if sender.is_bot {
        return Ok(());
    }
    let (accounts, reason) = match direct_recipients {
        Some(recipients) => (id_list(recipients.iter().copied()), "direct_message"),
        None => (id_list(mentioned), "mention"),
    };
    if accounts == "[]" {
        return Ok(());
    }
    let most = limits::MAX_WAITING_BOT_CALLS;
    bot_calls::insert(tx, message_id, &accounts, reason, now, most)
}
