//! Polls and to-do lists: messages that begin with `/poll` or `/todo`, and the submessages of
//! which they consist.
//!
//! The first submessage of such a message defines it; each further one is an action of a user on
//! it. Contents are JSON text, known to clients and stored as sent. This module checks them;
//! nothing is stored or counted here.

use serde_json::{Map, Value, json};

use crate::limits::MAX_MESSAGE_LENGTH;
use crate::text::{Form, is_longer_than};

/// `msg_type` of all submessages.
pub const WIDGET: &str = "widget";

/// Largest index that a client may give an option or task of its own.
const MAX_INDEX: i64 = 1000;

/// The kind of object that the submessages of a message define.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WidgetKind {
    /// `/poll`
    Poll,
    /// `/todo`
    Todo,
}

impl WidgetKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Todo => "todo",
        }
    }

    /// The kind that the first submessage of a message names; `None` for others.
    pub fn of(first_submessage: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(first_submessage).ok()?;
        let name = value.get("widget_type")?.as_str()?;
        [Self::Poll, Self::Todo]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// The first submessage of a message with this content; `None` for an ordinary message.
///
/// The line of the command holds the question or title, each further line an option or a task,
/// with or without a bullet; a task may be described after a colon.
pub fn first_submessage(content: &str) -> Option<String> {
    let command = content.split_whitespace().next()?;
    let kind = match command {
        "/poll" => WidgetKind::Poll,
        "/todo" => WidgetKind::Todo,
        _ => return None,
    };
    let content = Form::Block.mend(content.strip_prefix(command)?);
    let rest = content.as_str();
    let (title, lines) = rest.split_once('\n').unwrap_or((rest, ""));
    let items = lines.lines().map(item).filter(|item| !item.is_empty());
    let title = title.trim();
    let extra_data = match kind {
        WidgetKind::Poll => {
            let options: Vec<&str> = items.collect();
            json!({"question": title, "options": options})
        }
        WidgetKind::Todo => {
            let tasks: Vec<Value> = items.map(task).collect();
            json!({"task_list_title": title, "tasks": tasks})
        }
    };
    Some(json!({"widget_type": kind.name(), "extra_data": extra_data}).to_string())
}

/// A line without its bullet.
fn item(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix(['-', '*']).map_or(line, str::trim_start)
}

fn task(item: &str) -> Value {
    let (task, description) = item.split_once(':').unwrap_or((item, ""));
    json!({"task": task.trim(), "desc": description.trim()})
}

/// Why a submessage is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmessageProblem {
    /// Not JSON, or too long.
    NotJson,
    /// A text in it holds a control character or an invisible one.
    Unprintable,
    /// No action on this kind of message.
    Meaningless,
    /// Only the sender of the message may do that.
    OnlyBySender,
}

/// Checks a submessage to a message that has one already. `is_sender`: the caller has sent the
/// message. Submessages of other messages have a meaning for clients only.
///
/// # Errors
/// The first rule that it breaks.
pub fn check_submessage(
    kind: Option<WidgetKind>,
    content: &str,
    is_sender: bool,
) -> Result<(), SubmessageProblem> {
    if is_longer_than(content, MAX_MESSAGE_LENGTH) {
        return Err(SubmessageProblem::NotJson);
    }
    let value: Value = serde_json::from_str(content).map_err(|_| SubmessageProblem::NotJson)?;
    if !is_printable(&value) {
        return Err(SubmessageProblem::Unprintable);
    }
    let Some(kind) = kind else {
        return Ok(());
    };
    let fields = value.as_object().ok_or(SubmessageProblem::Meaningless)?;
    let deed = fields.get("type").and_then(Value::as_str).unwrap_or("");
    let rules = match (kind, deed) {
        (WidgetKind::Poll, "vote") => VOTE,
        (WidgetKind::Poll, "new_option") => NEW_OPTION,
        (WidgetKind::Poll, "question") => QUESTION,
        (WidgetKind::Todo, "new_task") => NEW_TASK,
        (WidgetKind::Todo, "strike") => STRIKE,
        (WidgetKind::Todo, "new_task_list_title") => TITLE,
        _ => return Err(SubmessageProblem::Meaningless),
    };
    if !rules.admit(fields) {
        return Err(SubmessageProblem::Meaningless);
    }
    if rules.only_by_sender && !is_sender {
        return Err(SubmessageProblem::OnlyBySender);
    }
    Ok(())
}

/// Returns true if all texts of a value can be printed, the names of fields among them.
fn is_printable(value: &Value) -> bool {
    let is_text = |text: &str| Form::Block.accept(text).is_ok();
    match value {
        Value::String(text) => is_text(text),
        Value::Array(values) => values.iter().all(is_printable),
        Value::Object(fields) => fields
            .iter()
            .all(|(name, value)| is_text(name) && is_printable(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// The fields of an action besides `type`.
#[derive(Clone, Copy)]
struct Rules {
    fields: &'static [(&'static str, Field)],
    only_by_sender: bool,
}

#[derive(Clone, Copy)]
enum Field {
    Text,
    Boolean,
    /// From 0 to [`MAX_INDEX`].
    Index,
    /// 1, or -1 to take it back.
    Vote,
}

const VOTE: Rules = anybody(&[("key", Field::Text), ("vote", Field::Vote)]);
const NEW_OPTION: Rules = anybody(&[("option", Field::Text), ("idx", Field::Index)]);
const QUESTION: Rules = sender(&[("question", Field::Text)]);
const STRIKE: Rules = anybody(&[("key", Field::Text)]);
const TITLE: Rules = sender(&[("title", Field::Text)]);
const NEW_TASK: Rules = anybody(&[
    ("key", Field::Index),
    ("task", Field::Text),
    ("desc", Field::Text),
    ("completed", Field::Boolean),
]);

const fn anybody(fields: &'static [(&'static str, Field)]) -> Rules {
    Rules {
        fields,
        only_by_sender: false,
    }
}

const fn sender(fields: &'static [(&'static str, Field)]) -> Rules {
    Rules {
        fields,
        only_by_sender: true,
    }
}

impl Rules {
    fn admit(self, object: &Map<String, Value>) -> bool {
        object.len() == self.fields.len().saturating_add(1)
            && self.fields.iter().all(|(name, field)| {
                object.get(*name).is_some_and(|value| match field {
                    Field::Text => value.is_string(),
                    Field::Boolean => value.is_boolean(),
                    Field::Index => value
                        .as_i64()
                        .is_some_and(|index| (0..=MAX_INDEX).contains(&index)),
                    Field::Vote => matches!(value.as_i64(), Some(1 | -1)),
                })
            })
    }
}

#[cfg(test)]
mod tests;
