//! The edit history of a message: its states with HTML and diffs (docs/protocol/messages.md#get_message_history).
//!
//! A history can hold a megabyte of text; HTML and diffs multiply that, so they are included only up to
//! `MAX_HISTORY_BYTES`, newest states first.

use std::time::{Duration, Instant};

use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use spindle_domain::{ChannelId, MessageId, UserId};
use spindle_store::Db;
use spindle_store::messages::MessageRow;

use super::edit_history::{
    Entry, Visibility, hidden_channels, name_empty_topics, parse, without_hidden,
};
use crate::access::access_message::access_message;
use crate::json_list::written_length;
use crate::text::escape_html;
use crate::{ActionError, Actor};

/// Time limit for one diff; a slower one shows the whole text as replaced.
const DIFF_TIME: Duration = Duration::from_millis(50);

/// Time limit for all diffs of one answer.
const ALL_DIFFS_TIME: Duration = Duration::from_millis(500);

/// Limit for the texts, HTML and diffs of one answer, in bytes of JSON.
const MAX_HISTORY_BYTES: usize = 4 << 20;

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

/// The states of a message, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageHistory {
    /// At least one.
    pub states: Vec<HistoryState>,
    /// HTML and diffs of the oldest states were left out for lack of room.
    pub is_incomplete: bool,
}

/// The states of a message that the caller may read, oldest first. `empty_topic` replaces the empty topic.
///
/// # Errors
/// [`ActionError::BadRequest`] when the organization shows no history, [`ActionError::Denied`]
/// when the message does not exist or may not be read.
pub fn get_message_history(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
    empty_topic: &str,
) -> Result<MessageHistory, ActionError> {
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
    let mut history = unroll(message, entries);
    if is_channel_message {
        let topics = history
            .states
            .iter_mut()
            .flat_map(|state| [Some(&mut state.topic), state.prev_topic.as_mut()]);
        name_empty_topics(topics.flatten(), empty_topic);
    }
    Ok(history)
}

/// Turns the log of changes into states, oldest first. Every state has its text; HTML and diffs are added from the
/// newest state on while there is room.
fn unroll(message: MessageRow, entries: Vec<Entry>) -> MessageHistory {
    let mut room = Room::new();
    let mut now = (message.topic, message.content, message.rendered_content);
    let mut states = Vec::with_capacity(entries.len() + 1);
    for entry in entries {
        let mut state = HistoryState {
            topic: now.0.clone(),
            content: now.1.clone(),
            rendered_content: String::new(),
            timestamp: entry.timestamp,
            user_id: entry.user_id,
            prev_topic: entry.prev_topic.clone(),
            prev_stream: entry.prev_stream,
            stream: entry.stream,
            prev_content: entry.prev_content.clone(),
            prev_rendered_content: None,
            content_html_diff: None,
        };
        room.add_html(&mut state, &now.2, entry.prev_rendered_content.as_deref());
        states.push(state);
        now.0 = entry.prev_topic.unwrap_or(now.0);
        now.1 = entry.prev_content.unwrap_or(now.1);
        now.2 = entry.prev_rendered_content.unwrap_or(now.2);
    }
    let mut first = HistoryState {
        topic: now.0,
        content: now.1,
        rendered_content: String::new(),
        timestamp: message.date_sent,
        user_id: Some(message.sender_id),
        prev_topic: None,
        prev_stream: None,
        stream: None,
        prev_content: None,
        prev_rendered_content: None,
        content_html_diff: None,
    };
    room.add_html(&mut first, &now.2, None);
    states.push(first);
    states.reverse();
    MessageHistory {
        states,
        is_incomplete: room.is_short,
    }
}

/// The remaining budget for HTML and diffs.
struct Room {
    bytes: usize,
    until: Instant,
    /// Some state went without HTML.
    is_short: bool,
}

impl Room {
    fn new() -> Self {
        Self {
            bytes: MAX_HISTORY_BYTES,
            until: Instant::now() + ALL_DIFFS_TIME,
            is_short: false,
        }
    }

    /// Adds HTML, previous HTML and diff to a state, or none of the three if they do not fit.
    fn add_html(&mut self, state: &mut HistoryState, html: &str, before: Option<&str>) {
        let texts = written_length(&state.content)
            + state.prev_content.as_deref().map_or(0, written_length);
        self.bytes = self.bytes.saturating_sub(texts);
        let diff = (self.bytes > 0)
            .then_some(state.prev_content.as_deref())
            .flatten()
            .map(|before| html_diff(before, &state.content, self.until));
        let wanted = written_length(html)
            + before.map_or(0, written_length)
            + diff.as_deref().map_or(0, written_length);
        let Some(left) = self.bytes.checked_sub(wanted) else {
            self.bytes = 0;
            self.is_short = true;
            return;
        };
        self.bytes = left;
        html.clone_into(&mut state.rendered_content);
        state.prev_rendered_content = before.map(str::to_owned);
        state.content_html_diff = diff;
    }
}

/// A word diff as HTML, with insertions and deletions marked.
fn html_diff(before: &str, after: &str, until: Instant) -> String {
    let diff = TextDiff::configure()
        .deadline(until.min(Instant::now() + DIFF_TIME))
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
        html.push_str(&escape_html(change.value()).replace('\n', "<br>"));
        if class.is_some() {
            html.push_str("</span>");
        }
    }
    html.push_str("</div>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_marked_and_nothing_is_markup() {
        assert_eq!(
            html_diff("a <b> c", "a <i> c", Instant::now() + ALL_DIFFS_TIME),
            "<div>a <span class=\"highlight_text_deleted\">&lt;b&gt;</span>\
             <span class=\"highlight_text_inserted\">&lt;i&gt;</span> c</div>"
        );
        assert_eq!(
            html_diff("\"'&", "\"'&\n<script>", Instant::now() + ALL_DIFFS_TIME),
            "<div>&quot;&#39;&amp;<span class=\"highlight_text_inserted\"><br></span>\
             <span class=\"highlight_text_inserted\">&lt;script&gt;</span></div>"
        );
    }
}
