//! The edit history of a message, as far as the organization shows it
//! (`realm_message_edit_history_visibility_policy`): everything, moves only, or nothing.
//!
//! A message stores its entries newest first, each with the state before the change; readers of the
//! history receive the states, oldest first. Entries from a channel that a reader may not read are
//! hidden from that reader: the history begins with the move out of that channel, and the topic there
//! is not shown.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};
use spindle_domain::limits::MAX_EDIT_HISTORY_LENGTH;
use spindle_domain::policy::may_access_content;
use spindle_domain::{ChannelId, MessageId, UserId, realm_setting};
use spindle_store::messages::MessageRow;
use spindle_store::{Db, channel_facts, id_list};

use crate::access::access_channel::facts;
use crate::access::access_message::access_message;
use crate::{ActionError, Actor};

/// Time for comparing two texts; what takes longer is shown as replaced as a whole.
const DIFF_TIME: Duration = Duration::from_millis(50);

/// What of the history is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    Everything,
    Moves,
    Nothing,
}

/// An entry as it is stored and shown in message objects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    user_id: Option<UserId>,
    timestamp: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prev_content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prev_rendered_content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prev_topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prev_stream: Option<ChannelId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stream: Option<ChannelId>,
}

/// One state of a message (docs/protocol/messages.md#get_message_history).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistoryState {
    topic: String,
    content: String,
    rendered_content: String,
    /// UNIX seconds.
    timestamp: i64,
    user_id: Option<UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_stream: Option<ChannelId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<ChannelId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_rendered_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_html_diff: Option<String>,
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
    /// [`ActionError::Internal`] when what is stored is no history; [`ActionError::Store`].
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

    fn filtered(self, entries: Vec<Entry>) -> Vec<Entry> {
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
fn hidden_channels<'e>(
    db: &dyn Db,
    actor: &Actor,
    entries: impl Iterator<Item = &'e Entry>,
) -> Result<BTreeSet<ChannelId>, ActionError> {
    let mut left: BTreeSet<ChannelId> = entries.filter_map(|entry| entry.prev_stream).collect();
    if !left.is_empty() {
        let ids = id_list(left.iter().copied());
        let (realm_id, user_id) = (actor.realm_id, actor.user_id);
        for row in channel_facts::by_ids(db, realm_id, user_id, &ids)? {
            if may_access_content(actor.role, &facts(&row, actor.role)).is_allowed() {
                left.remove(&row.id);
            }
        }
    }
    Ok(left)
}

/// A history (newest first) without what happened in channels that are hidden. Of the move out of
/// such a channel it keeps that there was one.
fn without_hidden(mut history: Vec<Entry>, hidden: &BTreeSet<ChannelId>) -> Vec<Entry> {
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

fn name_empty_topics<'t>(topics: impl Iterator<Item = &'t mut String>, empty_topic: &str) {
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

/// Reads the history of an imported message; none when it is not a list of changes. `render` makes the HTML of what was
/// there before; the oldest entries go when there are too many.
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

/// The states of a message that the caller may read, oldest first. `empty_topic` is what stands
/// for the empty topic.
///
/// # Errors
/// [`ActionError::BadRequest`] when the organization shows no history, [`ActionError::Denied`]
/// when the message does not exist or may not be read.
pub fn get_message_history(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
    empty_topic: &str,
) -> Result<Vec<HistoryState>, ActionError> {
    let visibility = Visibility::of(actor);
    if visibility == Visibility::Nothing {
        return Err(ActionError::bad_request(
            "This organization does not show what was done to messages",
        ));
    }
    let message = access_message(db, actor, message_id)?;
    let entries = match &message.edit_history {
        Some(history) => visibility.filtered(parse(history)?),
        None => Vec::new(),
    };
    let hidden = hidden_channels(db, actor, entries.iter())?;
    let entries = without_hidden(entries, &hidden);
    let is_channel_message = message.channel_id.is_some();
    let mut states = unroll(message, entries);
    if is_channel_message {
        let topics = states
            .iter_mut()
            .flat_map(|state| [Some(&mut state.topic), state.prev_topic.as_mut()]);
        name_empty_topics(topics.flatten(), empty_topic);
    }
    Ok(states)
}

/// From what was before each change to what was after it.
fn unroll(message: MessageRow, entries: Vec<Entry>) -> Vec<HistoryState> {
    let mut now = (message.topic, message.content, message.rendered_content);
    let mut states = Vec::with_capacity(entries.len() + 1);
    for entry in entries {
        let (topic, content, rendered_content) = now.clone();
        let diff = entry.prev_content.as_ref();
        states.push(HistoryState {
            content_html_diff: diff.map(|before| html_diff(before, &content)),
            topic,
            content,
            rendered_content,
            timestamp: entry.timestamp,
            user_id: entry.user_id,
            prev_topic: entry.prev_topic.clone(),
            prev_stream: entry.prev_stream,
            stream: entry.stream,
            prev_content: entry.prev_content.clone(),
            prev_rendered_content: entry.prev_rendered_content.clone(),
        });
        now.0 = entry.prev_topic.unwrap_or(now.0);
        now.1 = entry.prev_content.unwrap_or(now.1);
        now.2 = entry.prev_rendered_content.unwrap_or(now.2);
    }
    let (topic, content, rendered_content) = now;
    states.push(HistoryState {
        topic,
        content,
        rendered_content,
        timestamp: message.date_sent,
        user_id: Some(message.sender_id),
        prev_topic: None,
        prev_stream: None,
        stream: None,
        prev_content: None,
        prev_rendered_content: None,
        content_html_diff: None,
    });
    states.reverse();
    states
}

/// The words of both texts, escaped, with those that came and went marked.
fn html_diff(before: &str, after: &str) -> String {
    let diff = TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_words(before, after);
    let mut html = String::from("<div>");
    for change in diff.iter_all_changes() {
        let class = match change.tag() {
            ChangeTag::Equal => None,
            ChangeTag::Insert => Some("highlight_text_inserted"),
            ChangeTag::Delete => Some("highlight_text_deleted"),
        };
        if let Some(class) = class {
            html.push_str(&format!("<span class=\"{class}\">"));
        }
        escape_into(change.value(), &mut html);
        if class.is_some() {
            html.push_str("</span>");
        }
    }
    html.push_str("</div>");
    html
}

fn escape_into(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            '\n' => html.push_str("<br>"),
            other => html.push(other),
        }
    }
}

fn parse(history: &str) -> Result<Vec<Entry>, ActionError> {
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

    #[test]
    fn differences_are_marked_and_nothing_is_markup() {
        assert_eq!(
            html_diff("a <b> c", "a <i> c"),
            "<div>a <span class=\"highlight_text_deleted\">&lt;b&gt;</span>\
             <span class=\"highlight_text_inserted\">&lt;i&gt;</span> c</div>"
        );
        assert_eq!(
            html_diff("\"'&", "\"'&\n<script>"),
            "<div>&quot;&#39;&amp;<span class=\"highlight_text_inserted\"><br></span>\
             <span class=\"highlight_text_inserted\">&lt;script&gt;</span></div>"
        );
    }
}
