//! The language of narrows, which filter messages.
//!
//! Owns the types only. The text form is read in the wire crate; who evaluates a narrow
//! (the store against the database, the events crate against one message) needs no parser.
//! Names are kept as sent: whether a channel or person exists is decided by the evaluator.

use crate::{ChannelId, MessageId, UserId};
use serde::{Deserialize, Serialize};

/// One condition; all terms of a narrow must hold (docs/protocol/narrow.md#operators).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NarrowTerm {
    /// The condition.
    #[serde(flatten)]
    pub filter: NarrowFilter,
    /// Whether the condition must not hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
}

/// What a term asks of a message. The variants are named after the modern operators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operator", content = "operand", rename_all = "kebab-case")]
pub enum NarrowFilter {
    /// `channel`, `stream`: sent to this channel.
    Channel(ChannelReference),
    /// `channels`, `streams`: sent to a channel of this kind.
    Channels(ChannelsKind),
    /// `topic`, `subject`: in this topic, case folded; empty is the empty topic.
    Topic(String),
    /// `sender`, `from`
    Sender(UserReference),
    /// `dm`, `pm-with`: direct messages with exactly these people and the reader.
    Dm(Vec<UserReference>),
    /// `dm-including`, `group-pm-with`: direct messages that include all of these people.
    DmIncluding(Vec<UserReference>),
    /// `is`
    Is(MessageState),
    /// `has`
    Has(MessagePart),
    /// `in`
    In(MessageScope),
    /// `id`: this message.
    Id(MessageId),
    /// `near`: sets the focus of a client and filters nothing.
    Near(MessageId),
    /// `with`: the conversation that this message is in now.
    With(MessageId),
    /// `mentions`: mentions this person.
    Mentions(UserReference),
    /// `search`: holds these words.
    Search(String),
}

/// A channel as a client names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ChannelReference {
    /// By id.
    Id(ChannelId),
    /// By name, case ignored.
    Name(String),
}

/// A person as a client names them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UserReference {
    /// By id.
    Id(UserId),
    /// By API email, case ignored.
    Email(String),
}

/// Operand of `channels`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelsKind {
    /// Every public channel.
    Public,
    /// Every web-public channel (FL 250).
    WebPublic,
    /// Every archived channel; of its messages, only received ones (FL 489).
    Archived,
}

/// Operand of `is`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageState {
    /// `dm`, `private`
    Dm,
    /// `starred`
    Starred,
    /// `unread`
    Unread,
    /// `mentioned`
    Mentioned,
    /// `alerted`
    Alerted,
    /// `resolved`
    Resolved,
    /// `followed` (FL 265)
    Followed,
    /// `muted` (FL 366)
    Muted,
}

/// Operand of `has`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessagePart {
    /// `link`
    Link,
    /// `image`
    Image,
    /// `attachment`
    Attachment,
    /// `reaction` (FL 249)
    Reaction,
}

/// Operand of `in`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageScope {
    /// `home`: everything not muted.
    Home,
    /// `all`
    All,
}

/// Which kind of conversation a term confines a narrow to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationKind {
    /// Messages in channels.
    Channel,
    /// Direct messages.
    Direct,
}

impl NarrowTerm {
    /// The kind of conversation this term confines the narrow to, if it does.
    ///
    /// A negated term excludes something and confines to nothing.
    pub const fn conversation_kind(&self) -> Option<ConversationKind> {
        if self.negated {
            return None;
        }
        match &self.filter {
            NarrowFilter::Channel(_)
            | NarrowFilter::Channels(_)
            | NarrowFilter::Topic(_)
            | NarrowFilter::Is(MessageState::Resolved) => Some(ConversationKind::Channel),
            NarrowFilter::Dm(_)
            | NarrowFilter::DmIncluding(_)
            | NarrowFilter::Is(MessageState::Dm) => Some(ConversationKind::Direct),
            _ => None,
        }
    }
}

/// Whether the terms ask for both channel messages and direct messages, which no message can
/// satisfy (BAD_NARROW).
pub fn contradicts_itself(terms: &[NarrowTerm]) -> bool {
    let confines_to = |kind| {
        terms
            .iter()
            .any(|term| term.conversation_kind() == Some(kind))
    };
    confines_to(ConversationKind::Channel) && confines_to(ConversationKind::Direct)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_stored_in_the_modern_object_form() {
        let terms = vec![
            NarrowTerm {
                filter: NarrowFilter::Dm(vec![UserReference::Id(UserId(3))]),
                negated: false,
            },
            NarrowTerm {
                filter: NarrowFilter::DmIncluding(vec![UserReference::Email("a@b.c".into())]),
                negated: true,
            },
        ];
        let json = serde_json::to_string(&terms).unwrap();
        assert_eq!(
            json,
            r#"[{"operator":"dm","operand":[3]},{"operator":"dm-including","operand":["a@b.c"],"negated":true}]"#
        );
        assert_eq!(
            serde_json::from_str::<Vec<NarrowTerm>>(&json).unwrap(),
            terms
        );
    }

    #[test]
    fn channel_and_direct_terms_exclude_each_other() {
        let term = |filter, negated| NarrowTerm { filter, negated };
        let channel = term(NarrowFilter::Topic("x".into()), false);
        let direct = term(NarrowFilter::Is(MessageState::Dm), false);
        let not_direct = term(NarrowFilter::Is(MessageState::Dm), true);
        assert!(contradicts_itself(&[channel.clone(), direct]));
        assert!(!contradicts_itself(&[channel, not_direct]));
        assert!(!contradicts_itself(&[]));
    }
}
