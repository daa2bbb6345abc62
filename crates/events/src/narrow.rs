//! The narrow of a queue: a filter of `message` events.
//!
//! A much smaller language than in GET /messages: pairs of strings, compared case-insensitively
//! (docs/protocol/events.md#delivery). Other event types are not filtered.

use serde::{Deserialize, Serialize};

use crate::EventsError;
use crate::log_row::MessageFilter;

/// Prefix that marks a topic as resolved.
const RESOLVED_TOPIC_PREFIX: &str = "\u{2714} ";

/// A validated narrow; all terms must match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Narrow(Vec<Term>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Term {
    Channel(String),
    Topic(String),
    Sender(String),
    Is(Is),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Is {
    Dm,
    Starred,
    Unread,
    Alerted,
    Mentioned,
    Resolved,
}

impl Narrow {
    /// Parses the pairs of the parameter `narrow` of register, such as
    /// `[("channel", "Denmark"), ("topic", "harvest")]`.
    ///
    /// # Errors
    /// [`EventsError::NarrowOperator`] and [`EventsError::NarrowOperand`].
    pub fn parse<O, V>(terms: impl IntoIterator<Item = (O, V)>) -> Result<Self, EventsError>
    where
        O: AsRef<str>,
        V: AsRef<str>,
    {
        terms
            .into_iter()
            .map(|(operator, operand)| Term::parse(operator.as_ref(), operand.as_ref()))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether every message matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, message: &MessageFilter, flags: &[String]) -> bool {
        self.0.iter().all(|term| term.matches(message, flags))
    }
}

impl Term {
    fn parse(operator: &str, operand: &str) -> Result<Self, EventsError> {
        match operator {
            "channel" | "stream" => Ok(Self::Channel(operand.to_lowercase())),
            "topic" => Ok(Self::Topic(operand.to_lowercase())),
            "sender" => Ok(Self::Sender(operand.to_lowercase())),
            "is" => Is::parse(operand).map(Self::Is),
            _ => Err(EventsError::NarrowOperator {
                operator: operator.to_owned(),
            }),
        }
    }

    fn matches(&self, message: &MessageFilter, flags: &[String]) -> bool {
        match self {
            Self::Channel(name) => message
                .channel_name()
                .is_some_and(|channel| channel.to_lowercase() == *name),
            Self::Topic(topic) => message.is_in_topic(topic),
            Self::Sender(email) => message.sender_email().to_lowercase() == *email,
            Self::Is(is) => is.matches(message, flags),
        }
    }
}

impl Is {
    fn parse(operand: &str) -> Result<Self, EventsError> {
        match operand {
            "dm" | "private" => Ok(Self::Dm),
            "starred" => Ok(Self::Starred),
            "unread" => Ok(Self::Unread),
            "alerted" => Ok(Self::Alerted),
            "mentioned" => Ok(Self::Mentioned),
            "resolved" => Ok(Self::Resolved),
            _ => Err(EventsError::NarrowOperand {
                operand: operand.to_owned(),
            }),
        }
    }

    fn matches(self, message: &MessageFilter, flags: &[String]) -> bool {
        let has = |name: &str| flags.iter().any(|flag| flag == name);
        match self {
            Self::Dm => message.channel_name().is_none(),
            Self::Starred => has("starred"),
            Self::Unread => !has("read"),
            // The protocol treats the two alike: messages with a mention flag.
            Self::Alerted | Self::Mentioned => has("mentioned"),
            Self::Resolved => message
                .topic()
                .is_some_and(|topic| topic.starts_with(RESOLVED_TOPIC_PREFIX)),
        }
    }
}
