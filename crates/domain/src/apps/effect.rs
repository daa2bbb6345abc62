//! What an app answers: effects, which the server makes in one transaction.

use serde::{Deserialize, Serialize};

use super::{Entry, Place, Scope};
use crate::{MessageId, UserId};

/// A button of an app's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What the click event names.
    pub id: String,
    pub label: String,
}

/// A tick of the scope of a message that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickAt {
    pub name: String,
    /// UNIX seconds.
    pub at: i64,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub place: Place,
    pub content: String,
    #[serde(default)]
    pub buttons: Vec<Button>,
    /// Values in the scope of the new message.
    #[serde(default)]
    pub values: Vec<Entry>,
    /// Ticks in the scope of the new message.
    #[serde(default)]
    pub ticks: Vec<TickAt>,
}

/// A header that the host adds to a fetch, with the value of a secret, which the app never sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretHeader {
    pub secret: String,
    pub header: String,
    /// What stands before the secret, such as `Bearer `.
    #[serde(default)]
    pub prefix: String,
}

/// One effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Effect {
    Send(Draft),
    /// A message where the event's message is; in answer to an event without one it fails.
    Reply {
        content: String,
        #[serde(default)]
        buttons: Vec<Button>,
        /// Only this person sees the answer, and it is not kept.
        #[serde(default)]
        only_for: Option<UserId>,
        /// Values in the scope of the new message.
        #[serde(default)]
        values: Vec<Entry>,
        /// Ticks in the scope of the new message.
        #[serde(default)]
        ticks: Vec<TickAt>,
    },
    /// Replaces the content and the buttons of a message of the app.
    Edit {
        message_id: MessageId,
        content: String,
        #[serde(default)]
        buttons: Vec<Button>,
    },
    React {
        message_id: MessageId,
        emoji: String,
        is_added: bool,
    },
    Store {
        scope: Scope,
        key: String,
        /// `None` removes it.
        value: Option<String>,
    },
    Schedule {
        scope: Scope,
        name: String,
        /// UNIX seconds; `None` cancels.
        at: Option<i64>,
    },
    Fetch {
        /// What the answer names.
        id: String,
        scope: Scope,
        method: String,
        url: String,
        #[serde(default)]
        headers: Vec<Entry>,
        #[serde(default)]
        body: String,
        #[serde(default)]
        secret: Option<SecretHeader>,
    },
    Log {
        text: String,
    },
}

impl Effect {
    /// As JSON and `effect_failed` name it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Send(_) => "send",
            Self::Reply { .. } => "reply",
            Self::Edit { .. } => "edit",
            Self::React { .. } => "react",
            Self::Store { .. } => "store",
            Self::Schedule { .. } => "schedule",
            Self::Fetch { .. } => "fetch",
            Self::Log { .. } => "log",
        }
    }
}
