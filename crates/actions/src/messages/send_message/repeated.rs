//! A send that its client, a proxy or a service has repeated (docs/adr/0054-repeated-sends.md).
//!
//! The same queue, `local_id`, destination and content is one message while the queue lives. Simple clients use a
//! `local_id` again, so a send that differs in anything is another message. A delivery to a webhook is one message by its
//! id alone.

use sha2::{Digest as _, Sha256};
use spindle_domain::{MessageId, UserId};
use spindle_store::sent_local_ids::{self, LocalSend};
use spindle_store::{Db, DbError, WriteTx, webhook_deliveries};

use super::{Destination, MessageInput};
use crate::Actor;

/// A send that can be recognized when it is repeated.
pub(super) struct Named<'a> {
    sender: UserId,
    name: Name<'a>,
}

struct Local<'a> {
    queue_id: &'a str,
    local_id: &'a str,
    digest: String,
}

enum Name<'a> {
    Local(Local<'a>),
    Delivery(&'a str),
}

impl<'a> Named<'a> {
    /// None for a send without an id.
    pub(super) fn of(actor: &'a Actor, input: &'a MessageInput) -> Option<Self> {
        let name = match (&input.local, &input.delivery) {
            (Some(local), _) => Name::Local(Local {
                queue_id: &local.queue_id,
                local_id: &local.local_id,
                digest: digest(&input.destination, &input.content),
            }),
            (None, Some(delivery)) => Name::Delivery(delivery),
            (None, None) => return None,
        };
        let sender = actor.user_id;
        Some(Self { sender, name })
    }

    /// The message that the send has made before.
    pub(super) fn message(&self, db: &dyn Db) -> Result<Option<MessageId>, DbError> {
        match &self.name {
            Name::Local(local) => sent_local_ids::find(db, &self.send(local)),
            Name::Delivery(id) => webhook_deliveries::find(db, self.sender, id),
        }
    }

    /// Notes that the send has made this message.
    pub(super) fn made(&self, tx: &WriteTx<'_>, message: MessageId) -> Result<(), DbError> {
        match &self.name {
            Name::Local(local) => sent_local_ids::insert(tx, &self.send(local), message),
            Name::Delivery(id) => webhook_deliveries::store(tx, self.sender, id, message),
        }
    }

    fn send<'l>(&self, local: &'l Local<'_>) -> LocalSend<'l> {
        LocalSend {
            user_id: self.sender,
            queue_id: local.queue_id,
            local_id: local.local_id,
            digest: &local.digest,
        }
    }
}

/// Hexadecimal. The parts are JSON, so that no two destinations and contents run into each other.
fn digest(destination: &Destination, content: &str) -> String {
    let text = match destination {
        Destination::Channel { channel, topic } => {
            serde_json::json!(["channel", channel, topic, content])
        }
        Destination::Direct(people) => serde_json::json!(["direct", people, content]),
    };
    let digest = Sha256::digest(text.to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use spindle_domain::narrow::{ChannelReference, UserReference};
    use spindle_domain::{ChannelId, UserId};

    use super::*;

    fn channel(channel: ChannelReference, topic: &str) -> Destination {
        let topic = topic.to_owned();
        Destination::Channel { channel, topic }
    }

    #[test]
    fn each_part_of_a_send_counts() {
        let five = || ChannelReference::Id(ChannelId(5));
        let all = [
            digest(&channel(five(), "a"), "x"),
            digest(&channel(five(), "a"), "y"),
            digest(&channel(five(), "b"), "x"),
            digest(&channel(ChannelReference::Name("5".into()), "a"), "x"),
            digest(
                &Destination::Direct(vec![UserReference::Id(UserId(5))]),
                "x",
            ),
            digest(
                &Destination::Direct(vec![UserReference::Id(UserId(6))]),
                "x",
            ),
        ];
        for (position, one) in all.iter().enumerate() {
            assert_eq!(one.len(), 64);
            assert!(!all[..position].contains(one), "{position}");
        }
        assert_eq!(all[0], digest(&channel(five(), "a"), "x"));
    }
}
