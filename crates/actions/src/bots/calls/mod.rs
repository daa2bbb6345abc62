//! Calls to the services of outgoing bots, and runs of embedded ones
//! (docs/protocol/bots.md#bot-object).
//!
//! A message that is for such a bot is noted in its own transaction (`messages::send_message`). The host
//! claims the calls that are due, makes them, and reports their outcome; the bot's answer is written in
//! the transaction that ends the call. So each message reaches its service at least once and is answered
//! at most once.

mod answer;
mod claim;
mod defer;
mod finish;
mod payload;

pub use claim::{ClaimedCall, claim_bot_calls};
pub use defer::{DeferredCall, defer_bot_calls};
pub use finish::{FailedCall, FinishedCall, finish_bot_call};

use std::collections::BTreeMap;

use serde::Deserialize;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::{MessageId, UserId};
use spindle_events::Event;
use spindle_store::messages::MessageRow;
use spindle_store::{Db, WriteTx, bots, id_list, keys, messages};

use crate::access::hidden_senders::hide_senders;
use crate::messages::{Content, Destination, MessageInput, send_in};
use crate::{ActionError, Actor};

/// The client name of answers of bots.
const CLIENT: &str = "Bot service";

/// The one service of a bot, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Service {
    Outgoing {
        base_url: String,
        interface: i64,
        token: String,
    },
    Embedded {
        service_name: String,
        #[serde(default)]
        config_data: BTreeMap<String, String>,
    },
}

/// The bot and the message of a call, as they are now.
struct Subject {
    bot: Actor,
    service: Service,
    message: MessageRow,
}

impl Subject {
    /// None when the call is out of date: the bot is deactivated, has no service, or
    /// the message is gone.
    fn read(
        db: &dyn Db,
        bot_id: UserId,
        message_id: MessageId,
    ) -> Result<Option<Self>, ActionError> {
        let Some(row) = keys::caller_by_id(db, bot_id)?.filter(|row| row.is_active) else {
            return Ok(None);
        };
        let bot = Actor::from_row(row);
        let services: Vec<Service> =
            serde_json::from_str(&bots::by_id(db, bot_id)?.services).unwrap_or_default();
        let ids = id_list([message_id]);
        let mut found = messages::by_ids(db, bot.realm_id, bot_id, &ids)?;
        hide_senders(db, &bot, &mut found)?;
        Ok(
            match (services.into_iter().next(), found.into_iter().next()) {
                (Some(service), Some(message)) => Some(Self {
                    bot,
                    service,
                    message,
                }),
                _ => None,
            },
        )
    }

    /// Sends the answer of the bot to the conversation of the message; `None` when the bot may not write there.
    fn answer(
        &self,
        tx: &WriteTx<'_>,
        now: i64,
        text: String,
        realm_url: &str,
    ) -> Result<Option<Vec<Event>>, ActionError> {
        let input = self.reply(text, realm_url)?;
        let sent = Content::prepare(tx, &self.bot, &input.content, realm_url)
            .and_then(|content| send_in(tx, &self.bot, now, &input, &content));
        match sent {
            Ok((_, events)) => Ok(Some(events)),
            Err(error @ (ActionError::Store(_) | ActionError::Internal(_))) => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn reply(&self, content: String, realm_url: &str) -> Result<MessageInput, ActionError> {
        let destination = match self.message.channel_id {
            Some(id) => Destination::Channel {
                channel: ChannelReference::Id(id),
                topic: self.message.topic.clone(),
            },
            None => Destination::Direct(self.people()?),
        };
        Ok(MessageInput {
            destination,
            content,
            client: CLIENT.to_owned(),
            read_by_sender: Some(true),
            local: None,
            delivery: None,
            realm_url: realm_url.to_owned(),
        })
    }

    /// All participants of the direct conversation.
    fn people(&self) -> Result<Vec<UserReference>, ActionError> {
        #[derive(Deserialize)]
        struct Person {
            id: UserId,
        }
        let people: Vec<Person> = serde_json::from_str(&self.message.display_recipient)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        let people = people.into_iter();
        Ok(people.map(|one| UserReference::Id(one.id)).collect())
    }

    fn message_id(&self) -> MessageId {
        self.message.id
    }
}
