//! Output of commands: text for people, or one JSON value for scripts.

use std::cell::RefCell;
use std::io::{self, Write as _};

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::sheet;

/// The output flag of every administrative command.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Output {
    /// How the result is printed.
    #[arg(long = "output", value_enum, default_value_t = Form::Human, value_name = "FORM")]
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Text for people.
    Human,
    /// One JSON value on one line, for scripts.
    Json,
}

/// The output flag of commands that print a table.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct TableOutput {
    /// How the result is printed.
    #[arg(long = "output", value_enum, default_value_t = TableForm::Human, value_name = "FORM")]
    form: TableForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableForm {
    /// Text for people.
    Human,
    /// One JSON value on one line, for scripts.
    Json,
    /// A line for each row, for spreadsheets.
    Csv,
}

impl TableOutput {
    /// Prints `human`, `json`, or the fields of its objects as a table with these columns.
    pub(super) fn print(self, columns: &[&str], json: &Value, human: impl FnOnce() -> String) {
        match self.form {
            TableForm::Json => show(&json.to_string()),
            TableForm::Human => show(human().trim_end()),
            TableForm::Csv => show(&table(columns, json)),
        }
    }
}

/// A table that is printed row by row; as JSON at its end.
pub(super) struct Printer<'a> {
    form: TableForm,
    columns: &'a [&'a str],
    rows: RefCell<Vec<Value>>,
}

impl TableOutput {
    /// Begins a table with these columns.
    pub(super) fn begin<'a>(self, columns: &'a [&'a str]) -> Printer<'a> {
        if self.form == TableForm::Csv {
            show(&table(columns, &Value::Null));
        }
        Printer {
            form: self.form,
            columns,
            rows: RefCell::default(),
        }
    }
}

impl Printer<'_> {
    /// Prints an object of the table, or `human`.
    pub(super) fn row(&self, row: &Value, human: &str) {
        match self.form {
            TableForm::Json => self.rows.borrow_mut().push(row.clone()),
            TableForm::Human => show(human),
            TableForm::Csv => show(&sheet::write([fields(self.columns, row)])),
        }
    }

    /// Ends the table.
    pub(super) fn end(self) {
        if self.form == TableForm::Json {
            show(&Value::Array(self.rows.into_inner()).to_string());
        }
    }
}

fn fields(columns: &[&str], row: &Value) -> Vec<String> {
    columns.iter().map(|column| field(&row[*column])).collect()
}

fn table(columns: &[&str], rows: &Value) -> String {
    let heading = columns.iter().map(|&column| column.to_owned()).collect();
    let rows = rows.as_array().into_iter().flatten();
    let rows = rows.map(|row| fields(columns, row));
    sheet::write(std::iter::once(heading).chain(rows))
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(field).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

impl Output {
    /// Prints `human` or `json`, depending on the flag.
    pub(super) fn print(self, json: &Value, human: impl FnOnce() -> String) {
        match self.form {
            Form::Json => show(&json.to_string()),
            Form::Human => show(human().trim_end()),
        }
    }
}

/// Escapes control and bidirectional characters: names and messages are untrusted, and a terminal would interpret them.
pub(super) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (letter.is_control() && !matches!(letter, '\n' | '\t')) || turns {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Prints a result with the end of its last line. A reader that has seen enough, such as `head`, is no error.
pub(super) fn show(text: &str) {
    let text = plain(text);
    let mut output = io::stdout().lock();
    let printed = writeln!(output, "{text}").and_then(|()| output.flush());
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("spindle: the result cannot be printed: {error}");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_terminal_is_told_nothing() {
        assert_eq!(plain("Zoë:\t日本\n"), "Zoë:\t日本\n");
        assert_eq!(
            plain("\u{1b}]0;x\u{7}\r\u{9b}"),
            "\\u{1b}]0;x\\u{7}\\u{d}\\u{9b}"
        );
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
    }
}
