//! One row of the event log, as read from the database.
//!
//! The body stays text: most kinds are sent as they were stored, and a cache of rows should not hold parsed trees. Only
//! the fields of a message that filters need are parsed immediately.

use serde::Deserialize;
use spindle_domain::{ChannelId, UserId};

use crate::kinds::HEARTBEAT;
use crate::notice::CREDENTIALS_ENDED;
use crate::{Audience, EventsError, Registration};

/// A row of `event_log` that can be offered to queues.
#[derive(Debug, Clone)]
pub struct LogRow {
    seq: i64,
    event_type: Box<str>,
    body: Box<str>,
    audience: Audience,
    message: Option<MessageFilter>,
    queues: Option<Box<[Box<str>]>>,
}

/// The body of a row that concerns queues and not users.
#[derive(Debug, Default, Deserialize)]
struct QueuesPart {
    #[serde(default)]
    queues: Vec<Box<str>>,
}

/// The body of a row that concerns the credentials of an account.
#[derive(Debug, Deserialize)]
struct CredentialsPart {
    user_id: UserId,
}

/// The fields of a message that a queue's narrow and local echo use.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct MessageFilter {
    message: MessagePart,
    #[serde(default)]
    facts: FactsPart,
}

#[derive(Debug, Clone, Deserialize)]
struct MessagePart {
    #[serde(default)]
    stream_id: Option<ChannelId>,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    sender_id: UserId,
    #[serde(default)]
    sender_email: String,
    #[serde(default)]
    display_recipient: DisplayRecipient,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct FactsPart {
    #[serde(default)]
    empty_topic_display_name: String,
    #[serde(default)]
    local: Option<LocalPart>,
}

#[derive(Debug, Clone, Deserialize)]
struct LocalPart {
    queue_id: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum DisplayRecipient {
    Channel(String),
    Direct(serde::de::IgnoredAny),
}

impl Default for DisplayRecipient {
    fn default() -> Self {
        Self::Direct(serde::de::IgnoredAny)
    }
}

/// What a row of the log says to the nodes of a cluster about queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueNotice {
    /// Their rows were deleted.
    Deleted,
    /// They have ended; their rows will be deleted.
    Ended,
}

impl QueueNotice {
    fn of(event_type: &str) -> Option<Self> {
        match event_type {
            "queues_deleted" => Some(Self::Deleted),
            "queues_ended" => Some(Self::Ended),
            _ => None,
        }
    }
}

impl LogRow {
    /// Parses the columns of a row.
    ///
    /// # Errors
    /// [`EventsError::Row`] when the row was not written by [`crate::Event::into_row`].
    pub fn parse(
        seq: i64,
        event_type: &str,
        body: &str,
        audience: &str,
    ) -> Result<Self, EventsError> {
        let unreadable = |source| EventsError::Row { seq, source };
        let audience = serde_json::from_str(audience).map_err(unreadable)?;
        let message = if event_type == "message" {
            Some(serde_json::from_str(body).map_err(unreadable)?)
        } else {
            None
        };
        let queues = if event_type == HEARTBEAT || QueueNotice::of(event_type).is_some() {
            let QueuesPart { mut queues } = serde_json::from_str(body).map_err(unreadable)?;
            queues.sort_unstable();
            Some(queues.into())
        } else {
            None
        };
        Ok(Self {
            seq,
            event_type: event_type.into(),
            body: body.into(),
            audience,
            message,
            queues,
        })
    }

    /// A row that no queue receives, as a replacement for an unreadable one.
    #[must_use]
    pub fn for_nobody(seq: i64) -> Self {
        Self {
            seq,
            event_type: "unreadable".into(),
            body: "{}".into(),
            audience: Audience::default(),
            message: None,
            queues: None,
        }
    }

    /// Position in the log.
    #[must_use]
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// Wire type.
    #[must_use]
    pub fn event_type(&self) -> &str {
        &self.event_type
    }

    /// What the row says about queues, and their ids; `None` for the events of clients.
    #[must_use]
    pub fn notice(&self) -> Option<(QueueNotice, &[Box<str>])> {
        QueueNotice::of(&self.event_type).zip(self.queues.as_deref())
    }

    /// The account whose credentials have ended, if the row says so.
    #[must_use]
    pub fn ended_credentials(&self) -> Option<UserId> {
        if &*self.event_type != CREDENTIALS_ENDED {
            return None;
        }
        let CredentialsPart { user_id } = serde_json::from_str(&self.body).ok()?;
        Some(user_id)
    }

    /// Whether this is a heartbeat, and one for the queue.
    pub(crate) fn heartbeat_for(&self, registration: &Registration) -> Option<bool> {
        let queues = self.queues.as_deref().filter(|_| self.is_heartbeat())?;
        let id = registration.queue_id.as_str();
        Some(queues.binary_search_by(|queue| (**queue).cmp(id)).is_ok())
    }

    pub(crate) fn is_heartbeat(&self) -> bool {
        &*self.event_type == HEARTBEAT
    }

    /// The recipients.
    #[must_use]
    pub fn audience(&self) -> &Audience {
        &self.audience
    }

    /// Length of the stored body in bytes, for the memory budget.
    #[must_use]
    pub fn body_len(&self) -> usize {
        self.body.len()
    }

    pub(crate) fn body(&self) -> &str {
        &self.body
    }

    pub(crate) fn message(&self) -> Option<&MessageFilter> {
        self.message.as_ref()
    }
}

impl MessageFilter {
    /// Name of the channel; `None` for a direct message.
    pub(crate) fn channel_name(&self) -> Option<&str> {
        match (&self.message.display_recipient, self.message.stream_id) {
            (DisplayRecipient::Channel(name), Some(_)) => Some(name),
            _ => None,
        }
    }

    /// Topic of a channel message.
    pub(crate) fn topic(&self) -> Option<&str> {
        self.message
            .stream_id
            .map(|_| self.message.subject.as_str())
    }

    /// Whether the topic equals `topic`, given in lower case; the empty topic also matches its display
    /// name.
    pub(crate) fn is_in_topic(&self, topic: &str) -> bool {
        let Some(own) = self.topic() else {
            return false;
        };
        own.to_lowercase() == topic
            || own.is_empty() && self.facts.empty_topic_display_name.to_lowercase() == topic
    }

    pub(crate) fn sender_email(&self) -> &str {
        &self.message.sender_email
    }

    /// Whether the message was sent by the client of this queue. A queue of another user does not
    /// match, even if the sender has named it.
    pub(crate) fn is_local_to(&self, registration: &Registration) -> bool {
        let local = self.facts.local.as_ref();
        self.message.sender_id == registration.user_id
            && local.is_some_and(|local| local.queue_id == registration.queue_id)
    }
}
