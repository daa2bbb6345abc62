//! Notes a new message for the bots that it is for, whose services and apps the host calls afterwards.

use spindle_domain::limits;
use spindle_domain::{MessageId, UserId};
use spindle_store::{WriteTx, bot_calls, id_list, user_lists};

use crate::app_events::{SentTo, note_message};
use crate::{ActionError, Actor};

/// Notes a new message for the bots that it is for: all in a direct conversation, only those mentioned by name in a channel.
/// Messages of bots call no bot, or two of them would talk forever.
pub(super) fn note_calls(
    tx: &WriteTx<'_>,
    sender: &Actor,
    now: i64,
    message_id: MessageId,
    content: &str,
    (sent_to, mentioned): (&SentTo<'_>, &[UserId]),
) -> Result<(), ActionError> {
    if sender.is_bot {
        return Ok(());
    }
    let (accounts, reason) = match sent_to {
        SentTo::Topic { .. } => (mentioned, "mention"),
        SentTo::Direct(people) => (*people, "direct_message"),
    };
    let bots = match accounts {
        [] => Vec::new(),
        accounts => user_lists::active_bots_among(tx, &id_list(accounts.iter().copied()))?,
    };
    // Most messages are for no bot, and need no further statement.
    if !bots.is_empty() {
        let listed = id_list(bots.iter().copied());
        let most = limits::MAX_WAITING_BOT_CALLS;
        bot_calls::insert(tx, message_id, &listed, reason, now, most)?;
    }
    note_message(tx, sender, now, message_id, content, sent_to, &bots)
}
