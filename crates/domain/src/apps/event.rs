//! What an app receives: one event, with the scope whose values come with it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::bytes;
use crate::{ChannelId, MessageId, UserId};

/// What values belong to. An event has one, and only its values are passed to the app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    App,
    Channel(ChannelId),
    Message(MessageId),
    Person(UserId),
}

/// The text form, which tables and JSON hold: `app`, `channel 5`, `message 7`, `person 3`.
impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => formatter.write_str("app"),
            Self::Channel(id) => write!(formatter, "channel {id}"),
            Self::Message(id) => write!(formatter, "message {id}"),
            Self::Person(id) => write!(formatter, "person {id}"),
        }
    }
}

/// A text that names nothing of the kind that was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName(pub String);

impl fmt::Display for UnknownName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{}\" is not known", self.0)
    }
}

impl std::error::Error for UnknownName {}

impl FromStr for Scope {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName(text.to_owned());
        let Some((kind, id)) = text.split_once(' ') else {
            return if text == "app" {
                Ok(Self::App)
            } else {
                Err(unknown())
            };
        };
        // One text for each scope: the store compares texts.
        let number: i64 = id.parse().map_err(|_| unknown())?;
        if number < 0 || number.to_string() != id {
            return Err(unknown());
        }
        match kind {
            "channel" => Ok(Self::Channel(ChannelId(number))),
            "message" => Ok(Self::Message(MessageId(number))),
            "person" => Ok(Self::Person(UserId(number))),
            _ => Err(unknown()),
        }
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// A stored value, a setting, or a parameter of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub key: String,
    pub value: String,
}

/// An account as apps see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    pub id: UserId,
    pub name: String,
    pub is_guest: bool,
    pub is_administrator: bool,
}

/// Where a message is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Place {
    Topic {
        channel: ChannelId,
        topic: String,
    },
    Direct {
        /// The other people, without the app itself.
        people: Vec<UserId>,
    },
}

/// A message that an app receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedMessage {
    pub id: MessageId,
    pub sender: Person,
    pub place: Place,
    pub content: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Happening {
    Message {
        message: ReceivedMessage,
    },
    Command {
        name: String,
        /// What follows the name.
        text: String,
        message: ReceivedMessage,
    },
    Reaction {
        message_id: MessageId,
        person: Person,
        emoji: String,
        is_added: bool,
    },
    Click {
        message_id: MessageId,
        person: Person,
        button: String,
    },
    Vote {
        message_id: MessageId,
        person: Person,
        choice: String,
        is_added: bool,
    },
    Tick {
        name: String,
    },
    Webhook {
        content_type: String,
        query: Vec<Entry>,
        #[serde(with = "bytes")]
        body: Vec<u8>,
    },
    Answer {
        /// Of the fetch.
        id: String,
        /// 0 if there is a failure.
        status: u16,
        body: String,
        /// Why there is no answer.
        failure: Option<String>,
    },
    EffectFailed {
        /// The name of the effect, such as `send`.
        effect: String,
        reason: String,
    },
}

impl Happening {
    /// The kind that rights name; `None` for a failed effect, which always arrives.
    #[must_use]
    pub const fn kind(&self) -> Option<EventKind> {
        Some(match self {
            Self::Message { .. } => EventKind::Message,
            Self::Command { .. } => EventKind::Command,
            Self::Reaction { .. } => EventKind::Reaction,
            Self::Click { .. } => EventKind::Click,
            Self::Vote { .. } => EventKind::Vote,
            Self::Tick { .. } => EventKind::Tick,
            Self::Webhook { .. } => EventKind::Webhook,
            Self::Answer { .. } => EventKind::Answer,
            Self::EffectFailed { .. } => return None,
        })
    }

    /// Who has caused it; `None` if that was no person.
    #[must_use]
    pub const fn person_id(&self) -> Option<UserId> {
        match self {
            Self::Message { message } | Self::Command { message, .. } => Some(message.sender.id),
            Self::Reaction { person, .. }
            | Self::Click { person, .. }
            | Self::Vote { person, .. } => Some(person.id),
            Self::Tick { .. }
            | Self::Webhook { .. }
            | Self::Answer { .. }
            | Self::EffectFailed { .. } => None,
        }
    }

    /// The message that a reply belongs to: the one that was sent, clicked, voted on or reacted to.
    #[must_use]
    pub const fn message_id(&self) -> Option<MessageId> {
        match self {
            Self::Message { message } | Self::Command { message, .. } => Some(message.id),
            Self::Reaction { message_id, .. }
            | Self::Click { message_id, .. }
            | Self::Vote { message_id, .. } => Some(*message_id),
            Self::Tick { .. }
            | Self::Webhook { .. }
            | Self::Answer { .. }
            | Self::EffectFailed { .. } => None,
        }
    }
}

/// One call of an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppEvent {
    pub id: i64,
    /// When it happened, in UNIX seconds: the clock of the app.
    pub time: i64,
    /// Random, but the same each time that the event is computed.
    pub seed: u64,
    pub scope: Scope,
    /// The app's own account.
    pub me: Person,
    pub settings: Vec<Entry>,
    pub what: Happening,
}

/// The kinds of events that an administrator grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Messages that mention the app, and direct messages with it.
    Message,
    Command,
    Reaction,
    Click,
    Vote,
    Tick,
    Webhook,
    Answer,
}

impl EventKind {
    pub const ALL: &[Self] = &[
        Self::Message,
        Self::Command,
        Self::Reaction,
        Self::Click,
        Self::Vote,
        Self::Tick,
        Self::Webhook,
        Self::Answer,
    ];

    /// As JSON, tables and the command line name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Command => "command",
            Self::Reaction => "reaction",
            Self::Click => "click",
            Self::Vote => "vote",
            Self::Tick => "tick",
            Self::Webhook => "webhook",
            Self::Answer => "answer",
        }
    }
}

impl FromStr for EventKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| UnknownName(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_has_one_text() {
        for scope in [
            Scope::App,
            Scope::Channel(ChannelId(5)),
            Scope::Message(MessageId(7)),
            Scope::Person(UserId(3)),
        ] {
            assert_eq!(scope.to_string().parse(), Ok(scope));
        }
        for text in [
            "",
            "App",
            "app 1",
            "channel",
            "channel ",
            "channel +5",
            "channel 05",
            "person -1",
            "realm 1",
            "message 1 ",
        ] {
            assert!(text.parse::<Scope>().is_err(), "{text}");
        }
    }

    #[test]
    fn json_names_kinds_and_holds_bytes_as_base64() {
        let what = Happening::Webhook {
            content_type: "text/plain".to_owned(),
            query: Vec::new(),
            body: vec![0, 255],
        };
        let json = serde_json::to_value(&what).unwrap_or_default();
        assert_eq!(
            json,
            serde_json::json!({"type": "webhook", "content_type": "text/plain", "query": [], "body": "AP8="})
        );
        assert_eq!(serde_json::from_value::<Happening>(json).ok(), Some(what));
        for kind in EventKind::ALL {
            assert_eq!(kind.name().parse(), Ok(*kind));
            assert_eq!(
                serde_json::to_value(kind).ok(),
                Some(kind.name().into()),
                "{kind:?}"
            );
        }
    }
}
