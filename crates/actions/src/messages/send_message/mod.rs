//! Sends a message to a channel or to people (docs/protocol/messages.md#send_message).
//!
//! Content is rendered before the write transaction, so that the write lock is not held while it renders. Everything
//! that decides whether and to whom the message goes is read inside the transaction.

mod channel;
mod check_destination;
mod deliver;
mod direct;
mod note_calls;
mod notice;
mod repeated;

pub(super) use direct::check as check_direct;

pub(super) use channel::{check_topic_policy, check_wildcards, further_recipients};

use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::policy::TopicDeed;
use spindle_domain::{ChannelId, ConversationId, MessageId, UserId, VisibilityPolicy};
use spindle_events::Event;
use spindle_events::kinds::LocalEcho;
use spindle_store::channels::{self, Held};
use spindle_store::{Connection, Outcome, WriteTx};

use crate::messages::auto_follow::{self, Topic};
use crate::messages::content::Content;
use crate::text::fold_name;
use crate::{ActionError, Actor, change};
pub(crate) use check_destination::{CheckedDestination, check_destination, check_topic};
pub(crate) use notice::{
    Notice, NoticeRecipient, ReadBy, Wording, channel_link, literal, mention, notify_owner, quoted,
    send_notice, speaker, topic_link,
};
use repeated::Named;

/// Clients in which people read what they send (docs/protocol/messages.md#send_message,
/// `read_by_sender`).
const READING_CLIENTS: [&str; 9] = [
    "website",
    "desktop",
    "ios",
    "android",
    "zulipelectron",
    "zulipmobile",
    "zulipflutter",
    "zulipterminal",
    "zulip-terminal",
];

/// The conversation that a message is sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A topic of a channel.
    Channel {
        /// By id or name.
        channel: ChannelReference,
        /// As the client sent it; `(no topic)` and the display name mean the empty topic.
        topic: String,
    },
    /// People, by id or API email; the sender may be left out.
    Direct(Vec<UserReference>),
}

/// A message as the client gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageInput {
    /// The conversation it is sent to.
    pub destination: Destination,
    /// Markdown.
    pub content: String,
    /// Name of the client.
    pub client: String,
    /// `None` means that the client's name decides.
    pub read_by_sender: Option<bool>,
    /// The queue whose event gets `local_id`; both or none.
    pub local: Option<LocalEcho>,
    /// The id of a delivery to an incoming webhook, by which a repetition is recognized.
    pub delivery: Option<String>,
    /// Base URL of the organization without trailing slash.
    pub realm_url: String,
}

/// The response to the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentMessage {
    pub id: MessageId,
    /// The sender's new policy for the topic, if the message has changed it.
    pub automatic_new_visibility_policy: Option<VisibilityPolicy>,
}

/// Sends a message at `now` (UNIX seconds). A send that is repeated returns the message that it has made before.
///
/// # Errors
/// [`ActionError::BadRequest`] for content, topic or recipients that make no sense,
/// `ClientError::StreamDoesNotExist`, [`ActionError::Denied`], and the two errors about
/// wildcard mentions.
pub fn send_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
) -> Result<SentMessage, ActionError> {
    let content = Content::prepare(db, actor, &input.content, &input.realm_url)?;
    let named = Named::of(actor, input);
    let send = |tx: &WriteTx<'_>| {
        if let Some(id) = named.as_ref().map_or(Ok(None), |named| named.message(tx))? {
            return Ok(Outcome::Unchanged(SentMessage {
                id,
                automatic_new_visibility_policy: None,
            }));
        }
        let (sent, events) = send_within(tx, actor, now, input, &content)?;
        if let Some(named) = &named {
            named.made(tx, sent.id)?;
        }
        change::made_in_steps(sent, events).map(Outcome::Changed)
    };
    match &input.destination {
        // A change of the channel, of its subscribers or of the sender's account waits until this one is committed,
        // or makes it run again.
        Destination::Channel { channel, .. } => {
            change::locked_if_needed(db, actor.realm_id, now, |tx| {
                hold(tx, actor, channel)?;
                send(tx)
            })
        }
        Destination::Direct(_) => change::if_needed(db, actor.realm_id, now, send),
    }
}

/// Locks what a message to a channel depends on.
fn hold(tx: &WriteTx<'_>, actor: &Actor, channel: &ChannelReference) -> Result<(), ActionError> {
    let (realm_id, sender_id) = (actor.realm_id, actor.user_id);
    match channel {
        ChannelReference::Id(id) => channels::hold(tx, realm_id, sender_id, Held::Id(*id)),
        ChannelReference::Name(name) => {
            channels::hold(tx, realm_id, sender_id, Held::Name(&fold_name(name)))
        }
    }?;
    Ok(())
}

/// Sends a message within the caller's transaction; returns its id and its events.
///
/// # Errors
/// As [`send_message`].
pub(crate) fn send_in(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
    content: &Content,
) -> Result<(MessageId, Vec<Event>), ActionError> {
    let (sent, events) = send_within(tx, actor, now, input, content)?;
    Ok((sent.id, events))
}

fn send_within(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
    content: &Content,
) -> Result<(SentMessage, Vec<Event>), ActionError> {
    let target = match &input.destination {
        Destination::Channel { channel, topic } => {
            channel::access_recipient(tx, actor, channel, topic, content)?
        }
        Destination::Direct(people) => direct::access_recipient(tx, actor, people)?,
    };
    let (id, told) = deliver::write(tx, actor, now, input, content, &target)?;
    let (mut events, automatic_new_visibility_policy) = match &target.channel {
        Some(channel) => {
            let deed = if channel.starts_topic {
                TopicDeed::Starts
            } else {
                TopicDeed::Sends
            };
            let topic = Topic {
                channel_id: channel.id,
                name: &channel.topic,
                message_id: id,
            };
            auto_follow::after_sending(tx, actor, now, content, topic, deed)?
        }
        None => (Vec::new(), None),
    };
    // A user who follows the topic from now on is notified of this message as of any in it.
    events.extend(told);
    let sent = SentMessage {
        id,
        automatic_new_visibility_policy,
    };
    Ok((sent, events))
}

/// The conversation of a message, after all checks.
struct Recipient {
    conversation_id: ConversationId,
    /// None for a direct message.
    channel: Option<RecipientChannel>,
    /// Events for guests to whom a user of the conversation becomes visible; they precede the message.
    newly_visible: Vec<Event>,
    /// `display_recipient` as JSON.
    display_recipient: String,
    /// Recipients to whom it is delivered as read, in addition to the ones whose settings say so.
    read_by: ReadBy,
}

struct RecipientChannel {
    id: ChannelId,
    /// All users but guests may read it.
    is_public: bool,
    topic: String,
    /// The topic had no message before.
    starts_topic: bool,
    /// The channel had no message before.
    is_first: bool,
    /// The channel was in use lately.
    is_recently_active: bool,
    /// Participants of the topic, if they are mentioned.
    topic_participants: Vec<UserId>,
    /// Mentioned people who are not subscribed but may read it.
    further_recipients: Vec<UserId>,
}

pub(crate) fn reads_what_it_sends(client: &str) -> bool {
    READING_CLIENTS.contains(&client.to_lowercase().as_str())
}
