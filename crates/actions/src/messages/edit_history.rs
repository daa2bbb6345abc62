//! The edit history of a message, as far as the organization shows it
//! (`realm_message_edit_history_visibility_policy`): everything, moves only, or nothing.
//!
//! A message stores its entries newest first, each with the state before the change; readers of the
//! history receive the states, oldest first. Entries from a channel that a reader may not read are
//! hidden from that reader: the history begins with the move out of that channel, and the topic there
//! is not shown.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use spindle_domain::limits::MAX_EDIT_HISTORY_LENGTH;
use spindle_domain::policy::may_access_content;
use spindle_domain::{ChannelId, UserId, realm_setting};
use spindle_store::messages::MessageRow;
use spindle_store::{Db, channel_facts, id_list};

use crate::access::access_channel::facts;
use crate::{ActionError, Actor};

/// What of the history is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    Everything,
    Moves,
    Nothing,
}

/// An entry as stored and shown in message objects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) user_id: Option<UserId>,
    pub(super) timestamp: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prev_content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prev_rendered_content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prev_topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prev_stream: Option<ChannelId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stream: Option<ChannelId>,
}

impl Visibility {
    /// The setting of the actor's organization.
    pub(crate) fn of(actor: &Actor) -> Self {
        let policy = actor
            .realm_settings()
            .text(realm_setting!("message_edit_history_visibility_policy"));
        match policy.as_str() {
            "moves" => Self::Moves,
            "none" => Self::Nothing,
            _ => Self::Everything,
        }
    }

    /// Rows with as much of their history as is shown to `actor`, who may read them; a further
    /// statement when one of them comes from another channel. `empty_topic` is the name of the
    /// empty topic.
    ///
    /// # Errors
    /// [`ActionError::Internal`] when the stored value is not a history; [`ActionError::Store`].
    pub(crate) fn shown(
        self,
        db: &dyn Db,
        actor: &Actor,
        mut rows: Vec<MessageRow>,
        empty_topic: &str,
    ) -> Result<Vec<MessageRow>, ActionError> {
        let mut histories = Vec::with_capacity(rows.len());
        for row in &mut rows {
            histories.push(match row.edit_history.take() {
                Some(history) => self.filtered(parse(&history)?),
                None => Vec::new(),
            });
        }
        let hidden = hidden_channels(db, actor, histories.iter().flatten())?;
        for (row, history) in rows.iter_mut().zip(histories) {
            let mut history = without_hidden(history, &hidden);
            let topics = history
                .iter_mut()
                .flat_map(|entry| [entry.topic.as_mut(), entry.prev_topic.as_mut()]);
            name_empty_topics(topics.flatten(), empty_topic);
            if !history.is_empty() {
                let text = serde_json::to_string(&history).map_err(unreadable)?;
                row.edit_history = Some(text);
            }
        }
        Ok(rows)
    }

    pub(super) fn filtered(self, entries: Vec<Entry>) -> Vec<Entry> {
        if self == Self::Everything {
            return entries;
        }
        let moves = entries.into_iter().filter(|entry| {
            self == Self::Moves && (entry.topic.is_some() || entry.stream.is_some())
        });
        let without_text = |entry| Entry {
            prev_content: None,
            prev_rendered_content: None,
            ..entry
        };
        moves.map(without_text).collect()
    }
}

/// The channels which messages have left, and which `actor` may not read.
pub(super) fn hidden_channels<'e>(
    db: &dyn Db,
    actor: &Actor,
    entries: impl Iterator<Item = &'e Entry>,
) -> Result<BTreeSet<ChannelId>, ActionError> {
    let mut left: BTreeSet<ChannelId> = entries.filter_map(|entry| entry.prev_stream).collect();
    if !left.is_empty() {
        let ids = id_list(left.iter().copied());
        for row in channel_facts::by_ids(db, actor.realm_id, actor.member(), &ids)? {
            if may_access_content(actor.role, &facts(&row, actor.role)).is_allowed() {
                left.remove(&row.id);
            }
        }
    }
    Ok(left)
}

/// A history (newest first) without what happened in channels that are hidden. Of the move out of
/// such a channel it keeps that there was one.
pub(super) fn without_hidden(mut history: Vec<Entry>, hidden: &BTreeSet<ChannelId>) -> Vec<Entry> {
    let is_hidden = |entry: &Entry| entry.prev_stream.is_some_and(|id| hidden.contains(&id));
    if let Some(position) = history.iter().position(is_hidden) {
        history.truncate(position + 1);
        if let Some(entry) = history.last_mut() {
            *entry = Entry {
                user_id: entry.user_id,
                timestamp: entry.timestamp,
                prev_stream: entry.prev_stream,
                stream: entry.stream,
                ..Entry::default()
            };
        }
    }
    history
}

pub(super) fn name_empty_topics<'t>(
    topics: impl Iterator<Item = &'t mut String>,
    empty_topic: &str,
) {
    for topic in topics.filter(|topic| topic.is_empty()) {
        empty_topic.clone_into(topic);
    }
}

/// A history from elsewhere, in the form that is kept here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TidiedHistory {
    /// JSON list, newest first.
    pub(crate) text: String,
    /// When the text was last changed; UNIX seconds.
    pub(crate) edited: Option<i64>,
    /// When the message was last moved; UNIX seconds.
    pub(crate) moved: Option<i64>,
}

/// Reads the history of an imported message; `None` when it is not a list of changes. `render` makes the HTML of what
/// was there before; the oldest entries go when there are too many.
pub(crate) fn tidy_history<E>(
    text: &str,
    mut render: impl FnMut(&str) -> Result<String, E>,
) -> Result<Option<TidiedHistory>, E> {
    let Some(mut entries) = parse(text).ok().filter(|entries| !entries.is_empty()) else {
        return Ok(None);
    };
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.timestamp));
    let mut length = 0;
    let most = usize::try_from(MAX_EDIT_HISTORY_LENGTH).unwrap_or(usize::MAX);
    let mut kept = Vec::new();
    for mut entry in entries {
        entry.prev_rendered_content = match &entry.prev_content {
            Some(content) => Some(render(content)?),
            None => None,
        };
        let texts = [
            &entry.prev_content,
            &entry.prev_rendered_content,
            &entry.prev_topic,
            &entry.topic,
        ];
        length += texts.into_iter().flatten().map(String::len).sum::<usize>();
        if length > most {
            break;
        }
        kept.push(entry);
    }
    let newest =
        |is_meant: fn(&&Entry) -> bool| kept.iter().find(is_meant).map(|entry| entry.timestamp);
    let text = serde_json::to_string(&kept).ok();
    Ok(text.map(|text| TidiedHistory {
        edited: newest(|entry| entry.prev_content.is_some()),
        moved: newest(|entry| entry.prev_topic.is_some() || entry.prev_stream.is_some()),
        text,
    }))
}

pub(super) fn parse(history: &str) -> Result<Vec<Entry>, ActionError> {
    serde_json::from_str(history).map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> ActionError {
    ActionError::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        parse(
            r#"[{"user_id":1,"timestamp":3,"prev_topic":"a","topic":"b","prev_content":"y",
                 "prev_rendered_content":"<p>y</p>"},
                {"user_id":2,"timestamp":2,"prev_content":"x","prev_rendered_content":"<p>x</p>"}]"#,
        )
        .unwrap()
    }

    #[test]
    fn moves_are_shown_without_their_texts() {
        let shown = Visibility::Moves.filtered(entries());
        assert_eq!(shown.len(), 1);
        assert_eq!(
            serde_json::to_string(&shown).unwrap(),
            r#"[{"user_id":1,"timestamp":3,"prev_topic":"a","topic":"b"}]"#
        );
        assert_eq!(Visibility::Everything.filtered(entries()), entries());
        assert_eq!(Visibility::Nothing.filtered(entries()), []);
    }

    #[test]
    fn what_happened_in_a_hidden_channel_is_not_told() {
        let history = parse(
            r#"[{"user_id":1,"timestamp":5,"prev_content":"z"},
                {"user_id":1,"timestamp":4,"prev_stream":8,"stream":9},
                {"user_id":1,"timestamp":3,"prev_topic":"a","topic":"b","prev_stream":7,"stream":8},
                {"user_id":2,"timestamp":2,"prev_content":"x"}]"#,
        )
        .unwrap();
        let shown = |hidden: &[i64]| {
            let hidden = hidden.iter().copied().map(ChannelId).collect();
            serde_json::to_string(&without_hidden(history.clone(), &hidden)).unwrap()
        };
        assert_eq!(parse(&shown(&[])).unwrap(), history);
        assert_eq!(
            shown(&[7]),
            r#"[{"user_id":1,"timestamp":5,"prev_content":"z"},{"user_id":1,"timestamp":4,"prev_stream":8,"stream":9},{"user_id":1,"timestamp":3,"prev_stream":7,"stream":8}]"#
        );
        assert_eq!(
            shown(&[7, 8]),
            r#"[{"user_id":1,"timestamp":5,"prev_content":"z"},{"user_id":1,"timestamp":4,"prev_stream":8,"stream":9}]"#
        );
    }
}
