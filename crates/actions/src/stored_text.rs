//! Brings existing texts, of an archive or of an older database, into the form that operations store
//! (docs/protocol/limits.md#printable). Characters that operations refuse are removed.

use std::borrow::Cow;

use serde_json::Value;
use spindle_domain::text::{Form, clean_content, mend_topic};

/// How a text is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stored {
    /// In this form.
    As(Form),
    /// As content of a message, or as HTML.
    Content,
    /// As the name of a topic.
    Topic,
    /// As JSON, each string of which is stored in this way.
    Json(&'static Stored),
}

/// A name or title.
pub(crate) const NAME: Stored = Stored::As(Form::Name);
/// A text of one line.
pub(crate) const LINE: Stored = Stored::As(Form::Line);
/// A text of several lines.
pub(crate) const BLOCK: Stored = Stored::As(Form::Block);

impl Stored {
    /// The normalized text, and whether characters were lost.
    pub(crate) fn mend(self, text: &str) -> (Cow<'_, str>, bool) {
        match self {
            Self::As(form) => match form.accept(text) {
                Ok(stored) => (Cow::Owned(stored), false),
                Err(_) => (Cow::Owned(form.mend(text)), true),
            },
            Self::Content => {
                let stored = clean_content(text);
                let marks = |text: &str| text.matches('\u{FFFD}').count();
                let is_loss = matches!(stored, Cow::Owned(_)) && marks(&stored) > marks(text);
                (stored, is_loss)
            }
            Self::Topic => {
                let stored = mend_topic(text);
                let is_loss = stored != text;
                (stored, is_loss)
            }
            Self::Json(kind) => {
                let Ok(value) = serde_json::from_str::<Value>(text) else {
                    return (Cow::Borrowed(text), false);
                };
                let mended = mend_strings(*kind, &value);
                if mended == value {
                    (Cow::Borrowed(text), false)
                } else {
                    (Cow::Owned(mended.to_string()), true)
                }
            }
        }
    }
}

fn mend_strings(kind: Stored, value: &Value) -> Value {
    let mended = |text: &str| kind.mend(text).0.into_owned();
    match value {
        Value::String(text) => Value::from(mended(text)),
        Value::Array(list) => list.iter().map(|value| mend_strings(kind, value)).collect(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (mended(key), mend_strings(kind, value)))
            .collect(),
        other => other.clone(),
    }
}

/// Returns `name`, with a number appended if it is taken.
pub(crate) fn free_name(name: &str, mut take: impl FnMut(&str) -> bool) -> String {
    let name = if name.is_empty() { "unnamed" } else { name };
    let mut free = name.to_owned();
    let mut number = 1_u64;
    while !take(&free) {
        number = number.saturating_add(1);
        free = format!("{name} {number}");
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_spelling_is_no_loss() {
        let mended = |stored: Stored, text: &str| {
            let (text, is_loss) = stored.mend(text);
            (text.into_owned(), is_loss)
        };
        let same = |text: &str| (text.to_owned(), false);
        let less = |text: &str| (text.to_owned(), true);
        assert_eq!(mended(NAME, "a  e\u{301}"), same("a \u{E9}"));
        assert_eq!(mended(NAME, "a\u{1}"), less("a"));
        assert_eq!(mended(Stored::Content, "a\r\nb"), same("a\nb"));
        assert_eq!(
            mended(Stored::Content, "\u{FFFD}\u{1}"),
            less("\u{FFFD}\u{FFFD}")
        );
        assert_eq!(mended(Stored::Topic, "a\u{1}"), less("a"));
        let data = r#"{"a":{"text":"b\u0001"}}"#;
        let json = Stored::Json(&NAME);
        assert_eq!(mended(json, data), less(r#"{"a":{"text":"b"}}"#));
        assert_eq!(mended(json, "no json"), same("no json"));
    }

    #[test]
    fn names_are_numbered_until_one_is_free() {
        let mut taken = vec!["a".to_owned(), "a 2".to_owned()];
        let mut free = |name: &str| {
            free_name(name, |name| {
                let is_free = !taken.iter().any(|other| other == name);
                taken.push(name.to_owned());
                is_free
            })
        };
        assert_eq!(free("a"), "a 3");
        assert_eq!(free(""), "unnamed");
    }
}
