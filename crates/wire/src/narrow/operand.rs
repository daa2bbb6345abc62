//! One term of a narrow: which operator, and what its operand may be.

use crate::{ApiError, ClientError};
use serde_json::Value;
use spindle_domain::narrow::{
    ChannelReference, ChannelsKind, MessagePart, MessageScope, MessageState, NarrowFilter,
    UserReference,
};
use spindle_domain::{ChannelId, MessageId, UserId};

pub(super) fn parse_filter(
    path: &str,
    operator: &str,
    operand: &Value,
) -> Result<NarrowFilter, ApiError> {
    let reader = Reader {
        path,
        operator,
        operand,
    };
    match operator {
        "channel" | "stream" => reader.channel().map(NarrowFilter::Channel),
        "channels" | "streams" => reader
            .word(&[
                ("public", ChannelsKind::Public),
                ("web-public", ChannelsKind::WebPublic),
                ("archived", ChannelsKind::Archived),
            ])
            .map(NarrowFilter::Channels),
        "topic" | "subject" => Ok(NarrowFilter::Topic(reader.text()?.trim().to_owned())),
        "sender" | "from" => reader.user().map(NarrowFilter::Sender),
        "dm" | "pm-with" => reader.users().map(NarrowFilter::Dm),
        "dm-including" | "group-pm-with" => reader.users().map(NarrowFilter::DmIncluding),
        "is" => reader.word(STATES).map(NarrowFilter::Is),
        "has" => reader.word(PARTS).map(NarrowFilter::Has),
        "in" => reader
            .word(&[("home", MessageScope::Home), ("all", MessageScope::All)])
            .map(NarrowFilter::In),
        "id" => reader.message().map(NarrowFilter::Id),
        "near" => reader.message().map(NarrowFilter::Near),
        "with" => reader.message().map(NarrowFilter::With),
        "mentions" => reader.user().map(NarrowFilter::Mentions),
        "search" => match reader.text()?.trim() {
            "" => Err(reader.impossible()),
            words => Ok(NarrowFilter::Search(words.to_owned())),
        },
        unknown => {
            let desc = format!("unknown operator '{unknown}'");
            Err(ClientError::BadNarrow { desc }.into())
        }
    }
}

const STATES: &[(&str, MessageState)] = &[
    ("dm", MessageState::Dm),
    ("private", MessageState::Dm),
    ("starred", MessageState::Starred),
    ("unread", MessageState::Unread),
    ("mentioned", MessageState::Mentioned),
    ("alerted", MessageState::Alerted),
    ("resolved", MessageState::Resolved),
    ("followed", MessageState::Followed),
    ("muted", MessageState::Muted),
];

// The plurals are what older clients send.
const PARTS: &[(&str, MessagePart)] = &[
    ("link", MessagePart::Link),
    ("links", MessagePart::Link),
    ("image", MessagePart::Image),
    ("images", MessagePart::Image),
    ("attachment", MessagePart::Attachment),
    ("attachments", MessagePart::Attachment),
    ("reaction", MessagePart::Reaction),
    ("reactions", MessagePart::Reaction),
];

struct Reader<'v> {
    path: &'v str,
    operator: &'v str,
    operand: &'v Value,
}

impl Reader<'_> {
    /// The operand has the wrong JSON type.
    fn wrong_type(&self, expected: &str) -> ApiError {
        let path = format!(r#"{}["operand"]"#, self.path);
        ApiError::bad_parameter(&path, format!("expected {expected}"))
    }

    /// The operand has the right type and an impossible value.
    fn impossible(&self) -> ApiError {
        let shown = self.operand.to_string();
        let shown = spindle_domain::text::first_chars(&shown, 100);
        let desc = format!("{shown} is no operand of '{}'", self.operator);
        ClientError::BadNarrow { desc }.into()
    }

    fn text(&self) -> Result<&str, ApiError> {
        self.operand
            .as_str()
            .ok_or_else(|| self.wrong_type("a string"))
    }

    fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, ApiError> {
        let text = self.text()?;
        words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, value)| *value)
            .ok_or_else(|| self.impossible())
    }

    fn channel(&self) -> Result<ChannelReference, ApiError> {
        match self.operand {
            Value::String(name) if name.trim().is_empty() => Err(self.impossible()),
            Value::String(name) => Ok(ChannelReference::Name(name.trim().to_owned())),
            value => value
                .as_i64()
                .map(|id| ChannelReference::Id(ChannelId(id)))
                .ok_or_else(|| self.wrong_type("the id or the name of a channel")),
        }
    }

    fn message(&self) -> Result<MessageId, ApiError> {
        match self.operand {
            Value::String(text) => text.parse().map(MessageId).map_err(|_| self.impossible()),
            value => value
                .as_i64()
                .map(MessageId)
                .ok_or_else(|| self.wrong_type("a message id")),
        }
    }

    fn user(&self) -> Result<UserReference, ApiError> {
        self.user_from(self.operand)
    }

    fn user_from(&self, value: &Value) -> Result<UserReference, ApiError> {
        match value {
            Value::String(email) if email.trim().is_empty() => Err(self.impossible()),
            Value::String(text) => Ok(user_from_text(text.trim())),
            value => value
                .as_i64()
                .map(|id| UserReference::Id(UserId(id)))
                .ok_or_else(|| self.wrong_type("user ids or emails")),
        }
    }

    fn users(&self) -> Result<Vec<UserReference>, ApiError> {
        match self.operand {
            Value::Array(list) => list.iter().map(|value| self.user_from(value)).collect(),
            Value::String(emails) => {
                let list: Vec<_> = emails
                    .split(',')
                    .map(str::trim)
                    .filter(|email| !email.is_empty())
                    .map(user_from_text)
                    .collect();
                if list.is_empty() {
                    return Err(self.impossible());
                }
                Ok(list)
            }
            value => self.user_from(value).map(|user| vec![user]),
        }
    }
}

/// An email, or an id that was sent as text (the specification has operands as strings).
fn user_from_text(text: &str) -> UserReference {
    match text.parse() {
        Ok(id) => UserReference::Id(UserId(id)),
        Err(_) => UserReference::Email(text.to_owned()),
    }
}
