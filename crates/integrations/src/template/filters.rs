//! Filters that make Markdown of values. In a topic, which is plain text, they return the value as it is.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::printed::{escape, is_plain, text};
use crate::text::{code_line, fenced, linked};
use crate::time::unix_time;

/// Marks the begin and the end of a block, which needs lines of its own. Values and templates cannot contain it.
const EDGE: char = '\u{1}';
/// Larger numbers of a time are milliseconds.
const LAST_SECOND: i64 = 100_000_000_000;
/// Longest name of the language of a code block.
const MOST_LANGUAGE: usize = 20;

pub(super) fn add_to(environment: &mut Environment<'_>) {
    environment.add_filter("block", block);
    environment.add_filter("bold", bold);
    environment.add_filter("code", code);
    environment.add_filter("cut", cut);
    environment.add_filter("date", date);
    environment.add_filter("link", link);
    environment.add_filter("quote", quote);
}

/// Gives blocks lines of their own, wherever the template has put them.
pub(super) fn placed(rendered: &str) -> String {
    let mut placed = String::with_capacity(rendered.len());
    for (at, part) in rendered.split(EDGE).enumerate() {
        let begins_line = placed.is_empty() || placed.ends_with('\n') || part.starts_with('\n');
        if at > 0 && !begins_line && !part.is_empty() {
            placed.push('\n');
        }
        placed.push_str(part);
    }
    placed
}

/// A value as Markdown of one line.
fn inline(value: &Value) -> Result<String, Error> {
    if let Some(markdown) = value.as_str().filter(|_| value.is_safe()) {
        return Ok(markdown.to_owned());
    }
    Ok(escape(&one_line(&text(value)?)))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn markdown(text: String) -> Value {
    Value::from_safe_string(text)
}

fn misuse(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason.into())
}

fn not_markdown(value: &Value, filter: &str) -> Result<(), Error> {
    if value.is_safe() && value.as_str().is_some_and(|text| !text.is_empty()) {
        return Err(misuse(format!(
            "{filter} needs a plain value: put it before the other filters"
        )));
    }
    Ok(())
}

fn bold(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if is_plain(state) {
        return Ok(Value::from(text(value)?));
    }
    let text = inline(value)?;
    let text = text.trim();
    Ok(markdown(if text.is_empty() {
        String::new()
    } else {
        format!("**{text}**")
    }))
}

fn code(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    not_markdown(value, "code")?;
    let text = text(value)?;
    if is_plain(state) {
        return Ok(Value::from(text));
    }
    Ok(markdown(code_line(&one_line(&text))))
}

fn block(state: &State<'_, '_>, value: &Value, language: Option<&str>) -> Result<Value, Error> {
    not_markdown(value, "block")?;
    let language = language.unwrap_or_default();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "+-_#".contains(letter);
    // A quote or a spoiler would be no code block.
    let is_other = ["quote", "spoiler", "math", "latex"].contains(&language);
    if language.len() > MOST_LANGUAGE || !language.chars().all(is_name) || is_other {
        return Err(misuse("block needs the name of a language, or none"));
    }
    let text = text(value)?;
    if is_plain(state) {
        return Ok(Value::from(text));
    }
    Ok(markdown(edged(fenced(&text, language))))
}

fn quote(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if is_plain(state) {
        return Ok(Value::from(text(value)?));
    }
    let quoted = match value.as_str().filter(|_| value.is_safe()) {
        Some(markdown) => placed(markdown),
        None => escape(text(value)?.trim()),
    };
    Ok(markdown(edged(fenced(&quoted, "quote"))))
}

fn edged(block: String) -> String {
    if block.is_empty() {
        block
    } else {
        format!("{EDGE}{block}{EDGE}")
    }
}

fn link(state: &State<'_, '_>, value: &Value, url: &Value) -> Result<Value, Error> {
    if is_plain(state) {
        return Ok(Value::from(text(value)?));
    }
    Ok(markdown(linked(&inline(value)?, &text(url)?)))
}

fn cut(value: &Value, most: usize) -> Result<Value, Error> {
    not_markdown(value, "cut")?;
    Ok(Value::from(crate::text::cut(&text(value)?, most)))
}

/// A time, as each reader sees it in their own time zone, or in a form such as `%Y-%m-%d %H:%M` and UTC.
fn date(state: &State<'_, '_>, value: &Value, form: Option<&str>) -> Result<Value, Error> {
    let written = text(value)?;
    let written = written.trim();
    if written.is_empty() {
        return Ok(Value::from(""));
    }
    let time =
        time(written).ok_or_else(|| misuse(format!("date cannot read {written:?} as a time")))?;
    let form = match form {
        Some(form) => form,
        None if is_plain(state) => "%Y-%m-%d %H:%M",
        None => {
            let shown = unix_time(time.as_second());
            return Ok(if shown.is_empty() {
                Value::from(written)
            } else {
                markdown(shown)
            });
        }
    };
    let shown = strtime::format(form, &time.to_zoned(TimeZone::UTC));
    shown
        .map(Value::from)
        .map_err(|error| misuse(format!("date cannot use {form:?}: {error}")))
}

/// A time in ISO 8601 (in UTC if it names no zone), or in UNIX seconds or milliseconds.
fn time(written: &str) -> Option<Timestamp> {
    if let Ok(number) = written.parse::<i64>() {
        return if number.abs() < LAST_SECOND {
            Timestamp::from_second(number).ok()
        } else {
            Timestamp::from_millisecond(number).ok()
        };
    }
    if let Ok(seconds) = written.parse::<f64>() {
        // Whole seconds are enough; a conversion of what is no time saturates.
        return time(&format!("{seconds:.0}")).filter(|_| seconds.is_finite());
    }
    written.parse().ok().or_else(|| {
        let local: DateTime = written.parse().ok()?;
        local
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|zoned| zoned.timestamp())
    })
}
