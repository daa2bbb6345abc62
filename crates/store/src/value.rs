//! Values that travel into and out of a statement, and the types that they convert into.
//!
//! Owns the one representation that all backends share. It knows nothing of tables, and nothing of
//! rows, which [`crate::Rows`] reads.

use spindle_domain::policy::Scope;
use spindle_domain::{
    ApiKeyId, AppEventId, AppFetchId, AppId, AttachmentId, AuditEntryId, BotCallId,
    ChannelFolderId, ChannelId, ConversationId, CustomEmojiId, DeviceId, DraftId, ErasureId,
    GroupId, IdentityId, InvitationId, LinkifierId, MailId, MessageId, MoveId, PasskeyId,
    PlaygroundId, ProfileFieldId, PushAccountId, PushCallId, RealmId, ReminderId, Role,
    SavedSnippetId, ScheduledMessageId, SessionId, SubmessageId, UserId, VisibilityPolicy,
};

/// One value of the database, as SQLite has them.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A 64-bit signed integer; booleans travel as 0 and 1.
    Integer(i64),
    /// A double.
    Real(f64),
    /// UTF-8 text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    pub(crate) const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Integer(_) => "integer",
            Self::Real(_) => "real",
            Self::Text(_) => "text",
            Self::Blob(_) => "blob",
        }
    }
}

macro_rules! value_from {
    ($($source:ty => |$value:ident| $convert:expr;)*) => {
        $(impl From<$source> for Value {
            fn from($value: $source) -> Self {
                $convert
            }
        })*
    };
}

value_from! {
    i64 => |value| Self::Integer(value);
    i32 => |value| Self::Integer(value.into());
    u32 => |value| Self::Integer(value.into());
    bool => |value| Self::Integer(value.into());
    f64 => |value| Self::Real(value);
    &str => |value| Self::Text(value.to_owned());
    String => |value| Self::Text(value);
    &String => |value| Self::Text(value.clone());
    Vec<u8> => |value| Self::Blob(value);
    &[u8] => |value| Self::Blob(value.to_vec());
    VisibilityPolicy => |value| Self::Integer(value.get());
    Role => |value| Self::Integer(value.as_i64());
    Scope => |value| Self::Text(value.name().to_owned());
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Builds the parameter list of a statement from anything that converts into a [`Value`].
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        [$($crate::Value::from($value)),*]
    };
}

/// A type that a column can be read as.
pub trait FromValue: Sized {
    /// What the column has to hold, for errors.
    const EXPECTED: &'static str;

    /// Converts a value; `None` when it has another type.
    fn from_value(value: &mut Value) -> Option<Self>;
}

impl FromValue for i64 {
    const EXPECTED: &'static str = "integer";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Integer(value) => Some(*value),
            _ => None,
        }
    }
}

impl FromValue for Scope {
    const EXPECTED: &'static str = "name of a scope";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Text(name) => Self::from_name(name),
            _ => None,
        }
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "integer";

    fn from_value(value: &mut Value) -> Option<Self> {
        i64::from_value(value).map(|value| value != 0)
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "text";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Text(value) => Some(std::mem::take(value)),
            _ => None,
        }
    }
}

impl FromValue for std::sync::Arc<str> {
    const EXPECTED: &'static str = "text";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Text(value) => Some(value.as_str().into()),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    const EXPECTED: &'static str = "blob";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Blob(value) => Some(std::mem::take(value)),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// Ids as values and as columns: integers.
macro_rules! ids {
    ($($id:ident),* $(,)?) => {$(
        impl From<$id> for Value {
            fn from(id: $id) -> Self {
                Self::Integer(id.0)
            }
        }

        impl FromValue for $id {
            const EXPECTED: &'static str = "integer";

            fn from_value(value: &mut Value) -> Option<Self> {
                i64::from_value(value).map(Self)
            }
        }
    )*};
}

ids!(
    ApiKeyId,
    AppEventId,
    AppFetchId,
    AppId,
    AttachmentId,
    AuditEntryId,
    BotCallId,
    ChannelFolderId,
    ChannelId,
    ConversationId,
    CustomEmojiId,
    DeviceId,
    DraftId,
    ErasureId,
    GroupId,
    IdentityId,
    PasskeyId,
    InvitationId,
    LinkifierId,
    MailId,
    MessageId,
    MoveId,
    PlaygroundId,
    ProfileFieldId,
    PushAccountId,
    PushCallId,
    RealmId,
    ReminderId,
    SavedSnippetId,
    ScheduledMessageId,
    SessionId,
    SubmessageId,
    UserId,
);

/// A column that holds JSON text, read as a `T`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T> std::ops::Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: serde::de::DeserializeOwned> FromValue for Json<T> {
    const EXPECTED: &'static str = "JSON text of its type";

    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Text(text) => serde_json::from_str(text).ok().map(Self),
            _ => None,
        }
    }
}

impl FromValue for Role {
    const EXPECTED: &'static str = "role";

    fn from_value(value: &mut Value) -> Option<Self> {
        i64::from_value(value).and_then(Self::from_i64)
    }
}

impl FromValue for VisibilityPolicy {
    const EXPECTED: &'static str = "visibility policy";

    fn from_value(value: &mut Value) -> Option<Self> {
        i64::from_value(value).and_then(Self::from_i64)
    }
}

/// JSON text of a list of ids, the form in which lists travel into a statement (`json_each`).
#[must_use]
pub fn id_list(ids: impl IntoIterator<Item = impl Into<i64>>) -> String {
    let mut text = String::from("[");
    for (index, id) in ids.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&id.into().to_string());
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_lists_are_json() {
        assert_eq!(id_list([0_i64; 0]), "[]");
        assert_eq!(id_list([3_i64, -1]), "[3,-1]");
    }
}
