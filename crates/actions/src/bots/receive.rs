//! Turns the request of another program into a message of its incoming-webhook bot.

use spindle_domain::MessageId;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_integrations::Message;
use spindle_store::{Connection, Db, keys};

use crate::account::authenticate::{Authenticated, check_account};
use crate::account::keys::is_due;
use crate::account::secrets;
use crate::messages::{Destination, MessageInput, send_message};
use crate::{ActionError, Actor};

/// `bot_type` of bots that may only send messages.
const INCOMING_WEBHOOK: i64 = 2;

/// A received request, with the destination of its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub message: Message,
    /// The service's id of the delivery, by which a repetition is recognized.
    pub delivery: Option<String>,
    /// Channel; `None` means a direct message to the owner of the bot.
    pub channel: Option<ChannelReference>,
    /// Topic given in the address; overrides the integration's.
    pub topic: Option<String>,
    /// Name of the client.
    pub client: String,
    /// Without a slash at its end.
    pub realm_url: String,
}

/// The incoming-webhook bot behind a key that travels in the address, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::WrongCredentials`] also for a key of another kind of account;
/// `ClientError::UserDeactivated` and `ClientError::RealmDeactivated` only with a valid
/// key.
pub fn authenticate_webhook(
    db: &dyn Db,
    key: &str,
    now: i64,
) -> Result<Authenticated, ActionError> {
    let found = secrets::hash_of_key(key)
        .map(|hash| keys::caller_by_hash(db, &hash))
        .transpose()?
        .flatten()
        .filter(|found| found.caller.bot_type == Some(INCOMING_WEBHOOK))
        .ok_or(ActionError::WrongCredentials)?;
    check_account(&found.caller)?;
    let is_renewal_due = is_due(&found, now);
    Ok(Authenticated {
        actor: Actor::with_key(found),
        is_renewal_due,
    })
}

/// Sends what was received as the bot `actor`, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] for a bot without an owner where no channel is named; else as
/// `send_message`.
pub fn receive(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    received: Received,
) -> Result<MessageId, ActionError> {
    let destination = match received.channel {
        Some(channel) => Destination::Channel {
            channel,
            topic: received.topic.unwrap_or(received.message.topic),
        },
        None => {
            let owner = actor.bot_owner_id.ok_or_else(|| {
                ActionError::bad_request("Name a channel, since this bot has no owner")
            })?;
            Destination::Direct(vec![UserReference::Id(owner)])
        }
    };
    let input = MessageInput {
        destination,
        content: received.message.content,
        client: received.client,
        read_by_sender: None,
        local: None,
        delivery: received.delivery,
        realm_url: received.realm_url,
    };
    Ok(send_message(db, actor, now, &input)?.id)
}
