//! Printing values: in a text they format nothing and mention no one, whatever stands around them.

use std::fmt::{self, Write as _};

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Output, State, Value};
use spindle_domain::limits::MAX_TEMPLATE_OUTPUT_BYTES;

use super::Part;
use crate::text::escape_line;

/// Bytes that are escaped for each unit of fuel.
const BYTES_PER_FUEL: u64 = 8;
/// Letters that could complete markup of the text before a value.
const AT_THE_BEGIN: &[char] = &['(', ')', '.', '$', '~'];
/// Letters that the text behind a value could complete to markup.
const AT_THE_END: &[char] = &['#', '$', '&', ':', '@', '[', ']', '_', '~', '!'];

/// The formatter of all templates.
pub(super) fn print(
    output: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    if let Some(markdown) = value.as_str().filter(|_| value.is_safe()) {
        return Ok(output.write_str(markdown)?);
    }
    let text = text(value)?;
    // Escaping takes longer than the copying that the engine charges for.
    state.consume_fuel(text.len() as u64 / BYTES_PER_FUEL)?;
    let text = if is_plain(state) { text } else { escape(&text) };
    Ok(output.write_str(&text)?)
}

/// Whether the template makes plain text.
pub(super) fn is_plain(state: &State<'_, '_>) -> bool {
    state.name() == Part::Topic.option()
}

/// The text of a value without control characters; empty for nothing.
pub(super) fn text(value: &Value) -> Result<String, Error> {
    if let Some(text) = value.as_str() {
        return Ok(without_controls(text));
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(String::new()),
        ValueKind::Bool => Ok(value.is_true().to_string()),
        _ => {
            let mut bounded = Bounded(String::new());
            match write!(bounded, "{value}") {
                Ok(()) => Ok(without_controls(&bounded.0)),
                Err(_) => Err(Error::new(
                    ErrorKind::InvalidOperation,
                    "a list or an object is too long to be printed",
                )),
            }
        }
    }
}

/// Control characters other than line breaks and tabs are dropped: the server refuses some, and filters use others.
pub(super) fn without_controls(text: &str) -> String {
    let is_kept = |letter: &char| matches!(letter, '\n' | '\t') || !letter.is_control();
    text.chars().filter(is_kept).collect()
}

/// A text that cannot become longer than the result of a template.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_TEMPLATE_OUTPUT_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// A text as Markdown that shows its letters and lines.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            escaped.push('\n');
        }
        let shown = line.trim();
        // Deeper indentation would make a code block, or continue a list.
        if at == 0 && line.starts_with(char::is_whitespace) {
            escaped.push(' ');
        }
        escaped.push_str(&line_between_others(shown));
        if !shown.is_empty() && line.ends_with([' ', '\t']) {
            escaped.push(' ');
        }
    }
    escaped
}

/// As [`escape_line`], and safe next to any other text.
fn line_between_others(line: &str) -> String {
    let mut escaped = escape_line(line).replace('|', "&#124;");
    if let Some(first) = escaped
        .chars()
        .next()
        .filter(|first| AT_THE_BEGIN.contains(first))
    {
        escaped.replace_range(..first.len_utf8(), &entity(first));
    }
    if let Some(last) = escaped
        .chars()
        .last()
        .filter(|last| AT_THE_END.contains(last))
    {
        let end = escaped.len() - last.len_utf8();
        escaped.replace_range(end.., &entity(last));
    }
    escaped
}

fn entity(letter: char) -> String {
    format!("&#{};", u32::from(letter))
}
