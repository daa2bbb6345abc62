//! Who has read a message (docs/protocol/flags.md#get_read_receipts).

use spindle_domain::{MessageId, UserId, realm_setting};
use spindle_store::{Db, message_flags};

use crate::access::access_message::access_message;
use crate::{ActionError, Actor};

/// Ids of the users who have read a message and say so, ascending: active accounts that send
/// read receipts; without the sender, and without whom the caller has muted or is muted by.
///
/// # Errors
/// [`ActionError::BadRequest`] when the organization has no read receipts,
/// [`ActionError::Denied`] when the message does not exist or may not be read.
pub fn get_read_receipts(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
) -> Result<Vec<UserId>, ActionError> {
    if !actor
        .realm_settings()
        .is_on(realm_setting!("enable_read_receipts"))
    {
        return Err(ActionError::bad_request(
            "This organization does not show who has read what",
        ));
    }
    let message = access_message(db, actor, message_id)?;
    let ids = message_flags::read_by(db, message.id, message.sender_id, actor.user_id)?;
    Ok(ids)
}
