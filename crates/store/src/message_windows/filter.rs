//! The conditions that a message must meet to be in a window.
//!
//! Owns the conditions as values, the order in which they travel into a statement, and the
//! choice of the way through the tables that meets the fewest messages that fail them.

use spindle_domain::{ChannelId, ConversationId, MessageId, UserId};

use super::statements::Source;
use crate::messages::{flag, property};
use crate::{Value, id_list, params};

/// Conditions on a message. `None` and empty lists are no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The reader.
    pub user_id: UserId,
    /// Delivered to the reader; else also what a channel's open history holds.
    pub is_received: bool,
    /// Flag bits that must all be set.
    pub flags_all: i64,
    /// Flag bits of which none may be set.
    pub flags_none: i64,
    /// Flag bits of which one must be set.
    pub flags_any: i64,
    /// Property bits that must all be set.
    pub properties_all: i64,
    /// Property bits of which none may be set.
    pub properties_none: i64,
    /// In this channel.
    pub channel_id: Option<ChannelId>,
    /// In one of these channels.
    pub channels: Option<Vec<ChannelId>>,
    /// In none of these channels.
    pub channels_not: Vec<ChannelId>,
    /// In this topic, folded.
    pub topic: Option<String>,
    /// In none of these topics, folded.
    pub topics_not: Vec<String>,
    /// In one of these conversations.
    pub conversations: Option<Vec<ConversationId>>,
    /// In none of these conversations.
    pub conversations_not: Vec<ConversationId>,
    /// From one of these senders.
    pub senders: Option<Vec<UserId>>,
    /// From none of these senders.
    pub senders_not: Vec<UserId>,
    /// One of these messages.
    pub ids: Option<Vec<MessageId>>,
    /// None of these messages.
    pub ids_not: Vec<MessageId>,
    /// Direct messages (true) or channel messages (false).
    pub direct: Option<bool>,
    /// In a resolved topic, or not.
    pub resolved: Option<bool>,
    /// Mentioning all of these users by name or group.
    pub mentions: Vec<UserId>,
    /// Mentioning none of these users.
    pub mentions_not: Vec<UserId>,
    /// Found by this expression of the full-text index.
    pub search: Option<String>,
    /// Not found by this one.
    pub search_not: Option<String>,
    /// With or without reactions.
    pub has_reaction: Option<bool>,
    /// In a topic that the reader follows, or not.
    pub followed: Option<bool>,
    /// In a topic or channel that the reader has muted, or not.
    pub muted: Option<bool>,
}

impl Filter {
    /// The way through the tables. Each meets every message that passes, by an index and in
    /// the order of ids; the earlier ones meet fewer others.
    pub(super) fn source(&self) -> Source {
        if self.ids.is_some() {
            Source::Ids
        } else if self.search.is_some() {
            Source::Search
        } else if self.flags_all & flag::STARRED != 0 {
            Source::Starred
        } else if self.flags_any & flag::ANY_MENTION != 0 {
            Source::Mentioned
        } else if self.flags_all & flag::HAS_ALERT_WORD != 0 {
            Source::Alerted
        } else if self.mentions.len() == 1 {
            Source::Mentions
        } else if self.flags_none & flag::READ != 0 {
            Source::Unread
        } else if self.channel_id.is_some() && self.topic.is_some() {
            Source::Topic
        } else if matches!(self.conversations.as_deref(), Some([_])) {
            Source::Conversation
        } else if matches!(self.senders.as_deref(), Some([_])) {
            Source::Sender
        } else if self.channel_id.is_some() {
            Source::Channel
        } else {
            self.general_source()
        }
    }

    fn general_source(&self) -> Source {
        if self.properties_all & property::HAS_ATTACHMENT != 0 {
            Source::WithAttachment
        } else if self.properties_all & property::HAS_IMAGE != 0 {
            Source::WithImage
        } else if self.resolved == Some(true) {
            Source::Resolved
        } else if self.direct == Some(true) || self.conversations.is_some() {
            Source::Direct
        } else if self.is_received {
            Source::Received
        } else {
            Source::All
        }
    }

    /// The index that `source` is walked by, the reader's or the channel's, without further
    /// conditions.
    pub(super) fn only_key(&self, source: Source) -> Option<Value> {
        let mut only = Self {
            user_id: self.user_id,
            ..Self::default()
        };
        let key = match source {
            Source::Received => {
                only.is_received = true;
                self.user_id.into()
            }
            Source::Unread => {
                // Nothing else is unread.
                only.is_received = self.is_received;
                only.flags_none = flag::READ;
                self.user_id.into()
            }
            Source::Channel | Source::Topic => {
                only.channel_id = self.channel_id;
                if source == Source::Topic {
                    only.topic.clone_from(&self.topic);
                }
                self.channel_id?.into()
            }
            _ => return None,
        };
        (*self == only).then_some(key)
    }

    /// The parameters of every statement; `searched`: the statement itself walks what the
    /// search finds.
    pub(super) fn params(&self, searched: bool, bound: MessageId, limit: i64) -> [Value; 30] {
        fn list<Id: Copy + Into<i64>>(ids: &[Id]) -> String {
            id_list(ids.iter().copied())
        }
        fn optional<Id: Copy + Into<i64>>(ids: Option<&Vec<Id>>) -> Option<String> {
            ids.map(|ids| list(ids))
        }
        params![
            self.user_id,
            bound,
            limit,
            self.flags_all,
            self.flags_none,
            self.flags_any,
            self.properties_all,
            self.properties_none,
            self.channel_id,
            optional(self.channels.as_ref()),
            list(&self.channels_not),
            self.topic.as_deref(),
            texts(&self.topics_not),
            optional(self.conversations.as_ref()),
            list(&self.conversations_not),
            optional(self.senders.as_ref()),
            list(&self.senders_not),
            optional(self.ids.as_ref()),
            list(&self.ids_not),
            self.direct,
            self.resolved,
            list(&self.mentions),
            list(&self.mentions_not),
            self.is_received,
            self.search.as_deref(),
            searched,
            self.search_not.as_deref(),
            self.has_reaction,
            self.followed,
            self.muted,
        ]
    }
}

fn texts(list: &[String]) -> String {
    // A list of strings always serializes.
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}
